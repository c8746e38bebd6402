package page_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"

	"zeitnot/bot"
	"zeitnot/bot/page"
)

func TestHealthzSaysByItsStatusWhetherTheDaemonIsHealthy(t *testing.T) {
	for _, c := range []struct {
		healthy bool
		method  string
		want    int
	}{
		{true, http.MethodGet, http.StatusOK},
		{false, http.MethodGet, http.StatusServiceUnavailable},
		{true, http.MethodHead, http.StatusOK},
		{true, http.MethodPost, http.StatusMethodNotAllowed},
	} {
		handler := page.Healthz(func() bot.Health { return bot.Health{Healthy: c.healthy, Games: []string{"abcd1234"}} })
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequest(c.method, "/healthz", nil))
		if w.Code != c.want {
			t.Errorf("%s, healthy %v: got status %d, want %d", c.method, c.healthy, w.Code, c.want)
		}
		if c.method != http.MethodGet {
			continue
		}
		var got map[string]any
		if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil {
			t.Fatal(err)
		}
		if got["healthy"] != c.healthy || len(got["games"].([]any)) != 1 {
			t.Errorf("body: got %v", got)
		}
	}
}

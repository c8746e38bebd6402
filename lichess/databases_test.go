package lichess_test

import (
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"zeitnot/lichess"
)

// The cloud's limit is one of a day; our own games are looked up all the time.
func TestTheLimitOfADatabaseDoesNotLastForOtherLookups(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := connect(t, func(w http.ResponseWriter, r *http.Request) {
			if strings.HasSuffix(r.URL.Path, "cloud-eval") {
				w.Header().Set("Retry-After", "86400")
				answer(w, 429, `{"error":"Too many requests"}`)
				return
			}
			answer(w, 200, `{"nowPlaying":[]}`)
		})
		if _, err := c.CloudEval(t.Context(), "f"); !lichess.IsRateLimited(err) || lichess.RetryAfterOf(err) != 24*time.Hour {
			t.Fatalf("got %v, want a rate limit of a day", err)
		}
		time.Sleep(time.Minute)
		if _, err := c.Playing(t.Context()); err != nil {
			t.Errorf("running games after a minute: %v", err)
		}
		if left := c.PauseLeft(lichess.KindDatabase); left != 24*time.Hour-time.Minute {
			t.Errorf("databases: pause of %v left", left)
		}
	})
}

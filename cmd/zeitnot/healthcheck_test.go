package main

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestHealthcheckBelievesTheDaemon(t *testing.T) {
	status := http.StatusOK
	daemon := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/healthz" {
			t.Errorf("got a request for %s, want /healthz", r.URL.Path)
		}
		w.WriteHeader(status)
		io.WriteString(w, "{\"healthy\":true}\n")
	}))
	defer daemon.Close()
	var out bytes.Buffer
	a := newApp(strings.NewReader(""), &out, io.Discard)
	address := strings.TrimPrefix(daemon.URL, "http://")
	if err := a.healthcheck(t.Context(), address); err != nil {
		t.Errorf("healthy: got %v", err)
	}
	if got, want := out.String(), "{\"healthy\":true}\n"; got != want {
		t.Errorf("got output %q, want %q", got, want)
	}
	status = http.StatusServiceUnavailable
	if err := a.healthcheck(t.Context(), address); err == nil {
		t.Error("not healthy: got no error")
	}
}

func TestListenersAreReachedOnTheLoopback(t *testing.T) {
	for listen, want := range map[string]string{
		"127.0.0.1:8090": "127.0.0.1:8090",
		":8090":          "127.0.0.1:8090",
		"0.0.0.0:8090":   "127.0.0.1:8090",
		"[::]:8090":      "[::1]:8090",
		"10.0.0.7:80":    "10.0.0.7:80",
		"localhost:80":   "localhost:80",
	} {
		if got := reachable(listen); got != want {
			t.Errorf("%s: got %s, want %s", listen, got, want)
		}
	}
}

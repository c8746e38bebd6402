package lichess

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

// A server that offers HTTP/2 is still spoken to in HTTP/1.1, by all three pools.
func TestOnlyHTTP1IsSpoken(t *testing.T) {
	protocols := make(chan string, 3)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		protocols <- r.Proto
		_, _ = io.WriteString(w, `{"id":"x"}`)
	}))
	server.EnableHTTP2 = true
	server.StartTLS()
	defer server.Close()
	roots := server.Client().Transport.(*http.Transport).TLSClientConfig.Clone()
	roots.NextProtos = nil
	c, err := New(Options{URL: server.URL, TLS: roots})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := c.Account(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := c.SendMove(t.Context(), MoveRequest{GameID: "g1", UCI: "e2e4"}); err != nil {
		t.Error(err)
	}
	if err := c.StreamEvents(t.Context(), func(EventLine) {}); err != io.EOF {
		t.Error(err)
	}
	close(protocols)
	n := 0
	for p := range protocols {
		n++
		if p != "HTTP/1.1" {
			t.Errorf("got %s, want HTTP/1.1", p)
		}
	}
	if n != 3 {
		t.Errorf("got %d requests, want 3", n)
	}
}

// Requests keep their connection, also after refusals with a body.
func TestRequestsReuseTheirConnection(t *testing.T) {
	addresses := make(map[string]bool)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		addresses[r.RemoteAddr] = true
		w.WriteHeader(404)
		_, _ = io.WriteString(w, `{"error":"No such game"}`)
	}))
	defer server.Close()
	c, err := New(Options{URL: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for range 5 {
		if err := c.Abort(t.Context(), "g1"); !IsNotFound(err) {
			t.Fatal(err)
		}
	}
	if len(addresses) != 1 {
		t.Errorf("got %d connections for 5 requests, want 1", len(addresses))
	}
}

// A refused connection is an error that can be retried and that names no URL.
func TestUnreachableServer(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	_ = l.Close()
	c, err := New(Options{URL: "http://" + address})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_, err = c.Account(t.Context())
	if err == nil || !Retryable(err) || StatusOf(err) != 0 {
		t.Errorf("got %v, want a retryable error without a status", err)
	}
}

func TestIdleConnectionsAreClosedBeforeTheServerDoes(t *testing.T) {
	if serverIdle := 75 * time.Second; newTransport(nil, nil, 8).IdleConnTimeout >= serverIdle {
		t.Errorf("idle timeout: want less than the server's %v", serverIdle)
	}
}

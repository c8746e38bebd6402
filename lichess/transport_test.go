package lichess

import (
	"errors"
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

// A server that closes its side only, inside a chunked body, is noticed without a watchdog;
// one that resets, too.
func TestHalfClosedAndResetStreamsEndAtOnce(t *testing.T) {
	for name, end := range map[string]func(*net.TCPConn) error{
		"half closed": (*net.TCPConn).CloseWrite,
		"reset":       func(c *net.TCPConn) error { _ = c.SetLinger(0); return c.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			var open net.Conn
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				conn, _, err := w.(http.Hijacker).Hijack()
				if err != nil {
					t.Error(err)
					return
				}
				open = conn
				_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n\n\r\n")
				_ = end(conn.(*net.TCPConn))
			}))
			c, err := New(Options{URL: server.URL})
			if err != nil {
				t.Fatal(err)
			}
			err = c.StreamEvents(t.Context(), func(EventLine) {})
			if err == nil || errors.Is(err, io.EOF) || errors.Is(err, ErrSilent) || !Retryable(err) {
				t.Errorf("got %v, want a retryable error that is neither a clean end nor silence", err)
			}
			c.Close()
			_ = open.Close()
			server.Close()
		})
	}
}

// A refused connection is an error that can be retried and that names no URL.
func TestUnreachableServer(t *testing.T) {
	c, err := New(Options{URL: "http://127.0.0.1:9"}) // nobody is given that port
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

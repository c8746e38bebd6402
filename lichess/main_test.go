package lichess_test

import (
	"bytes"
	"context"
	"errors"
	"net"
	"net/http"
	"sync"
	"testing"
	"time"

	"zeitnot/leaktest"
	"zeitnot/lichess"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// testToken is what no error, log line or printed value may show.
const testToken = "lip_TESTTOKEN123"

// pipeListener is a server's listener whose connections are pipes in memory. They belong
// into virtual time, which sockets do not.
type pipeListener struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once

	mu    sync.Mutex // guards dials
	dials int
}

func newPipeListener() *pipeListener {
	return &pipeListener{conns: make(chan net.Conn), closed: make(chan struct{})}
}

func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *pipeListener) Close() error   { l.once.Do(func() { close(l.closed) }); return nil }
func (l *pipeListener) Addr() net.Addr { return pipeAddr{} }

func (l *pipeListener) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	l.mu.Lock()
	l.dials++
	l.mu.Unlock()
	here, there := net.Pipe()
	select {
	case l.conns <- there:
		return here, nil
	case <-l.closed:
		return nil, errors.New("connection refused")
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

type pipeAddr struct{}

func (pipeAddr) Network() string { return "pipe" }
func (pipeAddr) String() string  { return "pipe" }

// connect starts a server in memory and gives a client of it, with the test's token.
func connect(t *testing.T, h http.HandlerFunc, options ...func(*lichess.Options)) *lichess.Client {
	t.Helper()
	c, _ := connectCounting(t, h, options...)
	return c
}

// connectCounting is connect, and tells how often the client has dialled.
func connectCounting(t *testing.T, h http.HandlerFunc, options ...func(*lichess.Options)) (*lichess.Client, func() int) {
	t.Helper()
	l := newPipeListener()
	server := &http.Server{Handler: h}
	var serving sync.WaitGroup
	serving.Go(func() { _ = server.Serve(l) })

	o := lichess.Options{URL: "http://lichess.test", Token: secret(t, testToken), Version: "1.2", Dial: l.dial}
	for _, set := range options {
		set(&o)
	}
	c, err := lichess.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		c.Close()
		_ = server.Close()
		_ = l.Close()
		serving.Wait()
	})
	return c, func() int {
		l.mu.Lock()
		defer l.mu.Unlock()
		return l.dials
	}
}

func secret(t *testing.T, text string) lichess.Secret {
	t.Helper()
	s, err := lichess.NewSecret(text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// answer writes a JSON answer.
func answer(w http.ResponseWriter, status int, body string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(body))
}

// send writes part of a stream and pushes it out.
func send(w http.ResponseWriter, text string) {
	_, _ = w.Write([]byte(text))
	w.(http.Flusher).Flush()
}

// cannedServer answers every request with the same stream and closes, without a goroutine.
type cannedServer []byte

func (body cannedServer) dial(context.Context, string, string) (net.Conn, error) {
	c := &cannedConn{asked: make(chan struct{}), closed: make(chan struct{})}
	c.answer.WriteString("HTTP/1.1 200 OK\r\nContent-Type: application/x-ndjson\r\nConnection: close\r\n\r\n")
	c.answer.Write(body)
	return c, nil
}

// cannedConn has its answer ready as soon as something was written.
type cannedConn struct {
	answer         bytes.Buffer
	asked, closed  chan struct{}
	asking, ending sync.Once
}

func (c *cannedConn) Read(p []byte) (int, error) {
	select {
	case <-c.asked:
		return c.answer.Read(p)
	case <-c.closed:
		return 0, net.ErrClosed
	}
}

func (c *cannedConn) Write(p []byte) (int, error) {
	c.asking.Do(func() { close(c.asked) })
	return len(p), nil
}

func (c *cannedConn) Close() error                     { c.ending.Do(func() { close(c.closed) }); return nil }
func (c *cannedConn) LocalAddr() net.Addr              { return pipeAddr{} }
func (c *cannedConn) RemoteAddr() net.Addr             { return pipeAddr{} }
func (c *cannedConn) SetDeadline(time.Time) error      { return nil }
func (c *cannedConn) SetReadDeadline(time.Time) error  { return nil }
func (c *cannedConn) SetWriteDeadline(time.Time) error { return nil }

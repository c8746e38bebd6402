package sandbox_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"zeitnot/leaktest"
	"zeitnot/lichess/sandbox"
)

func TestMain(m *testing.M) {
	leaktest.Main(m)
}

// world is a running sandbox with plain HTTP clients, one per account.
type world struct {
	t      *testing.T
	s      *sandbox.Server
	base   string
	dial   func(ctx context.Context, network, addr string) (net.Conn, error)
	mem    *sandbox.MemListener
	ctx    context.Context
	mu     sync.Mutex
	closes []func()
}

func defaultAccounts() []sandbox.AccountSpec {
	return []sandbox.AccountSpec{
		{Name: "GoBot", Title: "BOT"}, {Name: "OtherBot", Title: "BOT"}, {Name: "JaneDoe", Takebacks: true},
	}
}

// inBubble runs a test in virtual time over in-memory connections.
func inBubble(t *testing.T, o sandbox.Options, test func(*world)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		mem := sandbox.Listen()
		w := newWorld(t, o, mem)
		w.mem = mem
		w.dial = mem.DialContext
		w.base = "http://sandbox"
		defer w.close()
		test(w)
	})
}

// onLoopback runs a test in real time over TCP.
func onLoopback(t *testing.T, o sandbox.Options, test func(*world)) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, o, l)
	w.base = "http://" + l.Addr().String()
	w.dial = (&net.Dialer{}).DialContext
	defer w.close()
	test(w)
}

func newWorld(t *testing.T, o sandbox.Options, l net.Listener) *world {
	t.Helper()
	if o.Accounts == nil {
		o.Accounts = defaultAccounts()
	}
	s, err := sandbox.New(o)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	w := &world{t: t, s: s, ctx: ctx}
	done := make(chan error, 1)
	go func() { done <- s.Run(ctx, l) }()
	w.closes = append(w.closes, func() {
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Errorf("Run ended with %v, want context.Canceled", err)
		}
	})
	return w
}

func (w *world) close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for i := len(w.closes) - 1; i >= 0; i-- {
		w.closes[i]()
	}
	w.closes = nil
}

// client is one account's plain HTTP client.
type client struct {
	w         *world
	http      *http.Client
	token     string
	agent     string
	transport *http.Transport
}

func (w *world) as(name string) *client {
	tr := &http.Transport{DialContext: w.dial, DisableCompression: true}
	c := &client{w: w, http: &http.Client{Transport: tr}, token: "lip_" + strings.ToLower(name), agent: "test user:" + name, transport: tr}
	w.mu.Lock()
	w.closes = append(w.closes, tr.CloseIdleConnections)
	w.mu.Unlock()
	return c
}

func (c *client) request(ctx context.Context, method, path string, form url.Values) (*http.Response, error) {
	var body io.Reader
	if form != nil {
		body = strings.NewReader(form.Encode())
	}
	r, err := http.NewRequestWithContext(ctx, method, c.w.base+path, body)
	if err != nil {
		c.w.t.Fatal(err)
	}
	if form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	if c.token != "" {
		r.Header.Set("Authorization", "Bearer "+c.token)
	}
	r.Header.Set("User-Agent", c.agent)
	return c.http.Do(r)
}

// call makes a request and returns status and body.
func (c *client) call(method, path string, form ...string) (int, string) {
	c.w.t.Helper()
	resp, err := c.request(c.w.ctx, method, path, pairs(form))
	if err != nil {
		c.w.t.Fatalf("%s %s: %v", method, path, err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		c.w.t.Fatalf("%s %s: %v", method, path, err)
	}
	return resp.StatusCode, string(data)
}

func pairs(form []string) url.Values {
	if len(form) == 0 {
		return nil
	}
	v := url.Values{}
	for i := 0; i < len(form); i += 2 {
		v.Set(form[i], form[i+1])
	}
	return v
}

// want makes a request and checks the status; it returns the body as an object.
func (c *client) want(status int, method, path string, form ...string) map[string]any {
	c.w.t.Helper()
	got, body := c.call(method, path, form...)
	if got != status {
		c.w.t.Fatalf("%s %s: got %d %s, want %d", method, path, got, strings.TrimSpace(body), status)
	}
	var v map[string]any
	if json.Unmarshal([]byte(body), &v) != nil {
		v = map[string]any{"raw": body}
	}
	return v
}

func (c *client) ok(path string, form ...string) {
	c.w.t.Helper()
	c.want(200, "POST", path, form...)
}

// lines is an open stream read in the background.
type lines struct {
	t      *testing.T
	c      chan string // closed at the end of the stream
	end    error       // set before the close: nil for a clean end
	cancel context.CancelFunc
	resp   *http.Response
	quit   chan struct{}
}

func (c *client) stream(path string) *lines {
	c.w.t.Helper()
	return c.streamForm("GET", path)
}

func (c *client) streamForm(method, path string, form ...string) *lines {
	c.w.t.Helper()
	ctx, cancel := context.WithCancel(c.w.ctx)
	resp, err := c.request(ctx, method, path, pairs(form))
	if err != nil {
		cancel()
		c.w.t.Fatalf("open %s: %v", path, err)
	}
	if resp.StatusCode != 200 {
		data, _ := io.ReadAll(resp.Body)
		cancel()
		c.w.t.Fatalf("open %s: got %d %s, want 200", path, resp.StatusCode, data)
	}
	l := &lines{t: c.w.t, c: make(chan string), cancel: cancel, resp: resp, quit: make(chan struct{})}
	var once sync.Once
	done := make(chan struct{})
	c.w.mu.Lock()
	c.w.closes = append(c.w.closes, func() {
		once.Do(func() { close(l.quit) })
		cancel()
		<-done
	})
	c.w.mu.Unlock()
	go func() {
		defer close(done)
		defer resp.Body.Close()
		defer close(l.c)
		r := bufio.NewReader(resp.Body)
		for {
			s, err := r.ReadString('\n')
			if err != nil {
				if !errors.Is(err, io.EOF) || s != "" {
					l.end = err
				}
				return
			}
			select {
			case l.c <- strings.TrimSuffix(s, "\n"):
			case <-l.quit:
				return
			}
		}
	}()
	return l
}

// raw gives the next line; ok is false at the end.
func (l *lines) raw() (string, bool) {
	s, ok := <-l.c
	return s, ok
}

// next gives the next line that is not blank, as an object.
func (l *lines) next() map[string]any {
	l.t.Helper()
	for s := range l.c {
		if s == "" {
			continue
		}
		var v map[string]any
		if err := json.Unmarshal([]byte(s), &v); err != nil {
			l.t.Fatalf("line %q: %v", s, err)
		}
		return v
	}
	l.t.Fatalf("stream ended (%v), want a line", l.end)
	return nil
}

// until skips lines up to one of the type.
func (l *lines) until(kind string) map[string]any {
	l.t.Helper()
	for {
		if v := l.next(); v["type"] == kind {
			return v
		}
	}
}

// closed wants the stream to end without another line that is not blank.
func (l *lines) closed() error {
	l.t.Helper()
	for s := range l.c {
		if s != "" {
			l.t.Fatalf("got line %s, want the end of the stream", s)
		}
	}
	return l.end
}

func (l *lines) close() { l.cancel() }

func clock(limit, increment int) sandbox.TimeControl {
	return sandbox.ClockControl(time.Duration(limit)*time.Second, time.Duration(increment)*time.Second)
}

// start starts a game GoBot (white) against OtherBot unless told otherwise.
func (w *world) start(g sandbox.GameSpec) string {
	w.t.Helper()
	if g.White == "" {
		g.White = "GoBot"
	}
	if g.Black == "" {
		g.Black = "OtherBot"
	}
	id, err := w.s.StartGame(g)
	if err != nil {
		w.t.Fatal(err)
	}
	return id
}

func (w *world) game(id string) sandbox.GameRecord {
	w.t.Helper()
	r, ok := w.s.Game(id)
	if !ok {
		w.t.Fatalf("no game %s", id)
	}
	return r
}

func (w *world) do(id, account string, moves ...string) {
	w.t.Helper()
	for _, m := range moves {
		if err := w.s.Do(id, account, sandbox.Action{Move: m}); err != nil {
			w.t.Fatalf("%s plays %s: %v", account, m, err)
		}
	}
}

func newRequest(method, url, body, kind string) (*http.Request, error) {
	r, err := http.NewRequest(method, url, strings.NewReader(body))
	if err == nil && kind != "" {
		r.Header.Set("Content-Type", kind)
	}
	return r, err
}

func decode(t *testing.T, body io.ReadCloser) map[string]any {
	t.Helper()
	defer body.Close()
	var v map[string]any
	if err := json.NewDecoder(body).Decode(&v); err != nil {
		t.Fatal(err)
	}
	return v
}

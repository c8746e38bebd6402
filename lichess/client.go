package lichess

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"
)

// DefaultURL is the server of everybody.
const DefaultURL = "https://lichess.org"

// Options make a client. The zero value is a client of lichess.org without a token.
type Options struct {
	// URL is the server's base; "" is DefaultURL.
	URL   string
	Token Secret
	// Version goes into the user agent as zeitnot/<version>; "" is "dev".
	Version string
	// Dial opens every connection instead of the network: an in-memory server, or a proxy of
	// the caller's.
	Dial func(ctx context.Context, network, addr string) (net.Conn, error)
	// TLS is for servers with a certificate of their own; nil trusts the system's roots.
	TLS *tls.Config
	// Logger takes requests and odd lines; the zero value is silent.
	Logger zerolog.Logger

	// Burst and Refill (per second) size the token bucket of all requests; 0 is 60 and 3.
	Burst  int
	Refill float64
	// EventOpens is how often the event stream may be opened in a burst, with one more
	// every half minute (the server allows 30 in ten minutes); 0 is 8, negative is no limit.
	EventOpens int
	// GameSilence and EventSilence are the watchdogs of the streams, the wait for the first
	// byte included; 0 is 15 s and 45 s. The server sends a blank line every 7 s.
	GameSilence, EventSilence time.Duration
	// Timeout bounds a request; 0 is 6 s. Lookups, whose answers may be long, get three times
	// as much; moves have their own.
	Timeout time.Duration
}

// Client talks to one server with one token. It is safe for concurrent use. Close it when
// nothing uses it any more.
type Client struct {
	base       string
	token      Secret
	log        zerolog.Logger
	agent      atomic.Pointer[string]
	version    string
	limit      *limiter
	eventOpens *limiter // nil: no limit
	held       pauses

	// Pools of their own, so that nothing queues before a move and no stream shares a
	// connection. Hedges take the spare connection and keep none.
	requests, moves, hedges, streams *http.Client
	spare                            *spare

	timeout, gameSilence, eventSilence time.Duration
}

// New checks the options and makes a client. Nothing is sent yet.
func New(o Options) (*Client, error) {
	base, err := normalizeURL(o.URL)
	if err != nil {
		return nil, err
	}
	if o.Version == "" {
		o.Version = "dev"
	}
	c := &Client{
		base:         base,
		token:        o.Token,
		log:          o.Logger,
		version:      o.Version,
		limit:        newLimiter(orDefault(o.Burst, defaultBurst), orDefault(o.Refill, defaultRefill)),
		requests:     newHTTPClient(newTransport(o.Dial, o.TLS, 8)),
		streams:      newHTTPClient(newTransport(o.Dial, o.TLS, 0)),
		timeout:      orDefault(o.Timeout, 6*time.Second),
		gameSilence:  orDefault(o.GameSilence, 15*time.Second),
		eventSilence: orDefault(o.EventSilence, 45*time.Second),
	}
	if o.EventOpens >= 0 {
		// 8 at once and 20 more in ten minutes stay below the server's 30.
		c.eventOpens = newLimiter(orDefault(o.EventOpens, 8), 1.0/30)
	}
	moves, hedges := newTransport(o.Dial, o.TLS, 32), newTransport(o.Dial, o.TLS, 0)
	c.spare = newSpare(o.Dial, o.TLS)
	c.spare.serve(moves)
	c.spare.serve(hedges)
	c.moves, c.hedges = newHTTPClient(moves), newHTTPClient(hedges)
	c.setAgent("")
	return c, nil
}

func orDefault[T int | float64 | time.Duration](value, fallback T) T {
	if value <= 0 {
		return fallback
	}
	return value
}

// newHTTPClient wraps a transport. There is no client timeout: a stream lives as long as it
// is fed, and requests bring a deadline in their context. Redirects are not followed: they
// could take the token elsewhere.
func newHTTPClient(t *http.Transport) *http.Client {
	return &http.Client{
		Transport:     t,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// normalizeURL checks a base URL and cuts the slashes at its end, so that paths can be
// appended.
func normalizeURL(text string) (string, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return DefaultURL, nil
	}
	u, err := url.Parse(text)
	switch {
	case err != nil:
		return "", errors.New("server URL: not a URL") // the parser's error would repeat a password
	case u.User != nil:
		return "", errors.New("server URL: must not hold a user or password")
	case u.Scheme != "http" && u.Scheme != "https":
		return "", fmt.Errorf("server URL %q: must begin with http:// or https://", text)
	case u.Host == "" || u.Hostname() == "":
		return "", fmt.Errorf("server URL %q: no host", text)
	case u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		return "", fmt.Errorf("server URL %q: must not hold a query or fragment", text)
	}
	return u.Scheme + "://" + u.Host + strings.TrimRight(u.EscapedPath(), "/"), nil
}

// Close closes idle connections. Streams end by their contexts.
func (c *Client) Close() {
	for _, h := range []*http.Client{c.requests, c.moves, c.hedges, c.streams} {
		h.CloseIdleConnections()
	}
	c.spare.close()
}

// BaseURL is the server's base without a slash at its end.
func (c *Client) BaseURL() string { return c.base }

// UserAgent is what the client calls itself. Once the account is known it names it: the
// server refuses a token that belongs to somebody else.
func (c *Client) UserAgent() string { return *c.agent.Load() }

// namePattern is what the server takes for a name in a user agent.
var namePattern = regexp.MustCompile(`^[\w-]{3,31}$`)

// setAgent composes the user agent; a name that the server would not read is left out.
func (c *Client) setAgent(name string) {
	agent := "zeitnot/" + c.version
	if namePattern.MatchString(name) {
		agent += " user:" + name
	}
	c.agent.Store(&agent)
}

// Pause holds a kind of request back for d, as a rate limit does: a caller that remembers
// limits over a restart restores them so.
func (c *Client) Pause(kind Kind, d time.Duration) { c.held.hold(kind, "", d) }

// PauseLeft is how long a kind of request is held back; 0 when it is free.
func (c *Client) PauseLeft(kind Kind) time.Duration { return c.held.left(kind, "") }

// Debt is how long the server had better be left alone: moves never wait for the token
// bucket, and a game in which both sides answer at once spends more than comes in. 0 is the
// usual.
func (c *Client) Debt() time.Duration { return c.limit.debt() }

// call is one request.
type call struct {
	op     string // what is attempted, for errors
	kind   Kind
	game   string // the game that it belongs to, for pauses
	method string
	path   string // begins with a slash, already escaped
	query  url.Values
	form   url.Values // sent as a form when not nil
	body   string     // sent as plain text when not ""
	accept string     // "" is JSON
	noAuth bool
	// firstLine: only the first line of the answer counts; more of it may take long.
	firstLine bool
	hedge     bool // goes by the spare connection
	// timeout bounds the call from the moment it may be sent; 0 is the client's own.
	timeout time.Duration
}

// get and post make the two usual calls.
func get(kind Kind, op, path string) call {
	return call{op: op, kind: kind, method: http.MethodGet, path: path}
}

func post(kind Kind, op, path string) call {
	return call{op: op, kind: kind, method: http.MethodPost, path: path}
}

// maxBody bounds the body of a successful answer; the longest real ones, of 500 online bots
// or all tournaments, take some hundred kilobytes.
const maxBody = 8 << 20

// maxRefusal bounds what is read of the body of a refusal.
const maxRefusal = 32 << 10

// do makes a request and decodes its JSON answer into out, unless that is nil.
func (c *Client) do(ctx context.Context, k call, out any) error {
	body, err := c.fetch(ctx, k)
	if err != nil || out == nil {
		return err
	}
	if err := tolerate(json.Unmarshal(body, out)); err != nil {
		return &Error{Op: k.op, Status: http.StatusOK, Err: fmt.Errorf("read answer: %w", err)}
	}
	return nil
}

// fetch makes a request and gives the body of its successful answer.
func (c *Client) fetch(ctx context.Context, k call) ([]byte, error) {
	if err := c.admit(ctx, k); err != nil {
		return nil, err
	}
	timeout := k.timeout
	if timeout <= 0 {
		timeout = c.timeout
		if k.kind == KindLookup {
			timeout *= 3
		}
	}
	timed, cancel := context.WithTimeoutCause(ctx, timeout, ErrTimeout)
	defer cancel()
	r, err := c.newRequest(timed, k)
	if err != nil {
		return nil, err
	}
	pool := c.requests
	switch {
	case k.hedge:
		pool = c.hedges
	case k.kind == KindMove:
		pool = c.moves
	}
	start := time.Now()
	answer, err := pool.Do(r)
	if err != nil {
		return nil, c.failed(ctx, timed, k, err)
	}
	defer answer.Body.Close()
	body, err := c.readAnswer(ctx, timed, k, answer)
	c.log.Debug().Str("op", k.op).Stringer("kind", k.kind).Int("status", answer.StatusCode).Dur("ms", time.Since(start)).Msg("request")
	return body, err
}

// readAnswer reads an answer whole, so that its connection can be used again, and tells
// success from refusal.
func (c *Client) readAnswer(ctx, timed context.Context, k call, answer *http.Response) ([]byte, error) {
	if !success(answer.StatusCode) {
		return nil, c.refused(k, answer)
	}
	whole, read := io.LimitReader(answer.Body, maxBody+1), io.ReadAll
	if k.firstLine {
		read = firstLine
	}
	body, err := read(whole)
	if err != nil {
		return nil, c.failed(ctx, timed, k, err)
	}
	if len(body) > maxBody {
		return nil, &Error{Op: k.op, Status: answer.StatusCode, Message: fmt.Sprintf("answer longer than %d bytes", maxBody)}
	}
	// A page with status 200 is a proxy's or a portal's: the server never saw the request.
	if page := strings.TrimSpace(string(body[:min(len(body), maxRefusal)])); isHTML("", page) {
		return nil, &Error{Op: k.op, Status: answer.StatusCode, Message: "unexpected " + pageTitle(page)}
	}
	return body, nil
}

// refused reads a refusal and notes the pause of a rate limit.
func (c *Client) refused(k call, answer *http.Response) *Error {
	body, _ := io.ReadAll(io.LimitReader(answer.Body, maxRefusal)) // what came is enough
	e := refusal(k.op, answer, body, c.token)
	if e.Status == http.StatusTooManyRequests {
		c.held.refused(k.kind, k.game, e)
	}
	return e
}

// admit lets a call pass the pauses and the token bucket.
func (c *Client) admit(ctx context.Context, k call) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	rule := k.kind.rule()
	if left := c.held.left(k.kind, k.game); left > 0 && !rule.unpaused {
		return &Error{Op: k.op, Status: http.StatusTooManyRequests, RetryAfter: left, Err: ErrPaused}
	}
	if rule.urgent {
		c.limit.take()
		return nil
	}
	return c.limit.wait(ctx, rule.priority, rule.soon)
}

// newRequest builds the request of a call.
func (c *Client) newRequest(ctx context.Context, k call) (*http.Request, error) {
	address := c.base + k.path
	if len(k.query) > 0 {
		address += "?" + k.query.Encode()
	}
	var body io.Reader
	switch {
	case k.form != nil:
		body = strings.NewReader(k.form.Encode())
	case k.body != "":
		body = strings.NewReader(k.body)
	}
	r, err := http.NewRequestWithContext(ctx, k.method, address, body)
	if err != nil {
		return nil, fmt.Errorf("%s: make request: %w", k.op, withoutURL(err))
	}
	r.Header.Set("User-Agent", c.UserAgent())
	r.Header.Set("Accept", "application/json")
	if k.accept != "" {
		r.Header.Set("Accept", k.accept)
	}
	if k.form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	} else if k.body != "" {
		r.Header.Set("Content-Type", "text/plain")
	}
	if !k.noAuth && !c.token.IsZero() {
		r.Header.Set("Authorization", "Bearer "+c.token.Reveal())
	}
	return r, nil
}

// failed makes the error of a call that had no whole answer. The caller's own end of the
// call comes first, then ours, then what the network says.
func (c *Client) failed(ctx, inner context.Context, k call, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if inner.Err() != nil {
		return &Error{Op: k.op, Err: context.Cause(inner)}
	}
	return &Error{Op: k.op, Err: withoutURL(err)}
}

// withoutURL drops the method and URL that net/http puts around an error: the op says what
// was attempted, and a query may hold what is nobody's business.
func withoutURL(err error) error {
	if u, ok := errors.AsType[*url.Error](err); ok {
		return u.Err
	}
	return err
}

func success(status int) bool { return status >= 200 && status < 300 }

// escape makes an id or name safe inside a path.
func escape(id string) string {
	if id == "." || id == ".." {
		return strings.ReplaceAll(id, ".", "%2E")
	}
	return url.PathEscape(id)
}

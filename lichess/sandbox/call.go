package sandbox

import (
	"encoding/json"
	"io"
	"mime"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// call is one request on its way through the server.
type call struct {
	s        *Server
	w        http.ResponseWriter
	r        *http.Request
	at       time.Time
	route    *route
	endpoint Endpoint
	params   map[string]string
	form     url.Values
	account  *account // whose token it is; nil without a valid one
	token    *token
	gameID   string // the game or challenge of the path
}

// Handler serves the API.
func (s *Server) Handler() http.Handler { return http.HandlerFunc(s.serve) }

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	s.enter()
	defer s.leave()
	c := &call{s: s, w: w, r: r, at: time.Now()}
	c.route, c.params = findRoute(s.routes, r.Method, r.URL.EscapedPath())
	if c.route != nil {
		c.endpoint = c.route.endpoint
		c.gameID = c.params["id"]
		if len(c.gameID) == 12 {
			c.gameID = c.gameID[:8]
		}
	}
	denied := c.authenticate()
	entry := s.log.begin(c)
	form, err := readForm(r)
	c.form = form
	if c.endpoint != EndpointTokenTest { // its form holds tokens
		s.log.noteForm(entry, form)
	}
	if s.isDown(c.at) {
		c.done(entry, http.StatusBadGateway, "down")
		htmlReply(http.StatusBadGateway).write(w)
		return
	}
	if !c.faultBefore(entry) {
		return
	}
	rep := func() reply {
		switch {
		case c.route == nil:
			return refuse(http.StatusNotFound, "Not found.").reply()
		case denied != nil:
			return denied.reply()
		case err != nil:
			return refuse(http.StatusBadRequest, "unreadable body").reply()
		}
		return c.route.handle(c)
	}()
	if rep.stream != nil {
		s.log.status(entry, http.StatusOK)
		defer c.done(entry, http.StatusOK, "")
		rep.stream(c)
		return
	}
	if !c.faultAfter(entry) {
		return
	}
	c.done(entry, rep.status, "")
	rep.write(w)
}

// done closes the log entry of a call. fault names what dealt with it, if a fault did.
func (c *call) done(entry, status int, fault string) {
	c.s.log.end(entry, status, fault, time.Since(c.at))
	if c.s.opts.OnRequest != nil {
		c.s.opts.OnRequest(c.s.log.get(entry))
	}
}

// userAgentName finds the user that a User-Agent claims to speak for.
var userAgentName = regexp.MustCompile(`(?:user|as):\s?([\w-]{3,31})`)

// authenticate finds the account and says why the call may not go on, if it may not.
func (c *call) authenticate() *apiError {
	header := c.r.Header.Get("Authorization")
	value, bearer := strings.CutPrefix(header, "Bearer ")
	c.s.mu.Lock()
	defer c.s.mu.Unlock()
	t := c.s.tokens[strings.TrimSpace(value)]
	if t != nil && !t.revoked && !t.account.closed {
		c.token, c.account = t, t.account
		c.account.seen = c.at
	}
	if c.route == nil || c.route.open {
		return nil
	}
	h := c.w.Header()
	h.Set("X-Accepted-OAuth-Scopes", strings.Join(c.route.scopes, ", "))
	switch {
	case header == "" || !bearer:
		return refuse(http.StatusUnauthorized, "Missing authorization header")
	case t == nil || t.revoked:
		return refuse(http.StatusUnauthorized, "No such token")
	case t.account.closed:
		return refuse(http.StatusUnauthorized, "No such user")
	}
	h.Set("X-OAuth-Scopes", strings.Join(t.scopes, ", "))
	if m := userAgentName.FindStringSubmatch(c.r.UserAgent()); m != nil && accountID(m[1]) != t.account.id {
		return refuse(http.StatusUnauthorized, "The user in the user-agent doesn't match the token bearer")
	}
	if !t.mayUse(c.route.scopes) {
		return refuse(http.StatusForbidden, "Missing scope: %s", strings.Join(c.route.scopes, ", "))
	}
	return nil
}

// maxBody is more than any form of the API needs; a token test may list 1000 tokens.
const maxBody = 1 << 20

// readForm reads query and body; a JSON body counts as a form, {"a":{"b":1}} as a.b=1.
func readForm(r *http.Request) (url.Values, error) {
	form := r.URL.Query()
	body, err := io.ReadAll(io.LimitReader(r.Body, maxBody))
	if err != nil {
		return form, err
	}
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	switch {
	case len(body) == 0:
	case kind == "application/json":
		var fields map[string]any
		if err := json.Unmarshal(body, &fields); err != nil {
			return form, err
		}
		flatten(form, "", fields)
	case kind == "text/plain":
		form.Set("", string(body))
	default:
		values, err := url.ParseQuery(string(body))
		if err != nil {
			return form, err
		}
		for name, list := range values {
			form[name] = list
		}
	}
	return form, nil
}

func flatten(form url.Values, prefix string, v any) {
	switch v := v.(type) {
	case map[string]any:
		for name, inner := range v {
			if prefix != "" {
				name = prefix + "." + name
			}
			flatten(form, name, inner)
		}
	case string:
		form.Set(prefix, v)
	case bool:
		form.Set(prefix, strconv.FormatBool(v))
	case float64:
		form.Set(prefix, strconv.FormatFloat(v, 'f', -1, 64))
	}
}

// isYes reads the yes of a form or a path.
func isYes(s string) bool { return s == "yes" || s == "true" || s == "1" || s == "on" }

// breakConnection ends the connection in the middle of the answer; with reset by TCP RST or
// the like in memory, so that even bytes under way are lost.
func (c *call) breakConnection(reset bool) {
	conn, _, err := http.NewResponseController(c.w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	if reset {
		resetConn(conn)
		return
	}
	_ = conn.Close()
}

// closeHalf closes our direction of the connection and listens until the client goes or the
// server ends.
func (c *call) closeHalf() {
	conn, _, err := http.NewResponseController(c.w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	defer conn.Close()
	if half, ok := conn.(interface{ CloseWrite() error }); ok {
		_ = half.CloseWrite()
	}
	defer c.s.whileRunning(func() { _ = conn.Close() })()
	_, _ = io.Copy(io.Discard, conn)
}

// holdOpen says nothing more until the client goes, d has passed (0 = never) or the
// server ends; then the connection breaks.
func (c *call) holdOpen(d time.Duration) {
	var after <-chan time.Time
	if d > 0 {
		t := time.NewTimer(d)
		defer t.Stop()
		after = t.C
	}
	select {
	case <-c.r.Context().Done():
	case <-after:
	}
	c.breakConnection(true)
}

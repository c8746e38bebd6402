package lichess_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"zeitnot/lichess"
)

// refuse makes a call that is answered with this status, type and body.
func refuse(t *testing.T, status int, contentType, body string, header ...string) (e *lichess.Error) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		c := connect(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", contentType)
			for i := 0; i < len(header); i += 2 {
				w.Header().Set(header[i], header[i+1])
			}
			w.WriteHeader(status)
			_, _ = w.Write([]byte(body))
		})
		err := c.AcceptChallenge(t.Context(), "c1")
		ok := false
		if e, ok = errors.AsType[*lichess.Error](err); !ok {
			t.Fatalf("status %d: got %v, want an *Error", status, err)
		}
	})
	return e
}

func TestRefusalsKeepTheReason(t *testing.T) {
	const page = "<html><head><title>502 Bad\n Gateway</title></head><body>" + "<!-- padding -->" + "</body></html>"
	for name, c := range map[string]struct {
		status     int
		media      string
		body, want string
	}{
		"text":                      {400, "application/json", `{"error":"Not your turn, or game already over"}`, "Not your turn, or game already over"},
		"form errors":               {400, "application/json; charset=utf-8", `{"error":{"text":["error.required"],"global":["can't be rated","x"]}}`, "global: can't be rated, x; text: error.required"},
		"form errors, also outside": {400, "application/json", `{"room":["bad"],"error":{"room":["bad"]}}`, "room: bad"},
		"form errors, odd":          {400, "application/json", `{"error":{"a":1}}`, "a: 1"},
		"error a number":            {400, "application/json", `{"error":7}`, "7"},
		"oauth":                     {400, "application/json", `{"error":"invalid_grant","error_description":"hash"}`, "invalid_grant: hash"},
		"page with a title":         {502, "text/html; charset=UTF-8", page, "HTML page: 502 Bad Gateway"},
		"page without a title":      {429, "text/html", "<html>Too many requests</html>", "HTML page"},
		"page that says it is JSON": {502, "application/json", page, "HTML page: 502 Bad Gateway"},
		"empty":                     {503, "", "", ""},
		"plain":                     {504, "text/plain", "upstream\ttimed\x00 out\n", "upstream timed out"},
		"JSON without an error":     {500, "application/json", `{"x":1}`, `{"x":1}`},
		"broken JSON":               {500, "application/json", `{"error":"`, `{"error":"`},
		"a list":                    {500, "application/json", `[]`, `[]`},
	} {
		t.Run(name, func(t *testing.T) {
			e := refuse(t, c.status, c.media, c.body)
			if e.Status != c.status || e.Message != c.want {
				t.Errorf("got %d %q, want %d %q", e.Status, e.Message, c.status, c.want)
			}
			if !strings.HasPrefix(e.Error(), "accept challenge c1: status ") {
				t.Errorf("text does not say what was attempted: %s", e.Error())
			}
		})
	}
}

func TestMessagesAreCutToSize(t *testing.T) {
	for _, unit := range []string{"a", "é♞", "word "} {
		e := refuse(t, 500, "text/plain", strings.Repeat(unit, 20000))
		if len(e.Message) > 500 || len(e.Message) < 400 || !utf8.ValidString(e.Message) {
			t.Errorf("%q repeated: got %d bytes, valid %v", unit, len(e.Message), utf8.ValidString(e.Message))
		}
	}
	e := refuse(t, 500, "text/plain", "bad \xff\xfe bytes")
	if !utf8.ValidString(e.Message) || !strings.HasPrefix(e.Message, "bad ") {
		t.Errorf("got %q", e.Message)
	}
}

func TestRateLimitsSayHowLong(t *testing.T) {
	day := `{"error":"You played 100 games against other bots today","ratelimit":{"key":"bot.vsBot.day","seconds":86398}}`
	for name, c := range map[string]struct {
		status int
		body   string
		header []string
		want   time.Duration
	}{
		"untold: a minute":           {429, `{"error":"Too many requests. Try again later."}`, nil, time.Minute},
		"page":                       {429, `<html>Too many requests</html>`, nil, time.Minute},
		"empty":                      {429, ``, nil, time.Minute},
		"in the body":                {429, day, nil, 86398 * time.Second},
		"in the body of a 400":       {400, day, nil, 86398 * time.Second},
		"header, seconds":            {429, ``, []string{"Retry-After", "7"}, 7 * time.Second},
		"header, date":               {429, ``, []string{"Date", "Sat, 01 Jan 2000 00:00:00 GMT", "Retry-After", "Sat, 01 Jan 2000 00:02:00 GMT"}, 2 * time.Minute},
		"header, nonsense":           {429, ``, []string{"Retry-After", "soon"}, time.Minute},
		"header, at once":            {429, ``, []string{"Retry-After", "0"}, time.Second},
		"header, a century":          {429, ``, []string{"Retry-After", "999999999"}, 48 * time.Hour},
		"header, a date in the past": {429, ``, []string{"Date", "Sat, 01 Jan 2000 00:02:00 GMT", "Retry-After", "Sat, 01 Jan 2000 00:00:00 GMT"}, time.Second},
		"body before header":         {429, day, []string{"Retry-After", "7"}, 86398 * time.Second},
		"unavailable":                {503, ``, []string{"Retry-After", "120"}, 2 * time.Minute},
		"unavailable, untold":        {503, ``, nil, 0},
		"refused":                    {400, `{"error":"no"}`, nil, 0},
	} {
		t.Run(name, func(t *testing.T) {
			e := refuse(t, c.status, "application/json", c.body, c.header...)
			if e.RetryAfter != c.want {
				t.Errorf("got %v, want %v", e.RetryAfter, c.want)
			}
			if got, want := lichess.IsBotLimit(e), c.body == day; got != want {
				t.Errorf("daily limit of bot games: got %v, want %v", got, want)
			}
			if got := lichess.IsRateLimited(e); got != (c.status == 429) {
				t.Errorf("rate limited: got %v", got)
			}
		})
	}
}

func TestWhatMayBeRetried(t *testing.T) {
	status := func(s int) error { return &lichess.Error{Op: "x", Status: s} }
	for name, c := range map[string]struct {
		err  error
		want bool
	}{
		"no answer": {&lichess.Error{Op: "x", Err: errors.New("connection refused")}, true}, "500": {status(500), true}, "504": {status(504), true},
		"429": {status(429), true}, "408": {status(408), true}, "400": {status(400), false}, "401": {status(401), false}, "403": {status(403), false},
		"404": {status(404), false}, "302": {status(302), false}, "a page instead of an answer": {status(200), true},
		"silence": {&lichess.Error{Op: "x", Err: lichess.ErrSilent}, true}, "clean end": {io.EOF, true},
		"cancelled": {context.Canceled, false}, "out of time": {context.DeadlineExceeded, false}, "nil": {nil, false}, "other": {errors.New("bug"), false},
	} {
		if got := lichess.Retryable(c.err); got != c.want {
			t.Errorf("%s: got %v, want %v", name, got, c.want)
		}
	}
	if !lichess.IsAuth(status(401)) || !lichess.IsAuth(status(403)) || lichess.IsAuth(status(404)) || !lichess.IsMissingScope(status(403)) || lichess.IsMissingScope(status(401)) {
		t.Error("401 and 403 are the refusals of a token, 403 of its scope")
	}
	if !lichess.IsNotFound(status(404)) || !lichess.IsBadRequest(status(400)) || lichess.IsNotFound(nil) {
		t.Error("404 is not found, 400 a bad request")
	}
}

func TestMissingScopeIsNamed(t *testing.T) {
	e := refuse(t, 403, "application/json", `{"error":"Missing scope"}`, "X-Accepted-OAuth-Scopes", "bot:play")
	if want := "accept challenge c1: status 403: Missing scope (needs bot:play)"; e.Error() != want {
		t.Errorf("got %q, want %q", e.Error(), want)
	}
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	e := refuse(t, 301, "text/html", "", "Location", "https://elsewhere.test/api")
	if e.Status != 301 || !strings.Contains(e.Message, "https://elsewhere.test/api") || e.Retryable() {
		t.Errorf("got %+v", e)
	}
}

// A server that repeats what it got, a dead network, a hanging server: no error shows the token.
func TestErrorsNeverShowTheToken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		echo := connect(t, func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			w.WriteHeader(500)
			_, _ = io.WriteString(w, r.Header.Get("Authorization")+" "+string(body)+r.URL.String())
		})
		hang := connect(t, func(_ http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body) // a server notices a lost connection only behind the body
			<-r.Context().Done()
		})
		var all strings.Builder
		for _, c := range []*lichess.Client{echo, hang} {
			_, err := c.TestToken(t.Context())
			all.WriteString(err.Error())
			_, err = c.Account(t.Context())
			all.WriteString(err.Error())
			err = c.StreamEvents(t.Context(), func(lichess.EventLine) {})
			all.WriteString(err.Error())
		}
		if strings.Contains(all.String(), testToken) || !strings.Contains(all.String(), "Bearer ***") {
			t.Errorf("errors: %s", all.String())
		}
		for _, bad := range []string{"http://", "lichess.test"} {
			if strings.Contains(all.String(), bad) {
				t.Errorf("errors repeat the URL: %s", all.String())
			}
		}
	})
}

package lichess

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"mime"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// ErrSilent means that a stream brought no byte for longer than its watchdog allows: not
// even the blank line that the server sends every seven seconds.
var ErrSilent = errors.New("silent for too long")

// ErrTimeout means that a request had no whole answer within its own time.
var ErrTimeout = errors.New("no answer in time")

// ErrPaused means that no request was made: the server had asked for a pause that is not
// over. It is wrapped in an Error with status 429 and the time that is left.
var ErrPaused = errors.New("paused by an earlier rate limit")

// maxMessage bounds what an error repeats of a body, in bytes.
const maxMessage = 500

// Error is a request or stream that did not succeed. A call that was cancelled by its own
// context returns the context's error instead.
type Error struct {
	// Op is what was attempted and on which thing: "accept challenge abcd1234".
	Op string
	// Status is the HTTP status; 0 when there was no answer.
	Status int
	// Message is what the server said, in at most 500 bytes of one line. Of an HTML page only
	// the title is kept.
	Message string
	// RetryAfter is how long the server asks to wait; for a 429 never 0, else 0 when not told.
	RetryAfter time.Duration
	// RateLimitKey names the limit that was hit; "" when not told.
	RateLimitKey string
	// Needs lists the scopes of which the endpoint takes any, in answers that tell.
	Needs string
	// Err is the cause when the answer did not come or could not be read.
	Err error
}

// Error says what was attempted, the status and the reason.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.Op)
	if e.Status != 0 {
		fmt.Fprintf(&b, ": status %d", e.Status)
	}
	if e.Message != "" {
		b.WriteString(": " + e.Message)
	}
	if e.Needs != "" && e.Status == http.StatusForbidden {
		b.WriteString(" (needs " + e.Needs + ")")
	}
	if e.Err != nil {
		b.WriteString(": " + e.Err.Error())
	}
	if e.RetryAfter > 0 {
		b.WriteString(" (retry after " + e.RetryAfter.Round(time.Second).String() + ")")
	}
	return b.String()
}

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Err }

// Retryable reports whether the same call may succeed later: no answer, a broken or
// nonsensical one, a server fault, or a rate limit (after RetryAfter).
func (e *Error) Retryable() bool {
	switch {
	case e.Status == 0, e.Status >= 500, e.Status == http.StatusTooManyRequests, e.Status == http.StatusRequestTimeout:
		return true
	case e.Status < 300: // an answer that was cut or is no answer, such as a proxy's page
		return true
	}
	return false
}

// Retryable says what to retry: see Error.Retryable, and the end of a stream. Cancellation
// and refusals are final, and so is an error that is not of this package.
func Retryable(err error) bool {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return false
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Retryable()
	}
	return errors.Is(err, io.EOF)
}

// IsAuth reports whether the token was refused: unknown (401) or without the scope (403).
func IsAuth(err error) bool {
	s := StatusOf(err)
	return s == http.StatusUnauthorized || s == http.StatusForbidden
}

// IsMissingScope reports whether the token is known but may not do this.
func IsMissingScope(err error) bool { return StatusOf(err) == http.StatusForbidden }

// IsNotFound reports whether the thing asked for is not there (any more).
func IsNotFound(err error) bool { return StatusOf(err) == http.StatusNotFound }

// IsBadRequest reports whether the server understood and refused: for a move this often
// means that the game has ended.
func IsBadRequest(err error) bool { return StatusOf(err) == http.StatusBadRequest }

// IsRateLimited reports whether the server asked for a pause, now or earlier.
func IsRateLimited(err error) bool { return StatusOf(err) == http.StatusTooManyRequests }

// IsBotLimit reports whether the daily number of games between bots is used up: our own
// (status 429), or the other bot's (status 400).
func IsBotLimit(err error) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && e.RateLimitKey == BotVsBotKey
}

// StatusOf is the HTTP status in an error; 0 when there is none.
func StatusOf(err error) int {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Status
	}
	return 0
}

// RetryAfterOf is the wait that the server asked for; 0 when it did not.
func RetryAfterOf(err error) time.Duration {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.RetryAfter
	}
	return 0
}

// refusal makes the error of an answer whose status is not the wanted one.
func refusal(op string, r *http.Response, body []byte, token Secret) *Error {
	e := &Error{Op: op, Status: r.StatusCode, Needs: r.Header.Get("X-Accepted-OAuth-Scopes")}
	text, limit := readRefusal(r.Header.Get("Content-Type"), body)
	e.Message = oneLine(token.redact(text))
	if r.StatusCode >= 300 && r.StatusCode < 400 {
		// We follow no redirect: it would take the token elsewhere, and a POST would become a GET.
		e.Message = oneLine("redirected to " + token.redact(r.Header.Get("Location")))
	}
	stated, ok := retryAfter(r.Header, time.Now())
	if limit != nil {
		e.RateLimitKey = oneLine(limit.Key)
		if limit.Seconds > 0 {
			stated, ok = boundPause(time.Duration(min(limit.Seconds, math.MaxInt32))*time.Second), true
		}
	}
	switch {
	case ok:
		e.RetryAfter = stated
	case r.StatusCode == http.StatusTooManyRequests:
		e.RetryAfter = defaultPause
	}
	return e
}

// readRefusal finds the reason in a body: the text or the form errors under "error", the
// title of a page, or the text itself.
func readRefusal(contentType string, body []byte) (string, *RateLimit) {
	media, _, _ := mime.ParseMediaType(contentType)
	trimmed := strings.TrimSpace(string(body))
	if isHTML(media, trimmed) {
		return pageTitle(trimmed), nil
	}
	if media == "application/json" || strings.HasPrefix(trimmed, "{") {
		var w struct {
			Error       json.RawMessage `json:"error"`
			Description string          `json:"error_description"`
			RateLimit   *RateLimit      `json:"ratelimit"`
		}
		if tolerate(json.Unmarshal(body, &w)) == nil && w.Error != nil {
			text := errorText(w.Error)
			if w.Description != "" {
				text += ": " + w.Description
			}
			return text, w.RateLimit
		}
	}
	return trimmed, nil
}

// errorText reads the value under "error": a text, or messages by form field.
func errorText(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	var fields map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) != nil {
		return string(raw)
	}
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		var list []string
		if json.Unmarshal(fields[name], &list) != nil {
			list = []string{string(fields[name])}
		}
		parts = append(parts, name+": "+strings.Join(list, ", "))
	}
	return strings.Join(parts, "; ")
}

// isHTML reports whether a body is a page, whatever the answer says of itself.
func isHTML(media, trimmed string) bool {
	return media == "text/html" || strings.HasPrefix(trimmed, "<")
}

var titleTag = regexp.MustCompile(`(?is)<title[^>]*>(.*?)</title>`)

// pageTitle says that there was a page, and its title if it has one.
func pageTitle(page string) string {
	if m := titleTag.FindStringSubmatch(page); m != nil {
		if title := oneLine(m[1]); title != "" {
			return "HTML page: " + title
		}
	}
	return "HTML page"
}

// oneLine cuts a text to what an error may repeat: printable characters of one line, valid
// UTF-8, at most maxMessage bytes.
func oneLine(text string) string {
	if len(text) > 4*maxMessage {
		text = text[:4*maxMessage]
	}
	text = strings.ToValidUTF8(text, "\uFFFD")
	text = strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return ' '
	}, text)
	text = strings.Join(strings.Fields(text), " ")
	for len(text) > maxMessage {
		cut := maxMessage - len("…")
		for cut > 0 && text[cut]&0xC0 == 0x80 { // not inside a character
			cut--
		}
		text = text[:cut] + "…"
	}
	return text
}

// retryAfter reads the header in both forms, seconds and date; false when it is absent or
// unreadable.
func retryAfter(h http.Header, now time.Time) (time.Duration, bool) {
	value := strings.TrimSpace(h.Get("Retry-After"))
	if value == "" {
		return 0, false
	}
	if seconds, err := strconv.ParseInt(value, 10, 32); err == nil {
		return boundPause(time.Duration(seconds) * time.Second), true
	}
	date, err := http.ParseTime(value)
	if err != nil {
		return 0, false
	}
	// The date is of the server's clock: measure from its own Date when it tells.
	if sent, err := http.ParseTime(h.Get("Date")); err == nil {
		now = sent
	}
	return boundPause(date.Sub(now)), true
}

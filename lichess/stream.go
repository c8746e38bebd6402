package lichess

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"time"
)

// acceptLines is what stream requests accept.
const acceptLines = "application/x-ndjson"

// lineHandler gets each line of a stream on the goroutine that reads it. A blank line, the
// server's sign of life, is an empty line; so is the moment when the stream opens.
type lineHandler func(line []byte, arrived time.Time)

// stream opens a stream and reads it until it ends: io.EOF for a clean end, the context's
// error when that ended it, else an *Error, ErrSilent inside it when the watchdog did. A line
// that is an error instead of a message makes the end an *Error with its text.
func (c *Client) stream(ctx context.Context, k call, silence time.Duration, handle lineHandler) error {
	if err := c.admit(ctx, k); err != nil {
		return err
	}
	watched, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	dog := &watchdog{after: silence}
	dog.timer = time.AfterFunc(silence, func() { cancel(ErrSilent) })
	defer dog.rest()

	k.accept = acceptLines
	r, err := c.newRequest(watched, k)
	if err != nil {
		return err
	}
	answer, err := c.streams.Do(r)
	if err != nil {
		return c.failed(ctx, watched, k, err)
	}
	defer answer.Body.Close()
	if !success(answer.StatusCode) {
		return c.refused(k, answer)
	}
	dog.rest()
	handle(nil, time.Now())

	lines := newLineReader(&watchedReader{answer.Body, dog})
	var told error // an error that came as a line
	for {
		line, arrived, oversize, err := lines.next()
		switch {
		case err != nil && ctx.Err() == nil && told != nil:
			return told
		case errors.Is(err, io.EOF) && ctx.Err() == nil:
			return io.EOF
		case err != nil:
			return c.failed(ctx, watched, k, err)
		case oversize > 0:
			c.log.Warn().Str("op", k.op).Int("bytes", oversize).Msg("line too long, skipped")
			handle(nil, arrived)
		default:
			if e := errorLine(line); e != "" {
				told = &Error{Op: k.op, Status: http.StatusOK, Message: oneLine(c.token.redact(e))}
				c.log.Warn().Err(told).Msg("stream says an error")
				continue
			}
			handle(line, arrived)
		}
	}
}

// errorLine finds the text of a line that is an error instead of a message: it has an error
// and no type. It is "" for every other line.
func errorLine(line []byte) string {
	// Cheap first look: messages begin with their type, except gameFull.
	if len(line) == 0 || line[0] != '{' || bytes.HasPrefix(line, []byte(`{"type":`)) {
		return ""
	}
	var w struct {
		Type  json.RawMessage `json:"type"`
		Error json.RawMessage `json:"error"`
	}
	if json.Unmarshal(line, &w) != nil || w.Error == nil || w.Type != nil {
		return ""
	}
	if text := errorText(w.Error); text != "" {
		return text
	}
	return "no reason given"
}

// watchdog ends a stream that has been silent. It watches only while bytes are waited for:
// time that a handler takes is not the server's.
type watchdog struct {
	timer *time.Timer
	after time.Duration
}

func (d *watchdog) watch() { d.timer.Reset(d.after) }
func (d *watchdog) rest()  { d.timer.Stop() }

// watchedReader gives each read of a body the watchdog's whole time.
type watchedReader struct {
	body io.Reader
	dog  *watchdog
}

// Read is io.Reader's.
func (w *watchedReader) Read(p []byte) (int, error) {
	w.dog.watch()
	defer w.dog.rest()
	return w.body.Read(p)
}

// badLine logs a line that is not what the protocol says, and that it is skipped.
func (c *Client) badLine(op string, line []byte, err error) {
	const enough = 200
	text := []rune(oneLine(c.token.redact(string(line))))
	if len(text) > enough {
		text = text[:enough]
	}
	c.log.Warn().Str("op", op).Int("bytes", len(line)).Str("line", string(text)).Err(err).Msg("unreadable line, skipped")
}

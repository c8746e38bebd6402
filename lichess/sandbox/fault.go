package sandbox

import (
	"fmt"
	"slices"
	"time"
)

// Body is what an answer of a Fail fault holds.
type Body string

// The bodies. The zero value is HTML from 500 on and JSON below.
const (
	BodyJSON  Body = "json"
	BodyHTML  Body = "html"
	BodyEmpty Body = "empty"
)

// Always, as Fault.Times, means that a fault never wears off.
const Always = -1

// Fault is something that goes wrong. Fields that its kind does not use must be zero.
type Fault struct {
	Kind     Kind
	Endpoint Endpoint // which calls or streams; "" = all that the kind can hit
	Account  string   // only this account's; "" = all
	Game     string   // only this game's (or challenge's); "" = all

	// From is the first occurrence that is hit, counted from 1: of the call, of the
	// stream opened, or of the line. 0 = 1.
	From int
	// Times is how many occurrences are hit, Always for no end. 0 = 1; for Latency,
	// Charge and the kinds that disturb lines, 0 = Always.
	Times int

	// Chance hits each of these occurrences only with this probability, drawn from the
	// server's seed. 0 = 1.
	Chance float64
	// Since and Until bound the time in which occurrences are counted, from Run on. Until 0
	// = no end.
	Since, Until time.Duration

	// Ply ends a stream once it has shown so many plies; After ends it that long after its
	// opening. With neither it ends at once. For kinds that happen by themselves After counts
	// from Run; for Withdraw from the challenge.
	Ply   int
	After time.Duration
	Every time.Duration // kinds that happen by themselves: again each time after so long; 0 = once

	In, Out time.Duration // Latency: on the way to the server and back
	Jitter  time.Duration // Latency, Charge: up to so much more, drawn evenly
	Per     time.Duration // Charge: per move

	Code    int    // Fail, Hang, Lost: status; 0 = 502, for Hang and Lost silence
	Body    Body   // of that answer
	Text    string // Fail: the error text of a JSON body; "" = a general one
	Limit   string // Fail: key of a ratelimit object in the body
	Seconds int    // Fail: its seconds
	Header  string // Fail: value of Retry-After
	// For is how long: Hang, Lost until Code or the break comes (0 = never), Stall until lines
	// come again, StartLate until the game starts, SlowAccept until the connection is taken.
	For time.Duration
	As  Kind // Lost: Reset breaks the connection at once; "" = as Code and For say

	Size  int           // Oversize: bytes of the text, 0 = 70 000
	Count int           // Duplicate: how often a line comes in all, 0 = 2; Burst, Surplus: how many, 0 = 5
	Gap   time.Duration // Trickle: between two bytes; Burst: between two challenges
	Slots int           // Stall: lines that wait meanwhile, the oldest are lost; 0 = all that the queue holds
	Down  time.Duration // Restart: how long everything is answered 502; Offline: how long no connection is made
}

func isStream(e Endpoint) bool { return e == EndpointEvents || e == EndpointGame }

// check tells what is wrong with a fault.
func (f Fault) check() error {
	use, ok := useOf(f.Kind)
	if !ok {
		return fmt.Errorf("fault %q: unknown kind, want one of %s", f.Kind, kindNames())
	}
	bad := func(format string, args ...any) error {
		return fmt.Errorf("fault %s: %s", f.Kind, fmt.Sprintf(format, args...))
	}
	switch {
	case f.Endpoint == "" && use.needsEndpoint && !use.calls:
		return bad("say which stream, game or event")
	case f.Endpoint == "" && use.needsEndpoint:
		return bad("say which endpoint, like %q", string(f.Kind)+" move")
	case f.Endpoint != "" && !use.streams && !use.calls:
		return bad("takes no endpoint, got %q", f.Endpoint)
	case f.Endpoint != "" && !slices.Contains(endpointNames(), f.Endpoint):
		return bad("unknown endpoint %q, want one of %s", f.Endpoint, joinEndpoints())
	case f.Endpoint != "" && isStream(f.Endpoint) && !use.streams:
		return bad("hits calls, not the stream %q", f.Endpoint)
	case f.Endpoint != "" && !isStream(f.Endpoint) && !use.calls:
		return bad("hits eventStream or gameStream, not %q", f.Endpoint)
	case f.From < 0, f.Times < Always, f.Ply < 0, f.Size < 0, f.Count < 0, f.Seconds < 0,
		f.After < 0, f.In < 0, f.Out < 0, f.Jitter < 0, f.Per < 0, f.For < 0, f.Gap < 0, f.Down < 0,
		f.Since < 0, f.Until < 0, f.Every < 0, f.Slots < 0:
		return bad("numbers and times cannot be negative")
	case f.Code != 0 && (f.Code < 200 || f.Code > 599):
		return bad("code %d is no final HTTP status", f.Code)
	case f.Body != "" && f.Body != BodyJSON && f.Body != BodyHTML && f.Body != BodyEmpty:
		return bad("body %q, want json, html or empty", f.Body)
	case f.As != "" && f.As != Reset:
		return bad("as=%s, want reset", f.As)
	case f.Size > 64<<20:
		return bad("size %d is above 64 MiB", f.Size)
	case f.Count > 1000:
		return bad("count %d is above 1000", f.Count)
	case !(f.Chance >= 0 && f.Chance <= 1):
		return bad("chance %v, want a probability from 0 to 1", f.Chance)
	case f.Until > 0 && f.Until <= f.Since:
		return bad("until %v is not after since %v", f.Until, f.Since)
	case f.Every > 0 && f.Every < time.Second:
		return bad("every %v is below a second", f.Every)
	case f.Ply > 0 && f.Endpoint == EndpointEvents:
		return bad("the event stream shows no plies; use after")
	case f.Ply > 0 && !isStream(f.Endpoint) && f.Endpoint != "":
		return bad("ply is for gameStream")
	}
	return nil
}

// answer is what a Fail, Hang or Lost fault answers with.
func (f Fault) answer() reply {
	code := f.Code
	if code == 0 {
		code = 502
	}
	body := f.Body
	if body == "" {
		body = BodyJSON
		if code >= 500 {
			body = BodyHTML
		}
	}
	text := f.Text
	if text == "" {
		text = "This request is invalid because a fault was asked for"
		if code == 429 {
			text = tooMany().text
		}
	}
	switch {
	case body == BodyHTML:
		return htmlReply(code)
	case body == BodyEmpty:
		return reply{status: code}
	case f.Limit != "" || f.Seconds > 0:
		return refuseLimit(code, text, f.Limit, time.Duration(f.Seconds)*time.Second).reply()
	case code < 400:
		return jsonReply(code, map[string]bool{"ok": true})
	}
	return refuse(code, "%s", text).reply()
}

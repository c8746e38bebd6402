package sandbox

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// Kind is a kind of fault.
type Kind string

// The kinds of faults.
const (
	Latency   Kind = "latency"  // delays requests, answers and stream lines
	Charge    Kind = "charge"   // takes more off the mover's clock than passed
	Fail      Kind = "status"   // answers with a status instead of handling the request
	Lost      Kind = "lost"     // handles the request, and the answer never arrives
	Hang      Kind = "hang"     // neither handles nor answers
	Cut       Kind = "cut"      // ends a stream as if all were said
	Reset     Kind = "reset"    // breaks the connection: of a stream, or of a request before it is handled
	Silent    Kind = "silent"   // a stream says nothing more, blank lines included, and stays open
	HalfLine  Kind = "halfline" // breaks a stream in the middle of a line
	NoFinal   Kind = "nofinal"  // ends a game's stream without its final line
	Duplicate Kind = "dup"      // sends stream lines more than once
	Garbage   Kind = "garbage"  // sends lines that are no event before a line
	Unknown   Kind = "unknown"  // sends an event of an unknown type before a line
	Oversize  Kind = "oversize" // sends a very long line before a line
	Trickle   Kind = "trickle"  // sends a line byte by byte
	RestartAt Kind = "restart"  // restarts the server
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

	// Ply ends a stream once it has shown so many plies; After ends it that long after its
	// opening. With neither it ends at once. Restart: After counts from Run.
	Ply   int
	After time.Duration

	In, Out time.Duration // Latency: on the way to the server and back
	Jitter  time.Duration // Latency, Charge: up to so much more, drawn evenly
	Per     time.Duration // Charge: per move

	Code    int           // Fail, Hang, Lost: status; 0 = 502, for Hang and Lost silence
	Body    Body          // of that answer
	Text    string        // Fail: the error text of a JSON body; "" = a general one
	Limit   string        // Fail: key of a ratelimit object in the body
	Seconds int           // Fail: its seconds
	Header  string        // Fail: value of Retry-After
	For     time.Duration // Hang, Lost: how long until Code or the break comes; 0 = never
	As      Kind          // Lost: Reset breaks the connection at once; "" = as Code and For say

	Size  int           // Oversize: bytes of the text, 0 = 70 000
	Count int           // Duplicate: how often a line comes in all, 0 = 2
	Gap   time.Duration // Trickle: between two bytes
	Down  time.Duration // Restart: how long everything is answered 502
}

// faultUse says what a kind can be aimed at and which fields it uses.
type faultUse struct {
	streams, calls bool
	needsEndpoint  bool
	always         bool // Times 0 means Always
	keys           []string
}

func faultUses() map[Kind]faultUse {
	end := []string{"ply", "after", "from", "times", "game", "account"}
	lines := []string{"from", "times", "game", "account"}
	return map[Kind]faultUse{
		Latency:   {streams: true, calls: true, always: true, keys: append([]string{"in", "out", "jitter"}, lines...)},
		Charge:    {always: true, keys: append([]string{"per", "jitter"}, lines...)},
		Fail:      {streams: true, calls: true, needsEndpoint: true, keys: append([]string{"code", "body", "text", "limit", "seconds", "header"}, lines...)},
		Lost:      {calls: true, needsEndpoint: true, keys: append([]string{"code", "body", "for", "as"}, lines...)},
		Hang:      {streams: true, calls: true, needsEndpoint: true, keys: append([]string{"code", "body", "for"}, lines...)},
		Cut:       {streams: true, keys: end},
		Reset:     {streams: true, calls: true, needsEndpoint: true, keys: end},
		Silent:    {streams: true, keys: end},
		HalfLine:  {streams: true, keys: end},
		NoFinal:   {streams: true, keys: lines},
		Duplicate: {streams: true, always: true, keys: append([]string{"count"}, lines...)},
		Garbage:   {streams: true, always: true, keys: lines},
		Unknown:   {streams: true, always: true, keys: lines},
		Oversize:  {streams: true, always: true, keys: append([]string{"size"}, lines...)},
		Trickle:   {streams: true, always: true, keys: append([]string{"gap"}, lines...)},
		RestartAt: {keys: []string{"after", "down"}},
	}
}

func isStream(e Endpoint) bool { return e == EndpointEvents || e == EndpointGame }

// check tells what is wrong with a fault.
func (f Fault) check() error {
	use, ok := faultUses()[f.Kind]
	if !ok {
		return fmt.Errorf("fault %q: unknown kind, want one of %s", f.Kind, kindNames())
	}
	bad := func(format string, args ...any) error {
		return fmt.Errorf("fault %s: %s", f.Kind, fmt.Sprintf(format, args...))
	}
	switch {
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
		f.After < 0, f.In < 0, f.Out < 0, f.Jitter < 0, f.Per < 0, f.For < 0, f.Gap < 0, f.Down < 0:
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
	case f.Ply > 0 && f.Endpoint == EndpointEvents:
		return bad("the event stream shows no plies; use after")
	case f.Ply > 0 && !isStream(f.Endpoint) && f.Endpoint != "":
		return bad("ply is for gameStream")
	}
	return nil
}

func kindNames() string {
	var names []string
	for k := range faultUses() {
		names = append(names, string(k))
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

// FaultKinds is a table for people of the kinds and the keys that each takes, one a line.
func FaultKinds() string {
	var b strings.Builder
	uses := faultUses()
	for _, k := range slices.Sorted(maps.Keys(uses)) {
		fmt.Fprintf(&b, "  %-9s %s\n", k, strings.Join(uses[k].keys, " "))
	}
	return b.String()
}

func endpointNames() []Endpoint {
	var names []Endpoint
	for _, r := range routes() {
		if r.endpoint != "" && !slices.Contains(names, r.endpoint) {
			names = append(names, r.endpoint)
		}
	}
	return names
}

func joinEndpoints() string {
	var names []string
	for _, e := range endpointNames() {
		names = append(names, string(e))
	}
	return strings.Join(names, ", ")
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

package sandbox

import (
	"fmt"
	"slices"
	"strings"
)

// Kind is a kind of fault.
type Kind string

// The kinds of faults; faultKinds says what each does.
const (
	Latency    Kind = "latency"
	Charge     Kind = "charge"
	Fail       Kind = "status"
	Lost       Kind = "lost"
	Hang       Kind = "hang"
	Cut        Kind = "cut"
	Reset      Kind = "reset"
	Silent     Kind = "silent"
	HalfClose  Kind = "halfclose"
	HalfLine   Kind = "halfline"
	NoFinal    Kind = "nofinal"
	Duplicate  Kind = "dup"
	Garbage    Kind = "garbage"
	Unknown    Kind = "unknown"
	Oversize   Kind = "oversize"
	Trickle    Kind = "trickle"
	Reorder    Kind = "reorder"
	Drop       Kind = "drop"
	Stall      Kind = "stall"
	Withdraw   Kind = "withdraw"
	StartLate  Kind = "startlate"
	Burst      Kind = "burst"
	Surplus    Kind = "surplus"
	RestartAt  Kind = "restart"
	Blackhole  Kind = "blackhole"
	Offline    Kind = "offline"
	SlowAccept Kind = "slowaccept"
)

// faultUse says what a kind does, what it can be aimed at and which fields it uses.
type faultUse struct {
	kind           Kind
	does           string // for people; the reader knows that it is about the server
	streams, calls bool   // what its endpoint may be; neither: it takes none
	needsEndpoint  bool
	always         bool // Times 0 means Always
	alone          bool // happens by itself at a time, to no call, stream or line
	keys           []string
}

func faultKinds() []faultUse {
	counted := func(own ...string) []string { return append(own, commonKeys()...) }
	end := counted("ply", "after")
	return []faultUse{
		{
			kind: Latency, streams: true, calls: true, always: true, keys: counted("in", "out", "jitter"),
			does: "delays requests, answers and stream lines",
		},
		{
			kind: Charge, always: true, keys: counted("per", "jitter"),
			does: "takes more off the mover's clock than passed",
		},
		{
			kind: Fail, streams: true, calls: true, needsEndpoint: true, keys: counted("code", "body", "text", "limit", "seconds", "header"),
			does: "answers with a status instead of handling the request",
		},
		{
			kind: Lost, calls: true, needsEndpoint: true, keys: counted("code", "body", "for", "as"),
			does: "handles the request, and the answer never arrives; with as=reset the connection breaks, with code that comes instead",
		},
		{
			kind: Hang, streams: true, calls: true, needsEndpoint: true, keys: counted("code", "body", "for"),
			does: "neither handles nor answers",
		},
		{
			kind: Reset, streams: true, calls: true, needsEndpoint: true, keys: end,
			does: "breaks the connection: of a stream, or of a request before it is handled",
		},
		{
			kind: Cut, streams: true, keys: end,
			does: "ends a stream as if all were said; a second event stream on one token does this to the first",
		},
		{
			kind: Silent, streams: true, keys: end,
			does: "a stream says nothing more, blank lines included, and stays open",
		},
		{
			kind: HalfClose, streams: true, keys: end,
			does: "closes the sending side of a stream's connection; the other stays open",
		},
		{
			kind: HalfLine, streams: true, keys: end,
			does: "breaks a stream in the middle of a line",
		},
		{
			kind: NoFinal, streams: true, keys: counted(),
			does: "ends a game's stream without its final line",
		},
		{
			kind: Duplicate, streams: true, always: true, keys: counted("count"),
			does: "sends lines more than once",
		},
		{
			kind: Garbage, streams: true, always: true, keys: counted(),
			does: "sends a line that is no event before a line",
		},
		{
			kind: Unknown, streams: true, always: true, keys: counted(),
			does: "sends an event of an unknown type before a line",
		},
		{
			kind: Oversize, streams: true, always: true, keys: counted("size"),
			does: "sends a very long line before a line",
		},
		{
			kind: Trickle, streams: true, always: true, keys: counted("gap"),
			does: "sends a line byte by byte",
		},
		{
			kind: Reorder, streams: true, needsEndpoint: true, keys: counted(),
			does: "sends a line after the one that follows it, at the latest with the next blank line",
		},
		{
			kind: Drop, streams: true, needsEndpoint: true, keys: counted(),
			does: "loses a line, whatever it says; the last one of a game is never lost",
		},
		{
			kind: Stall, streams: true, needsEndpoint: true, keys: counted("for", "slots"),
			does: "holds a line back and everything behind it; a full queue loses its oldest lines",
		},
		{
			kind: Withdraw, keys: counted("after"),
			does: "withdraws a challenge so long after it was made, accepted or not",
		},
		{
			kind: StartLate, keys: counted("for"),
			does: "starts the game of an accepted challenge so much later",
		},
		{
			kind: Burst, alone: true, keys: []string{"after", "every", "times", "count", "gap", "account"},
			does: "strangers challenge the account to 1+0, all at once or a gap apart",
		},
		{
			kind: Surplus, alone: true, keys: []string{"after", "every", "times", "count", "account"},
			does: "starts games of 1+0 that the account never accepted",
		},
		{
			kind: RestartAt, alone: true, keys: []string{"after", "every", "times", "down"},
			does: "gives every running clock its time gift (20 s to the side to move, 10 s to the other), breaks every stream and answers 502 for a while",
		},
		{
			kind: Blackhole, alone: true, keys: []string{"after", "every", "times"},
			does: "every connection that exists swallows what is sent and delivers nothing more, without an error; new ones work",
		},
		{
			kind: Offline, alone: true, keys: []string{"after", "every", "times", "down"},
			does: "no new connection is made for a while: in memory the dial fails as with a broken DNS, over TCP it is reset; those that exist live on",
		},
		{
			kind: SlowAccept, keys: []string{"for", "from", "times", "chance", "since", "until"},
			does: "takes a new connection only after a while, and those behind it",
		},
	}
}

// commonKeys say which calls, streams, lines, moves or challenges are hit.
func commonKeys() []string {
	return []string{"from", "times", "chance", "since", "until", "game", "account"}
}

// keyList is the kind's keys for a table, the common ones as one word.
func (u faultUse) keyList() string {
	keys := strings.Join(u.keys, " ")
	if own, ok := strings.CutSuffix(keys, strings.Join(commonKeys(), " ")); ok {
		return own + "*common*"
	}
	return keys
}

// useOf finds a kind's entry.
func useOf(k Kind) (faultUse, bool) {
	kinds := faultKinds()
	i := slices.IndexFunc(kinds, func(u faultUse) bool { return u.kind == k })
	if i < 0 {
		return faultUse{}, false
	}
	return kinds[i], true
}

// aim tells people what stands behind the kind.
func (u faultUse) aim() string {
	switch {
	case u.streams && u.calls && u.needsEndpoint:
		return "ENDPOINT"
	case u.streams && u.calls:
		return "[ENDPOINT]"
	case u.calls:
		return "CALL"
	case u.streams && u.needsEndpoint:
		return "game or event"
	case u.streams:
		return "[game or event]"
	}
	return ""
}

// often tells people how many occurrences are hit unless they say so.
func (u faultUse) often() string {
	switch {
	case u.alone:
		return "once, or every"
	case u.always:
		return "always"
	}
	return "once"
}

// faultKey is one key of the language.
type faultKey struct{ name, takes, means string }

func faultKeys() []faultKey {
	const duration, number = "a time", "a number"
	return []faultKey{
		{"from", number, "the first call, stream, line, move, challenge or connection that is hit, counted from 1 over those that the fault is aimed at; 1"},
		{"times", number + " or `always`", "how many are hit; the table above says how many without it"},
		{"chance", "a probability", "each of these is hit only so often, drawn from the seed; 1"},
		{"since, until", duration, "count only what happens between these times from the start of the server; no bounds"},
		{"game", "an id", "only this game or challenge; all"},
		{"account", "a name", "only this account's; for `burst` and `surplus` the one that plays, else the first bot account that the sandbox does not play itself; all"},
		{"after", duration, "how long after its opening a stream ends; after the start of the server something happens by itself; after a challenge it is withdrawn; 0"},
		{"every", duration, "it happens again each time so long after; never"},
		{"ply", number, "the stream ends once it has shown so many plies"},
		{"in, out", duration, "the way to the server and back; 0"},
		{"per", duration, "what a move costs more; 0"},
		{"jitter", duration, "up to so much more, drawn evenly; 0"},
		{"code", "200-599", "the status; 502, for `hang` and `lost` none"},
		{"body", "`json`, `html` or `empty`", "the answer's body; html from 500 on, else json"},
		{"text", "words", "the error's text in a json body, with `_` for blanks"},
		{"limit, seconds", "a name, " + number, "a `ratelimit` object in a json body"},
		{"header", "words", "the value of Retry-After"},
		{"for", duration, "how long a request hangs, a line is held, a game waits to start, a connection waits; 0 is for ever where something hangs"},
		{"as", "`reset`", "breaks the connection at once"},
		{"size", number, "bytes of a long line; 70000"},
		{"count", number, "how often a line is sent; how many challenges or games; 2, or 5"},
		{"gap", duration, "between two bytes or challenges; 0"},
		{"slots", number, "lines that wait while the stream stalls, the oldest are lost; the queue's 32"},
		{"down", duration, "how long the server is away; 0"},
	}
}

func kindNames() string {
	var names []string
	for _, u := range faultKinds() {
		names = append(names, string(u.kind))
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

// FaultKinds is a table for people of the kinds and the keys that each takes, one a line.
func FaultKinds() string {
	var b strings.Builder
	for _, u := range faultKinds() {
		fmt.Fprintf(&b, "  %-10s %s\n", u.kind, strings.Join(u.keys, " "))
	}
	return b.String()
}

// FaultDocs is the language of ParseFaults in Markdown: kinds, endpoints and keys.
func FaultDocs() string {
	var b strings.Builder
	b.WriteString("| kind | aimed at | what happens | hits | keys |\n|---|---|---|---|---|\n")
	for _, u := range faultKinds() {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", u.kind, u.aim(), u.does, u.often(), u.keyList())
	}
	fmt.Fprintf(&b, "\nThe common keys are %s.\n", strings.Join(commonKeys(), ", "))
	b.WriteString("\n| key | takes | means; without it |\n|---|---|---|\n")
	for _, k := range faultKeys() {
		fmt.Fprintf(&b, "| %s | %s | %s |\n", k.name, k.takes, k.means)
	}
	b.WriteString("\nENDPOINT is a stream, `event` or `game`, or a CALL: ")
	var calls []string
	for _, e := range endpointNames() {
		if !isStream(e) {
			calls = append(calls, string(e))
		}
	}
	b.WriteString(strings.Join(calls, ", ") + ".\n")
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

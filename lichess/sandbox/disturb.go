package sandbox

import (
	"fmt"
	"slices"
	"time"
)

// disturbance is how a line is really sent: later, or not at all, or as chunks.
type disturbance struct {
	later, never bool
	chunks       [][]byte
	gap          time.Duration
}

// disturb works the faults that change lines into one.
func (l *faultList) disturb(st *stream, ln line) disturbance {
	l.mu.Lock()
	defer l.mu.Unlock()
	whole := append(slices.Clone(ln.data), '\n')
	d := disturbance{}
	before, copies, trickle := []byte(nil), 1, false
	for _, a := range l.armed {
		if !a.disturbs() || a.Kind == Drop && ln.final {
			continue
		}
		if !a.fits(st.endpoint, st.account.id, st.game) || !l.strike(a) {
			continue
		}
		switch a.Kind {
		case Duplicate:
			copies = max(a.Count, 2)
		case Garbage:
			before = append(before, garbageLines()[a.hits%len(garbageLines())]+"\n"...)
		case Unknown:
			before = append(before, fmt.Sprintf("{\"type\":\"somethingNew%d\",\"x\":%d}\n", a.hits, a.hits)...)
		case Oversize:
			before = append(before, longLine(st, a.Size)...)
		case Trickle:
			trickle, d.gap = true, a.Gap
		case Reorder:
			d.later = true
		case Drop:
			d.never = true
		}
	}
	for range copies {
		before = append(before, whole...)
	}
	if !trickle {
		d.chunks = [][]byte{before}
		return d
	}
	for i := range before {
		d.chunks = append(d.chunks, before[i:i+1])
	}
	return d
}

// disturbs tells whether the kind changes how a line is sent.
func (a *armed) disturbs() bool {
	switch a.Kind {
	case Duplicate, Garbage, Unknown, Oversize, Trickle, Reorder, Drop:
		return true
	}
	return false
}

// garbageLines are lines as servers and proxies have been seen, or can be imagined, to send.
func garbageLines() []string {
	return []string{
		`{"error":"Missing scope"}`, `{}`, `[]`, `42`, `not json`, `null`, `"text"`, `{"type":null}`,
		`{"type":7,"game":[]}`, `<html><body>502 Bad Gateway</body></html>`, `{"type":"gameState"`, "\x00\xff\xfe", `{"type":""}`,
	}
}

// longLine is a chat line, or an unknown event, of so many bytes.
func longLine(st *stream, size int) []byte {
	if size == 0 {
		size = 70_000
	}
	text := make([]byte, size)
	for i := range text {
		text[i] = 'a'
	}
	if st.endpoint == EndpointEvents {
		return append(encode(map[string]string{"type": "somethingLong", "text": string(text)}), '\n')
	}
	return append(encode(chatLineJSON{"chatLine", roomPlayer, "lichess", string(text)}), '\n')
}

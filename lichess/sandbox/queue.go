package sandbox

import (
	"sync"
	"time"
)

// queueSlots is how many lines a stream's queue holds on the real server.
const queueSlots = 32

// line is one line of a stream without its newline.
type line struct {
	data  []byte
	at    time.Time // when the server queued it
	final bool      // the stream ends after it
	ply   int       // game streams: plies that the line shows, -1 if it shows none
}

// queue holds lines for a stream that may be slow. It never blocks whoever fills it: a
// full queue drops its oldest line.
type queue struct {
	slots int           // 0 = unbounded
	ready chan struct{} // holds a token while lines wait; never closed

	mu       sync.Mutex // guards everything below
	lines    []line
	dropped  int
	squeezed int // slots during a stall, 0 = the usual ones
}

func newQueue(slots int) *queue {
	return &queue{slots: slots, ready: make(chan struct{}, 1)}
}

func (q *queue) push(l line) {
	q.mu.Lock()
	slots := q.slots
	if q.squeezed > 0 {
		slots = q.squeezed
	}
	for slots > 0 && len(q.lines) >= slots {
		q.lines = q.lines[1:]
		q.dropped++
	}
	q.lines = append(q.lines, l)
	q.mu.Unlock()
	q.poke()
}

// squeeze leaves the queue so many slots for a while (0 = the usual ones) and tells how
// many lines it has lost so far; relax ends it and tells the same.
func (q *queue) squeeze(slots int) (dropped int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.squeezed = slots
	return q.dropped
}

func (q *queue) relax() (dropped int) { return q.squeeze(0) }

// poke wakes the stream's writer.
func (q *queue) poke() {
	select {
	case q.ready <- struct{}{}:
	default:
	}
}

// pop takes the oldest line; ok is false when there is none.
func (q *queue) pop() (l line, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.lines) == 0 {
		return line{}, false
	}
	l = q.lines[0]
	q.lines = q.lines[1:]
	return l, true
}

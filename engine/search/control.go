package search

import (
	"sync/atomic"
	"time"

	"zeitnot/engine"
)

// control is what stops a search: the orders from outside and the limits on time and
// nodes. Its atomic fields may be written by anybody, the others belong to the searching
// goroutine.
type control struct {
	now func() time.Duration

	stop atomic.Bool
	// hit holds the limits that a ponder search has been given at its ponder hit.
	hit   atomic.Pointer[hit]
	hitCh chan struct{} // closed by Hit; nil unless pondering

	pondering bool
	// held: the answer is kept back until stop (infinite analysis).
	held bool

	// timed tells that start and deadline mean something; otherwise no clock is read.
	timed       bool
	hasSoft     bool
	hasDeadline bool
	start       time.Duration // from where soft counts
	soft        time.Duration
	deadline    time.Duration
	scale       func(engine.Feedback) float64

	nodeLimit  uint64 // 0 is none
	depthLimit int
	mateLimit  int // in moves, 0 is none

	depthStart time.Duration // when the running depth began, in a timed or ponder search
}

type hit struct {
	limits engine.Limits
	at     time.Duration
}

// setLimits reads the limits. called is the time of the call when any limit on time is
// given; startedAt is where soft counts from if no arrival can be derived.
func (c *control) setLimits(l engine.Limits, called, startedAt time.Duration) {
	c.nodeLimit, c.depthLimit, c.mateLimit = 0, maxPly-1, 0
	if l.Nodes != nil {
		c.nodeLimit = uint64(max(*l.Nodes, 1))
	}
	if l.Depth != nil {
		c.depthLimit = min(max(*l.Depth, 1), maxPly-1)
	}
	if l.Mate != nil {
		c.mateLimit = max(*l.Mate, 1)
	}
	c.scale = l.Scale
	c.held = l.Infinite
	c.timed, c.hasSoft, c.hasDeadline = false, false, false
	if l.Infinite {
		return
	}
	c.start = startedAt
	switch {
	case l.Deadline != nil:
		c.hasDeadline, c.deadline = true, *l.Deadline
		if l.Hard != nil && startedAt == called {
			c.start = *l.Deadline - *l.Hard
		}
	case l.Hard != nil:
		c.hasDeadline, c.deadline = true, called+*l.Hard
	}
	if l.Soft != nil {
		c.hasSoft, c.soft = true, *l.Soft
	}
	c.timed = c.hasSoft || c.hasDeadline
}

// timeLimited tells whether the limits need a clock.
func timeLimited(l engine.Limits) bool {
	return !l.Infinite && (l.Soft != nil || l.Hard != nil || l.Deadline != nil)
}

// atOnce tells whether the limits leave no time to search at all.
func (c *control) atOnce() bool {
	if c.pondering || !c.timed {
		return false
	}
	return c.hasSoft && c.soft <= 0 || c.hasDeadline && c.now() >= c.deadline
}

// poll looks at the orders, the clock and the node count, and says when to look again.
func (t *thread) poll() {
	c := t.ctl
	t.pollAt = t.nodes + yieldNodes
	if c.nodeLimit > 0 {
		if t.nodes >= c.nodeLimit {
			t.stopped = true
		}
		t.pollAt = min(t.pollAt, c.nodeLimit)
	}
	if c.stop.Load() {
		t.stopped = true
	}
	if c.pondering {
		if h := c.hit.Load(); h != nil {
			t.ponderHit(h)
		}
	}
	if c.hasDeadline && !c.pondering && !t.stopped && c.now() >= c.deadline {
		t.stopped = true
	}
}

// ponderHit turns the ponder search into a normal one. A depth that would not have been
// started under the new soft limit is not finished either.
func (t *thread) ponderHit(h *hit) {
	c := t.ctl
	c.pondering = false
	started, depthStart := c.start, c.depthStart
	c.setLimits(h.limits, h.at, started)
	if c.hasSoft && depthStart-c.start >= c.soft || c.timed && t.rootN == 1 && !t.restricted {
		t.stopped = true
	}
	if c.nodeLimit > 0 {
		t.pollAt = min(t.pollAt, max(t.nodes, c.nodeLimit))
	}
}

// softReached tells, after a finished depth, that no other should be started.
func (c *control) softReached(fb engine.Feedback) bool {
	if c.pondering || c.held || !c.timed {
		return false
	}
	factor := 1.0
	if c.scale != nil {
		factor = c.scale(fb)
	}
	if !c.hasSoft {
		return false
	}
	return float64(c.now()-c.start) >= float64(c.soft)*factor
}

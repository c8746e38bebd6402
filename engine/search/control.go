package search

import (
	"sync/atomic"
	"time"

	"zeitnot/engine"
)

// orders are what a running search is told from outside. All its threads follow them, and
// anybody may give them.
type orders struct {
	stop atomic.Bool
	// hit holds the limits that a ponder search has been given at its ponder hit.
	hit   atomic.Pointer[hit]
	hitCh chan struct{} // closed by Hit; nil unless pondering
}

// control is what stops one thread of a search: the orders and the limits on time and
// nodes. The limits belong to the thread; another thread has a copy.
type control struct {
	*orders
	now   func() time.Duration
	yield uint64 // the most nodes between two looks at it

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

	// settled: the last finished depth found the game decided, so that the running one ends
	// at settledAt, unfinished if need be.
	settled   bool
	settledAt time.Duration
}

// decided is the score in centipawns from which a game counts as decided either way. Depths
// grow without measure there, since every line wins (or loses) a little more; the clock is
// better kept for finishing the game. Where the answer may still matter it is far lower.
const decided = 1000

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
		c.settledAt = c.start + c.soft
	}
	c.timed = c.hasSoft || c.hasDeadline
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
	t.publish()
	t.pollAt = t.nodes + c.yield
	if c.nodeLimit > 0 {
		if searched := t.allNodes(); searched >= c.nodeLimit {
			t.stopped = true
		} else {
			t.pollAt = min(t.pollAt, t.nodes+c.nodeLimit-searched)
		}
	}
	if c.stop.Load() {
		t.stopped = true
	}
	if c.pondering {
		if h := c.hit.Load(); h != nil {
			t.ponderHit(h)
		}
	}
	settled := c.hasSoft && c.settled
	if !c.hasDeadline && !settled || c.pondering || t.stopped {
		return
	}
	now := c.now()
	t.stopped = c.hasDeadline && now >= c.deadline || settled && now >= c.settledAt
}

// ponderHit turns the ponder search into a normal one. A depth that would not have been
// started under the new soft limit is not finished either; when a helper's depth began
// nobody notes, and it goes on.
func (t *thread) ponderHit(h *hit) {
	c := t.ctl
	c.pondering = false
	started, depthStart := c.start, c.depthStart
	c.setLimits(h.limits, h.at, started)
	if c.hasSoft && !c.worthADepth(depthStart, c.soft) || c.timed && t.rootN == 1 && !t.restricted {
		t.stopped = true
	}
	if c.nodeLimit > 0 {
		t.pollAt = t.nodes // the limit may be near
	}
}

// softReached tells, after a finished depth, that no other should be begun.
func (c *control) softReached(fb engine.Feedback) bool {
	c.settled = abs(fb.Score) >= decided // also for the ponder hit that may come
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
	soft := time.Duration(float64(c.soft) * factor)
	c.settledAt = c.start + soft
	return !c.worthADepth(c.now(), soft)
}

// depthGrowth is how many times as long as all depths together a search is thought to take
// with the next one. From 10 to 60 nodes a millisecond depths ended after 1.4 to 1.7 times
// the limit when each was begun that could be, which is what a factor of 2 gives.
const depthGrowth = 2

// worthADepth tells whether a depth that begins at that time should: its end, as expected, is
// nearer to the soft limit than its beginning. So a search takes its soft limit on average,
// and a policy can deal out the clock by it.
func (c *control) worthADepth(begin, soft time.Duration) bool {
	spent := begin - c.start
	end := depthGrowth * spent
	if c.hasDeadline {
		end = min(end, c.deadline-c.start)
	}
	return end-soft < soft-spent
}

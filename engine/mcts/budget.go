package mcts

import (
	"context"
	"time"

	"zeitnot/engine"
)

// budget is when a search ends.
type budget struct {
	s   *Searcher
	ctx context.Context
	// held: the answer is kept back until ctx ends.
	held bool
	// timed tells that end means something; otherwise no clock is read.
	timed      bool
	begin, end time.Duration
	began      bool // begin is known
	at         time.Duration
	nodes      uint64 // 0 is no limit
	depth      int    // 0 is no limit
}

func (s *Searcher) newBudget(ctx context.Context, l engine.Limits) *budget {
	b := &budget{s: s, ctx: ctx, held: l.Held()}
	if l.Nodes != nil {
		b.nodes = uint64(max(*l.Nodes, 1))
	}
	if l.Depth != nil {
		b.depth = max(*l.Depth, 1)
	}
	if b.timed = l.Timed(); !b.timed {
		return b
	}
	var called time.Duration
	if l.Deadline == nil || l.Soft != nil && l.Hard == nil {
		called = s.now()
		b.begin, b.began, b.at = called, true, called
	}
	switch {
	case l.Deadline != nil:
		b.end = *l.Deadline
		if l.Hard != nil {
			called = *l.Deadline - *l.Hard // the arrival of what is answered
		}
	case l.Hard != nil:
		b.end = called + *l.Hard
	default:
		b.end = called + *l.Soft
	}
	if l.Soft != nil {
		b.end = min(b.end, called+*l.Soft)
	}
	return b
}

// known tells that the end can be planned for.
func (b *budget) known() bool { return !b.held && (b.timed || b.nodes > 0) }

// out tells, before each rollout, that there is nothing left for it. It is the one place
// that looks at the clock.
func (b *budget) out() bool {
	if b.timed {
		b.at = b.s.now()
		if !b.began {
			b.begin, b.began = b.at, true
		}
	}
	return b.ctx.Err() != nil || b.timed && b.at >= b.end ||
		b.nodes > 0 && b.s.rollouts >= b.nodes ||
		b.depth > 0 && (b.s.full || b.s.meanDepth() >= b.depth) ||
		b.s.rollouts > 0 && b.s.pool[0].proof != open
}

// spent is the part of the budget that is gone, 0 to 1, as of the last look at the clock.
func (b *budget) spent() float64 {
	part := 0.0
	if b.nodes > 0 {
		part = float64(b.s.rollouts) / float64(b.nodes)
	}
	if b.timed && b.end > b.begin {
		part = max(part, float64(b.at-b.begin)/float64(b.end-b.begin))
	}
	return part
}

// wait holds the answer back.
func (b *budget) wait() {
	if b.held {
		<-b.ctx.Done()
	}
}

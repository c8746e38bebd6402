// Package scripted holds a searcher that spends its time asleep. In virtual time the clock
// stands still while anything computes, so tests of games and clocks there need a searcher
// that uses its budget without computing. It never says how strong a move is.
package scripted

import (
	"context"
	"time"

	"zeitnot/engine"
	"zeitnot/engine/instant"
	"zeitnot/engine/position"
)

// Sleeper sleeps for Share of its soft limit, never past its deadline, and then plays as
// instant.Greedy does. Without a limit on time it answers at once, unless the answer is to
// be held back (Infinite, Ponder): then it waits for its context. It keeps no state, so
// one value may answer for many games at a time.
type Sleeper struct {
	// Share of soft that is spent; 0 answers at once, above 1 runs towards the deadline.
	Share float64
	Seed  uint64
	// Now is the clock of Limits.Deadline; nil means engine.Now.
	Now func() time.Duration
}

var (
	_ engine.Budgeted = Sleeper{}
	_ engine.Ponderer = Sleeper{}
)

// YieldNodes is one: the sleep ends at any moment.
func (s Sleeper) YieldNodes() int { return 1 }

// Search sleeps and answers.
func (s Sleeper) Search(ctx context.Context, g position.Game, l engine.Limits, onInfo func(engine.Info)) (engine.Result, error) {
	res, err := s.choose(ctx, g, l, onInfo)
	if l.Held() {
		<-ctx.Done()
		return res, err
	}
	sleep(ctx, s.wait(l))
	return res, err
}

// choose finds the move, and the reply to it that Greedy would give with the same seed.
func (s Sleeper) choose(ctx context.Context, g position.Game, l engine.Limits, onInfo func(engine.Info)) (engine.Result, error) {
	res, err := instant.Greedy{Seed: s.Seed}.Search(ctx, g, l, nil)
	res.Source, res.Nodes, res.Depth = "scripted", 1, 1
	if err == nil && res.Best != position.NoMove {
		reply, _ := instant.Greedy{Seed: s.Seed}.Search(ctx, g.Play(res.Best), engine.Limits{}, nil)
		res.Ponder = reply.Best
	}
	if onInfo != nil && res.Best != position.NoMove {
		onInfo(engine.Info{Depth: 1, SelDepth: 1, MultiPV: 1, Bound: engine.BoundExact, Nodes: 1, PV: []position.Move{res.Best}})
	}
	return res, err
}

// sleep lasts so long, or until the context ends.
func sleep(ctx context.Context, d time.Duration) {
	if d <= 0 {
		return
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// wait is how long from now the sleep lasts.
func (s Sleeper) wait(l engine.Limits) time.Duration {
	now := s.Now
	if now == nil {
		now = engine.Now
	}
	var wait, passed time.Duration
	left, limited := time.Duration(0), false
	switch {
	case l.Deadline != nil:
		left, limited = *l.Deadline-now(), true
		if l.Hard != nil {
			passed = *l.Hard - left // since the arrival of the state
		}
	case l.Hard != nil:
		left, limited = *l.Hard, true
	}
	switch {
	case l.Soft != nil:
		wait = time.Duration(float64(*l.Soft)*s.Share) - passed
	case l.Hard != nil:
		wait = time.Duration(float64(*l.Hard)*s.Share) - passed
	default:
		wait = time.Duration(float64(left) * s.Share)
	}
	if limited {
		wait = min(wait, left)
	}
	return wait
}

package engine

import (
	"context"
	"sync"
	"time"

	"zeitnot/engine/position"
)

// yielder is what makes a Searcher Budgeted.
type yielder interface{ YieldNodes() int }

// keeping is the chain with what its searcher can do besides searching.
func (c *chain) keeping(s Searcher) Searcher {
	y, yields := s.(yielder)
	p, ponders := s.(Ponderer)
	t, tunes := s.(Tunable)
	ahead := chainPonderer{c, p}
	switch {
	case yields && ponders && tunes:
		return struct {
			*chain
			yielder
			chainPonderer
			Tunable
		}{c, y, ahead, t}
	case yields && ponders:
		return struct {
			*chain
			yielder
			chainPonderer
		}{c, y, ahead}
	case yields && tunes:
		return struct {
			*chain
			yielder
			Tunable
		}{c, y, t}
	case ponders && tunes:
		return struct {
			*chain
			chainPonderer
			Tunable
		}{c, ahead, t}
	case yields:
		return struct {
			*chain
			yielder
		}{c, y}
	case ponders:
		return struct {
			*chain
			chainPonderer
		}{c, ahead}
	case tunes:
		return struct {
			*chain
			Tunable
		}{c, t}
	}
	return c
}

// chainPonderer lets the searcher of a chain ponder.
type chainPonderer struct {
	before *chain
	inner  Ponderer
}

// ponderTables is how long Ponder, which must not block, waits for tables that are not in
// memory.
const ponderTables = 20 * time.Millisecond

// Ponder implements Ponderer. The book is not asked. Where the tables would answer at once
// they do so at the hit, and nothing is searched until then.
func (a chainPonderer) Ponder(ctx context.Context, g position.Game, l Limits, onInfo func(Info)) Pondering {
	if !a.before.inTables(g, l) {
		return a.ponder(ctx, g, l, onInfo, false)
	}
	until := a.before.now() + ponderTables
	stop := func() bool { return ctx.Err() != nil || a.before.now() >= until }
	asked := l
	asked.Infinite = false // it only keeps the answer back, as pondering does anyway
	r, only, said := a.before.askTables(g, asked, stop)
	if r.Best != position.NoMove {
		p := &answered{ctx: ctx, result: r, told: make(chan struct{})}
		p.tell = sync.OnceFunc(func() { close(p.told) })
		return p
	}
	l.SearchMoves = only
	return judged{a.ponder(ctx, g, l, onInfo, said.known), said}
}

// judged is a ponder search of which the tables know the outcome.
type judged struct {
	Pondering
	said verdict
}

// Result implements Pondering.
func (p judged) Result() (Result, error) {
	r, err := p.Pondering.Result()
	r.Score = p.said.correct(r.Score)
	return r, err
}

// ponder ponders, with advice unless the position is known.
func (a chainPonderer) ponder(ctx context.Context, g position.Game, l Limits, onInfo func(Info), known bool) Pondering {
	if !known && a.before.wantsAdvice(l) {
		return a.ponderAdvised(ctx, g, l, onInfo)
	}
	return a.inner.Ponder(ctx, g, l, onInfo)
}

// answered is a ponder search whose answer is known from the start.
type answered struct {
	ctx    context.Context // of the Ponder that made it; its end is a Stop
	result Result
	told   chan struct{} // closed by tell
	tell   func()
}

// Hit implements Pondering.
func (p *answered) Hit(Limits) { p.tell() }

// Stop implements Pondering.
func (p *answered) Stop() { p.tell() }

// Result implements Pondering.
func (p *answered) Result() (Result, error) {
	select {
	case <-p.told:
	case <-p.ctx.Done():
	}
	return p.result, nil
}

package external

import (
	"context"
	"sync"

	"zeitnot/engine"
	"zeitnot/engine/position"
)

// pondering is a ponder search: of the engine, or one that begins at the hit when the engine
// cannot ponder or is busy.
type pondering struct {
	s      *Searcher
	game   position.Game
	only   []position.Move
	onInfo func(engine.Info)
	job    *job // nil: nothing is searched before the hit

	ctx  context.Context // ended by stop
	stop context.CancelFunc
	told sync.Once
	hit  chan struct{} // closed by Hit
	// limits are those of the hit, to be read once hit is closed.
	limits engine.Limits
}

// Ponder implements engine.Ponderer.
func (s *Searcher) Ponder(ctx context.Context, g position.Game, l engine.Limits, onInfo func(engine.Info)) engine.Pondering {
	embedded, ponders := s.options.Embedded.(engine.Ponderer)
	away := s.isAway()
	if away && ponders {
		return embedded.Ponder(ctx, g, l, onInfo)
	}
	var e Engine
	select {
	case e = <-s.idle:
		s.mu.Lock()
		renew := s.renew
		s.mu.Unlock()
		switch {
		case e == nil && !renew && ponders:
			s.idle <- nil
			return embedded.Ponder(ctx, g, l, onInfo)
		case e == nil || renew || away || !canPonder(e):
			s.idle <- e
			e = nil
		}
	default:
	}
	p := &pondering{s: s, game: g, only: l.SearchMoves, onInfo: onInfo, hit: make(chan struct{})}
	p.ctx, p.stop = context.WithCancel(ctx)
	if e != nil {
		p.job = s.begin(p.ctx, e, onInfo, func(ctx context.Context, e Engine, note func(engine.Info)) (engine.Result, error) {
			return p.search(ctx, e, l, note)
		})
	}
	return p
}

// canPonder: an engine that can has an option to say so.
func canPonder(e Engine) bool {
	_, ok := e.Option("Ponder")
	return ok
}

// search is the engine's own ponder search.
func (p *pondering) search(ctx context.Context, e Engine, l engine.Limits, note func(engine.Info)) (engine.Result, error) {
	search := e.Ponder(ctx, p.game, l, note)
	over := make(chan struct{})
	var passing sync.WaitGroup
	passing.Go(func() {
		select {
		case <-p.hit:
			search.Hit(tightened(p.limits))
		case <-over:
		}
	})
	defer passing.Wait()
	defer close(over)
	return search.Result()
}

// Hit implements engine.Pondering.
func (p *pondering) Hit(l engine.Limits) {
	p.told.Do(func() {
		p.limits = absolute(l)
		if len(l.SearchMoves) == 0 {
			p.limits.SearchMoves = p.only
		}
		close(p.hit)
	})
}

// Stop implements engine.Pondering.
func (p *pondering) Stop() { p.stop() }

// Result implements engine.Pondering.
func (p *pondering) Result() (engine.Result, error) {
	defer p.stop()
	l := engine.Limits{SearchMoves: p.only}
	select {
	case <-p.hit:
		l = p.limits
	case <-p.ctx.Done():
	}
	switch {
	case p.job != nil:
		return p.s.await(p.ctx, p.job, p.game, l, p.onInfo)
	case p.ctx.Err() != nil:
		return p.s.embedded(p.ctx, p.game, atOnce(l), p.onInfo)
	}
	return p.s.Search(p.ctx, p.game, l, p.onInfo)
}

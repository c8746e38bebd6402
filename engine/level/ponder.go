package level

import (
	"context"
	"sync"

	"zeitnot/engine"
	"zeitnot/engine/position"
)

// Ponder thinks on the opponent's time at full strength, for whoever reads along. Under a
// limit nothing of that is used after a hit: the move is then found as without pondering,
// in the few nodes that it may take, so that Soft counts from the hit, too.
func (s *Searcher) Ponder(ctx context.Context, g position.Game, l engine.Limits, onInfo func(engine.Info)) engine.Pondering {
	if s.limit == nil || s.analysing {
		return s.full.Ponder(ctx, g, l, onInfo)
	}
	ctx, stop := context.WithCancel(ctx)
	return &pondering{
		s: s, ctx: ctx, stop: stop, game: g, onInfo: onInfo,
		ahead: s.full.Ponder(ctx, g, l, onInfo), hit: make(chan engine.Limits, 1),
	}
}

// pondering is a search ahead that gives way to a weaker one. It has no goroutine of its
// own: whoever asks for the result waits and searches.
type pondering struct {
	s      *Searcher
	ctx    context.Context // ended by stop
	stop   context.CancelFunc
	game   position.Game
	onInfo func(engine.Info)
	ahead  engine.Pondering
	once   sync.Once
	hit    chan engine.Limits // holds the limits of the first hit
}

// Hit implements engine.Pondering; a second one does nothing.
func (p *pondering) Hit(l engine.Limits) {
	p.once.Do(func() {
		if l.Deadline == nil && l.Hard != nil {
			l.Deadline = new(p.s.now() + *l.Hard)
		}
		p.hit <- l
	})
}

// Stop implements engine.Pondering.
func (p *pondering) Stop() { p.stop() }

// Result implements engine.Pondering.
func (p *pondering) Result() (engine.Result, error) {
	defer p.stop()
	select {
	case l := <-p.hit:
		if !p.s.limited(l) {
			p.ahead.Hit(l)
			return p.ahead.Result()
		}
		p.ahead.Stop()
		if _, err := p.ahead.Result(); err != nil {
			return engine.Result{}, err
		}
		return p.s.Search(p.ctx, p.game, l, p.onInfo)
	case <-p.ctx.Done():
		return p.ahead.Result()
	}
}

package search

import (
	"context"
	"fmt"
	"runtime/debug"

	"zeitnot/engine"
	"zeitnot/engine/position"
)

// pondering is a search on the opponent's time.
type pondering struct {
	s      *Searcher
	c      *control
	cancel context.CancelFunc
	done   chan struct{} // closed by the searching goroutine when res or err is set
	res    engine.Result
	err    error
}

// Ponder starts a search of the position after the expected answer. Its goroutine ends
// when the answer is there, which Result waits for.
func (s *Searcher) Ponder(ctx context.Context, g position.Game, l engine.Limits, onInfo func(engine.Info)) engine.Pondering {
	ctx, cancel := context.WithCancel(ctx)
	c := &control{orders: &orders{hitCh: make(chan struct{})}, now: s.now, yield: s.yield}
	started := s.now()
	c.setLimits(l, started, started)
	// Depth, nodes and mate hold during pondering as well; the clock only from the hit on.
	c.pondering, c.held, c.timed, c.hasSoft, c.hasDeadline = true, false, false, false, false
	c.start = started
	p := &pondering{s: s, c: c, cancel: cancel, done: make(chan struct{})}
	go func() {
		defer close(p.done)
		// Nobody else could: this goroutine is not its caller's.
		defer func() {
			if r := recover(); r != nil {
				p.err = fmt.Errorf("ponder search panic: %v\n%s", r, debug.Stack())
			}
		}()
		p.res, p.err = s.run(ctx, c, g, l, onInfo)
	}()
	return p
}

// Hit tells the search that the expected move was played. A second call does nothing.
func (p *pondering) Hit(l engine.Limits) {
	h := &hit{limits: l, at: p.s.now()}
	if p.c.hit.CompareAndSwap(nil, h) {
		close(p.c.hitCh)
	}
}

// Stop makes the search answer at once.
func (p *pondering) Stop() { p.cancel() }

// Result waits for the answer.
func (p *pondering) Result() (engine.Result, error) {
	<-p.done
	p.cancel()
	return p.res, p.err
}

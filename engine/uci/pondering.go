package uci

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"zeitnot/engine"
	"zeitnot/engine/position"
)

// longestPonder is the movetime of a ponder search. It is given for engines that take a go
// without any limit for something else, and is never reached: the client ends the search.
const longestPonder = 10 * time.Hour

// pondering is a ponder search of an engine.
type pondering struct {
	told   sync.Once
	hit    chan struct{} // closed by Hit
	limits engine.Limits // of the hit, to be read once hit is closed
	stop   context.CancelFunc
	ctx    context.Context // ended by stop
	done   chan struct{}   // closed when result and err are set
	result engine.Result
	err    error
}

// Ponder implements engine.Ponderer: `go ponder`, then `ponderhit` at the hit and `stop` once
// the soft limit is used up. It counts as one call that lasts until its Result.
func (c *Client) Ponder(ctx context.Context, g position.Game, l engine.Limits, onInfo func(engine.Info)) engine.Pondering {
	ctx, stop := context.WithCancel(ctx)
	p := &pondering{hit: make(chan struct{}), stop: stop, ctx: ctx, done: make(chan struct{})}
	l.Ponder = true
	go func() {
		defer close(p.done)
		defer func() {
			if r := recover(); r != nil {
				p.err = fmt.Errorf("ponder search panic: %v\n%s", r, debug.Stack())
			}
		}()
		if p.err = c.drain(context.WithoutCancel(ctx)); p.err != nil {
			return
		}
		if p.err = c.prepare(g, l); p.err != nil {
			return
		}
		p.result, p.err = c.think(ctx, g, c.goCommand(g, nil, l), newPace(g, engine.Limits{}, false), p, onInfo)
	}()
	return p
}

// Hit implements engine.Pondering.
func (p *pondering) Hit(l engine.Limits) {
	p.told.Do(func() {
		p.limits = l
		close(p.hit)
	})
}

// Stop implements engine.Pondering.
func (p *pondering) Stop() { p.stop() }

// Result implements engine.Pondering. An engine that answers before it is told is made to
// wait; one that is at fault is not.
func (p *pondering) Result() (engine.Result, error) {
	defer p.stop()
	<-p.done
	if p.err == nil {
		select {
		case <-p.hit:
		case <-p.ctx.Done():
		}
	}
	return p.result, p.err
}

package scripted

import (
	"context"
	"sync"
	"time"

	"zeitnot/engine"
	"zeitnot/engine/position"
)

// dozing is a Sleeper on the opponent's time. It has no goroutine of its own: whoever asks
// for the result sleeps.
type dozing struct {
	s      Sleeper
	g      position.Game
	onInfo func(engine.Info)
	began  time.Time
	ctx    context.Context
	stop   context.CancelFunc
	once   sync.Once
	hit    chan engine.Limits // holds the limits of the first hit
}

// Ponder implements engine.Ponderer.
func (s Sleeper) Ponder(ctx context.Context, g position.Game, _ engine.Limits, onInfo func(engine.Info)) engine.Pondering {
	ctx, stop := context.WithCancel(ctx)
	return &dozing{s: s, g: g, onInfo: onInfo, began: time.Now(), ctx: ctx, stop: stop, hit: make(chan engine.Limits, 1)}
}

// Hit implements engine.Pondering; a second one does nothing.
func (d *dozing) Hit(l engine.Limits) { d.once.Do(func() { d.hit <- l }) }

// Stop implements engine.Pondering.
func (d *dozing) Stop() { d.stop() }

// Result implements engine.Pondering.
func (d *dozing) Result() (engine.Result, error) {
	defer d.stop()
	res, err := d.s.choose(d.ctx, d.g, engine.Limits{}, d.onInfo)
	select {
	case l := <-d.hit:
		sleep(d.ctx, d.s.rest(l, time.Since(d.began)))
	case <-d.ctx.Done():
	}
	return res, err
}

// rest is how much longer to sleep after a hit: soft counts from the ponder's beginning, the
// deadline stands.
func (s Sleeper) rest(l engine.Limits, pondered time.Duration) time.Duration {
	rest := s.wait(l) // as if nothing had been pondered
	if l.Soft != nil {
		rest = min(rest, time.Duration(float64(*l.Soft)*s.Share)-pondered)
	}
	return max(0, rest)
}

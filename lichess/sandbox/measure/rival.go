package measure

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"

	"zeitnot/lichess/sandbox"
)

// rival plays White's side of one forced game. What happens before each of its moves is
// the measurement's to say.
type rival struct {
	line []string
	// think is what it takes for a move, or up to an eighth more: people are not regular either.
	think time.Duration
	// before is called ahead of the rival's move of that number, counted from 1; false
	// resigns. An error of its own it has to keep for itself.
	before func(ctx context.Context, move int) bool
	left   chan struct{} // closed when it has left a game
	leave  sync.Once

	mu  sync.Mutex // guards rng; Act is called once at a time, but by changing goroutines
	rng *rand.Rand
}

func newRival(think time.Duration, before func(ctx context.Context, move int) bool) *rival {
	return &rival{line: forcedLine(), before: before, left: make(chan struct{}), think: think, rng: rand.New(rand.NewPCG(1, 2))}
}

// Act implements sandbox.Opponent.
func (p *rival) Act(ctx context.Context, v sandbox.View) (sandbox.Action, error) {
	if v.Over || !v.MyTurn {
		return sandbox.Action{}, nil
	}
	n := len(v.Moves)/2 + 1
	p.mu.Lock()
	think := p.think + time.Duration(p.rng.Int64N(1+int64(p.think/8)))
	p.mu.Unlock()
	timer := time.NewTimer(think)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
		return sandbox.Action{}, ctx.Err()
	}
	if n > len(p.line) || !p.before(ctx, n) {
		return sandbox.Action{Resign: true}, nil
	}
	return sandbox.Action{Move: p.line[n-1]}, nil
}

// Close implements sandbox.Closer: what before has written can be read.
func (p *rival) Close() error {
	p.leave.Do(func() { close(p.left) })
	return nil
}

// awaitLeft waits until the rival has left its game, which it does soon after the end.
func (p *rival) awaitLeft(ctx context.Context) error {
	select {
	case <-p.left:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

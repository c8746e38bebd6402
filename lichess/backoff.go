package lichess

import (
	"context"
	"time"

	"github.com/cenkalti/backoff/v4"
)

// Backoff says how long to wait before the next try: exponentially longer, with jitter, and
// at least as long as the server asked. It never gives up. It is not safe for concurrent use.
type Backoff struct {
	curve  *backoff.ExponentialBackOff
	random func() float64
}

// NewBackoff doubles the wait from first to longest with a quarter of jitter either way, which
// random draws from [0, 1) as rand.Float64 does.
func NewBackoff(first, longest time.Duration, random func() float64) *Backoff {
	return &Backoff{random: random, curve: backoff.NewExponentialBackOff(
		backoff.WithInitialInterval(first),
		backoff.WithMaxInterval(longest),
		backoff.WithMultiplier(2),
		backoff.WithRandomizationFactor(0), // the library's jitter cannot be drawn again
		backoff.WithMaxElapsedTime(0),      // its default gives up after 15 minutes
	)}
}

// ReconnectBackoff is the wait between two openings of a stream: 1 s to 60 s. Reset it at
// the first good line.
func ReconnectBackoff(random func() float64) *Backoff {
	return NewBackoff(time.Second, time.Minute, random)
}

// Next is the wait after a try that ended in err (nil is allowed).
func (b *Backoff) Next(err error) time.Duration {
	wait := b.curve.NextBackOff()
	wait = wait*3/4 + b.upTo(wait/2)
	if stated := RetryAfterOf(err); stated > 0 {
		// Not all at the same instant, and not a moment too early.
		wait = max(wait, stated+b.upTo(stated/50+time.Millisecond))
	}
	return wait
}

// upTo is a part of d.
func (b *Backoff) upTo(d time.Duration) time.Duration { return time.Duration(b.random() * float64(d)) }

// Reset starts anew from the first wait.
func (b *Backoff) Reset() { b.curve.Reset() }

// Sleep waits for d or until the context ends, and returns the context's error then.
func Sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

package lichess

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/cenkalti/backoff/v4"
)

// Backoff says how long to wait before the next try: exponentially longer, with jitter, and
// at least as long as the server asked. It never gives up. It is not safe for concurrent use.
type Backoff struct {
	curve *backoff.ExponentialBackOff
}

// NewBackoff doubles the wait from first to longest with a quarter of jitter either way.
func NewBackoff(first, longest time.Duration) *Backoff { return newBackoff(first, longest, 0.25) }

// ReconnectBackoff is the wait between two openings of a stream: 1 s to 60 s. Reset it at
// the first good line.
func ReconnectBackoff() *Backoff { return NewBackoff(time.Second, time.Minute) }

// moveBackoff is the wait before a move is sent again: 0.1, 0.2, 0.4, 0.8 .. 5 s, exactly.
func moveBackoff() *Backoff { return newBackoff(100*time.Millisecond, 5*time.Second, 0) }

func newBackoff(first, longest time.Duration, jitter float64) *Backoff {
	return &Backoff{backoff.NewExponentialBackOff(
		backoff.WithInitialInterval(first),
		backoff.WithMaxInterval(longest),
		backoff.WithMultiplier(2),
		backoff.WithRandomizationFactor(jitter),
		backoff.WithMaxElapsedTime(0), // the library's default gives up after 15 minutes
	)}
}

// Next is the wait after a try that ended in err (nil is allowed).
func (b *Backoff) Next(err error) time.Duration {
	wait := b.curve.NextBackOff()
	if stated := RetryAfterOf(err); stated > 0 {
		// Not all at the same instant, and not a moment too early.
		wait = max(wait, stated+rand.N(stated/50+time.Millisecond))
	}
	return wait
}

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

// Retry calls op until it succeeds, ends in an error that retryable calls final, or the
// context ends. The waits are b's, from the start.
func Retry(ctx context.Context, b *Backoff, retryable func(error) bool, op func(context.Context) error) error {
	var last error
	return backoff.Retry(func() error {
		last = op(ctx)
		if last != nil && !retryable(last) {
			return backoff.Permanent(last)
		}
		return last
	}, backoff.WithContext(&statedBackoff{b, &last}, ctx))
}

// statedBackoff makes a Backoff look at the last error, which the library does not hand on.
type statedBackoff struct {
	*Backoff
	last *error
}

// NextBackOff is the library's question for the next wait.
func (b *statedBackoff) NextBackOff() time.Duration { return b.Next(*b.last) }

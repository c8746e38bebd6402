package lichess_test

import (
	"context"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"zeitnot/lichess"
)

func TestBackoffGrowsWithJitterAndNeverGivesUp(t *testing.T) {
	b := lichess.ReconnectBackoff(rand.Float64)
	want := time.Second
	for i := range 1000 {
		got := b.Next(nil)
		if got < want*3/4 || got > want*5/4 {
			t.Fatalf("wait %d: got %v, want %v within a quarter", i, got, want)
		}
		want = min(2*want, time.Minute)
	}
	b.Reset()
	if got := b.Next(nil); got > 1250*time.Millisecond {
		t.Errorf("after reset: got %v, want about 1s", got)
	}
}

func TestBackoffWaitsAsLongAsTheServerAsks(t *testing.T) {
	b := lichess.NewBackoff(time.Second, time.Minute, rand.Float64)
	err := &lichess.Error{Op: "x", Status: 429, RetryAfter: 10 * time.Minute}
	for range 20 {
		if got := b.Next(err); got < 10*time.Minute || got > 10*time.Minute+13*time.Second {
			t.Fatalf("got %v, want ten minutes and a little", got)
		}
	}
}

func TestBackoffJitterIsAsDrawn(t *testing.T) {
	err := &lichess.Error{Op: "x", Status: 429, RetryAfter: 10 * time.Minute}
	for random, want := range map[float64][2]time.Duration{
		0:    {750 * time.Millisecond, 10 * time.Minute},
		0.5:  {time.Second, 10*time.Minute + 6*time.Second + 500*time.Microsecond},
		0.75: {1125 * time.Millisecond, 10*time.Minute + 9*time.Second + 750*time.Microsecond},
	} {
		b := lichess.ReconnectBackoff(func() float64 { return random })
		if got := [2]time.Duration{b.Next(nil), b.Next(err)}; got != want {
			t.Errorf("drawn %v: got %v, want %v", random, got, want)
		}
	}
}

func TestSleepEndsWithTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		start := time.Now()
		if err := lichess.Sleep(ctx, time.Hour); err != context.DeadlineExceeded || time.Since(start) != time.Second {
			t.Errorf("got %v after %v", err, time.Since(start))
		}
		if err := lichess.Sleep(t.Context(), time.Hour); err != nil || time.Since(start) != time.Hour+time.Second {
			t.Errorf("got %v after %v", err, time.Since(start))
		}
	})
}

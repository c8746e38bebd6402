package main

import (
	"context"
	"os"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"zeitnot/bot"
	"zeitnot/clock"
)

// pings notes when the service manager was pinged.
type pings struct {
	mu sync.Mutex // guards at
	at []time.Time
}

func (p *pings) Watchdog() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.at = append(p.at, time.Now())
	return nil
}

func (*pings) Ready() error        { return nil }
func (*pings) Stopping() error     { return nil }
func (*pings) Status(string) error { return nil }

// since counts the pings since an instant, and gives the longest time without one.
func (p *pings) since(start time.Time) (n int, longest time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	last := start
	for _, at := range p.at {
		if at.After(start) {
			n, longest, last = n+1, max(longest, at.Sub(last)), at
		}
	}
	return n, longest
}

// The daemon's loop beats once, when it is made, and then stands, since nothing runs it.
func TestPingsStopWhenTheDaemonStands(t *testing.T) {
	t.Setenv("WATCHDOG_USEC", "2000000")
	t.Setenv("WATCHDOG_PID", "")
	policy, err := clock.ByName("adaptive", clock.Tuning{})
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		p := &pings{}
		s := &service{daemon: bot.New(bot.Options{Clock: policy}), notify: p}
		ctx, cancel := context.WithCancel(t.Context())
		var reporting sync.WaitGroup
		reporting.Go(func() { s.report(ctx) })
		began := time.Now()
		time.Sleep(10 * time.Second)
		if n, longest := p.since(began); n < 10 || longest > time.Second {
			t.Errorf("pings in ten seconds: got %d, %v apart at most; want one a second at least", n, longest)
		}
		time.Sleep(time.Minute)
		stands := time.Now()
		time.Sleep(10 * time.Minute)
		if n, _ := p.since(stands); n > 0 {
			t.Errorf("pings while the daemon stands: got %d, want none", n)
		}
		cancel()
		reporting.Wait()
	})
}

func TestSignalsAtOnceAreOne(t *testing.T) {
	policy, err := clock.ByName("adaptive", clock.Tuning{})
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		signals := make(chan os.Signal, 8)
		s := &service{daemon: bot.New(bot.Options{Clock: policy}), notify: &pings{}, signals: signals}
		ctx, cancel := context.WithCancel(t.Context())
		left := false
		var watching sync.WaitGroup
		watching.Go(func() { s.watchSignals(ctx, func() { left = true }) })
		for _, step := range []struct {
			after time.Duration
			sig   os.Signal
			want  bool
		}{
			{0, syscall.SIGTERM, false},
			{0, syscall.SIGTERM, false},
			{signalGap - time.Millisecond, os.Interrupt, false},
			{time.Millisecond, syscall.SIGHUP, false},
			{0, syscall.SIGTERM, true},
		} {
			time.Sleep(step.after)
			signals <- step.sig
			if synctest.Wait(); left != step.want || s.leaving.Load() != step.want {
				t.Errorf("%v after another %v: left: got %v, want %v", step.sig, step.after, left, step.want)
			}
		}
		cancel()
		watching.Wait()
	})
}

package lichess

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestWaitersAreServedByPriorityThenInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLimiter(1, 1)
		l.take()
		var served []string
		var mu sync.Mutex // guards served
		var all sync.WaitGroup
		start := time.Now()
		queue := func(name string, priority int) {
			all.Go(func() {
				if err := l.wait(t.Context(), priority, 0); err != nil {
					t.Error(err)
				}
				mu.Lock()
				defer mu.Unlock()
				served = append(served, fmt.Sprint(name, " ", time.Since(start)))
			})
			synctest.Wait()
		}
		queue("matchmaking", 5)
		queue("lookup", 4)
		queue("chat 1", 3)
		queue("chat 2", 3)
		queue("accept", 1)
		time.Sleep(1500 * time.Millisecond)
		queue("late accept", 1)
		all.Wait()
		want := []string{"accept 1s", "late accept 2s", "chat 1 3s", "chat 2 4s", "lookup 5s", "matchmaking 6s"}
		if diff := cmp.Diff(want, served); diff != "" {
			t.Errorf("order (-want +got):\n%s", diff)
		}
	})
}

func TestWaiterThatGivesUpLetsTheNextOneIn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLimiter(1, 1)
		l.take()
		ctx, cancel := context.WithCancel(t.Context())
		var all sync.WaitGroup
		all.Go(func() {
			if err := l.wait(ctx, 0, 0); err != context.Canceled {
				t.Errorf("cancelled: got %v", err)
			}
		})
		synctest.Wait()
		start := time.Now()
		all.Go(func() {
			if err := l.wait(t.Context(), 9, 0); err != nil || time.Since(start) != time.Second {
				t.Errorf("next: got %v after %v, want a token after 1s", err, time.Since(start))
			}
		})
		time.Sleep(500 * time.Millisecond)
		cancel()
		all.Wait()
		if len(l.waiting) != 0 {
			t.Errorf("%d waiters are left", len(l.waiting))
		}
	})
}

func TestUrgentRequestsRunIntoDebtByOneBurst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLimiter(10, 2)
		for range 1000 {
			l.take()
		}
		if got := l.bucket.Tokens(); got != -10 {
			t.Errorf("debt: got %v, want -10", got)
		}
		start := time.Now()
		if err := l.wait(t.Context(), 0, 0); err != nil || time.Since(start) != 5500*time.Millisecond {
			t.Errorf("first waiter: got %v after %v, want a token after 5.5s", err, time.Since(start))
		}
	})
}

// Four games a second over the refill would starve everything else for as long as they last.
func TestWaitersAreNotStarvedByMoves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLimiter(defaultBurst, defaultRefill)
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
		defer cancel()
		var all sync.WaitGroup
		all.Go(func() {
			for ctx.Err() == nil {
				l.take()
				time.Sleep(150 * time.Millisecond)
			}
		})
		all.Go(func() {
			last := time.Now()
			n := 0
			for l.wait(ctx, 5, 0) == nil {
				if got := time.Since(last); got > 21*time.Second {
					t.Errorf("waited %v, want at most the time that the largest debt takes", got)
				}
				last = time.Now()
				n++
			}
			if n > 110 {
				t.Errorf("%d requests got through beside the moves, want the burst and few more", n)
			}
		})
		all.Wait()
	})
}

// A challenge is gone when the debt of a few fast games is paid.
func TestAcceptsDoNotWaitForADebtToBePaid(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLimiter(defaultBurst, defaultRefill)
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
		defer cancel()
		var all sync.WaitGroup
		all.Go(func() { // games
			for ctx.Err() == nil {
				l.take()
				time.Sleep(150 * time.Millisecond)
			}
		})
		all.Go(func() { // chat waits as well
			for l.wait(ctx, KindChat.rule().priority, 0) == nil {
			}
		})
		time.Sleep(time.Minute) // the debt is as large as it gets
		for range 10 {
			began := time.Now()
			rule := KindAccept.rule()
			if err := l.wait(ctx, rule.priority, rule.soon); err != nil || time.Since(began) > askedFor {
				t.Errorf("accept: %v after %v, want it within %v", err, time.Since(began), askedFor)
			}
			time.Sleep(10 * time.Second)
		}
		all.Wait()
	})
}

func TestSteadyLoadKeepsToTheRefill(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLimiter(defaultBurst, defaultRefill)
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
		defer cancel()
		n := 0
		for l.wait(ctx, 4, 0) == nil {
			n++
		}
		if want := 60 + 3*600; n < want-2 || n > want+1 {
			t.Errorf("got %d requests in ten minutes, want about %d", n, want)
		}
	})
}

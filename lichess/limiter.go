package lichess

import (
	"container/heap"
	"context"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// The token bucket's defaults. The site publishes no number for most endpoints; a figure of
// about 180 requests a minute was once named for its front end, hence three a second.
const (
	defaultBurst  = 60
	defaultRefill = 3.0
)

// limiter is one token bucket for all requests of the process. Urgent requests take a token
// and go; the others wait in order of priority. rate.Limiter alone would serve them first
// come, first served, and one chat line could hold up an accept.
type limiter struct {
	mu      sync.Mutex // guards the four below
	bucket  *rate.Limiter
	waiting waiters
	counter uint64
	served  time.Time // when a waiter was last let through
	// patience is how long the line stands at most: the time in which the largest debt is
	// paid. Four bullet games alone spend more than the refill; without this nothing else
	// would be sent while they last.
	patience time.Duration
}

func newLimiter(burst int, refill float64) *limiter {
	return &limiter{
		bucket:   rate.NewLimiter(rate.Limit(refill), burst),
		patience: time.Duration(float64(burst+1) / refill * float64(time.Second)),
	}
}

// debt is how long it takes until urgent requests that went ahead are paid for.
func (l *limiter) debt() time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	return time.Duration(max(0, -l.bucket.Tokens()) / float64(l.bucket.Limit()) * float64(time.Second))
}

// take takes a token without waiting. The bucket may run into debt, by one burst at most:
// beyond that urgent requests still go, and no longer count.
func (l *limiter) take() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.borrow(time.Now())
}

// borrow takes a token that may not be there. The caller holds mu.
func (l *limiter) borrow(now time.Time) {
	if l.bucket.TokensAt(now) > float64(-l.bucket.Burst()) {
		l.bucket.ReserveN(now, 1)
	}
}

// wait returns once a token was taken, in order of priority among those that wait, or with
// the context's error. With a most above 0 it goes ahead, token or not, when so long has passed
// since it came and nobody is before it: for what is rare and cannot wait until a debt is paid.
func (l *limiter) wait(ctx context.Context, priority int, most time.Duration) error {
	l.mu.Lock()
	w := &waiter{priority: priority, most: most, came: time.Now(), number: l.counter, wake: make(chan struct{}, 1)}
	l.counter++
	heap.Push(&l.waiting, w)
	l.mu.Unlock()

	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			l.leave(w)
			return ctx.Err()
		case <-timer.C:
		case <-w.wake:
		}
		done, again := l.try(w)
		if done {
			return nil
		}
		if again > 0 {
			timer.Reset(again)
		}
	}
}

// try lets w have a token if it is first in line and there is one. Else it says when to look
// again; 0 for a waiter that will be woken.
func (l *limiter) try(w *waiter) (done bool, again time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.waiting[0] != w {
		return false, 0
	}
	now := time.Now()
	if w.first.IsZero() {
		w.first = now
	}
	since, patience := w.first, l.patience // the line has stood since then
	switch {
	case w.most > 0:
		since, patience = w.came, w.most
	case l.served.After(since):
		since = l.served
	}
	allowed := l.bucket.AllowN(now, 1)
	if !allowed && w.most > 0 && now.Sub(since) >= patience {
		l.borrow(now)
		allowed = true
	}
	if allowed || now.Sub(since) >= patience {
		l.served = now
		heap.Pop(&l.waiting)
		l.wakeFirst()
		return true, 0
	}
	missing := 1 - l.bucket.TokensAt(now)
	again = time.Duration(missing / float64(l.bucket.Limit()) * float64(time.Second))
	return false, max(time.Millisecond, min(again, patience-now.Sub(since)))
}

// leave takes a waiter that gave up out of the line.
func (l *limiter) leave(w *waiter) {
	l.mu.Lock()
	defer l.mu.Unlock()
	heap.Remove(&l.waiting, w.place)
	l.wakeFirst()
}

// wakeFirst tells the first in line that it is. The caller holds mu.
func (l *limiter) wakeFirst() {
	if len(l.waiting) == 0 {
		return
	}
	select {
	case l.waiting[0].wake <- struct{}{}:
	default: // already told
	}
}

// waiter is a request that waits for a token.
type waiter struct {
	priority int
	most     time.Duration // since it came; 0 is the limiter's patience
	came     time.Time
	number   uint64    // order of arrival
	place    int       // in the heap
	first    time.Time // since when it is first in line; zero before
	wake     chan struct{}
}

// waiters is a heap: lowest priority number first, then first come.
type waiters []*waiter

func (h waiters) Len() int { return len(h) }

func (h waiters) Less(i, j int) bool {
	if h[i].priority != h[j].priority {
		return h[i].priority < h[j].priority
	}
	return h[i].number < h[j].number
}

func (h waiters) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].place, h[j].place = i, j
}

// Push is heap.Interface's.
func (h *waiters) Push(x any) {
	w := x.(*waiter)
	w.place = len(*h)
	*h = append(*h, w)
}

// Pop is heap.Interface's.
func (h *waiters) Pop() any {
	old := *h
	w := old[len(old)-1]
	old[len(old)-1] = nil
	*h = old[:len(old)-1]
	return w
}

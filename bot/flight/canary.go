package flight

import (
	"cmp"
	"context"
	"slices"
	"sort"
	"sync"
	"time"
)

// Canary sleeps for a moment again and again and notes when it woke up late: whatever kept
// it from running keeps others as well.
type Canary struct {
	// Tick is how long it sleeps; a stall shorter than that may pass unseen.
	Tick time.Duration
	// Least is the shortest stall that is noted.
	Least time.Duration
	// Sleep is time.Sleep if nil.
	Sleep func(time.Duration)

	// Keep is how many stalls are kept, the latest ones; 0 is 256, more than one move can meet.
	Keep int

	mu     sync.Mutex // guards stalls
	stalls []stall    // in their order
}

// stall is a time in which the canary should have woken up and did not.
type stall struct{ from, to time.Time }

// Run beats until the context ends.
func (c *Canary) Run(ctx context.Context) {
	sleep := c.Sleep
	if sleep == nil {
		sleep = time.Sleep
	}
	for ctx.Err() == nil {
		due := time.Now().Add(c.Tick)
		sleep(c.Tick)
		if now := time.Now(); now.Sub(due) >= c.Least {
			c.note(stall{due, now})
		}
	}
}

func (c *Canary) note(s stall) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stalls = append(c.stalls, s)
	if beyond := len(c.stalls) - cmp.Or(c.Keep, 256); beyond > 0 {
		c.stalls = slices.Delete(c.stalls, 0, beyond)
	}
}

// Stalled is the length of the longest stall that overlaps the time between two instants;
// 0 if there was none. One that has not ended yet is not known.
func (c *Canary) Stalled(from, to time.Time) (longest time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	first := sort.Search(len(c.stalls), func(i int) bool { return c.stalls[i].to.After(from) })
	for _, s := range c.stalls[first:] {
		if !s.from.Before(to) {
			break
		}
		longest = max(longest, s.to.Sub(s.from))
	}
	return longest
}

package sandbox

import (
	"time"

	"zeitnot/engine/position"
)

// centis is a time in hundredths of a second, the resolution of Lichess's clock.
type centis int64

// maxGrace is the most that the compensation quota may put off a flag.
const maxGrace centis = 200

// toCentis rounds to the nearest hundredth, as the server does.
func toCentis(d time.Duration) centis {
	return centis((d + 5*time.Millisecond).Truncate(10*time.Millisecond) / (10 * time.Millisecond))
}

func (c centis) duration() time.Duration { return time.Duration(c) * 10 * time.Millisecond }

// chessClock is the clock of one game. It stands until start; then the time since the
// stamp runs against the side to move.
type chessClock struct {
	limit, increment centis
	remaining        [2]centis
	quota            [2]centis // lag compensation that could be given; here only the flag's grace
	gain             centis    // what a move adds to the quota
	running          bool
	side             position.Color
	stamp            time.Time // when the turn last changed; set while running
}

// newClock sets a clock up. A limit of zero starts at the increment, at least 3 s.
func newClock(t TimeControl) *chessClock {
	c := &chessClock{limit: toCentis(t.Limit), increment: toCentis(t.Increment)}
	start := c.limit
	if start == 0 {
		start = max(c.increment, 300)
	}
	c.gain = centis(min(100, t.estimate()*2/5+15))
	for side := range c.remaining {
		c.remaining[side] = start
		c.quota[side] = 3 * c.gain
	}
	return c
}

// elapsed is the time since the turn changed, zero while the clock stands.
func (c *chessClock) elapsed(now time.Time) centis {
	if !c.running {
		return 0
	}
	return max(0, toCentis(now.Sub(c.stamp)))
}

// left is what a side has at this moment, never below zero.
func (c *chessClock) left(side position.Color, now time.Time) centis {
	left := c.remaining[side]
	if c.running && side == c.side {
		left -= c.elapsed(now)
	}
	return max(0, left)
}

// flagged tells whether the side to move is out of time; with grace its quota, at most
// two seconds, is still allowed.
func (c *chessClock) flagged(now time.Time, grace bool) bool {
	if !c.running {
		return false
	}
	used := c.elapsed(now)
	if grace {
		used -= min(c.quota[c.side], maxGrace)
	}
	return c.remaining[c.side] <= used
}

// flagIn is how long from now until flagged(…, grace) becomes true; negative when it is
// already. ok is false while the clock stands.
func (c *chessClock) flagIn(now time.Time, grace bool) (wait time.Duration, ok bool) {
	if !c.running {
		return 0, false
	}
	allowed := c.remaining[c.side]
	if grace {
		allowed += min(c.quota[c.side], maxGrace)
	}
	return c.stamp.Add(allowed.duration()).Sub(now), true
}

// start lets the clock run against a side.
func (c *chessClock) start(side position.Color, now time.Time) {
	c.running, c.side, c.stamp = true, side, now
}

// stop holds the clock where it is, without charging the time since the stamp again.
func (c *chessClock) stop(now time.Time) {
	if c.running {
		c.remaining[c.side] = max(0, c.remaining[c.side]-c.elapsed(now))
		c.running = false
	}
}

// step accounts for a move of side: nothing while the clock stands, else the elapsed time
// plus extra, less the increment if that was below what remained and the game goes on.
// It returns the time charged, increment not counted.
func (c *chessClock) step(side position.Color, now time.Time, extra time.Duration, goesOn bool) centis {
	if !c.running {
		return 0
	}
	used := c.elapsed(now) + toCentis(extra)
	active := goesOn && used < c.remaining[side]
	c.remaining[side] -= used
	c.quota[side] = min(c.quota[side]+c.gain, 7*c.gain)
	if !active {
		c.remaining[side] = max(0, c.remaining[side])
		c.running = false
		return used
	}
	c.remaining[side] += c.increment
	c.start(side.Other(), now)
	return used
}

// give adds time to a side.
func (c *chessClock) give(side position.Color, d time.Duration) { c.remaining[side] += toCentis(d) }

package online

import "time"

// answerAge is how long an answer counts: databases grow, and the explorer, asked for a player
// whose games it has not read yet, knows nothing of them at first.
const answerAge = time.Hour

// cache remembers the latest answers; the oldest one makes room for a new one.
type cache struct {
	answers map[key]answer
	ring    []key // in order of arrival
	next    int   // place of the next, and so the oldest once the ring is full
}

type answer struct {
	known []candidate
	at    time.Time
}

func newCache(size int) cache {
	return cache{answers: make(map[key]answer), ring: make([]key, 0, size)}
}

func (c *cache) get(k key, now time.Time) (known []candidate, ok bool) {
	a, ok := c.answers[k]
	if !ok || now.Sub(a.at) >= answerAge {
		return nil, false
	}
	return a.known, true
}

func (c *cache) put(k key, known []candidate, now time.Time) {
	_, replaced := c.answers[k]
	c.answers[k] = answer{known, now}
	switch {
	case replaced:
	case len(c.ring) < cap(c.ring):
		c.ring = append(c.ring, k)
	default:
		delete(c.answers, c.ring[c.next])
		c.ring[c.next] = k
		c.next = (c.next + 1) % len(c.ring)
	}
}

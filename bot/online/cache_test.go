package online

import (
	"testing"
	"time"
)

func TestTheCacheForgetsTheOldest(t *testing.T) {
	c, now := newCache(3), time.Now()
	for i := range uint64(5) {
		c.put(key{zobrist: i}, []candidate{{}}, now)
		c.put(key{zobrist: i}, nil, now) // again
	}
	for i := range uint64(5) {
		if _, ok := c.get(key{zobrist: i}, now); ok != (i >= 2) {
			t.Errorf("answer %d is there: %v", i, ok)
		}
	}
	if len(c.answers) != 3 {
		t.Errorf("%d answers, want 3", len(c.answers))
	}
}

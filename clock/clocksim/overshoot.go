package clocksim

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"time"
)

// Overshoot is how long after the end of its thinking time an engine's move is written:
// drawn from a histogram when there is one, else Least plus an exponentially distributed
// time, Mean on average.
type Overshoot struct {
	Least, Mean time.Duration
	Histogram   Histogram
}

// DefaultOvershoot is that of the embedded engine on a quiet machine.
func DefaultOvershoot() Overshoot {
	return Overshoot{Least: 500 * time.Microsecond, Mean: 500 * time.Microsecond}
}

func (o Overshoot) none() bool { return o.Least == 0 && o.Mean == 0 && len(o.Histogram.upTo) == 0 }

func (o Overshoot) draw(source *rand.Rand) time.Duration {
	if len(o.Histogram.upTo) > 0 {
		return o.Histogram.draw(source)
	}
	return o.Least + scaled(o.Mean, source.ExpFloat64())
}

// Histogram is a measured distribution of times.
type Histogram struct {
	upTo []time.Duration // upper ends of the bins, rising
	sums []int64         // counts up to and including each bin
}

// ReadHistogram reads one bin a line, its upper end in milliseconds and its count, by
// rising ends. Empty lines and lines that begin with # are skipped.
func ReadHistogram(r io.Reader) (Histogram, error) {
	var h Histogram
	lines := bufio.NewScanner(r)
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		var ms float64
		var count int64
		if _, err := fmt.Sscan(line, &ms, &count); err != nil {
			return Histogram{}, fmt.Errorf("histogram line %d: %q: want milliseconds and a count", n, line)
		}
		end, sum := time.Duration(ms*float64(time.Millisecond)), int64(0)
		if k := len(h.upTo); k > 0 {
			if end <= h.upTo[k-1] {
				return Histogram{}, fmt.Errorf("histogram line %d: %v ms is not above the line before", n, ms)
			}
			sum = h.sums[k-1]
		}
		if count < 0 || count > 1e12 || !(ms >= 0 && ms <= 1e9) {
			return Histogram{}, fmt.Errorf("histogram line %d: %q: out of range", n, line)
		}
		h.upTo, h.sums = append(h.upTo, end), append(h.sums, sum+count)
	}
	if err := lines.Err(); err != nil {
		return Histogram{}, fmt.Errorf("histogram: %w", err)
	}
	if k := len(h.sums); k == 0 || h.sums[k-1] == 0 {
		return Histogram{}, fmt.Errorf("histogram: no counts")
	}
	return h, nil
}

// draw takes a bin by its weight and a time within it, all being equally likely.
func (h Histogram) draw(source *rand.Rand) time.Duration {
	at, bin := source.Int64N(h.sums[len(h.sums)-1]), 0
	for h.sums[bin] <= at {
		bin++
	}
	from := time.Duration(0)
	if bin > 0 {
		from = h.upTo[bin-1]
	}
	return from + scaled(h.upTo[bin]-from, source.Float64())
}

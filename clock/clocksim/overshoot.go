package clocksim

import (
	"bufio"
	"fmt"
	"io"
	"iter"
	"math/rand/v2"
	"slices"
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
			return Histogram{}, fmt.Errorf("histogram line %d: %.60q: want milliseconds and a count", n, line)
		}
		end, sum := time.Duration(ms*float64(time.Millisecond)), int64(0)
		if k := len(h.upTo); k > 0 {
			if end <= h.upTo[k-1] {
				return Histogram{}, fmt.Errorf("histogram line %d: %v ms is not above the line before", n, ms)
			}
			sum = h.sums[k-1]
		}
		if count < 0 || count > 1e12 || !(ms >= 0 && ms <= 1e9) {
			return Histogram{}, fmt.Errorf("histogram line %d: %.60q: out of range", n, line)
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

// histogramBins are the upper ends of the bins that times are counted into: from 10 us on,
// each a quarter beyond the one before.
func histogramBins(longest time.Duration) []time.Duration {
	bins := []time.Duration{10 * time.Microsecond}
	for last := bins[0]; last < longest; bins = append(bins, last) {
		last = (last + last/4).Truncate(time.Microsecond)
	}
	return bins
}

// NewHistogram counts times; negative ones count as 0. Without times it is empty, which
// Overshoot takes for none.
func NewHistogram(times []time.Duration) Histogram {
	if len(times) == 0 {
		return Histogram{}
	}
	h := Histogram{upTo: histogramBins(slices.Max(times))}
	counts := make([]int64, len(h.upTo))
	for _, t := range times {
		bin, _ := slices.BinarySearch(h.upTo, t) // the first that does not end before t
		counts[bin]++
	}
	sum := int64(0)
	for _, n := range counts {
		sum += n
		h.sums = append(h.sums, sum)
	}
	return h
}

// Bins gives the upper ends of the bins and what is in each.
func (h Histogram) Bins() iter.Seq2[time.Duration, int64] {
	return func(yield func(time.Duration, int64) bool) {
		before := int64(0)
		for i, end := range h.upTo {
			if !yield(end, h.sums[i]-before) {
				return
			}
			before = h.sums[i]
		}
	}
}

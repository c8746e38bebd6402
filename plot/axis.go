package plot

import (
	"fmt"
	"math"
	"time"
)

// Axis is how values are laid out and written.
type Axis int

// The axes. Seconds are written as durations; those of LogSeconds are laid out by their
// logarithm and begin at a millisecond.
const (
	Numbers Axis = iota
	Seconds
	LogSeconds
)

// share is how far up a value stands, 1 for the largest.
func (a Axis) share(v, most float64) float64 {
	if a == LogSeconds {
		return math.Log(max(v*1000, 1)) / math.Log(max(most*1000, 2))
	}
	return v / most
}

// marks are the values that get a line and a label.
func (a Axis) marks(most float64) []float64 {
	switch a {
	case LogSeconds:
		var marks []float64
		for v := 0.001; v <= most; v *= 10 {
			marks = append(marks, v)
		}
		return marks
	case Seconds:
		for _, unit := range []float64{0.1, 1, 5, 10, 30, 60, 5 * 60, 10 * 60, 60 * 60} {
			if most/unit < 7 {
				return multiples(unit, most)
			}
		}
		return []float64{0, most}
	}
	return steps(most, 7)
}

func (a Axis) label(v float64) string {
	if a == Numbers {
		return fmt.Sprintf("%.4g", v)
	}
	return time.Duration(math.Round(v * float64(time.Second))).String()
}

// steps are the multiples of 1, 2 or 5 times a power of ten up to most, so many at the most
// and 0 besides.
func steps(most float64, many int) []float64 {
	for unit := math.Pow(10, math.Floor(math.Log10(most/float64(many)))); ; unit *= 10 {
		for _, factor := range []float64{1, 2, 5} {
			if most/(unit*factor) <= float64(many) {
				return multiples(unit*factor, most)
			}
		}
	}
}

func multiples(unit, most float64) []float64 {
	var list []float64
	for n := 0; float64(n)*unit <= most; n++ {
		list = append(list, float64(n)*unit)
	}
	return list
}

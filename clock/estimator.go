package clock

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"time"
)

// The numbers of the estimator; given, and checked in the simulator.
const (
	startMean  = 100 * time.Millisecond // before anything is known: a distant home connection
	startDev   = 50 * time.Millisecond
	startGuard = 500 * time.Millisecond // the first moves of a process keep at least this
	startMoves = 5                      // for so many samples

	ewmaWeight   = 0.15
	clipDevs     = 4                     // an innovation counts up to so many deviations
	clipSpan     = 20 * time.Millisecond // and this
	guardDevs    = 6
	guardSpan    = 100 * time.Millisecond
	peakSpan     = 50 * time.Millisecond
	peakDecay    = 0.97 // a move
	ringSize     = 64
	longMoves    = 256 // window of the slow average: its error is planned with 300 times over
	longKnown    = 16  // moves until it counts as known
	longDevs     = 2   // margin of a young average, in its standard errors
	giftLimit    = -20 * time.Millisecond
	stallLeast   = time.Second // a stall is longer than this
	stallQ90s    = 8           // and than so many times the usual
	stallMoves   = 20          // and is remembered for so many moves
	stallGuard   = 1.25        // times its length is kept
	stallOfClock = 4           // but at most this part of the clock

	// priorLimit is beyond any way on which games can be played. A machine that slept through
	// a move may leave more; nothing can be learnt from that.
	priorLimit = time.Minute
)

// Sample is what one of our moves cost, taken when the state after it has arrived.
type Sample struct {
	// Charged is what the server took: our clock after the previous move, less our clock
	// after this one, plus the increment.
	Charged time.Duration
	// Own is the time from the arrival of the state to the writing of the move.
	Own time.Duration
	// Remaining is our clock after the move.
	Remaining time.Duration
	// OwnMoves is the number of own moves completed before this one.
	OwnMoves int
	// Resumed tells that the game stream was opened while the move was being thought about,
	// Takeback that moves were taken back since the last sample, Final that this is the
	// last state of the game: in neither case is the charge known.
	Resumed, Takeback, Final bool
}

// cost is what the move cost outside the search; negative when time was given.
func (s Sample) cost() time.Duration {
	return min(max(s.Charged, -MaxTime), MaxTime) - span(s.Own)
}

// Rejection says why a sample was not used; empty when it was.
type Rejection string

// The reasons to reject a sample.
const (
	FirstPlies Rejection = "the first two plies are free"
	Resumed    Rejection = "stream opened in mid-turn"
	Takeback   Rejection = "moves were taken back"
	Final      Rejection = "the game is over"
	Gift       Rejection = "time was given"
)

// Estimator learns from each move what a move costs outside the search. It is a pure state
// machine: it reads no clock, and the same samples give the same estimate. One belongs to
// one game; what it has learnt is carried to the next one by its Prior.
type Estimator struct {
	mean, dev, peak float64 // ms
	known           Prior   // what came before this game
	ring            [ringSize]float64
	sorted          []float64 // the values of the ring in order
	next            int       // place in the ring of the next sample
	samples         int       // accepted since the process started
	long            float64   // slow average, ms
	longSeen        int       // moves in it, longMoves at most
	stall           float64   // longest of the last stallMoves moves, 0 when there was none
	stallLeft       int       // moves for which it is still remembered
	late            lateness
}

// Prior is what one game hands to the next. The zero value knows nothing.
type Prior struct {
	Mean time.Duration `json:"mean"`
	Dev  time.Duration `json:"dev"`
	Q50  time.Duration `json:"q50"`
	Q90  time.Duration `json:"q90"`
	Peak time.Duration `json:"peak"`
	// Long is the slow average, LongMoves the number of moves that it was made of.
	Long      time.Duration `json:"long"`
	LongMoves int           `json:"long_moves"`
	// Late is the peak of our own lateness.
	Late time.Duration `json:"late"`
	// Samples is the number seen by this process. It is not stored: after a restart the
	// first moves are careful again.
	Samples int `json:"-"`
}

// Check tells what no estimator can have left: for priors that come from a file.
func (p Prior) Check() error {
	for _, t := range []struct {
		name string
		time time.Duration
	}{{"mean", p.Mean}, {"dev", p.Dev}, {"q50", p.Q50}, {"q90", p.Q90}, {"peak", p.Peak}, {"long", p.Long}, {"late", p.Late}} {
		if t.time < 0 || t.time > priorLimit {
			return fmt.Errorf("%s is %v, allowed are 0 to %v", t.name, t.time, priorLimit)
		}
	}
	switch {
	case p.Mean == 0 && p.Dev == 0:
		return errors.New("neither mean nor dev is known")
	case p.Q50 > p.Q90:
		return fmt.Errorf("q50 is %v, more than q90, %v", p.Q50, p.Q90)
	case p.LongMoves < 0 || p.LongMoves > longMoves:
		return fmt.Errorf("long_moves is %d, allowed are 0 to %d", p.LongMoves, longMoves)
	}
	return nil
}

// StartPrior is the prior of an installation without a past: the mean is the median round
// trip of the requests made while starting, a guess if there were none.
func StartPrior(roundTrips []time.Duration) Prior {
	mean := startMean
	if len(roundTrips) > 0 {
		sorted := slices.Sorted(slices.Values(roundTrips))
		mean = span(sorted[len(sorted)/2])
	}
	return Prior{Mean: mean, Dev: startDev, Q50: mean, Q90: mean + startDev}
}

// NewEstimator starts a game with what earlier ones have left; with the zero Prior it
// starts like StartPrior(nil).
func NewEstimator(p Prior) *Estimator {
	if p.Mean <= 0 && p.Dev <= 0 {
		p = StartPrior(nil)
	}
	return &Estimator{
		long: ms(span(p.Long)), longSeen: min(max(p.LongMoves, 0), longMoves),
		mean: ms(span(p.Mean)), dev: ms(span(p.Dev)), peak: ms(span(p.Peak)),
		known: p, samples: max(0, p.Samples), sorted: make([]float64, 0, ringSize), late: lateness{peak: ms(span(p.Late))},
	}
}

// Observe takes one sample and returns the estimate for the next move. A rejected sample
// changes nothing, not even the age of what is remembered.
func (e *Estimator) Observe(s Sample) (Overhead, Rejection) {
	if r := reject(s); r != "" {
		return e.Overhead(s.Remaining), r
	}
	x := ms(s.cost())

	// 1. A stall is judged by what was usual before it. The peak sees no more of it than
	// the limit: how long it is remembered, and for how much, is the stall's own rule.
	limit := max(ms(stallLeast), stallQ90s*e.quantile(0.9))
	e.stallLeft = max(0, e.stallLeft-1)
	if e.stallLeft == 0 {
		e.stall = 0
	}
	if x > limit {
		e.stall, e.stallLeft = max(e.stall, x), stallMoves
	}

	// 2. Average and deviation. One wild sample moves them by a bounded step.
	clip := clipDevs*e.dev + ms(clipSpan)
	innovation := clamp(x-e.mean, -clip, clip)
	e.mean += ewmaWeight * innovation
	e.dev += ewmaWeight * (max(innovation, -innovation) - e.dev)

	// 3. The slow average: a plain one at first. A stall counts as far as the limit.
	e.longSeen = min(e.longSeen+1, longMoves)
	e.long += (min(x, limit) - e.long) / float64(e.longSeen)

	// 4. Peak and quantiles.
	e.peak = max(e.peak*peakDecay, min(x, limit))
	e.push(x)
	e.samples++
	return e.Overhead(s.Remaining), ""
}

func reject(s Sample) Rejection {
	switch {
	case s.Final:
		return Final
	case s.Takeback:
		return Takeback
	case s.Resumed:
		return Resumed
	case s.OwnMoves <= 0:
		return FirstPlies
	case s.cost() < giftLimit:
		return Gift
	}
	return ""
}

// Overhead is the present estimate for a move with so much on the clock; only the memory
// of a stall depends on that.
func (e *Estimator) Overhead(remaining time.Duration) Overhead {
	guard := max(e.mean+guardDevs*e.dev+ms(guardSpan), e.peak+ms(peakSpan))
	if e.samples < startMoves {
		guard = max(guard, ms(startGuard))
	}
	if e.stallLeft > 0 {
		guard = max(guard, min(stallGuard*e.stall, ms(span(remaining))/stallOfClock))
	}
	// What we are late by ourselves comes on top of what the network takes.
	guard += e.late.peak
	return Overhead{
		Mean: duration(max(0, e.mean)), Dev: duration(e.dev), Q90: duration(max(0, e.quantile(0.9))),
		Long: e.longTime(), Guard: duration(guard), Stalled: e.stallLeft > 0,
	}
}

// Quantile is the value that the given share of the samples stays under, 0 to 1.
func (e *Estimator) Quantile(share float64) time.Duration {
	return duration(max(0, e.quantile(share)))
}

// Prior is what the next game starts with.
func (e *Estimator) Prior() Prior {
	return Prior{
		Mean: duration(max(0, e.mean)), Dev: duration(e.dev), Peak: duration(max(0, e.peak)), Late: duration(e.late.peak),
		Q50: e.Quantile(0.5), Q90: e.Quantile(0.9), Samples: e.samples,
		Long: duration(max(0, e.long)), LongMoves: e.longSeen,
	}
}

// quantile in ms. A handful of samples says little about a quantile: until there are
// enough, what was known before the game takes part.
func (e *Estimator) quantile(share float64) float64 {
	const enough = 8
	n := len(e.sorted)
	known := ms(span(e.known.Q90))
	if share <= 0.5 {
		known = ms(span(e.known.Q50))
	}
	if n == 0 {
		return known
	}
	own := e.sorted[min(int(share*float64(n)), n-1)]
	if n < enough {
		return max(own, known)
	}
	return own
}

// longTime is the slow average once it is known, else 0. A young one may be far off, so it
// is taken too high by a margin that is gone when it is full.
func (e *Estimator) longTime() time.Duration {
	if e.longSeen < longKnown {
		return 0
	}
	margin := longDevs * e.dev * (1/math.Sqrt(float64(e.longSeen)) - 1/math.Sqrt(longMoves))
	return duration(max(0, e.long+margin))
}

// push puts a sample into the ring in place of the oldest one.
func (e *Estimator) push(x float64) {
	if len(e.sorted) == ringSize {
		at, _ := slices.BinarySearch(e.sorted, e.ring[e.next])
		e.sorted = slices.Delete(e.sorted, at, at+1)
	}
	at, _ := slices.BinarySearch(e.sorted, x)
	e.sorted = slices.Insert(e.sorted, at, x)
	e.ring[e.next] = x
	e.next = (e.next + 1) % ringSize
}

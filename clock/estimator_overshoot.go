package clock

import "time"

// lateness is our own part of what a move costs beyond its budget: how long after the hard
// deadline it was written. It is kept apart from the network's part, which no faster
// machine would cure.
type lateness struct {
	peak float64 // ms, decays by peakDecay a move
}

// ObserveOvershoot takes how long after its hard deadline a move was written; a move in
// time is 0 or negative. The time a move waited for a search slot is not lateness: the
// absolute deadline has paid for it.
func (e *Estimator) ObserveOvershoot(d time.Duration) {
	e.late.peak = max(e.late.peak*peakDecay, ms(span(d)))
}

// Overshoot is the decaying peak of our own lateness, part of the guard.
func (e *Estimator) Overshoot() time.Duration { return duration(e.late.peak) }

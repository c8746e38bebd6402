package sandbox

import "time"

// window counts costs in a window that begins with the first cost after the last one
// ended.
type window struct {
	began time.Time
	used  int
}

// fits tells whether cost more units stay within the budget at now, and if not, how long
// the window still lasts. A negative budget has no end.
func (w *window) fits(now time.Time, length time.Duration, budget, cost int) (bool, time.Duration) {
	if now.Sub(w.began) >= length {
		w.began, w.used = now, 0
	}
	if budget < 0 || w.used+cost <= budget {
		return true, 0
	}
	return false, w.began.Add(length).Sub(now)
}

// take adds a cost that fits.
func (w *window) take(now time.Time, cost int) {
	if w.used == 0 {
		w.began = now
	}
	w.used += cost
}

// limits are an account's counters; the server's mutex guards them.
type limits struct {
	challengeMinute, challengeDay window
	botGames, aiGames             window
	accountReads, joins           window
}

// spend counts a cost against a window, or says how long to wait.
func (w *window) spend(now time.Time, length time.Duration, budget, cost int) (bool, time.Duration) {
	ok, wait := w.fits(now, length, budget, cost)
	if ok {
		w.take(now, cost)
	}
	return ok, wait
}

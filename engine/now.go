package engine

import "time"

// epoch is the zero of Now. It is set once and never written again.
var epoch = time.Now()

// Now is the monotonic clock that searchers poll unless they are given another one.
func Now() time.Duration { return time.Since(epoch) }

// Instant is t on the clock of Now, so that a deadline counted from the arrival of some
// bytes can be handed to a search. t must carry a monotonic reading (time.Now does).
func Instant(t time.Time) time.Duration { return t.Sub(epoch) }

// Package flight is the flight recorder of the daemon: when a move leaves too late, it says
// why as far as that can be told, and keeps the last seconds of the runtime's trace.
package flight

import "time"

// Departure is a move that was written to a connection, with the instants it passed on its
// way there.
type Departure struct {
	Game, Move string
	Ply        int // of the game, the first is 1
	// Arrived is when the state came that the move answers, Deadline the hard limit of the
	// answer, Decided when the answer was there, Sent when it was given to the client, and
	// Written when it was on the connection.
	Arrived, Deadline, Decided, Sent, Written time.Time
	// SlotWait is how long the search waited for its slot; NoSlot: it never got one.
	SlotWait time.Duration
	NoSlot   bool
	// Searching: the search was still running when the watchdog answered in its place.
	Searching bool
}

// Late is how long after its deadline the move was written; negative before it.
func (d Departure) Late() time.Duration { return d.Written.Sub(d.Deadline) }

// overdue is the part of the lateness that lies between two instants of the way.
func (d Departure) overdue(from, to time.Time) time.Duration {
	if from.Before(d.Deadline) {
		from = d.Deadline
	}
	return max(0, to.Sub(from))
}

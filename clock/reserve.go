package clock

import "time"

// The numbers of the reserve policy. They are given, not tuned: the policy is kept exact
// so that results obtained with it stay comparable.
const (
	reserveFloorMs   = 300  // never plan to spend the last 0.3 s
	reserveDivisor   = 20   // nor the last twentieth of the clock
	minMovesToGo     = 12   // as many moves are always thought to be still to come
	baseMovesToGo    = 30   // expected length of a game, in own moves
	minThinkMs       = 20   // less is not worth searching
	maxThinkDivisor  = 5    // one move takes a fifth of the clock at most
	panicThresholdMs = 2000 // spendable time at which every move becomes a quick one
	panicBudgetMs    = 200
)

// DefaultReserveBuffer suits a searcher in the same process.
const DefaultReserveBuffer = 50 * time.Millisecond

// Reserve keeps a part of the clock back and deals the rest out evenly over the moves
// that are thought to come. It knows one limit: soft and hard are the same.
type Reserve struct {
	// Buffer is taken off every budget for what is lost outside the search; negative
	// counts as 0.
	Buffer time.Duration
}

// ReservePlan is how a reserve budget comes about.
type ReservePlan struct {
	// MovesToGo is over how many moves the spendable time is dealt out.
	MovesToGo int
	// Spendable is the clock without the reserve.
	Spendable time.Duration
	// Target is the time for the move before the buffer is taken off, Cap its limit.
	Target, Cap time.Duration
}

// Name implements Policy.
func (Reserve) Name() string { return "reserve" }

// Budget implements Policy.
func (r Reserve) Budget(s State) Budget {
	p := r.Plan(s)
	b := max(0, min(p.Target, p.Cap)-span(r.Buffer))
	return Budget{Soft: b, Hard: b}
}

// Plan computes in whole milliseconds with one rounding only, so that the published
// tables come out to the millisecond: times are kept twentyfold until the division.
func (Reserve) Plan(s State) ReservePlan {
	remaining := span(s.Remaining).Milliseconds()
	increment := span(s.Increment).Milliseconds()

	movesToGo := count(s.MovesToGo)
	if movesToGo <= 0 {
		movesToGo = max(minMovesToGo, baseMovesToGo-count(s.MoveNumber))
	}
	spendable20 := max(0, reserveDivisor*remaining-max(reserveDivisor*reserveFloorMs, remaining))
	raw := increment + spendable20/(reserveDivisor*movesToGo)
	hardCap := max(minThinkMs, remaining/maxThinkDivisor)
	target := min(max(raw, minThinkMs), hardCap)
	if spendable20 <= reserveDivisor*panicThresholdMs {
		target = min(target, panicBudgetMs)
	}
	return ReservePlan{
		MovesToGo: int(movesToGo),
		Spendable: time.Duration(spendable20) * time.Millisecond / reserveDivisor,
		Target:    Milliseconds(target),
		Cap:       Milliseconds(hardCap),
	}
}

// PublishedReserve is the states of the reserve policy's published table for one time
// control, in its order, or nil when none was published for it.
func PublishedReserve(initial, increment time.Duration) []State {
	var rows [][2]int64 // remaining ms, move number
	switch {
	case initial == time.Minute && increment == 0:
		rows = [][2]int64{{60_000, 1}, {30_000, 10}, {10_000, 20}, {4_000, 30}, {2_000, 40}, {500, 50}}
	case initial == 10*time.Minute && increment == 10*time.Second:
		rows = [][2]int64{{600_000, 1}, {400_000, 10}, {200_000, 20}, {60_000, 30}, {20_000, 40}, {5_000, 50}, {1_500, 60}}
	}
	var states []State
	for _, row := range rows {
		states = append(states, State{
			Remaining: Milliseconds(row[0]), Increment: increment, Base: initial, MoveNumber: int(row[1]),
		})
	}
	return states
}

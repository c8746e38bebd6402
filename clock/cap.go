package clock

import "time"

// DefaultGuard is what Capped leaves on the clock as long as nothing is measured.
const DefaultGuard = 100 * time.Millisecond

// Capped keeps a policy from planning with the last moments of a clock: no limit is above
// what remains less the guard. Policies are exact, warts included; games are played under
// a cap.
type Capped struct {
	Policy
	// Guard is what stays on the clock; a larger measured guard in the state replaces it.
	Guard time.Duration
}

// Budget implements Policy.
func (c Capped) Budget(s State) Budget {
	guard := max(span(c.Guard), span(s.Overhead.Guard))
	limit := max(0, span(s.Remaining)-guard)
	b := c.Policy.Budget(s)
	b.Hard = min(max(0, b.Hard), limit)
	b.Soft = min(max(0, b.Soft), b.Hard)
	return b
}

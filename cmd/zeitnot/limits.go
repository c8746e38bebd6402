package main

import (
	"time"

	"zeitnot/clock"
	"zeitnot/engine"
)

// budgeter puts a clock policy behind an engine that knows only limits.
type budgeter struct {
	name     string
	policy   clock.Policy
	overhead time.Duration
}

// newBudgeter is for games without a network between: the overhead is what the owner
// says, and twice as much stays on the clock.
func newBudgeter(policy string, overhead time.Duration) (*budgeter, error) {
	t := clock.Tuning{Overhead: &overhead, Guard: new(2 * overhead)}
	if policy == "adaptive" {
		t.Guard = nil // it works out its own
	}
	p, err := clock.ByName(policy, t)
	if err != nil {
		return nil, err
	}
	return &budgeter{policy, p, overhead}, nil
}

// limits asks the policy.
func (b *budgeter) limits(s engine.ClockState) engine.Limits {
	return limitsOf(b.policy, s, clock.Overhead{})
}

// limitsOf asks a policy; o is what was measured of the overhead.
func limitsOf(p clock.Policy, s engine.ClockState, o clock.Overhead) engine.Limits {
	budget := p.Budget(clock.State{
		Remaining: s.Remaining, Increment: s.Increment, Base: s.Base,
		MoveNumber: s.MoveNumber, MovesToGo: s.MovesToGo, Overhead: o,
	})
	l := engine.Limits{Soft: &budget.Soft, Hard: &budget.Hard}
	if scale := clock.Follow(p); scale != nil {
		l.Scale = func(f engine.Feedback) float64 { return scale(clock.Report(f)) }
	}
	return l
}

// moveTime is what a search may use of a fixed time for a move.
func (b *budgeter) moveTime(d time.Duration) time.Duration {
	return clock.SoftHard{MoveOverhead: b.overhead}.MoveTime(d).Hard
}

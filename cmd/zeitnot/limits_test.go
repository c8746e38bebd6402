package main

import (
	"testing"
	"time"

	"zeitnot/clock"
	"zeitnot/engine"
)

// With a GUI on the same machine the overhead is what its owner says, for every policy, and
// twice as much stays on the clock.
func TestMoveOverheadOfAGUI(t *testing.T) {
	for _, policy := range clock.Names() {
		for _, overhead := range []time.Duration{0, 30 * time.Millisecond, 300 * time.Millisecond} {
			b, err := newBudgeter(policy, overhead)
			if err != nil {
				t.Fatal(err)
			}
			for _, remaining := range []time.Duration{0, 50 * time.Millisecond, 601 * time.Millisecond, 20 * time.Second, time.Hour} {
				l := b.limits(engine.ClockState{Remaining: remaining, Increment: time.Second, Base: time.Hour, MoveNumber: 10, HasClock: true})
				if most := max(0, remaining-2*overhead); *l.Hard > most || *l.Soft > *l.Hard {
					t.Errorf("%s, overhead %v, %v left: got %v and %v, want %v at most", policy, overhead, remaining, *l.Soft, *l.Hard, most)
				}
			}
			long := b.limits(engine.ClockState{Remaining: time.Hour, Base: time.Hour, HasClock: true})
			if *long.Soft < 10*time.Second {
				t.Errorf("%s, overhead %v: got soft %v of an hour", policy, overhead, *long.Soft)
			}
			if got, want := b.moveTime(time.Second), time.Second-overhead; got != want {
				t.Errorf("%s, overhead %v: got %v of a second a move, want %v", policy, overhead, got, want)
			}
		}
	}
}

func TestOnlyPoliciesThatScaleTakeFeedback(t *testing.T) {
	for policy, want := range map[string]bool{"adaptive": true, "softhard": true, "reserve": false} {
		b, err := newBudgeter(policy, 0)
		if err != nil {
			t.Fatal(err)
		}
		l := b.limits(engine.ClockState{Remaining: time.Minute, Base: time.Minute, HasClock: true})
		if got := l.Scale != nil; got != want {
			t.Errorf("%s scales: got %v, want %v", policy, got, want)
		}
	}
}

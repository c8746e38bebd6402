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

// The clock, which knows no engine, calls the same scores mates as the engine does: a mate is
// no fall of the score, a lost ending is one.
func TestClockAndEngineAgreeOnMates(t *testing.T) {
	b, err := newBudgeter("softhard", 0)
	if err != nil {
		t.Fatal(err)
	}
	fallTo := func(score engine.Score) float64 {
		scale := b.limits(engine.ClockState{Remaining: time.Minute, Base: time.Minute, HasClock: true}).Scale
		scale(engine.Feedback{Depth: 2})
		return scale(engine.Feedback{Depth: 3, Score: int(score)})
	}
	level := fallTo(0)
	for score, mate := range map[engine.Score]bool{
		engine.MatedIn(0): true, engine.MatedIn(engine.MaxPly): true, -engine.TableWin: false, -100: false,
	} {
		if got := fallTo(score) == level; got != mate {
			t.Errorf("%v: a mate to the clock is %v, want %v", score, got, mate)
		}
	}
}

package enginetest

import (
	"context"
	"testing"
	"time"

	"go.uber.org/goleak"

	"zeitnot/engine"
	"zeitnot/engine/position"
)

// NewBudgeted makes a fresh searcher that polls the clock now. work is the units of work
// that it has done since its last search began, of which one makes a YieldNodes of 1; nil
// means that Result.Nodes has to do, which sees less.
type NewBudgeted func(now func() time.Duration) (s engine.Budgeted, work func() uint64)

// TestBudgeted proves that a searcher honours its time to the unit of work that it states,
// and what TestSearcher proves. No real time is involved.
func TestBudgeted(t *testing.T, make NewBudgeted) {
	t.Helper()
	TestSearcher(t, func() engine.Searcher {
		s, _ := make(nil)
		return s
	})
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	t.Run("no time", func(t *testing.T) { noTime(t, make) })
	t.Run("no path is longer than the granularity", func(t *testing.T) { granularity(t, make) })
	t.Run("stops at the deadline", func(t *testing.T) { stopsAtDeadline(t, make) })
	t.Run("no deadline, no clock", func(t *testing.T) { noClock(t, make) })
}

// noTime asks for moves when there is none left.
func noTime(t *testing.T, make NewBudgeted) {
	now := time.Hour
	s, _ := make(func() time.Duration { now += time.Nanosecond; return now })
	for _, p := range places() {
		g := p.game(t)
		for name, l := range map[string]engine.Limits{
			"deadline past on entry":  {Soft: new(time.Second), Hard: new(time.Second), Deadline: new(time.Second)},
			"deadline alone, past":    {Deadline: new(time.Second)},
			"nothing":                 {Soft: new(time.Duration(0)), Hard: new(time.Duration(0))},
			"less than nothing":       {Soft: new(-time.Second), Hard: new(-time.Second)},
			"hard alone":              {Hard: new(time.Duration(0))},
			"past, and several lines": {Hard: new(-time.Second), MultiPV: 3},
		} {
			r := search(t, p.name+", "+name, s, g, l)
			checkResult(t, p.name+", "+name, g, r)
			if r.Nodes > uint64(s.YieldNodes()) {
				t.Errorf("%s, %s: %d nodes, more than one unit of %d", p.name, name, r.Nodes, s.YieldNodes())
			}
		}
	}
}

// granularity counts the work between two looks at the clock.
func granularity(t *testing.T, make NewBudgeted) {
	for _, p := range places() {
		g := p.game(t)
		for _, l := range []engine.Limits{
			{Deadline: new(time.Hour), Nodes: new(6_000)},
			{Soft: new(time.Hour), Hard: new(time.Hour), Nodes: new(3_000), MultiPV: 3},
		} {
			var work func() uint64
			var last, longest uint64
			reads := 0
			s, counter := make(func() time.Duration {
				if work != nil {
					if n := work(); n >= last {
						longest = max(longest, n-last)
						last = n
					}
				}
				reads++
				return 0
			})
			if work = counter; work != nil {
				last = work()
			}
			r := search(t, p.name, s, g, l)
			checkResult(t, p.name, g, r)
			if work != nil {
				longest = max(longest, work()-last)
			}
			if longest > uint64(s.YieldNodes()) {
				t.Errorf("%s: %d units without a look at the clock, want at most %d", p.name, longest, s.YieldNodes())
			}
			if reads < int(r.Nodes)/s.YieldNodes() {
				t.Errorf("%s: only %d looks at the clock in %d units", p.name, reads, r.Nodes)
			}
		}
	}
}

// stopsAtDeadline lets the deadline pass at each of the first looks at the clock, and at
// some later ones.
func stopsAtDeadline(t *testing.T, make NewBudgeted) {
	for _, p := range places() {
		g := p.game(t)
		before, look := uint64(0), -1
		for _, after := range []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 50, 200} {
			var work func() uint64
			reads, passed := 0, uint64(0)
			s, counter := make(func() time.Duration {
				if reads++; reads <= after {
					return 0
				}
				if reads == after+1 && work != nil {
					passed = work()
				}
				return time.Minute
			})
			work = counter
			r := search(t, p.name, s, g, engine.Limits{Deadline: new(time.Second), Nodes: new(200_000)})
			checkResult(t, p.name, g, r)
			unit := uint64(s.YieldNodes())
			// Two searches that differ in when they are told are the same until then.
			if after == look+1 && r.Nodes > before+unit {
				t.Errorf("%s: from look %d at the clock to the next %d units, want at most %d", p.name, after, r.Nodes-before, unit)
			}
			before, look = r.Nodes, after
			if work == nil || reads <= after {
				continue
			}
			// Past on entry, one unit of work may look for a decent move; later none may.
			allowed := uint64(0)
			if passed == 0 {
				allowed = unit
			}
			if n := work(); n > passed+allowed {
				t.Errorf("%s, deadline past at look %d: worked from unit %d to %d", p.name, after, passed, n)
			}
		}
	}
}

// noClock lets searches end by all but time.
func noClock(t *testing.T, make NewBudgeted) {
	reads := 0
	s, _ := make(func() time.Duration { reads++; return 0 })
	for _, p := range places() {
		g := p.game(t)
		for name, l := range map[string]engine.Limits{
			"nodes":                   {Nodes: new(500)},
			"nodes and several lines": {Nodes: new(500), MultiPV: 2},
		} {
			if search(t, p.name, s, g, l); reads != 0 {
				t.Fatalf("%s, limited by %s: looked at the clock %d times", p.name, name, reads)
			}
		}
	}
	// What is infinite has no time limit even if one is given. A searcher that never reports
	// must end by itself.
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	_, err := s.Search(ctx, places()[1].game(t), engine.Limits{Infinite: true, Soft: new(time.Nanosecond)}, func(i engine.Info) {
		if i.CurrMove == position.NoMove {
			cancel()
		}
	})
	if err != nil || reads != 0 {
		t.Fatalf("infinite: looked at the clock %d times, %v", reads, err)
	}
}

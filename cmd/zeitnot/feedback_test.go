package main

import (
	"strings"
	"testing"
	"time"

	"zeitnot/clock"
	"zeitnot/engine"
	"zeitnot/engine/arena"
)

// unsettled is a search that asks for time by everything.
func unsettled() engine.Feedback {
	return engine.Feedback{Depth: 9, Score: 0, PrevMoveScore: new(50), FailLows: 3, LegalMoves: 30, BestMoveNodes: 4, Nodes: 10}
}

func TestEachFeedbackOptionSwitchesOneElement(t *testing.T) {
	all := clock.AllFeedback()
	seen := map[clock.FeedbackElements]string{}
	for i, o := range feedbackOptions(&all) {
		e := clock.AllFeedback()
		*feedbackOptions(&e)[i].on = false
		if before, twice := seen[e]; twice || e == clock.AllFeedback() {
			t.Errorf("%s switches nothing of its own (%q)", o.name, before)
		}
		seen[e] = o.name
	}
}

func TestArenaOptionsChangeTheFeedback(t *testing.T) {
	factor := func(given ...arena.Setting) float64 {
		o := &options{of: "search", given: given}
		plan := o.plan()
		if err := o.check(); err != nil {
			t.Fatal(err)
		}
		l := plan()(engine.ClockState{Remaining: time.Minute, Base: time.Minute, HasClock: true}, nil)
		return l.Scale(unsettled())
	}
	off := func(names ...string) (given []arena.Setting) {
		for _, n := range names {
			given = append(given, arena.Setting{Name: n, Value: "False"})
		}
		return given
	}
	if got := factor(); got != 2.5 {
		t.Errorf("with all: got %v, want 2.5", got)
	}
	if got := factor(off("tm score", "TM Nodes", "TM Fail Lows")...); got != 1 {
		t.Errorf("with none: got %v, want 1", got)
	}
	if got := factor(off("TM Score", "TM Nodes")...); got != 1.8 {
		t.Errorf("with fail-lows: got %v, want 1.8", got)
	}
	if got := factor(off("TM Nodes", "TM Fail Lows")...); got != 1.5 {
		t.Errorf("with the score: got %v, want 1.5", got)
	}
}

func TestFeedbackOptionsOfAConversation(t *testing.T) {
	p, err := newUCIPlan("adaptive")
	if err != nil {
		t.Fatal(err)
	}
	factor := func() float64 {
		return p.limits(engine.ClockState{Remaining: time.Minute, Base: time.Minute, HasClock: true}).Scale(unsettled())
	}
	if got := factor(); got != 2.5 {
		t.Errorf("at first: got %v, want 2.5", got)
	}
	switches := p.switches()
	for _, s := range switches {
		if s.Name != "TM Fail Lows" {
			s.Set(false)
		}
	}
	if got := factor(); got != 1.8 {
		t.Errorf("fail-lows alone: got %v, want 1.8", got)
	}
	p.setOverhead(100 * time.Millisecond)
	if got := factor(); got != 1.8 || p.overhead != 100*time.Millisecond {
		t.Errorf("with another overhead: got %v, want 1.8 still", got)
	}
	for _, s := range switches {
		s.Set(true)
	}
	if got := factor(); got != 2.5 || p.overhead != 100*time.Millisecond {
		t.Errorf("all on again: got %v, want 2.5", got)
	}
	for _, policy := range []string{"softhard", "reserve"} {
		if p, err := newUCIPlan(policy); err != nil || len(p.switches()) != 0 {
			t.Errorf("%s: got %d switches, %v", policy, len(p.switches()), err)
		}
	}
	if _, err := newUCIPlan("fast"); err == nil {
		t.Error("an unknown policy is no error")
	}
}

func TestArenaRefusesWrongFeedbackOptions(t *testing.T) {
	for want, given := range map[string][]arena.Setting{
		`option TM Score "maybe": want true or false`: {{Name: "TM Score", Value: "maybe"}},
		`option TM Speed: there are`:                  {{Name: "TM Speed", Value: "false"}},
		`option TM Nodes: there are`:                  {{Name: "Policy", Value: "softhard"}, {Name: "TM Nodes", Value: "false"}},
	} {
		o := &options{of: "search", given: given}
		o.plan()
		if err := o.check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: got %v, want %s", given, err, want)
		}
	}
}

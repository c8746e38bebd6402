package clock_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"zeitnot/clock"
)

// neutral is a report on which no element has anything to say beyond its own middle.
func neutral() clock.Progress {
	return clock.Progress{
		Report: clock.Report{Depth: 9, Score: 20, LegalMoves: 30, BestMoveNodes: 6, Nodes: 10},
		Scores: []int{20, 20, 20, 20, 20},
	}
}

func TestFeedbackElements(t *testing.T) {
	type report = clock.Progress
	for name, c := range map[string]struct {
		on   clock.FeedbackElements
		with func(*report)
		want float64
	}{
		"all off":                         {clock.FeedbackElements{}, func(p *report) { p.FailLows, p.BestMoveNodes = 3, 1 }, 1},
		"shallow depths say nothing":      {clock.AllFeedback(), func(p *report) { p.Depth = 4 }, 1},
		"30 below the previous move":      {clock.FeedbackElements{Score: true}, func(p *report) { p.PrevMoveScore = new(50) }, 1.3},
		"30 below three depths ago":       {clock.FeedbackElements{Score: true}, func(p *report) { p.Scores[1] = 50 }, 1.15},
		"a steep fall":                    {clock.FeedbackElements{Score: true}, func(p *report) { p.PrevMoveScore = new(500) }, 1.6},
		"a steep rise":                    {clock.FeedbackElements{Score: true}, func(p *report) { p.PrevMoveScore = new(-500) }, 0.75},
		"mated now":                       {clock.FeedbackElements{Score: true}, func(p *report) { p.Score, p.PrevMoveScore = -29990, new(50) }, 1},
		"a mate lost sight of":            {clock.FeedbackElements{Score: true}, func(p *report) { p.PrevMoveScore = new(29990) }, 1},
		"nodes under other moves":         {clock.FeedbackElements{Nodes: true}, func(p *report) { p.BestMoveNodes = 1 }, 1.3},
		"half of the nodes":               {clock.FeedbackElements{Nodes: true}, func(p *report) { p.BestMoveNodes = 5 }, 1.05},
		"nearly all nodes under one move": {clock.FeedbackElements{Nodes: true}, func(p *report) { p.BestMoveNodes = 10 }, 0.55},
		"no node counted":                 {clock.FeedbackElements{Nodes: true}, func(p *report) { p.BestMoveNodes, p.Nodes = 0, 0 }, 1},
		"one legal move":                  {clock.FeedbackElements{Forced: true}, func(p *report) { p.LegalMoves, p.Depth = 1, 1 }, 0},
		"one legal move, element off":     {clock.FeedbackElements{Nodes: true}, func(p *report) { p.LegalMoves = 1 }, 1.55 - 0.6},
		"clear by 169":                    {clock.FeedbackElements{Forced: true}, func(p *report) { p.ClearBy = 169 }, 1},
		"clear by 170":                    {clock.FeedbackElements{Forced: true}, func(p *report) { p.ClearBy = 170 }, 0.6},
		"clear by 285":                    {clock.FeedbackElements{Forced: true}, func(p *report) { p.ClearBy = 285 }, 0.5},
		"clear by far":                    {clock.FeedbackElements{Forced: true}, func(p *report) { p.ClearBy = 4000 }, 0.4},
		"no fail-low":                     {clock.FeedbackElements{FailLows: true}, func(*report) {}, 0.9},
		"one fail-low":                    {clock.FeedbackElements{FailLows: true}, func(p *report) { p.FailLows = 1 }, 0.9 * 1.3},
		"many fail-lows":                  {clock.FeedbackElements{FailLows: true}, func(p *report) { p.FailLows = 9 }, 1.8},
		"everything asks for time":        {clock.AllFeedback(), func(p *report) { p.PrevMoveScore, p.FailLows, p.BestMoveNodes = new(500), 2, 1 }, 2.5},
		"everything is clear":             {clock.AllFeedback(), func(p *report) { p.PrevMoveScore, p.BestMoveNodes, p.ClearBy = new(-500), 10, 400 }, 0.35},
		"elements are a product":          {clock.AllFeedback(), func(p *report) { p.PrevMoveScore = new(50) }, 1.3 * (1.55 - 0.6) * 0.9},
		"a best move that keeps changing": {clock.AllFeedback(), func(p *report) { p.BestStableFor = 0 }, (1.55 - 0.6) * 0.9},
	} {
		t.Run(name, func(t *testing.T) {
			p := neutral()
			c.with(&p)
			if got := c.on.Factor(p); math.Abs(got-c.want) > 1e-12 {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}

func TestFeedbackStaysInBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := clock.Progress{
			Report: clock.Report{
				Depth: rapid.IntRange(-1, 99).Draw(t, "depth"), Score: rapid.Int().Draw(t, "score"), FailLows: rapid.Int().Draw(t, "fail-lows"),
				LegalMoves: rapid.IntRange(0, 218).Draw(t, "legal"), ClearBy: rapid.Int().Draw(t, "clear by"),
				BestMoveNodes: rapid.Uint64().Draw(t, "best"), Nodes: rapid.Uint64().Draw(t, "nodes"),
			},
			Scores: rapid.SliceOf(rapid.Int()).Draw(t, "scores"),
		}
		got := clock.AllFeedback().Factor(p)
		if p.LegalMoves == 1 && got != 0 {
			t.Fatalf("one legal move: got %v, want 0", got)
		}
		if p.LegalMoves != 1 && !(got >= 0.35 && got <= 2.5) {
			t.Fatalf("%+v: got %v, want 0.35 to 2.5", p, got)
		}
	})
}

func TestAdaptiveScalesThroughItsElements(t *testing.T) {
	p, err := clock.ByName("adaptive", clock.Tuning{})
	if err != nil {
		t.Fatal(err)
	}
	follow := clock.Follow(p)
	for depth := 1; depth < 5; depth++ {
		if got := follow(clock.Report{Depth: depth, Score: 50, LegalMoves: 20}); got != 1 {
			t.Errorf("depth %d: got %v, want 1", depth, got)
		}
	}
	if got, want := follow(clock.Report{Depth: 5, Score: 10, LegalMoves: 20}), 1.2*0.9; math.Abs(got-want) > 1e-12 {
		t.Errorf("40 below depth 2: got %v, want %v", got, want)
	}
}

func TestOnlyAdaptiveHasElements(t *testing.T) {
	for _, name := range []string{"softhard", "reserve"} {
		p, err := clock.ByName(name, clock.Tuning{})
		if err != nil {
			t.Fatal(err)
		}
		if got := clock.WithFeedback(p, clock.FeedbackElements{}); got != p {
			t.Errorf("%s: got %+v, want %+v", name, got, p)
		}
	}
}

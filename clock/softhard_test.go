package clock_test

import (
	"testing"
	"time"

	"zeitnot/clock"
)

func TestSoftHard(t *testing.T) {
	ms := clock.Milliseconds
	for name, tc := range map[string]struct {
		overhead             int64
		state                clock.State
		wantSoft, wantHardMs int64
	}{
		"a minute and a second":               {30, clock.State{Remaining: ms(60000), Increment: ms(1000)}, 2749, 8247},
		"no increment":                        {30, clock.State{Remaining: ms(60000)}, 1999, 5997},
		"move number does not matter":         {30, clock.State{Remaining: ms(60000), MoveNumber: 200}, 1999, 5997},
		"moves to go":                         {30, clock.State{Remaining: ms(60030), MovesToGo: 10}, 6000, 18000},
		"more than thirty moves count thirty": {30, clock.State{Remaining: ms(60030), MovesToGo: 1000}, 2000, 6000},
		"one move to go stops at half":        {30, clock.State{Remaining: ms(60030), MovesToGo: 1}, 30000, 30000},
		"negative moves to go are unknown":    {30, clock.State{Remaining: ms(60030), MovesToGo: -5}, 2000, 6000},
		"increment above the clock":           {30, clock.State{Remaining: ms(200), Increment: ms(2000)}, 85, 85},
		"hard stops at half":                  {0, clock.State{Remaining: ms(6000), Increment: ms(2000)}, 1700, 3000},
		"overhead above the clock":            {100, clock.State{Remaining: ms(99), Increment: ms(10000)}, 0, 0},
		"negative overhead counts as none":    {-30, clock.State{Remaining: ms(60000)}, 2000, 6000},
		"negative clock":                      {30, clock.State{Remaining: ms(-50), Increment: ms(1000)}, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			got := clock.SoftHard{MoveOverhead: ms(tc.overhead)}.Budget(tc.state)
			if got.Soft.Milliseconds() != tc.wantSoft || got.Hard.Milliseconds() != tc.wantHardMs {
				t.Errorf("got soft %v hard %v, want %d and %d ms", got.Soft, got.Hard, tc.wantSoft, tc.wantHardMs)
			}
		})
	}
}

func TestSoftHardComputesInNanoseconds(t *testing.T) {
	got := clock.SoftHard{}.Budget(clock.State{Remaining: time.Second, Increment: 1})
	// 1 s / 30 = 33333333.3 ns; three quarters of a nanosecond are none.
	want := clock.Budget{Soft: 33333333, Hard: 3 * 33333333}
	if got != want {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestMoveTimeLosesTheOverheadOnly(t *testing.T) {
	p := clock.SoftHard{MoveOverhead: 30 * time.Millisecond}
	for given, want := range map[time.Duration]time.Duration{
		time.Second:           970 * time.Millisecond,
		30 * time.Millisecond: 0,
		0:                     0,
		-time.Second:          0,
		1<<63 - 1:             clock.MaxTime - 30*time.Millisecond,
	} {
		if got := p.MoveTime(given); got.Soft != want || got.Hard != want {
			t.Errorf("%v: got %v, want %v for both", given, got, want)
		}
	}
}

func TestSoftHardScale(t *testing.T) {
	for name, tc := range map[string]struct {
		depth, stable int
		scores        []int
		want          float64
	}{
		"depth one is not judged":          {1, 0, []int{0}, 1},
		"best move just changed":           {2, 0, []int{10, 10}, 1.8},
		"stable for one depth":             {3, 1, []int{10, 10}, 1.4},
		"stable for two":                   {4, 2, []int{10, 10}, 1.1},
		"stable for three":                 {5, 3, []int{10, 10}, 0.9},
		"stable for four":                  {6, 4, []int{10, 10}, 0.75},
		"stable for many":                  {30, 29, []int{10, 10}, 0.75},
		"score fell by 40":                 {6, 4, []int{90, 50, 10}, 0.75 * 1.4},
		"score fell by 40 while unstable":  {6, 0, []int{50, 10}, 1.8 * 1.4},
		"a fall counts up to a hundred":    {6, 2, []int{50, -500}, 1.1 * 2},
		"a rise does not count":            {6, 2, []int{-500, 50}, 1.1},
		"only the previous depth counts":   {6, 2, []int{500, 50, 50}, 1.1},
		"a mate found is no fall":          {6, 2, []int{50, 29990}, 1.1},
		"a mate against us is no fall":     {6, 2, []int{50, -29990}, 1.1},
		"a mate lost sight of is no fall":  {6, 2, []int{29990, 50}, 1.1},
		"a mate that comes nearer is none": {6, 2, []int{-29990, -29995}, 1.1},
	} {
		t.Run(name, func(t *testing.T) {
			got := clock.SoftHard{}.Scale(clock.Progress{
				Report: clock.Report{Depth: tc.depth, BestStableFor: tc.stable}, Scores: tc.scores,
			})
			if diff := got - tc.want; diff > 1e-9 || diff < -1e-9 {
				t.Errorf("got %v, want %v", got, tc.want)
			}
		})
	}
}

func TestFollowRemembersTheScoresOfOneMove(t *testing.T) {
	p, err := clock.ByName("softhard", clock.Tuning{})
	if err != nil {
		t.Fatal(err)
	}
	factor := clock.Follow(p)
	for i, step := range []struct {
		report clock.Report
		want   float64
	}{
		{clock.Report{Depth: 1, Score: 100}, 1},
		{clock.Report{Depth: 2, Score: 80, BestStableFor: 1}, 1.4 * 1.2},
		{clock.Report{Depth: 3, Score: 80, BestStableFor: 2}, 1.1},
	} {
		if got := factor(step.report); got-step.want > 1e-9 || step.want-got > 1e-9 {
			t.Errorf("report %d: got %v, want %v", i, got, step.want)
		}
	}
	// The next move starts afresh: no fall from the scores of the last one.
	if got := clock.Follow(p)(clock.Report{Depth: 2, Score: -300, BestStableFor: 2}); got != 1.1 {
		t.Errorf("new move: got %v, want 1.1", got)
	}
	reserve, err := clock.ByName("reserve", clock.Tuning{})
	if err != nil {
		t.Fatal(err)
	}
	if clock.Follow(reserve) != nil {
		t.Error("reserve has one limit only, but got a function that scales it")
	}
}

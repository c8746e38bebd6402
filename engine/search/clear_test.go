package search

import (
	"context"
	"testing"
	"time"

	"zeitnot/engine"
)

func TestOnlyMovesAreKnownToBeClear(t *testing.T) {
	for _, tt := range []struct {
		name, fen string
		clear     bool
	}{
		{"takes the queen that takes the rook", "4k3/8/8/3q4/8/8/3R1P2/4K3 w - - 0 1", true},
		{"recapture", "r1bqk2r/ppp2ppp/2n2n2/3p4/1b1P4/2NQ4/PPP1PPPP/R1B1KBNR b KQkq - 0 1", false},
		{"initial position", "startpos", false},
	} {
		var most int
		l := engine.Limits{Depth: new(13), Soft: new(time.Hour), Scale: func(f engine.Feedback) float64 {
			if f.ClearBy != 0 && (f.ClearBy < clearMargin || f.Depth < clearFrom || f.BestStableFor < clearStable) {
				t.Errorf("%s: odd feedback %+v", tt.name, f)
			}
			most = max(most, f.ClearBy)
			return 1
		}}
		search := func(l engine.Limits) engine.Result {
			r, err := New(Options{HashMB: 1, Now: func() time.Duration { return 0 }}).Search(context.Background(), mustGame(t, tt.fen), l, nil)
			if err != nil {
				t.Fatal(err)
			}
			return r
		}
		search(l)
		if got := most > 0; got != tt.clear {
			t.Errorf("%s: clear by %d, want clear %v", tt.name, most, tt.clear)
		}
		// Whoever does not ask, or asks without a clock, gets the search as it was.
		want := search(engine.Limits{Depth: l.Depth})
		for name, l := range map[string]engine.Limits{
			"not asked": {Depth: l.Depth, Soft: l.Soft}, "no clock": {Depth: l.Depth, Scale: l.Scale},
		} {
			if got := search(l); got != want {
				t.Errorf("%s, %s: got %+v, want %+v", tt.name, name, got, want)
			}
		}
	}
}

func TestADeadlineWithinTheSearchOfTheOthersChangesNoAnswer(t *testing.T) {
	g := mustGame(t, "4k3/8/8/3q4/8/8/3R1P2/4K3 w - - 0 1")
	reads, until := 0, 0
	now := func() time.Duration {
		if reads++; reads > until {
			return time.Minute
		}
		return 0
	}
	search := func(n int) (r engine.Result, last lastLine) {
		reads, until = 0, n
		l := engine.Limits{Depth: new(11), Deadline: new(time.Second), Scale: func(engine.Feedback) float64 { return 1 }}
		r, err := New(Options{HashMB: 1, Now: now}).Search(context.Background(), g, l, last.note)
		if err != nil {
			t.Fatal(err)
		}
		return r, last
	}
	search(1 << 30)
	whole := reads
	for n := whole / 2; n < whole; n++ {
		r, last := search(n)
		if g.Position().UCI(r.Best, false) != "d2d5" || len(last.PV) == 0 || last.PV[0] != r.Best || last.Depth != r.Depth || last.Score != r.Score {
			t.Fatalf("deadline after %d of %d reads: got %+v, the last line %+v", n, whole, r, last.Info)
		}
	}
}

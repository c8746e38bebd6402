package instant_test

import (
	"context"
	"testing"

	"zeitnot/engine"
	"zeitnot/engine/instant"
	"zeitnot/engine/position"
)

func answer(t *testing.T, s engine.Searcher, fen string, l engine.Limits) (position.Game, string) {
	t.Helper()
	g, err := position.ParseGame(fen, false, nil)
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.Search(context.Background(), g, l, nil)
	if err != nil {
		t.Fatal(err)
	}
	return g, g.Position().UCI(r.Best, false)
}

func TestChoices(t *testing.T) {
	for _, tt := range []struct {
		name, fen string
		s         engine.Searcher
		want      string
	}{
		{"greedy takes the queen", "4k3/8/8/3q4/4P3/8/8/4K3 w - - 0 1", instant.Greedy{}, "e4d5"},
		{"greedy leaves a protected pawn", "4k3/8/2p5/3p4/8/1Q6/8/4K3 w - - 0 1", instant.Greedy{}, ""},
		{"mater mates rather than takes", "6k1/5ppp/8/8/8/7q/5PPP/3R2K1 w - - 0 1", instant.Mater{}, "d1d8"},
		{"aggressive mates rather than takes", "6k1/5ppp/8/8/8/7q/5PPP/3R2K1 w - - 0 1", instant.Aggressive{}, "d1d8"},
		{"aggressive checks rather than steps nearer", "7k/8/8/8/8/8/3R4/1K6 w - - 0 1", instant.Aggressive{}, "d2d8"},
		{"aggressive takes a queen rather than checks", "4k3/8/8/q7/8/8/R7/4K2R w K - 0 1", instant.Aggressive{}, "a2a5"},
		{"aggressive gives no check that loses the man", "4k3/5ppp/8/8/8/8/4P3/4KQ2 w - - 0 1", instant.Aggressive{}, "f1f5"},
		{"aggressive takes a protected rook with a knight", "4k3/8/2p5/3r4/8/2N5/8/4K3 w - - 0 1", instant.Aggressive{}, "c3d5"},
		{"aggressive steps nearer", "7k/8/8/8/8/8/6P1/K7 w - - 0 1", instant.Aggressive{}, "g2g4"},
		{"no move at all", "8/8/8/8/8/4k3/4p3/4K3 w - - 0 1", instant.Random{}, "0000"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := engine.Limits{}
			g, got := answer(t, tt.s, tt.fen, l)
			if tt.name == "greedy leaves a protected pawn" {
				if m, _ := g.Position().ParseUCI(got); g.Position().IsCapture(m) {
					t.Errorf("got %s, a bad capture", got)
				}
				return
			}
			if got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func TestMaterAvoidsMateInOne(t *testing.T) {
	// Only h2h3 and the like make room against Rd1.
	g, got := answer(t, instant.Mater{}, "3r2k1/5ppp/8/8/8/P7/5PPP/6K1 w - - 0 1", engine.Limits{})
	m, err := g.Position().ParseUCI(got)
	if err != nil {
		t.Fatal(err)
	}
	if after := g.Play(m); mateInOne(after.Position()) {
		t.Errorf("%s allows mate in one", got)
	}
}

func mateInOne(p *position.Position) bool {
	var l position.MoveList
	p.Legal(&l)
	for _, m := range l.Slice() {
		var next position.Position
		if p.Make(m, &next); next.InCheck() && !next.HasLegalMove() {
			return true
		}
	}
	return false
}

func TestSameSeedSameGame(t *testing.T) {
	for _, s := range []engine.Searcher{instant.Random{Seed: 7}, instant.Greedy{Seed: 7}, instant.Mater{Seed: 7}, instant.Aggressive{Seed: 7}} {
		play := func() (moves []position.Move) {
			g := position.NewGame(position.Start())
			for range 60 {
				r, err := s.Search(context.Background(), g, engine.Limits{}, nil)
				if err != nil || r.Best == position.NoMove {
					break
				}
				if !g.Position().IsLegal(r.Best) {
					t.Fatalf("illegal move %v", r.Best)
				}
				moves = append(moves, r.Best)
				g = g.Play(r.Best)
			}
			return moves
		}
		a, b := play(), play()
		if len(a) != len(b) {
			t.Fatalf("%T: games of %d and %d moves", s, len(a), len(b))
		}
		for i := range a {
			if a[i] != b[i] {
				t.Fatalf("%T: move %d differs", s, i)
			}
		}
	}
}

func TestRestrictedRoot(t *testing.T) {
	p := position.Start()
	m, _ := p.ParseUCI("a2a3")
	for _, s := range []engine.Searcher{instant.Random{}, instant.Greedy{}, instant.Mater{}, instant.Aggressive{}} {
		if _, got := answer(t, s, "startpos", engine.Limits{SearchMoves: []position.Move{m}}); got != "a2a3" {
			t.Errorf("%T: got %s, want a2a3", s, got)
		}
	}
}

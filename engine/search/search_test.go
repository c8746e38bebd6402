package search_test

import (
	"context"
	"testing"
	"time"

	"zeitnot/engine"
	"zeitnot/engine/position"
	"zeitnot/engine/search"
)

func ptr[T any](v T) *T { return &v }

func game(t testing.TB, fen string, moves ...string) position.Game {
	t.Helper()
	g, err := position.ParseGame(fen, false, moves)
	if err != nil {
		t.Fatalf("game %q: %v", fen, err)
	}
	return g
}

func find(t testing.TB, s *search.Searcher, g position.Game, l engine.Limits) engine.Result {
	t.Helper()
	r, err := s.Search(context.Background(), g, l, nil)
	if err != nil {
		t.Fatalf("search: %v", err)
	}
	return r
}

func TestFindsMateAndSaysHowFar(t *testing.T) {
	for _, tt := range []struct {
		name, fen, move string
		moves           int
	}{
		{"back rank", "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1", "d1d8", 1},
		{"quiet key", "kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1", "a1a6", 2},
		{"king and rook", "8/8/8/8/8/1k6/7r/K7 b - - 0 1", "h2h1", 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g := game(t, tt.fen)
			r := find(t, search.New(search.Options{}), g, engine.Limits{Depth: ptr(10)})
			if got := g.Position().UCI(r.Best, false); got != tt.move {
				t.Errorf("best move: got %s, want %s", got, tt.move)
			}
			if got := r.Score.MateMoves(); !r.Score.IsMate() || got != tt.moves {
				t.Errorf("score: got %v, want mate %d", r.Score, tt.moves)
			}
		})
	}
}

func TestNoRootMove(t *testing.T) {
	for name, fen := range map[string]string{
		"stalemate": "8/8/8/8/8/4k3/4p3/4K3 w - - 0 1",
		"mate":      "3R2k1/5ppp/8/8/8/8/8/6K1 b - - 0 1",
	} {
		t.Run(name, func(t *testing.T) {
			r := find(t, search.New(search.Options{}), game(t, fen), engine.Limits{Soft: ptr(time.Second)})
			if r.Best != position.NoMove || r.Ponder != position.NoMove {
				t.Errorf("got %v ponder %v, want no move", r.Best, r.Ponder)
			}
		})
	}
}

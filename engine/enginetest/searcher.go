// Package enginetest proves that a searcher keeps the contract of package engine, as
// testing/fstest does for file systems. It is for tests only.
package enginetest

import (
	"context"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"zeitnot/engine"
	"zeitnot/engine/position"
)

// place is a position that searchers must have a move in.
type place struct {
	name, fen string
	chess960  bool
	moves     []string
}

func places() []place {
	return []place{
		{name: "initial position", fen: position.StartFEN},
		{name: "many captures and castling", fen: "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"},
		{name: "one legal move", fen: "8/8/8/8/8/1k6/7r/K7 w - - 0 1"},
		{name: "check", fen: "4k3/8/8/8/1b6/8/3P4/R3K2R w KQ - 0 1"},
		{name: "double check", fen: "4k3/8/8/8/8/3n4/4r3/4K3 w - - 0 1"},
		{name: "promotion", fen: "8/P6k/8/8/8/8/p6K/8 w - - 0 1"},
		{name: "promotion by Black", fen: "8/P6k/8/8/8/8/p6K/8 b - - 0 1"},
		{name: "en passant is the only capture", fen: "4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 1"},
		{name: "chess960", fen: "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9", chess960: true},
		{name: "chess960, castling ends where it begins", fen: "1r1k2r1/8/8/8/8/8/8/1RK3R1 w GBgb - 0 1", chess960: true},
		{name: "queens everywhere", fen: "r1n1n1b1/1P1P1P1P/1N1N1N2/2RnQrRq/2pKp3/3BNQbQ/k7/4Bq2 w - - 0 1"},
		{name: "mate in one", fen: "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1"},
		{name: "mated on the next move whatever is played", fen: "7k/8/5K2/8/8/8/8/R7 b - - 0 1"},
		{name: "bare kings", fen: "4k3/8/8/8/8/8/8/4K3 w - - 0 1"},
		{name: "fifty moves are over", fen: "4k3/8/8/8/8/8/8/4KQ2 w - - 100 90"},
		{name: "third repetition", fen: position.StartFEN, moves: []string{
			"g1f3", "g8f6", "f3g1", "f6g8", "g1f3", "g8f6", "f3g1", "f6g8",
		}},
	}
}

func (p place) game(t testing.TB) position.Game {
	t.Helper()
	g, err := position.ParseGame(p.fen, p.chess960, p.moves)
	if err != nil {
		t.Fatalf("game %q: %v", p.fen, err)
	}
	return g
}

// few are limits that every search ends by.
func few() engine.Limits { return engine.Limits{Nodes: new(300)} }

// TestSearcher proves what every searcher promises. make makes a fresh one, and two of them
// answer alike; they must heed a limit of nodes, or need none.
func TestSearcher(t *testing.T, make func() engine.Searcher) {
	t.Helper()
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	t.Run("legal move", func(t *testing.T) {
		s := make()
		for _, p := range places() {
			g := p.game(t)
			r := search(t, p.name, s, g, few())
			checkResult(t, p.name, g, r)
		}
	})
	t.Run("no legal move", func(t *testing.T) { noLegalMove(t, make()) })
	t.Run("restricted root", func(t *testing.T) { restrictedRoot(t, make()) })
	t.Run("reports", func(t *testing.T) { reports(t, make()) })
	t.Run("cancelled before", func(t *testing.T) {
		s := make()
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		for _, p := range places() {
			g := p.game(t)
			for name, l := range map[string]engine.Limits{"infinite": {Infinite: true}, "ponder": {Ponder: true}, "no limit": {}} {
				r, err := s.Search(ctx, g, l, nil)
				if err != nil {
					t.Errorf("%s, %s: %v", p.name, name, err)
				}
				checkResult(t, p.name+", "+name, g, r)
			}
		}
	})
	t.Run("cancelled in mid-search", func(t *testing.T) {
		// A searcher that never reports must end by itself.
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		g := places()[1].game(t)
		r, err := make().Search(ctx, g, engine.Limits{Infinite: true}, func(engine.Info) { cancel() })
		if err != nil {
			t.Error(err)
		}
		checkResult(t, "", g, r)
	})
	t.Run("same again", func(t *testing.T) {
		for _, p := range places() {
			g := p.game(t)
			if d := cmp.Diff(search(t, p.name, make(), g, few()), search(t, p.name, make(), g, few())); d != "" {
				t.Errorf("%s: two fresh searchers differ: %s", p.name, d)
			}
		}
	})
}

func search(t testing.TB, name string, s engine.Searcher, g position.Game, l engine.Limits) engine.Result {
	t.Helper()
	r, err := s.Search(t.Context(), g, l, nil)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return r
}

func checkResult(t testing.TB, name string, g position.Game, r engine.Result) {
	t.Helper()
	p := g.Position()
	if !p.IsLegal(r.Best) {
		t.Errorf("%s: got %v, not a legal move", name, r.Best)
		return
	}
	var next position.Position
	p.Make(r.Best, &next)
	if r.Ponder != position.NoMove && !next.IsLegal(r.Ponder) {
		t.Errorf("%s: ponder move %v is not legal after %v", name, r.Ponder, r.Best)
	}
	if r.Score > engine.Mate || r.Score < -engine.Mate {
		t.Errorf("%s: score %d is beyond mate", name, r.Score)
	}
	if r.Source == "" {
		t.Errorf("%s: nobody says who answered", name)
	}
}

func noLegalMove(t *testing.T, s engine.Searcher) {
	for name, tt := range map[string]struct {
		fen   string
		score engine.Score
	}{
		"stalemate":     {"8/8/8/8/8/4k3/4p3/4K3 w - - 0 1", 0},
		"mated":         {"3R2k1/5ppp/8/8/8/8/8/6K1 b - - 0 1", -engine.Mate},
		"mated in time": {"7k/6Q1/6K1/8/8/8/8/8 b - - 100 90", -engine.Mate},
	} {
		r := search(t, name, s, place{fen: tt.fen}.game(t), few())
		if r.Best != position.NoMove || r.Ponder != position.NoMove || r.Score != tt.score {
			t.Errorf("%s: got %v ponder %v, %v; want no move and %v", name, r.Best, r.Ponder, r.Score, tt.score)
		}
	}
}

// restrictedRoot allows each legal move alone, and then the last two.
func restrictedRoot(t *testing.T, s engine.Searcher) {
	for _, p := range places()[:6] {
		g := p.game(t)
		var l position.MoveList
		g.Position().Legal(&l)
		all := l.Slice()
		allowed := [][]position.Move{all[max(0, len(all)-2):]}
		for i := range all {
			allowed = append(allowed, all[i:i+1])
		}
		for _, only := range allowed {
			limits := few()
			limits.SearchMoves = only
			if r := search(t, p.name, s, g, limits); !slices.Contains(only, r.Best) {
				t.Errorf("%s: got %v, allowed are %v", p.name, r.Best, only)
			}
		}
	}
}

// reports checks what a search says on its way; one that says nothing passes.
func reports(t *testing.T, s engine.Searcher) {
	for _, p := range places() {
		g := p.game(t)
		for _, lines := range []int{0, 1, 3} {
			limits := few()
			limits.MultiPV = lines
			nodes := uint64(0)
			_, err := s.Search(t.Context(), g, limits, func(i engine.Info) {
				if i.CurrMove != position.NoMove {
					return
				}
				if i.MultiPV < 1 || i.MultiPV > max(1, lines) || i.Nodes < nodes || i.SelDepth < i.Depth ||
					i.HashFull < 0 || i.HashFull > 1000 || i.Bound == engine.BoundNone || len(i.PV) == 0 {
					t.Errorf("%s, %d lines: odd info %+v after %d nodes", p.name, lines, i, nodes)
				}
				nodes = i.Nodes
				line := g
				for _, m := range i.PV {
					if !line.Position().IsLegal(m) {
						t.Fatalf("%s: illegal move in PV %v", p.name, i.PV)
					}
					line = line.Play(m)
				}
			})
			if err != nil {
				t.Errorf("%s: %v", p.name, err)
			}
		}
	}
}

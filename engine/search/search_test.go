package search_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"zeitnot/engine"
	"zeitnot/engine/position"
	"zeitnot/engine/search"
)

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
		{"smothered", "5r1k/6pp/7N/8/8/1Q6/8/6K1 w - - 0 1", "b3g8", 2},
		{"king and rook", "8/8/8/8/8/1k6/7r/K7 b - - 0 1", "h2h1", 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g := game(t, tt.fen)
			r := find(t, search.New(search.Options{}), g, engine.Limits{Depth: new(10)})
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
			r := find(t, search.New(search.Options{}), game(t, fen), engine.Limits{Soft: new(time.Second)})
			if r.Best != position.NoMove || r.Ponder != position.NoMove {
				t.Errorf("got %v ponder %v, want no move", r.Best, r.Ponder)
			}
		})
	}
}

func TestDrawScores(t *testing.T) {
	for _, tt := range []struct {
		name, fen string
		moves     []string
	}{
		{"stalemate is the best that a bare king can get", "7k/5K2/6P1/8/8/8/8/8 b - - 0 1", nil},
		{"fortress of the wrong bishop", "k7/8/8/8/8/P7/1B6/1K6 w - - 0 1", nil},
		{"bishop and bare king", "8/8/4k3/8/8/4B3/8/4K3 w - - 0 1", nil},
		{"fifty moves are over on the next", "8/8/8/3k4/8/8/4RK2/8 w - - 99 90", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := find(t, search.New(search.Options{}), game(t, tt.fen, tt.moves...), engine.Limits{Depth: new(12)})
			if r.Score < -40 || r.Score > 90 {
				t.Errorf("got %v, want about a draw", r.Score)
			}
		})
	}
}

func TestLosingSideRepeatsAndWinningSideDoesNot(t *testing.T) {
	// White is far behind, but the queen checks for ever on e8 and h5.
	perpetual := game(t, "6k1/6p1/8/6PQ/8/8/rr6/6K1 w - - 0 1")
	r := find(t, search.New(search.Options{}), perpetual, engine.Limits{Depth: new(10)})
	if r.Score != 0 {
		t.Errorf("perpetual check: got %v, want cp 0", r.Score)
	}
	// A won game whose position has occurred twice: the third time is to be avoided.
	g := game(t, "6k1/5ppp/8/8/8/8/4QPPP/R5K1 w - - 0 1", "a1a2", "g8h8", "a2a1", "h8g8", "a1a2", "g8h8")
	r = find(t, search.New(search.Options{}), g, engine.Limits{Depth: new(8)})
	if got := g.Position().UCI(r.Best, false); got == "a2a1" || r.Score < 500 {
		t.Errorf("got %s with %v, a draw by repetition or no win", got, r.Score)
	}
}

func TestNodesLimitIsExact(t *testing.T) {
	s := search.New(search.Options{})
	for _, n := range []int{1, 2, 100, 257, 1000, 4321, 20000} {
		s.NewGame()
		g := game(t, "startpos")
		r := find(t, s, g, engine.Limits{Nodes: &n})
		if r.Nodes > uint64(n) || r.Nodes < uint64(n)-uint64(n)/2 {
			t.Errorf("limit %d: searched %d", n, r.Nodes)
		}
		if !g.Position().IsLegal(r.Best) {
			t.Errorf("limit %d: no legal move", n)
		}
	}
}

func TestSameNodesSameMoveTwice(t *testing.T) {
	g := game(t, "r1bq1rk1/pp2bppp/2n1pn2/2pp4/3P1B2/2PBPN2/PP1N1PPP/R2Q1RK1 w - - 0 8")
	infos := func(s *search.Searcher) (all []engine.Info, r engine.Result) {
		r, _ = s.Search(context.Background(), g, engine.Limits{Nodes: new(60000)}, func(i engine.Info) { all = append(all, i) })
		return all, r
	}
	s := search.New(search.Options{})
	wantInfos, want := infos(s)
	s.NewGame()
	for name, s := range map[string]*search.Searcher{"after NewGame": s, "fresh": search.New(search.Options{})} {
		gotInfos, got := infos(s)
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s: result differs: %s", name, d)
		}
		if d := cmp.Diff(wantInfos, gotInfos); d != "" {
			t.Errorf("%s: infos differ: %s", name, d)
		}
	}
}

func TestInfos(t *testing.T) {
	g := game(t, "startpos", "e2e4")
	depth := 0
	var last engine.Info
	r, err := search.New(search.Options{}).Search(context.Background(), g, engine.Limits{Depth: new(8)}, func(i engine.Info) {
		if i.CurrMove != position.NoMove {
			return
		}
		if i.Depth != depth+1 || i.MultiPV != 1 || i.Bound != engine.BoundExact || i.Nodes < last.Nodes || i.SelDepth < i.Depth {
			t.Errorf("after depth %d: odd info %+v", depth, i)
		}
		depth, last = i.Depth, i
		line := g
		for _, m := range i.PV {
			if !line.Position().IsLegal(m) {
				t.Fatalf("depth %d: illegal move in PV %v", i.Depth, i.PV)
			}
			line = line.Play(m)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if depth != 8 || last.PV[0] != r.Best || last.Score != r.Score || r.Depth != 8 || r.Source != "search" {
		t.Errorf("last info %+v does not fit the result %+v", last, r)
	}
	if len(last.PV) > 1 && r.Ponder != last.PV[1] {
		t.Errorf("ponder move %v, want the second of the PV %v", r.Ponder, last.PV)
	}
}

func TestMultiPVLinesDifferAndFall(t *testing.T) {
	g := game(t, "startpos")
	lines := map[int][]engine.Info{}
	_, _ = search.New(search.Options{}).Search(context.Background(), g, engine.Limits{Depth: new(7), MultiPV: 4}, func(i engine.Info) {
		if i.CurrMove == position.NoMove {
			lines[i.Depth] = append(lines[i.Depth], i)
		}
	})
	for depth := 1; depth <= 7; depth++ {
		seen := map[position.Move]bool{}
		got := lines[depth]
		if len(got) != 4 {
			t.Fatalf("depth %d: %d lines, want 4", depth, len(got))
		}
		for n, i := range got {
			if i.MultiPV != n+1 || seen[i.PV[0]] || n > 0 && i.Score > got[n-1].Score {
				t.Errorf("depth %d: line %d out of order: %+v", depth, n+1, i)
			}
			seen[i.PV[0]] = true
		}
	}
	// More lines than moves: as many as there are moves.
	n := 0
	_, _ = search.New(search.Options{}).Search(context.Background(), game(t, "8/8/8/8/8/1k6/7r/K7 w - - 0 1"), engine.Limits{Depth: new(1), MultiPV: 9}, func(engine.Info) { n++ })
	if n != 1 {
		t.Errorf("one legal move: %d lines", n)
	}
}

func TestLinesEqualARestrictedSearch(t *testing.T) {
	// Two mates of different length: their distances are facts that every search agrees on.
	g := game(t, "7k/8/5K2/8/8/8/8/1R6 w - - 0 1")
	byMove := map[position.Move]engine.Score{}
	_, _ = search.New(search.Options{}).Search(context.Background(), g, engine.Limits{Depth: new(12), MultiPV: 3}, func(i engine.Info) {
		if i.Depth == 12 {
			byMove[i.PV[0]] = i.Score
		}
	})
	if len(byMove) != 3 {
		t.Fatalf("got %d lines, want 3", len(byMove))
	}
	for m, want := range byMove {
		r := find(t, search.New(search.Options{}), g, engine.Limits{Depth: new(12), SearchMoves: []position.Move{m}})
		if r.Best != m || r.Score != want {
			t.Errorf("restricted to %v: got %v %v, want %v", m, r.Best, r.Score, want)
		}
	}
}

func TestSearchMovesLeaveTheTableClean(t *testing.T) {
	g := game(t, "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1")
	s := search.New(search.Options{})
	a, _ := g.Position().ParseUCI("g1f1")
	if r := find(t, s, g, engine.Limits{Depth: new(6), SearchMoves: []position.Move{a}}); r.Best != a {
		t.Errorf("restricted: got %v", r.Best)
	}
	if r := find(t, s, g, engine.Limits{Depth: new(6)}); r.Score.MateMoves() != 1 || !r.Score.IsMate() {
		t.Errorf("afterwards unrestricted: got %v, want mate 1", r.Score)
	}
}

func TestProvenMateEndsEarlyButNotWhenHeldBack(t *testing.T) {
	g := game(t, "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1")
	r := find(t, search.New(search.Options{}), g, engine.Limits{Hard: new(time.Hour)})
	if r.Score.MateMoves() != 1 {
		t.Errorf("got %v, want mate 1", r.Score)
	}
	for name, l := range map[string]engine.Limits{"infinite": {Infinite: true}, "ponder": {Ponder: true}} {
		ctx, cancel := context.WithCancel(context.Background())
		done := make(chan engine.Result)
		found := make(chan struct{})
		tell := sync.OnceFunc(func() { close(found) })
		go func() {
			r, _ := search.New(search.Options{HashMB: 1}).Search(ctx, g, l, func(i engine.Info) {
				if i.Score.IsMate() {
					tell()
				}
			})
			done <- r
		}()
		<-found
		select {
		case <-done:
			t.Errorf("%s: answered before it was told", name)
		case <-time.After(50 * time.Millisecond):
			cancel()
			if r := <-done; r.Score.MateMoves() != 1 {
				t.Errorf("%s: got %v, want mate 1", name, r.Score)
			}
		}
		cancel()
	}
}

func TestMateLimit(t *testing.T) {
	g := game(t, "5r1k/6pp/7N/8/8/1Q6/8/6K1 w - - 0 1")
	r := find(t, search.New(search.Options{}), g, engine.Limits{Mate: new(2)})
	if r.Score.MateMoves() != 2 {
		t.Errorf("got %v, want mate 2", r.Score)
	}
	if r.Nodes > 100_000 {
		t.Errorf("went on for %d nodes after the mate", r.Nodes)
	}
}

func TestOneLegalMoveUnderAClockIsPlayedAtOnce(t *testing.T) {
	g := game(t, "8/8/8/8/8/1k6/7r/K7 w - - 0 1")
	s := search.New(search.Options{})
	r := find(t, s, g, engine.Limits{Soft: new(time.Hour), Hard: new(time.Hour)})
	if got := g.Position().UCI(r.Best, false); got != "a1b1" || r.Nodes != 0 {
		t.Errorf("got %s after %d nodes, want a1b1 after none", got, r.Nodes)
	}
	// Without a clock somebody wants to know more.
	if r := find(t, s, g, engine.Limits{Depth: new(5)}); r.Nodes == 0 || !r.Score.IsMate() {
		t.Errorf("without a clock: got %v after %d nodes", r.Score, r.Nodes)
	}
	// Then the ponder move is known from the table.
	r = find(t, s, g, engine.Limits{Soft: new(time.Hour)})
	if after := g.Play(r.Best); after.Position().UCI(r.Ponder, false) != "h2h1" {
		t.Errorf("ponder move: got %v, want h2h1", r.Ponder)
	}
}

func TestTinyBudgetsGiveLegalMoves(t *testing.T) {
	s := search.New(search.Options{HashMB: 1})
	fens := []string{
		position.StartFEN,
		"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
		"8/8/8/8/8/1k6/7r/K7 w - - 0 1",
		"r1n1n1b1/1P1P1P1P/1N1N1N2/2RnQrRq/2pKp3/3BNQbQ/k7/4Bq2 w - - 0 1",
	}
	n := 1000
	if testing.Short() {
		n = 200
	}
	for i := range n {
		g := game(t, fens[i%len(fens)])
		for name, l := range map[string]engine.Limits{
			"nothing":       {Soft: new(time.Duration(0)), Hard: new(time.Duration(0))},
			"a moment":      {Soft: new(time.Duration(i) * 100), Hard: new(time.Duration(i) * 300)},
			"past on entry": {Soft: new(time.Millisecond), Hard: new(time.Millisecond), Deadline: new(engine.Now() - time.Second)},
			"negative":      {Soft: new(-time.Second), Hard: new(-time.Second)},
		} {
			if r := find(t, s, g, l); !g.Position().IsLegal(r.Best) {
				t.Fatalf("%s, try %d: got %v, not a legal move", name, i, r.Best)
			}
		}
	}
}

func TestNoTimeAtAllStillTakesTheQueen(t *testing.T) {
	g := game(t, "4k3/8/8/3q4/8/8/3R4/4K3 w - - 0 1")
	r := find(t, search.New(search.Options{}), g, engine.Limits{Hard: new(time.Duration(0))})
	if got := g.Position().UCI(r.Best, false); got != "d2d5" {
		t.Errorf("got %s, want d2d5", got)
	}
	// Not the pawn that is protected, though captures are tried first.
	g = game(t, "4k3/8/2p5/3p4/8/8/3Q4/4K3 w - - 0 1")
	r = find(t, search.New(search.Options{}), g, engine.Limits{Hard: new(time.Duration(0))})
	if got := g.Position().UCI(r.Best, false); got == "d2d5" || r.Nodes > 256 {
		t.Errorf("got %s after %d nodes", got, r.Nodes)
	}
}

func TestCancelledSearchStillAnswers(t *testing.T) {
	s := search.New(search.Options{})
	g := game(t, "startpos")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if r, err := s.Search(ctx, g, engine.Limits{Infinite: true}, nil); err != nil || !g.Position().IsLegal(r.Best) {
		t.Errorf("cancelled before: got %v, %v", r, err)
	}
	ctx, cancel = context.WithCancel(context.Background())
	defer cancel()
	r, err := s.Search(ctx, g, engine.Limits{}, func(i engine.Info) {
		if i.Depth == 3 {
			cancel()
		}
	})
	if err != nil || !g.Position().IsLegal(r.Best) || r.Depth < 3 {
		t.Errorf("cancelled in mid-search: got %v, %v", r, err)
	}
}

func TestSoftEndsAfterADepthAndIsScaledByFeedback(t *testing.T) {
	// The clock advances one microsecond a read, so time is a function of the nodes.
	clock := func() func() time.Duration {
		n := time.Duration(0)
		return func() time.Duration { n += time.Microsecond; return n }
	}
	g := game(t, "startpos")
	nodes := func(scale func(engine.Feedback) float64) uint64 {
		s := search.New(search.Options{Now: clock()})
		r := find(t, s, g, engine.Limits{Soft: new(200 * time.Microsecond), Hard: new(time.Hour), Scale: scale})
		return r.Nodes
	}
	plain := nodes(nil)
	half := nodes(func(engine.Feedback) float64 { return 0.3 })
	double := nodes(func(engine.Feedback) float64 { return 3 })
	if !(half < plain && plain < double) {
		t.Errorf("nodes at scale 0.3, 1, 3: %d, %d, %d; want them to grow", half, plain, double)
	}
}

func TestFeedback(t *testing.T) {
	s := search.New(search.Options{})
	g := game(t, "startpos")
	var all []engine.Feedback
	l := engine.Limits{Soft: new(time.Hour), Depth: new(9), Scale: func(f engine.Feedback) float64 {
		all = append(all, f)
		return 1
	}}
	r := find(t, s, g, l)
	if len(all) != 9 {
		t.Fatalf("called %d times for 9 depths", len(all))
	}
	for i, f := range all {
		if f.Depth != i+1 || f.LegalMoves != 20 || f.BestMoveNodes == 0 || f.BestMoveNodes > f.Nodes ||
			f.BestStableFor > i || f.PrevMoveScore != nil {
			t.Errorf("depth %d: odd feedback %+v", i+1, f)
		}
	}
	if got := all[8].Score; got != int(r.Score) {
		t.Errorf("score: got %d, want %v", got, r.Score)
	}
	// Two plies on in the same game the previous score is known; in another game it is not.
	all = nil
	next := g.Play(r.Best)
	next = next.Play(r.Ponder)
	find(t, s, next, l)
	if p := all[0].PrevMoveScore; p == nil || *p != int(r.Score) {
		t.Errorf("previous score: got %v, want %v", p, r.Score)
	}
	all = nil
	find(t, s, game(t, "startpos", "a2a3", "a7a6"), l)
	if p := all[0].PrevMoveScore; p != nil {
		t.Errorf("another game: got previous score %d", *p)
	}
	// A mate is told as everywhere else.
	all = nil
	mate := game(t, "7k/8/5K2/8/8/8/8/1R6 w - - 0 1")
	r = find(t, s, mate, l)
	if !r.Score.IsMate() || all[len(all)-1].Score != int(r.Score) {
		t.Errorf("mate: got %d, want %d", all[len(all)-1].Score, int(r.Score))
	}
	next = mate.Play(r.Best)
	all = nil
	if find(t, s, next.Play(r.Ponder), l); all[0].PrevMoveScore == nil || *all[0].PrevMoveScore != int(r.Score) {
		t.Errorf("mate: got previous score %v, want %d", all[0].PrevMoveScore, int(r.Score))
	}
}

func TestTunable(t *testing.T) {
	s := search.New(search.Options{})
	if err := s.SetHash(0); err == nil {
		t.Error("hash of 0 MiB accepted")
	}
	if err := s.SetHash(1); err != nil {
		t.Error(err)
	}
	if err := s.SetThreads(1); err != nil {
		t.Error(err)
	}
	for _, n := range []int{-1, 0, 257} {
		if err := s.SetThreads(n); err == nil || err.Error() != fmt.Sprintf("threads %d: not within 1-256", n) {
			t.Errorf("%d threads: got %v", n, err)
		}
	}
	if got := s.YieldNodes(); got < 1 || got > 256 {
		t.Errorf("yield granularity: got %d, want 1-256", got)
	}
}

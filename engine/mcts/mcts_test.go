package mcts

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"zeitnot/engine"
	"zeitnot/engine/instant"
	"zeitnot/engine/position"
)

func game(t testing.TB, fen string, moves ...string) position.Game {
	t.Helper()
	g, err := position.ParseGame(fen, false, moves)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func find(t testing.TB, s *Searcher, g position.Game, l engine.Limits) engine.Result {
	t.Helper()
	r, err := s.Search(t.Context(), g, l, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestMatesAreProven(t *testing.T) {
	for _, tt := range []struct {
		name, fen, move string
		mate            int
	}{
		{"back rank", "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1", "d1d8", 1},
		{"smothered", "5r1k/6pp/7N/8/8/1Q6/8/6K1 w - - 0 1", "b3g8", 2},
		{"two rooks", "7k/8/8/8/8/8/1R6/R5K1 w - - 0 1", "", 2},
		{"mated whatever is played", "7k/8/5K2/8/8/8/8/1R6 b - - 0 1", "", -2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g := game(t, tt.fen)
			r := find(t, New(Options{HashMB: 4}), g, engine.Limits{Nodes: new(50_000)})
			if got := g.Position().UCI(r.Best, false); tt.move != "" && got != tt.move {
				t.Errorf("got %s, want %s", got, tt.move)
			}
			// What is proven is true, but it need not be the shortest.
			if m := r.Score.MateMoves(); !r.Score.IsMate() || m*tt.mate < 0 || max(m, -m) < max(tt.mate, -tt.mate) {
				t.Errorf("got %v, want mate %d", r.Score, tt.mate)
			}
			if r.Nodes == 50_000 {
				t.Error("went on after the proof")
			}
		})
	}
}

func TestDraws(t *testing.T) {
	for name, tt := range map[string]struct {
		fen   string
		moves []string
	}{
		"fifty moves are over on the next": {"8/8/8/3k4/8/8/4R3/4K3 w - - 99 90", nil},
		"bare kings":                       {"4k3/8/8/8/8/8/8/4K3 w - - 0 1", nil},
	} {
		if r := find(t, New(Options{HashMB: 4}), game(t, tt.fen, tt.moves...), engine.Limits{Nodes: new(2000)}); r.Score != 0 || r.Nodes == 2000 {
			t.Errorf("%s: got %v after %d rollouts, want a proven draw", name, r.Score, r.Nodes)
		}
	}
	// A won game whose position has occurred twice: the third time is to be avoided.
	g := game(t, "6k1/5ppp/8/8/8/8/4QPPP/R5K1 w - - 0 1", "a1a2", "g8h8", "a2a1", "h8g8", "a1a2", "g8h8")
	if r := find(t, New(Options{HashMB: 4}), g, engine.Limits{Nodes: new(2000)}); g.Position().UCI(r.Best, false) == "a2a1" || r.Score < 300 {
		t.Errorf("got %v with %v, a draw by repetition or no win", r.Best, r.Score)
	}
}

func TestSameSeedSameSearch(t *testing.T) {
	g := game(t, "startpos")
	run := func(seed uint64) (all []engine.Info, r engine.Result) {
		r, _ = New(Options{HashMB: 1, Seed: seed}).Search(t.Context(), g, engine.Limits{Nodes: new(500)}, func(i engine.Info) { all = append(all, i) })
		return all, r
	}
	infos, want := run(1)
	gotInfos, got := run(1)
	if d := cmp.Diff(want, got) + cmp.Diff(infos, gotInfos); d != "" {
		t.Errorf("the same seed: %s", d)
	}
	for seed := uint64(2); ; seed++ {
		if other, _ := run(seed); !cmp.Equal(infos, other) {
			break
		}
		if seed == 30 {
			t.Fatal("other seeds change nothing")
		}
	}
}

func TestNodesAreRollouts(t *testing.T) {
	s := New(Options{HashMB: 1})
	for _, n := range []int{1, 2, 20, 21, 22, 1000, 4321} {
		if r := find(t, s, game(t, "startpos"), engine.Limits{Nodes: &n}); r.Nodes != uint64(n) {
			t.Errorf("limit %d: %d rollouts", n, r.Nodes)
		}
	}
}

func TestPhasesHaveEqualSlices(t *testing.T) {
	// 20 moves make five phases: 20, 10, 5, 3 and 2 of them left. The last two have had most
	// rollouts, and about what the shares of a fifth come to.
	s := New(Options{HashMB: 4})
	const rollouts = 20_000
	find(t, s, game(t, "startpos"), engine.Limits{Nodes: new(rollouts)})
	root := &s.pool[0]
	counts := map[uint64]int{}
	most := uint64(0)
	for i := range int32(root.children) {
		n := s.pool[root.first+i].visits
		counts[n/100]++
		most = max(most, n)
	}
	const fifth = rollouts / 5
	if want := fifth/20 + fifth/10 + fifth/5 + fifth/3 + fifth/2; max(int(most)-want, want-int(most)) > want/20 {
		t.Errorf("the most rollouts of a move: %d, want about %d", most, want)
	}
	if counts[fifth/20/100] < 9 && counts[fifth/20/100+1] < 9 {
		t.Errorf("want about ten moves with %d rollouts: %v", fifth/20, counts)
	}
	// By time the same: the clock moves a microsecond a rollout.
	now := time.Duration(0)
	timed := New(Options{HashMB: 4, Now: func() time.Duration { now += time.Microsecond; return now }})
	r := find(t, timed, game(t, "startpos"), engine.Limits{Soft: new(rollouts * time.Microsecond)})
	if r.Nodes < rollouts-10 || r.Nodes > rollouts+10 {
		t.Errorf("%d rollouts in the time of %d", r.Nodes, rollouts)
	}
	best := uint64(0)
	for i := range int32(timed.pool[0].children) {
		best = max(best, timed.pool[timed.pool[0].first+i].visits)
	}
	if d := int(best) - int(most); max(d, -d) > 200 {
		t.Errorf("the most rollouts of a move: %d by time, %d by nodes", best, most)
	}
}

func TestSoftEndsBeforeTheDeadline(t *testing.T) {
	now := time.Duration(0)
	s := New(Options{HashMB: 1, Now: func() time.Duration { now += time.Microsecond; return now }})
	l := engine.Limits{Soft: new(100 * time.Microsecond), Hard: new(time.Second), Deadline: new(time.Second)}
	if r := find(t, s, game(t, "startpos"), l); r.Nodes > 110 || r.Nodes < 90 {
		t.Errorf("%d rollouts in 100 microseconds of one each", r.Nodes)
	}
}

func TestAFullTreeGoesOn(t *testing.T) {
	s := New(Options{HashMB: 1})
	s.pool = s.pool[:500]
	var last engine.Info
	r, _ := s.Search(t.Context(), game(t, "startpos"), engine.Limits{Nodes: new(5000)}, func(i engine.Info) { last = i })
	if r.Nodes != 5000 || s.used > 500 || last.HashFull < 900 {
		t.Errorf("%d rollouts with %d of 500 nodes, hash full %d", r.Nodes, s.used, last.HashFull)
	}
	// A depth that it cannot reach any more ends the search.
	if r := find(t, s, game(t, "startpos"), engine.Limits{Depth: new(40), Nodes: new(5000)}); r.Nodes == 5000 {
		t.Error("went on for a depth out of reach")
	}
	// The next search begins with an empty tree.
	if r := find(t, s, game(t, "startpos"), engine.Limits{Depth: new(1)}); r.Depth != 1 || s.used > 500 {
		t.Errorf("depth 1 after a full tree: got depth %d with %d nodes", r.Depth, s.used)
	}
}

func TestALongAnalysisKeepsCount(t *testing.T) {
	s := New(Options{HashMB: 1})
	find(t, s, game(t, "startpos"), engine.Limits{Nodes: new(100)})
	root := &s.pool[0]
	root.sum, root.visits = root.value()*math.MaxUint32, math.MaxUint32
	before := root.value()
	s.rollout(0)
	if got := root.value(); root.visits < math.MaxUint32 || math.Abs(got-before) > 1e-6 {
		t.Errorf("%d visits and a value of %v after %v", root.visits, got, before)
	}
}

// The order must not depend on where the moves stood before, whatever is proven of them.
func TestOneOrderByVisits(t *testing.T) {
	pool := []node{
		{}, // the root
		{proof: lost, distance: 4, visits: 3},
		{proof: lost, distance: 6, visits: 9},
		{visits: 100, sum: 50}, // bad for us, and yet most visited
		{proof: drawn, visits: 70},
		{visits: 60, sum: -50},
		{proof: won, distance: 5, visits: 200},
		{proof: won, distance: 3, visits: 300},
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 100 {
		r := &running{Searcher: &Searcher{pool: pool}}
		for _, i := range rng.Perm(len(pool) - 1) {
			r.ranked = append(r.ranked, int32(i+1))
		}
		before := slices.Clone(r.ranked)
		if r.byVisits(); !slices.Equal(r.ranked, []int32{1, 2, 3, 4, 5, 6, 7}) {
			t.Fatalf("from %v: got %v", before, r.ranked)
		}
	}
}

func TestSeveralLines(t *testing.T) {
	for name, l := range map[string]engine.Limits{"nodes": {Nodes: new(2000), MultiPV: 3}, "depth": {Depth: new(3), MultiPV: 3}} {
		var lines []engine.Info
		r, _ := New(Options{HashMB: 4}).Search(t.Context(), game(t, "startpos"), l, func(i engine.Info) { lines = append(lines, i) })
		lines = lines[len(lines)-3:]
		seen := map[position.Move]bool{}
		for n, i := range lines {
			if i.MultiPV != n+1 || seen[i.PV[0]] {
				t.Errorf("%s: line %d out of order: %+v", name, n+1, i)
			}
			seen[i.PV[0]] = true
		}
		if lines[0].PV[0] != r.Best {
			t.Errorf("%s: the first line is not the answer", name)
		}
	}
}

func TestHeldBack(t *testing.T) {
	g := game(t, "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1")
	for name, l := range map[string]engine.Limits{"infinite": {Infinite: true}, "ponder": {Ponder: true}} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			answered := make(chan engine.Result, 1)
			go func() {
				r, _ := New(Options{HashMB: 4}).Search(ctx, g, l, nil)
				answered <- r
			}()
			synctest.Wait() // the proof is found; the answer must wait all the same
			if len(answered) > 0 {
				t.Errorf("%s: answered before it was told", name)
			}
			cancel()
			if r := <-answered; r.Score.MateMoves() != 1 {
				t.Errorf("%s: got %v, want mate 1", name, r.Score)
			}
		})
	}
}

func TestBeatsThePlayersThatDoNotSearch(t *testing.T) {
	if testing.Short() {
		t.Skip("games of a thousand rollouts a move")
	}
	for side, other := range []engine.Searcher{instant.Greedy{Seed: 1}, instant.Mater{Seed: 1}} {
		s := New(Options{HashMB: 4, Seed: 1})
		g := position.NewGame(position.Start())
		for g.Position().HasLegalMove() && !g.FiftyMoves() && g.Repetitions() < 3 && g.Len() < 300 {
			player := other
			if g.Len()%2 == side {
				player = s
			}
			r, err := player.Search(t.Context(), g, engine.Limits{Nodes: new(1000)}, nil)
			if err != nil {
				t.Fatal(err)
			}
			g = g.Play(r.Best)
		}
		if mated := !g.Position().HasLegalMove() && g.Position().InCheck() && g.Len()%2 != side; !mated {
			t.Errorf("against %T: no win in %d plies", other, g.Len())
		}
	}
}

func TestTunable(t *testing.T) {
	s := New(Options{HashMB: 2})
	if got := len(s.pool) * nodeBytes; got > 2<<20 || got < 2<<20-nodeBytes {
		t.Errorf("2 MiB: the tree may take %d bytes", got)
	}
	if s.SetHash(0) == nil || s.SetThreads(0) == nil || s.SetThreads(2) == nil {
		t.Error("no hash, no threads or two threads accepted")
	}
	// Every node has a number, and one MiB more would have none for its last.
	if last := int64(maxHashMB)<<20/int64(nodeBytes) - 1; int64(int32(last)) != last || maxHashMB != 65535 {
		t.Errorf("%d MiB have a node %d", maxHashMB, last)
	}
	if err := s.SetHash(maxHashMB + 1); err == nil {
		t.Error("more nodes than can be numbered accepted")
	}
	if err := s.SetHash(1); err != nil || len(s.pool)*nodeBytes > 1<<20 {
		t.Errorf("1 MiB: %d nodes, %v", len(s.pool), err)
	}
}

package search

import (
	"context"
	"testing"
	"time"

	"zeitnot/engine"
	"zeitnot/engine/position"
)

func mustGame(t testing.TB, fen string, moves ...string) position.Game {
	t.Helper()
	g, err := position.ParseGame(fen, false, moves)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

const kiwipete = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"

// quiescent is a position whose quiescence search alone takes many nodes.
const quiescent = "r1n1n1b1/1P1P1P1P/1N1N1N2/2RnQrRq/2pKp3/3BNQbQ/k7/4Bq2 w - - 0 1"

func TestNoDeadlineNoClock(t *testing.T) {
	reads := 0
	s := New(Options{HashMB: 1, Now: func() time.Duration { reads++; return 0 }})
	for name, l := range map[string]engine.Limits{
		"depth": {Depth: new(6)},
		"nodes": {Nodes: new(5000), MultiPV: 2},
		"mate":  {Mate: new(1), Depth: new(4)},
	} {
		if _, err := s.Search(context.Background(), mustGame(t, kiwipete), l, nil); err != nil {
			t.Fatal(err)
		}
		if reads != 0 {
			t.Errorf("limit by %s: %d clock reads", name, reads)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	n := 0
	_, _ = s.Search(ctx, mustGame(t, kiwipete), engine.Limits{Infinite: true, Soft: new(time.Nanosecond)}, func(engine.Info) {
		if n++; n == 5 {
			cancel()
		}
	})
	cancel()
	if reads != 0 {
		t.Errorf("infinite: %d clock reads", reads)
	}
}

func TestSearchDoesNotAllocate(t *testing.T) {
	s := New(Options{HashMB: 1})
	th := s.main
	th.ctl = &control{orders: new(orders), now: engine.Now, yield: yieldNodes, hasDeadline: true, deadline: time.Hour, nodeLimit: 20_000}
	for _, fen := range []string{kiwipete, position.StartFEN, quiescent} {
		th.setRoot(mustGame(t, fen), nil)
		th.rootDepth = 6
		allocs := testing.AllocsPerRun(3, func() {
			s.tt.newSearch()
			th.nodes, th.pollAt, th.stopped = 0, 0, false
			th.searchRoot(-infinite, infinite, 6, 0, nil)
			th.sortRoot(0, th.rootN)
		})
		if allocs != 0 {
			t.Errorf("%s: got %v allocations in a search, want 0", fen, allocs)
		}
	}
}

func TestRepetition(t *testing.T) {
	th := newThread(&table{})
	th.tt.resize(1, 1)
	th.ctl = &control{orders: new(orders)}
	// The position before the root's last two moves occurred once: meeting it again inside
	// the tree is its second time, so not yet a draw ...
	shuffle := []string{"g1f3", "g8f6", "f3g1", "f6g8"}
	th.setRoot(mustGame(t, "startpos", shuffle[:3]...), nil)
	m, _ := new(th.frame(0).pos).ParseUCI("f6g8")
	th.makeMove(0, m)
	if th.repeated(1) {
		t.Error("a position of the game met for the second time counted as a draw")
	}
	// ... but the third time is,
	th.setRoot(mustGame(t, "startpos", append(shuffle, shuffle[:3]...)...), nil)
	th.makeMove(0, m)
	if !th.repeated(1) {
		t.Error("threefold repetition with the game's history not seen")
	}
	// ... and so is the second time within the tree.
	th.setRoot(mustGame(t, "startpos"), nil)
	for i, mv := range append(shuffle, "g1f3") {
		m, err := new(th.frame(i).pos).ParseUCI(mv)
		if err != nil {
			t.Fatal(err)
		}
		th.makeMove(i, m)
	}
	if !th.repeated(5) {
		t.Error("repetition within the line not seen")
	}
	// A null move breaks the chain.
	th.setRoot(mustGame(t, "startpos"), nil)
	th.makeNull(0)
	th.makeNull(1)
	th.makeNull(2)
	th.makeNull(3)
	if th.repeated(4) {
		t.Error("null moves made a repetition")
	}
}

func TestFiftyMovesYieldToMate(t *testing.T) {
	th := newThread(&table{})
	th.tt.resize(1, 1)
	for fen, want := range map[string]bool{
		"8/8/8/8/8/1k6/8/KR6 b - - 100 90":     true,
		"8/8/8/8/8/1k6/8/K6r w - - 100 90":     false, // mated on the last half-move
		"8/8/8/8/8/1k6/8/KR6 b - - 99 90":      false,
		"8/8/8/3k4/8/8/8/K1N5 w - - 0 1":       true, // a knight cannot mate
		"8/8/8/3k4/8/8/3P4/K1N5 w - - 0 1":     false,
		"8/8/8/3kb3/8/8/8/K1B5 w - - 0 1":      true,  // bishops on the same colour cannot
		"8/8/8/3k1b2/8/8/8/K1B5 w - - 0 1":     false, // those on opposite colours can
		"8/8/8/3k4/8/8/8/K1NN4 w - - 0 1":      false,
		"8/8/8/8/8/8/5k2/6RK b - - 120 100":    true,
		"7k/6Q1/6K1/8/8/8/8/8 b - - 100 90":    false,
		"7k/8/5QK1/8/8/8/8/8 b - - 100 90":     true, // one more check, but it is over
		"6k1/5ppp/8/8/8/8/8/3R2K1 b - - 50 90": false,
	} {
		g := mustGame(t, fen)
		th.setRoot(g, nil)
		if got := th.drawn(0); got != want {
			t.Errorf("%s: got %v, want %v", fen, got, want)
		}
	}
}

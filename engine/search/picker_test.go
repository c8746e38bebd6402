package search

import (
	"math/rand/v2"
	"testing"

	"zeitnot/engine/position"
)

// perftByPicker counts leaves like perft, but takes the moves from the picker, with TT
// moves and killers that are sometimes legal and sometimes nonsense.
func (t *thread) perftByPicker(ply, depth int, rng *rand.Rand) uint64 {
	if depth == 0 {
		return 1
	}
	f := t.frame(ply)
	tt, killer := position.Move(rng.Uint32()), position.Move(rng.Uint32())
	if rng.IntN(2) == 0 {
		var l position.MoveList
		if f.pos.Legal(&l); l.Len() > 0 {
			tt, killer = l.At(rng.IntN(l.Len())), l.At(rng.IntN(l.Len()))
		}
	}
	n := uint64(0)
	k := &f.pick[0]
	k.start(&f.pos, tt, killer, false, 0)
	for m := t.next(ply, k); m != position.NoMove; m = t.next(ply, k) {
		t.makeMove(ply, m)
		n += t.perftByPicker(ply+1, depth-1, rng)
	}
	return n
}

func TestPickerNeitherLosesNorRepeatsAMove(t *testing.T) {
	th := newThread(&table{})
	rng := rand.New(rand.NewPCG(1, 2))
	for _, fen := range []string{
		position.StartFEN,
		"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
		"8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
		"r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
		"rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
		"bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
	} {
		p, err := position.ParseFEN(fen)
		if err != nil {
			t.Fatal(err)
		}
		th.frame(0).pos = p
		want := p.Perft(3)
		if got := th.perftByPicker(0, 3, rng); got != want {
			t.Errorf("%s: got %d leaves through the picker, want %d", fen, got, want)
		}
	}
}

func TestPickerOrder(t *testing.T) {
	th := newThread(&table{})
	p, err := position.ParseFEN("3qk3/4p3/3p4/8/1p1r2b1/P4N2/8/3RK3 w - - 0 1")
	if err != nil {
		t.Fatal(err)
	}
	th.frame(0).pos = p
	parse := func(s string) position.Move {
		m, err := p.ParseUCI(s)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	tt, killer := parse("e1f2"), parse("a3a4")
	k := &th.frame(0).pick[0]
	k.start(&p, tt, killer, false, 0)
	var got []string
	for m := th.next(0, k); m != position.NoMove; m = th.next(0, k) {
		got = append(got, p.UCI(m, false))
	}
	// The TT move, the rook (with the rook before the knight would be no better: both take
	// the same piece), the pawn, the killer, and then quiet moves.
	head := map[string]int{"e1f2": 0, "a3b4": 3, "a3a4": 4}
	for m, i := range head {
		if got[i] != m {
			t.Errorf("move %d: got %s, want %s; order %v", i, got[i], m, got)
		}
	}
	k.start(&p, position.NoMove, position.NoMove, true, 0)
	for m := th.next(0, k); m != position.NoMove; m = th.next(0, k) {
		if !p.IsNoisy(m) || !seeAtLeast(&p, m, 0) {
			t.Errorf("quiescence was given %s", p.UCI(m, false))
		}
	}
}

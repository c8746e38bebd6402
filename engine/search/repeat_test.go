package search

import (
	"math/rand/v2"
	"testing"

	"zeitnot/engine/position"
)

// canRepeatByTrying tries every move but captures, pawn moves and castling.
func canRepeatByTrying(t *thread, ply int) bool {
	p := &t.frame(ply).pos
	var moves position.MoveList
	p.Legal(&moves)
	for _, m := range moves.Slice() {
		if m.Kind() != position.Normal || p.PieceAt(m.From()).Type() == position.Pawn || p.PieceAt(m.To()) != position.NoPiece {
			continue
		}
		if t.makeMove(ply, m); t.repeated(ply + 1) {
			return true
		}
	}
	return false
}

func TestCanRepeatIsFoundAsByTryingEveryMove(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	th := newThread(&table{})
	th.tt.resize(1, 1)
	lines, yes := 3000, 0
	if testing.Short() {
		lines = 600
	}
	for i := range lines {
		g := mustGame(t, [...]string{
			"startpos", kiwipete, "8/8/4k3/8/8/3BK3/8/8 w - - 0 1", "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1",
			"8/5pk1/6p1/7p/7P/6P1/1r3PK1/3Q4 b - - 5 40", "6k1/5ppp/8/8/8/2n5/1B3PPP/6K1 w - - 20 40",
		}[i%6])
		// Whoever goes back as often as not repeats often.
		random := func(p *position.Position, last position.Move) position.Move {
			var moves position.MoveList
			p.Legal(&moves)
			if back := position.NewMove(last.To(), last.From(), position.Normal); last != position.NoMove && rng.IntN(2) == 0 && p.IsLegal(back) {
				return back
			}
			if moves.Len() == 0 {
				return position.NoMove
			}
			return moves.At(rng.IntN(moves.Len()))
		}
		var played [2]position.Move // the last of each side
		for n := range rng.IntN(12) {
			m := random(g.Position(), played[n&1])
			if m == position.NoMove {
				break
			}
			g, played[n&1] = g.Play(m), m
		}
		th.setRoot(g, nil)
		for ply := range 14 {
			if got, want := th.canRepeat(ply), canRepeatByTrying(th, ply); got != want {
				t.Fatalf("line %d, ply %d, %s: got %v, want %v", i, ply, th.frame(ply).pos.FEN(), got, want)
			} else if want {
				yes++
			}
			p := &th.frame(ply).pos
			if rng.IntN(20) == 0 && !p.InCheck() {
				th.makeNull(ply)
				continue
			}
			m := random(p, played[(g.Len()+ply)&1])
			if m == position.NoMove {
				break
			}
			played[(g.Len()+ply)&1] = m
			th.makeMove(ply, m)
		}
	}
	if yes < lines/10 {
		t.Errorf("only %d positions in %d lines can repeat: the test shows little", yes, lines)
	}
}

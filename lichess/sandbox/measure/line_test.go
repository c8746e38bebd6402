package measure

import (
	"testing"

	"zeitnot/engine/position"
)

func TestBlackNeverHasAChoice(t *testing.T) {
	g, err := position.ParseGame(forcedStart, false, nil)
	if err != nil {
		t.Fatal(err)
	}
	for n, uci := range forcedLine() {
		m, err := g.Position().ParseUCI(uci)
		if err != nil {
			t.Fatalf("move %d, %s in %s: %v", n+1, uci, g.Position().FEN(), err)
		}
		g = g.Play(m)
		var replies position.MoveList
		g.Position().Legal(&replies)
		if replies.Len() != 1 {
			t.Fatalf("after move %d, %s: %d replies in %s, want 1", n+1, uci, replies.Len(), g.Position().FEN())
		}
		g = g.Play(replies.At(0))
		if g.Repetitions() >= 3 || g.Position().HalfmoveClock() >= 100 || g.Position().InsufficientMaterial() {
			t.Fatalf("move %d: the game is drawn in %s", n+1, g.Position().FEN())
		}
	}
}

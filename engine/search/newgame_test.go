package search_test

import (
	"testing"

	"zeitnot/engine"
	"zeitnot/engine/position"
	"zeitnot/engine/search"
)

// A match must not depend on which searcher has played which game before.
func TestANewGameForgetsEverything(t *testing.T) {
	used := search.New(search.Options{HashMB: 1})
	l := engine.Limits{Nodes: new(3000)}
	for _, move := range []string{"a2a4", "b2b3", "c2c4", "d2d4", "e2e4", "f2f3", "g2g4", "h2h3"} {
		g := game(t, position.StartFEN, move)
		want := find(t, search.New(search.Options{HashMB: 1}), g, l)
		used.NewGame()
		if got := find(t, used, g, l); got != want {
			t.Errorf("after %s: got %+v after other games, want %+v", move, got, want)
		}
		find(t, used, game(t, "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10"), engine.Limits{Nodes: new(20_000)})
	}
}

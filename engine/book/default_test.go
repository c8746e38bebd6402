package book_test

import (
	"testing"

	"zeitnot/engine/book"
	"zeitnot/engine/position"
)

func TestEmbeddedBookIsSmallAndHoldsNothingButReachableLegalMoves(t *testing.T) {
	b, err := book.Default()
	if err != nil {
		t.Fatal(err)
	}
	if size := b.Len() * 16; size > 3<<20 {
		t.Errorf("%d bytes, want at most 3 MiB", size)
	}
	// Every entry is met on a walk from the start where one side plays moves of the book and the
	// other any, so each is legal where it stands.
	found, deepest := 0, 0
	for us := range 2 {
		seen := make(map[uint64]bool)
		layer := []position.Game{position.NewGame(position.Start())}
		for ply := 0; len(layer) > 0; ply++ {
			var next []position.Game
			for _, g := range layer {
				if key := book.Key(g); seen[key] {
					continue
				} else {
					seen[key] = true
				}
				if ply%2 != us {
					var l position.MoveList
					g.Position().Legal(&l)
					for _, m := range l.Slice() {
						next = append(next, g.Play(m))
					}
					continue
				}
				moves, err := b.Moves(g)
				if err != nil {
					t.Fatal(err)
				}
				if len(moves) > 0 {
					deepest = max(deepest, ply+1)
				}
				found += len(moves)
				for _, m := range moves {
					if m.Weight == 0 {
						t.Errorf("%s: a move of weight 0", g.Position().FEN())
					}
					next = append(next, g.Play(m.Move))
				}
			}
			layer = next
		}
	}
	if found != b.Len() {
		t.Errorf("%d of %d entries are reachable", found, b.Len())
	}
	t.Logf("%d entries, %d half-moves deep", found, deepest)
	if deepest < 16 {
		t.Errorf("%d half-moves deep, want 16 at least", deepest)
	}
	first, err := b.Moves(position.NewGame(position.Start()))
	if err != nil || len(first) < 3 {
		t.Errorf("%d first moves (%v), want some variety", len(first), err)
	}
}

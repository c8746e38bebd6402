package engine_test

import (
	"testing"

	"zeitnot/engine"
)

func TestWDLIsAThousandFromBothSides(t *testing.T) {
	last := 0
	for s := -engine.Infinite; s <= engine.Infinite; s++ {
		w, d, l := s.WDL()
		if w < 0 || d < 0 || l < 0 || w+d+l != 1000 {
			t.Fatalf("%v: got %d %d %d, want a thousand", s, w, d, l)
		}
		if lw, ld, ll := (-s).WDL(); lw != l || ld != d || ll != w {
			t.Fatalf("%v: got %d %d %d, from the other side %d %d %d", s, w, d, l, lw, ld, ll)
		}
		if w < last {
			t.Fatalf("%v: %d games are won, more of a smaller score", s, w)
		}
		last = w
	}
}

func TestWDLOfSomeScores(t *testing.T) {
	for s, want := range map[engine.Score][3]int{
		0: {301, 398, 301}, 103: {500, 344, 156}, -300: {35, 131, 834},
		engine.TableWin: {1000, 0, 0}, engine.MateIn(1): {1000, 0, 0}, engine.MatedIn(0): {0, 0, 1000},
	} {
		if w, d, l := s.WDL(); [3]int{w, d, l} != want {
			t.Errorf("%v: got %d %d %d, want %v", s, w, d, l, want)
		}
	}
}

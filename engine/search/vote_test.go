package search

import (
	"testing"

	"zeitnot/engine/position"
)

func TestElection(t *testing.T) {
	const a, b, c = position.Move(1), position.Move(2), position.Move(3)
	f := func(m position.Move, score, depth int) finding { return finding{move: m, score: score, depth: depth} }
	for _, tt := range []struct {
		name string
		all  []finding
		want int
	}{
		{"one thread", []finding{f(a, 20, 10)}, 0},
		{"all agree", []finding{f(a, 20, 10), f(a, 25, 11)}, 0},
		{"a higher score", []finding{f(a, 20, 10), f(b, 60, 10)}, 1},
		{"a lower score", []finding{f(a, 20, 10), f(b, -60, 10)}, 0},
		{"the same score, deeper", []finding{f(a, 20, 10), f(b, 20, 12)}, 1},
		{"a tie", []finding{f(a, 20, 10), f(b, 20, 10)}, 0},
		{"two against one", []finding{f(a, 20, 10), f(b, 18, 10), f(b, 15, 10)}, 1},
		{"the deepest of the winners speaks", []finding{f(a, 20, 10), f(b, 30, 10), f(b, 28, 11)}, 2},
		{"one far ahead against two", []finding{f(a, 20, 10), f(a, 10, 10), f(b, 300, 10)}, 2},
		{"what is two plies behind is refuted", []finding{f(a, 20, 12), f(b, 300, 10)}, 0},
		{"also where others agree with it", []finding{f(a, 20, 12), f(b, 90, 12), f(b, 300, 10)}, 1},
		{"a mate wins, however shallow", []finding{f(a, 900, 20), f(b, mate-5, 8)}, 1},
		{"the shorter mate wins", []finding{f(a, mate-9, 20), f(b, mate-5, 12), f(c, mate-7, 15)}, 1},
		{"of the same move too", []finding{f(a, mate-9, 20), f(a, mate-5, 12)}, 1},
		{"equal mates", []finding{f(a, mate-5, 12), f(b, mate-5, 20)}, 0},
		{"whoever gets mated looks for another way", []finding{f(a, 6-mate, 10), f(b, -500, 10)}, 1},
		{"or for the longest", []finding{f(a, 6-mate, 10), f(b, 16-mate, 10)}, 1},
		{"before the first depth is finished", []finding{f(a, 0, 0), f(b, -500, 1)}, 1},
	} {
		if got := elect(tt.all); got != tt.want {
			t.Errorf("%s: got %d, want %d", tt.name, got, tt.want)
		}
	}
}

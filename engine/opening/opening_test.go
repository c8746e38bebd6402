package opening

import (
	"strings"
	"testing"

	"zeitnot/engine/position"
)

func TestNamesOfGames(t *testing.T) {
	var names Names
	for _, c := range []struct {
		fen, moves string
		want       Name
	}{
		{"", "", Name{}},
		{"", "e2e4", Name{"B00", "King's Pawn Game"}},
		{"", "e2e4 c7c5 g1f3 d7d6 d2d4 c5d4 f3d4 g8f6 b1c3 a7a6", Name{"B90", "Sicilian Defense: Najdorf Variation"}},
		{"", "e2e4 c7c5 g1f3 d7d6 d2d4 c5d4 f3d4 g8f6 b1c3 a7a6 a2a3 h7h6 h2h3", Name{"B90", "Sicilian Defense: Najdorf Variation"}},
		// The same by other moves.
		{"", "g1f3 c7c5 e2e4 d7d6 d2d4 c5d4 f3d4 a7a6 b1c3 g8f6", Name{"B90", "Sicilian Defense: Najdorf Variation"}},
		{"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", "e2e4", Name{}},
		{"bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w HFhf - 0 1", "e2e4", Name{}},
	} {
		g, err := position.ParseGame(c.fen, false, strings.Fields(c.moves))
		if err != nil {
			t.Fatal(err)
		}
		got, ok := names.Of(g)
		if got != c.want || ok != (c.want != Name{}) {
			t.Errorf("%s %s: got %+v, %v; want %+v", c.fen, c.moves, got, ok, c.want)
		}
	}
}

func TestTheListIsWhole(t *testing.T) {
	at, err := read()
	if err != nil {
		t.Fatal(err)
	}
	if len(at) < 3700 {
		t.Errorf("%d positions have names, want some 3,800", len(at))
	}
	for _, n := range at {
		if len(n.ECO) != 3 || n.ECO[0] < 'A' || n.ECO[0] > 'E' || strings.TrimSpace(n.Text) == "" {
			t.Errorf("got %+v", n)
		}
	}
}

func BenchmarkRead(b *testing.B) {
	for b.Loop() {
		if _, err := read(); err != nil {
			b.Fatal(err)
		}
	}
}

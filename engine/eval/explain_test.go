package eval

import (
	"strings"
	"testing"

	"zeitnot/engine/position"
)

func mustParse(t *testing.T, fen string) *position.Position {
	t.Helper()
	p, err := position.ParseFEN(fen)
	if err != nil {
		t.Fatal(err)
	}
	return &p
}

// Every weight is in a group: without all of them nothing is left of the value.
func TestGroupsHoldAllWeights(t *testing.T) {
	w := Default()
	for _, g := range groups {
		before := w
		g.drop(&w)
		if w == before {
			t.Errorf("%s takes nothing out", g.name)
		}
	}
	w.Tempo = 0
	if w != (Weights{}) {
		t.Errorf("weights in no group: %+v", w)
	}
}

func TestExplainNamesWhatCounts(t *testing.T) {
	byName := func(fen string) map[string]int {
		parts := map[string]int{}
		for _, p := range Explain(mustParse(t, fen)) {
			parts[p.Name] = p.Centipawns
		}
		return parts
	}
	if parts := byName(position.StartFEN); parts["material"] != 0 || parts["passed pawns"] != 0 {
		t.Errorf("initial position: %v, want material and passed pawns level", parts)
	}
	if parts := byName("rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"); parts["material"] < 500 {
		t.Errorf("a queen up: %v, want much material", parts)
	}
	if parts := byName("r3k3/8/8/8/8/8/p7/R3K3 w - - 0 1"); parts["passed pawns"] >= 0 {
		t.Errorf("a passed pawn of Black: %v, want it against White", parts)
	}
}

func TestTextEndsInTheValue(t *testing.T) {
	for _, c := range []struct{ fen, want string }{
		{position.StartFEN, "\nvalue "},
		{"8/3k4/8/3PK3/8/8/8/8 b - - 0 1", "a known ending\n"},
		{"4k3/8/8/8/8/8/4q3/4K2R w - - 0 1", "little in check"},
	} {
		if got := Text(mustParse(t, c.fen)); !strings.Contains(got, c.want) {
			t.Errorf("%s: got\n%s\nwithout %q", c.fen, got, c.want)
		}
	}
}

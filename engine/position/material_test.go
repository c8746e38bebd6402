package position_test

import (
	"testing"

	"zeitnot/engine/position"
)

func TestMatingMaterial(t *testing.T) {
	for _, c := range []struct {
		rule, fen           string
		white, black, drawn bool
	}{
		{"bare kings", "4k3/8/8/8/8/8/8/4K3 w - -", false, false, true},
		{"one knight", "4k3/8/8/8/8/8/8/4KN2 w - -", false, false, true},
		{"one bishop", "4k3/8/8/8/8/8/8/4KB2 w - -", false, false, true},
		{"two knights", "4k3/8/8/8/8/8/8/4KNN1 w - -", true, false, false},
		{"knight against knight", "4kn2/8/8/8/8/8/8/4KN2 w - -", true, true, false},
		{"knight against bishop", "4kb2/8/8/8/8/8/8/4KN2 w - -", true, true, false},
		{"knight against queens alone", "3qkq2/8/8/8/8/8/8/4KN2 w - -", false, true, false},
		{"knight against queen and rook", "3qkr2/8/8/8/8/8/8/4KN2 w - -", true, true, false},
		{"knight against rook", "4kr2/8/8/8/8/8/8/4KN2 w - -", true, true, false},
		{"knight against pawn", "4k3/4p3/8/8/8/8/8/4KN2 w - -", true, true, false},
		{"knight and bishop", "4k3/8/8/8/8/8/8/4KNB1 w - -", true, false, false},
		{"bishops on one colour", "4kb2/8/8/8/8/8/8/2B1K3 w - -", false, false, true},
		{"many bishops on one colour", "4kb2/8/8/8/8/8/1B6/2B1K3 w - -", false, false, true},
		{"bishops on both colours", "2b1k3/8/8/8/8/8/8/2B1K3 w - -", true, true, false},
		{"bishop pair", "4k3/8/8/8/8/8/8/2B1KB2 w - -", true, false, false},
		{"bishop against knight", "4kn2/8/8/8/8/8/8/2B1K3 w - -", true, true, false},
		{"bishop against pawn", "4k3/4p3/8/8/8/8/8/2B1K3 w - -", true, true, false},
		{"bishop against rook", "4kr2/8/8/8/8/8/8/2B1K3 w - -", false, true, false},
		{"bishop against queen", "4kq2/8/8/8/8/8/8/2B1K3 w - -", false, true, false},
		{"one pawn", "4k3/8/8/8/8/8/4P3/4K3 w - -", true, false, false},
		{"one rook", "4k3/8/8/8/8/8/8/R3K3 w - -", true, false, false},
		{"one queen", "4k3/8/8/8/8/8/8/Q3K3 w - -", true, false, false},
		{"everything", position.StartFEN, true, true, false},
	} {
		t.Run(c.rule, func(t *testing.T) {
			p := parse(t, c.fen)
			if got := p.CanMate(position.White); got != c.white {
				t.Errorf("%s: White can mate: got %v, want %v", c.fen, got, c.white)
			}
			if got := p.CanMate(position.Black); got != c.black {
				t.Errorf("%s: Black can mate: got %v, want %v", c.fen, got, c.black)
			}
			if got := p.InsufficientMaterial(); got != c.drawn {
				t.Errorf("%s: drawn by material: got %v, want %v", c.fen, got, c.drawn)
			}
		})
	}
}

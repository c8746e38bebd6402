package search

import (
	"testing"

	"zeitnot/engine/position"
)

func TestStaticExchange(t *testing.T) {
	const p, n, b, r, q = 100, 310, 330, 500, 960
	for _, tt := range []struct {
		name, fen, move string
		want            int
	}{
		{"free pawn", "1k1r4/1pp4p/p7/4p3/8/P5P1/1PP4P/2K1R3 w - - 0 1", "e1e5", p},
		{"protected pawn, knight lost", "1k1r3q/1ppn3p/p4b2/4p3/8/P2N2P1/1PP1R1BP/2K1Q3 w - - 0 1", "d3e5", p - n},
		{"pawn takes protected knight", "4k3/2p5/3n4/4P3/8/8/8/4K3 w - - 0 1", "e5d6", n - p},
		{"rooks behind rooks", "3r3k/3r4/8/8/8/8/3R4/3R3K w - - 0 1", "d2d7", r},
		{"quiet move into a pawn's attack", "4k3/8/3p4/8/8/5N2/8/4K3 w - - 0 1", "f3e5", -n},
		{"quiet move to a safe square", "4k3/8/3p4/8/8/5N2/8/4K3 w - - 0 1", "f3d4", 0},
		{"en passant", "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6", p},
		{"en passant uncovers a rook", "3rk3/8/8/3pP3/8/8/8/3RK3 w - d6 0 1", "e5d6", p},
		{"promotion", "8/4P1k1/8/8/8/8/8/4K3 w - - 0 1", "e7e8q", q - p},
		{"promotion onto an attacked square", "3r2k1/4P3/8/8/8/8/8/4K3 w - - 0 1", "e7e8q", -p},
		{"promotion by capture", "3rr1k1/4P3/8/8/8/8/8/6K1 w - - 0 1", "e7d8q", r + q - p - q},
		{"x-ray behind the rook", "3rk3/8/8/3p4/8/8/3R4/3QK3 w - - 0 1", "d2d5", p},
		{"king may not recapture a protected piece", "8/8/3k4/3p4/8/1B6/3R4/4K3 w - - 0 1", "d2d5", p},
		{"king recaptures an unprotected one", "8/8/3k4/3p4/8/8/3R4/4K3 w - - 0 1", "d2d5", p - r},
		{"castling", "4k3/8/8/8/8/8/8/4K2R w K - 0 1", "e1g1", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			pos, err := position.ParseFEN(tt.fen)
			if err != nil {
				t.Fatal(err)
			}
			m, err := pos.ParseUCI(tt.move)
			if err != nil {
				t.Fatal(err)
			}
			if !seeAtLeast(&pos, m, tt.want) {
				t.Errorf("%s is worth less than %d", tt.move, tt.want)
			}
			if seeAtLeast(&pos, m, tt.want+1) {
				t.Errorf("%s is worth more than %d", tt.move, tt.want)
			}
		})
	}
}

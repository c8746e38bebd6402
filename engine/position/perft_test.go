package position_test

import (
	"context"
	"errors"
	"testing"

	"zeitnot/engine/position"
)

const kiwipete = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"

// Published counts (chessprogramming wiki; the bishop one counted with Stockfish 15.1); counts[i] belongs to
// depth i+1.
var perftCounts = []struct {
	name, fen string
	counts    []uint64
}{
	{"initial position", position.StartFEN, []uint64{20, 400, 8902, 197281, 4865609, 119060324}},
	{"kiwipete", kiwipete, []uint64{48, 2039, 97862, 4085603, 193690690}},
	{"position 3", "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - -", []uint64{14, 191, 2812, 43238, 674624, 11030083}},
	{"position 4", "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1", []uint64{6, 264, 9467, 422333, 15833292}},
	{"position 4 mirrored", "r2q1rk1/pP1p2pp/Q4n2/bbp1p3/Np6/1B3NBn/pPPP1PPP/R3K2R b KQ -", []uint64{6, 264, 9467, 422333, 15833292}},
	{"position 5", "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ -", []uint64{44, 1486, 62379, 2103487}},
	{"position 6", "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - -", []uint64{46, 2079, 89890, 3894594}},
	{"en passant would uncover a rook on the rank", "3k4/3p4/8/K1P4r/8/8/8/8 b - -", []uint64{18, 92, 1670, 10138, 185429, 1134888}},
	{"en passant would uncover a bishop", "8/8/4k3/8/2p5/8/B2P1K2/8 w - -", []uint64{13, 102, 1284, 10375, 138886, 1038514}},
	{"en passant answers a check", "8/8/1k6/2b5/2pP4/8/5K2/8 b - d3", []uint64{15, 126, 1928, 13931, 206379, 1440467}},
	{"castling gives check on the king's side", "5k2/8/8/8/8/8/8/4K2R w K -", []uint64{15, 66, 1198, 6399, 120330, 661072}},
	{"castling gives check on the queen's side", "3k4/8/8/8/8/8/8/R3K3 w Q -", []uint64{16, 71, 1286, 7418, 141077, 803711}},
	{"rights are lost with the rook", "r3k2r/1b4bq/8/8/8/8/7B/R3K2R w KQkq -", []uint64{26, 1141, 27826, 1274206}},
	{"castling is prevented", "r3k2r/8/3Q4/8/8/5q2/8/R3K2R b KQkq -", []uint64{44, 1494, 50509, 1720476}},
	{"promotion out of check", "2K2r2/4P3/8/8/8/8/8/3k4 w - -", []uint64{11, 133, 1442, 19174, 266199, 3821001}},
	{"promotion gives check", "4k3/1P6/8/8/8/8/K7/8 w - -", []uint64{9, 40, 472, 2661, 38983, 217342}},
	{"under-promotion gives check", "8/P1k5/K7/8/8/8/8/8 w - -", []uint64{6, 27, 273, 1329, 18135, 92683}},
	{"self stalemate", "K1k5/8/P7/8/8/8/8/8 w - -", []uint64{2, 6, 13, 63, 382, 2217}},
	{"double check", "8/5k2/8/5N2/5Q2/2K5/8/8 w - -", []uint64{37, 183, 6559, 23527}},
	{"most legal moves", "R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - -", []uint64{218, 99, 19073}},
	{"outermost rook in X-FEN", "r1k1r2q/p1ppp1pp/8/8/8/8/P1PPP1PP/R1K1R2Q w KQkq -", []uint64{23, 522, 12333, 285754, 7096972}},
	{"king's rook blocks the queen's side", "4rrk1/pbbp2p1/1ppnp3/3n1pqp/3N1PQP/1PPNP3/PBBP2P1/4RRK1 w Ff -", []uint64{42, 1743, 71908}},
	{"Chess960 start in Shredder letters", "2nnrbkr/p1qppppp/8/1ppb4/6PP/3PP3/PPP2P2/BQNNRBKR w HEhe - 1 9", []uint64{21, 807, 18002, 667366, 16253601}},
}

// Rows up to the first limit always run, all rows unless -short.
func TestPerftCountsEqualPublishedOnes(t *testing.T) {
	const always = 1_000_000
	for _, c := range perftCounts {
		t.Run(c.name, func(t *testing.T) {
			p, err := position.ParseFEN(c.fen)
			if err != nil {
				t.Fatal(err)
			}
			for i, want := range c.counts {
				if want > always && testing.Short() {
					break
				}
				if got := p.Perft(i + 1); got != want {
					t.Errorf("perft(%d) of %s: got %d, want %d", i+1, c.fen, got, want)
				}
			}
		})
	}
}

func TestDivideSumsToPerft(t *testing.T) {
	p, err := position.ParseFEN(kiwipete)
	if err != nil {
		t.Fatal(err)
	}
	var sum uint64
	moves := 0
	total, err := p.Divide(context.Background(), 4, func(m position.Move, n uint64) {
		sum += n
		moves++
	})
	if sum != 4085603 || total != sum || err != nil || moves != 48 {
		t.Errorf("divide(4): got %d lines below %d moves, want 4085603 below 48", sum, moves)
	}
}

func TestPerftUntilCountsAlikeAndGivesUp(t *testing.T) {
	p, err := position.ParseFEN(kiwipete)
	if err != nil {
		t.Fatal(err)
	}
	for depth := range 5 {
		if got, err := p.PerftUntil(context.Background(), depth); err != nil || got != p.Perft(depth) {
			t.Errorf("depth %d: got %d, %v, want %d", depth, got, err, p.Perft(depth))
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := p.PerftUntil(ctx, 20); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v after the end of the context, want its error", err)
	}
}

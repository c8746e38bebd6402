package position_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"zeitnot/engine/position"
)

func TestCastlingIsReadInBothNotations(t *testing.T) {
	for _, c := range []struct{ rule, fen, move, want string }{
		{"king onto its rook in standard chess", "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "e1h1", "r3k2r/8/8/8/8/8/8/R4RK1 b kq - 1 1"},
		{"king two files in standard chess", "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "e1g1", "r3k2r/8/8/8/8/8/8/R4RK1 b kq - 1 1"},
		{"queen's side by the rook", "r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1", "e8a8", "2kr3r/8/8/8/8/8/8/R3K2R w KQ - 1 2"},
		{"queen's side by two files", "r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1", "e8c8", "2kr3r/8/8/8/8/8/8/R3K2R w KQ - 1 2"},
		{"Chess960, king one file onto the rook", "nn1rkq1b/ppp1p1rP/8/2Np4/3P4/2P5/bP3PPP/2BRKQRB b KQq - 1 8", "e8d8", "nnkr1q1b/ppp1p1rP/8/2Np4/3P4/2P5/bP3PPP/2BRKQRB w KQ - 2 9"},
		{"Chess960, rook beside the king", "rk5r/pppppppp/8/8/8/8/PPPPPPPP/RK5R w KQkq - 0 1", "b1a1", "rk5r/pppppppp/8/8/8/8/PPPPPPPP/2KR3R b kq - 1 1"},
		{"Chess960, rook far from the king", "rk5r/pppppppp/8/8/8/8/PPPPPPPP/RK5R w KQkq - 0 1", "b1h1", "rk5r/pppppppp/8/8/8/8/PPPPPPPP/R4RK1 b kq - 1 1"},
		{"Chess960, a plain step stays a step", "rk5r/pppppppp/8/8/8/8/PPPPPPPP/RK5R w KQkq - 0 1", "b1c1", "rk5r/pppppppp/8/8/8/8/PPPPPPPP/R1K4R b kq - 1 1"},
		{"from a position with Shredder letters", "4kr2/pppppppp/8/8/8/8/PPPPPPPP/4KR2 w Ff - 0 1", "e1f1", "4kr2/pppppppp/8/8/8/8/PPPPPPPP/5RK1 b k - 1 1"},
		{"from a position with X-FEN letters", "4kr2/pppppppp/8/8/8/8/PPPPPPPP/4KR2 w Kk - 0 1", "e1f1", "4kr2/pppppppp/8/8/8/8/PPPPPPPP/5RK1 b k - 1 1"},
		{"the king's target holds the rook", "4k1r1/pppppppp/8/8/8/8/PPPPPPPP/4K1R1 w Kk - 0 1", "e1g1", "4k1r1/pppppppp/8/8/8/8/PPPPPPPP/5RK1 b k - 1 1"},
	} {
		t.Run(c.rule, func(t *testing.T) {
			p := parse(t, c.fen)
			m, err := p.ParseUCI(c.move)
			if err != nil {
				t.Fatal(err)
			}
			var next position.Position
			p.Make(m, &next)
			if got := next.FEN(); got != c.want {
				t.Errorf("%s after %s: got %s, want %s", c.fen, c.move, got, c.want)
			}
		})
	}
}

// Two files are castling whatever the flag says, as long as king and rook stand where
// standard chess has them: no other king move goes that far.
func TestTwoFilesCastleInAChess960GameOnStandardSquares(t *testing.T) {
	p := parse(t, "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1").WithChess960(true)
	for _, s := range []string{"e1g1", "e1h1"} {
		m, err := p.ParseUCI(s)
		if err != nil {
			t.Error(err)
			continue
		}
		if got := p.UCI(m, true); got != "e1h1" {
			t.Errorf("%s written back: got %s, want e1h1", s, got)
		}
	}
}

func TestCastlingIsWrittenAsAsked(t *testing.T) {
	p := parse(t, "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1")
	m, err := p.ParseSAN("O-O-O")
	if err != nil {
		t.Fatal(err)
	}
	if got := p.UCI(m, true); got != "e1a1" {
		t.Errorf("king takes rook: got %s, want e1a1", got)
	}
	if got := p.UCI(m, false); got != "e1c1" {
		t.Errorf("king's step: got %s, want e1c1", got)
	}
	if got := p.UCI(position.NoMove, false); got != "0000" {
		t.Errorf("no move: got %s, want 0000", got)
	}
}

func TestAllFourPromotionsAreMovesOfTheirOwn(t *testing.T) {
	p := parse(t, "8/P7/8/8/8/2k5/8/K7 w - - 0 1")
	var got []string
	for _, m := range legalMoves(&p) {
		got = append(got, p.UCI(m, false))
	}
	slices.Sort(got)
	if diff := cmp.Diff([]string{"a1a2", "a1b1", "a7a8b", "a7a8n", "a7a8q", "a7a8r"}, got); diff != "" {
		t.Errorf("moves (-want +got):\n%s", diff)
	}
}

func TestOpponentsUnderPromotionIsApplied(t *testing.T) {
	g, err := position.ParseGame("8/PR6/8/8/8/2k5/8/K7 w - - 0 1", false, []string{"a7a8n"})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := g.Position().FEN(), "N7/1R6/8/8/8/2k5/8/K7 b - - 0 1"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	var got []string
	for _, m := range legalMoves(g.Position()) {
		got = append(got, g.Position().UCI(m, false))
	}
	slices.Sort(got)
	if diff := cmp.Diff([]string{"c3c2", "c3c4", "c3d2", "c3d3", "c3d4"}, got); diff != "" {
		t.Errorf("moves (-want +got):\n%s", diff)
	}
}

func TestIllegalAndMalformedCoordinatesAreRefused(t *testing.T) {
	const castling = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"
	for _, c := range []struct{ rule, fen, move, want string }{
		{"nothing", castling, "", "is not in coordinates"},
		{"null move", castling, "0000", "is not in coordinates"},
		{"a square twice", castling, "a1a1", "is illegal"},
		{"off the board", castling, "e1i1", "is not in coordinates"},
		{"too long", castling, "e1g1qq", "is not in coordinates"},
		{"king to the b-file", castling, "e1b1", "is illegal"},
		{"piece of the other side", castling, "e8e7", "is illegal"},
		{"promotion without a letter", "8/P7/8/8/8/2k5/8/K7 w - - 0 1", "a7a8", "is illegal"},
		{"promotion to a king", "8/P7/8/8/8/2k5/8/K7 w - - 0 1", "a7a8k", "no promotion to 'k'"},
		{"promotion of a king", castling, "e1e2q", "is illegal"},
		{"castling without the right", "r3k2r/8/8/8/8/8/8/R3K2R w Qkq - 0 1", "e1g1", "is illegal"},
		{"castling without the right onto the rook", "r3k2r/8/8/8/8/8/8/R3K2R w Qkq - 0 1", "e1h1", "is illegal"},
		{"castling out of check", "4k3/8/8/8/4r3/8/8/R3K2R w KQ - 0 1", "e1g1", "is illegal"},
		{"castling through an attacked square", "4k3/8/8/8/5r2/8/8/R3K2R w KQ - 0 1", "e1g1", "is illegal"},
		{"castling into check", "4k3/8/8/8/6r1/8/8/R3K2R w KQ - 0 1", "e1g1", "is illegal"},
		{"two files in Chess960 away from the e-file", "rk5r/pppppppp/8/8/8/8/PPPPPPPP/RK5R w KQkq - 0 1", "b1d1", "is illegal"},
		{"pinned rook in Chess960", "4k3/8/8/8/8/8/8/qR1K4 w B - 0 1", "d1b1", "is illegal"},
		{"en passant that uncovers the king", "3k4/8/8/K2Pp2r/8/8/8/8 w - e6", "d5e6", "is illegal"},
	} {
		t.Run(c.rule, func(t *testing.T) {
			p := parse(t, c.fen)
			m, err := p.ParseUCI(c.move)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%q in %s: got %#x and error %v, want one that says %q", c.move, c.fen, m, err, c.want)
			}
		})
	}
}

func TestSANTellsMovesApart(t *testing.T) {
	for _, c := range []struct{ rule, fen, uci, want string }{
		{"by file", "4k3/8/8/8/8/8/8/R3K2R w - -", "a1c1", "Rc1"},
		{"by file with both able", "4k3/8/8/8/4K3/8/8/R6R w - -", "a1d1", "Rad1"},
		{"by rank on the same file", "4k3/8/8/R7/8/8/8/R3K3 w - -", "a1a3", "R1a3"},
		{"by both with three queens", "8/2k5/8/8/4Q2Q/8/K7/7Q w - -", "h4e1", "Qh4e1"},
		{"a pinned rival does not count", "4k3/4r3/8/8/8/2N5/4N3/4K3 w - -", "c3d5", "Nd5"},
		{"a pinned rival leaves the name short", "4k3/4r3/8/8/8/8/4N3/1N2K3 w - -", "b1c3", "Nc3"},
		{"capture by a pawn", "4k3/8/8/3p4/4P3/8/8/4K3 w - -", "e4d5", "exd5"},
		{"en passant", "4k3/8/8/3Pp3/8/8/8/4K3 w - e6", "d5e6", "dxe6"},
		{"promotion with capture and mate", "1r4k1/P4ppp/8/8/8/8/8/4K3 w - -", "a7b8q", "axb8=Q#"},
		{"check", "4k3/8/8/8/8/8/8/R3K3 w Q -", "a1a8", "Ra8+"},
		{"castling with check", "5k2/8/8/8/8/8/8/4K2R w K -", "e1g1", "O-O+"},
	} {
		t.Run(c.rule, func(t *testing.T) {
			p := parse(t, c.fen)
			m, err := p.ParseUCI(c.uci)
			if err != nil {
				t.Fatal(err)
			}
			if got := p.SAN(m); got != c.want {
				t.Errorf("%s in %s: got %s, want %s", c.uci, c.fen, got, c.want)
			}
		})
	}
}

func TestSANIsReadTolerantly(t *testing.T) {
	const castling = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"
	const promotion = "1r2k3/P7/8/8/8/8/8/4K3 w - -"
	const enPassant = "4k3/8/8/3Pp3/8/8/8/4K3 w - e6"
	const knights = "4k3/8/8/8/8/8/8/N3K1N1 w - -"
	for _, c := range []struct{ fen, san, want string }{
		{castling, "O-O", "e1h1"},
		{castling, "0-0", "e1h1"},
		{castling, "0-0-0!?", "e1a1"},
		{castling, "o-o-o", "e1a1"},
		{castling, "O-O+", "e1h1"},
		{castling, "Rxa8+", "a1a8"},
		{castling, "Rxa8", "a1a8"},
		{castling, "Ra8", "a1a8"},
		{castling, "Ra1xa8+!!", "a1a8"},
		{castling, "Raxa8#", "a1a8"},
		{castling, "Ra1-a8", "a1a8"},
		{castling, " Rxa8+ ", "a1a8"},
		{promotion, "a8=Q", "a7a8q"},
		{promotion, "a8Q", "a7a8q"},
		{promotion, "a8(N)", "a7a8n"},
		{promotion, "a8/R", "a7a8r"},
		{promotion, "axb8=B+", "a7b8b"},
		{promotion, "a8=q", "a7a8q"},
		{promotion, "a7xb8=Q", "a7b8q"},
		{promotion, "ab8=Q", "a7b8q"},
		{enPassant, "dxe6", "d5e6"},
		{enPassant, "dxe6 e.p.", "d5e6"},
		{enPassant, "dxe6ep", "d5e6"},
		{enPassant, "d5xe6", "d5e6"},
		{enPassant, "d6", "d5d6"},
		{enPassant, "Pd6", "d5d6"},
		{knights, "Ngf3", "g1f3"},
		{knights, "N1f3", "g1f3"},
		{knights, "Ng1f3", "g1f3"},
		{knights, "Nf3?!", "g1f3"},
	} {
		p := parse(t, c.fen)
		m, err := p.ParseSAN(c.san)
		if err != nil {
			t.Error(err)
			continue
		}
		if got := p.UCI(m, true); got != c.want {
			t.Errorf("%s in %s: got %s, want %s", c.san, c.fen, got, c.want)
		}
	}
}

func TestUnreadableSANIsRefusedWithTheReason(t *testing.T) {
	for _, c := range []struct{ rule, fen, san, want string }{
		{"empty", position.StartFEN, "", "is not in algebraic notation"},
		{"annotation alone", position.StartFEN, "!?", "is not in algebraic notation"},
		{"unknown piece", position.StartFEN, "Xf3", "is not in algebraic notation"},
		{"more than an origin", position.StartFEN, "NNg1f3", "is not in algebraic notation"},
		{"promotion to a king", "8/P7/8/8/8/2k5/8/K7 w - -", "a8=K", "is not in algebraic notation"},
		{"promotion left out", "8/P7/8/8/8/2k5/8/K7 w - -", "a8", "is illegal"},
		{"illegal", position.StartFEN, "Nf4", "is illegal"},
		{"castling that is illegal", position.StartFEN, "O-O", "is illegal"},
		{"ambiguous", "4k3/8/8/8/4K3/8/8/R6R w - -", "Rd1", "is ambiguous in 4k3/8/8/8/4K3/8/8/R6R w - - 0 1: Rad1 or Rhd1"},
	} {
		t.Run(c.rule, func(t *testing.T) {
			p := parse(t, c.fen)
			m, err := p.ParseSAN(c.san)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%q in %s: got %#x and error %v, want one that says %q", c.san, c.fen, m, err, c.want)
			}
		})
	}
}

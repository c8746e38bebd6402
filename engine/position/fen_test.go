package position_test

import (
	"strings"
	"testing"

	"zeitnot/engine/position"
)

func TestIllegalFENsAreRefusedWithTheReason(t *testing.T) {
	for _, c := range []struct{ rule, fen, want string }{
		{"empty text", "", "need at least the board and the side to move"},
		{"board alone", "8/8/8/8/8/8/8/8", "need at least the board and the side to move"},
		{"text after the counters", position.StartFEN + " moves", `more than six fields: "moves"`},
		{"seven ranks", "8/8/8/8/8/8/8 w - -", "board has 7 ranks, want 8"},
		{"nine ranks", "8/8/8/8/8/8/8/8/8 w - -", "board has 9 ranks, want 8"},
		{"short rank", "4k3/7/8/8/8/8/8/4K3 w - -", "rank 7 has 7 squares, want 8"},
		{"long rank", "4k3/pppppppp1/8/8/8/8/8/4K3 w - -", "rank 7 has 9 squares, want 8"},
		{"unknown piece", "4k3/8/8/3x4/8/8/8/4K3 w - -", "rank 5 has 'x', which is no piece"},
		{"nine as a digit", "4k3/9/8/8/8/8/8/4K3 w - -", "rank 7 has '9', which is no piece"},
		{"a dot is no piece", "4k3/......../8/8/8/8/8/4K3 w - -", "rank 7 has '.', which is no piece"},
		{"side", "4k3/8/8/8/8/8/8/4K3 x - -", `side to move "x" is neither w nor b`},
		{"no king", "8/8/8/8/8/8/8/4K3 w - -", "black has 0 kings, want 1"},
		{"two kings", "4k3/8/8/8/8/8/8/3KK3 w - -", "white has 2 kings, want 1"},
		{"pawn on the first rank", "4k3/8/8/8/8/8/8/p3K3 w - -", "pawn on a1, a back rank"},
		{"pawn on the eighth rank", "P3k3/8/8/8/8/8/8/4K3 w - -", "pawn on a8, a back rank"},
		{"nine pawns", "4k3/8/8/8/8/P7/PPPPPPPP/4K3 w - -", "white has 9 pawns, at most 8 are possible"},
		{"seventeen pieces", "4k3/8/8/8/8/N7/PPPPPPPP/RNBQKBNR w - -", "white has 17 pieces, at most 16 are possible"},
		{"two queens and eight pawns", "4k3/8/8/8/8/8/PPPPPPPP/QQ2K3 w - -", "white has 1 promoted pieces beside 8 pawns, at most 0 are possible"},
		{"fifteen queens", "qqqqkqqq/qqqqqqqq/8/8/8/8/8/4K3 b - -", "black has 14 promoted pieces beside 0 pawns, at most 8 are possible"},
		{"the side to move could take the king", "4k3/8/8/8/8/8/4R3/4K3 w - -", "white is to move and can take the king on e8 from e2"},
		{"kings that touch", "8/8/8/3kK3/8/8/8/8 w - -", "the kings on d5 and e5 touch"},
		{"triple check", "4k3/8/3N4/1B6/8/8/8/4RK2 b - -", "black is in check by 3 pieces, at most 2 are possible"},
		{"unknown right", "r3k2r/8/8/8/8/8/8/R3K2R w KX -", `castling field "KX": 'X' is no right`},
		{"right without its rook", "4k3/8/8/8/8/8/8/R3K3 w K -", "castling right 'K': no white rook on the king's side of e1"},
		{"right without its rook on the queen's side", "4k2r/8/8/8/8/8/8/4K3 b q -", "castling right 'q': no black rook on the queen's side of e8"},
		{"right with the king away", "4k3/8/8/8/8/8/4K3/R6R w KQ -", "castling right 'K': the white king on e2 has left the back rank"},
		{"file right without its rook", "r3k2r/8/8/8/8/8/8/R3K2R w G -", "castling right 'G': no white rook on g1"},
		{"two rooks on one side with a right", "4k3/8/8/8/8/8/8/4K1RR w GH -", "castling right 'H': the same side already has the rook on g1"},
		{"en passant text", "4k3/8/8/8/8/8/8/4K3 w - x9", `en passant field "x9" is no square`},
		{"en passant on the rank of the other side", "4k3/8/8/8/4P3/8/8/4K3 w - e3", "en passant square e3 is not on rank 6 with white to move"},
		{"en passant without a pawn", "4k3/8/8/8/8/8/8/4K3 w - e6", "en passant square e6: no black pawn on e5"},
		{"en passant square occupied", "4k3/8/4n3/4p3/8/8/8/4K3 w - e6", "en passant square e6: a double step from e7 to e5 is blocked"},
		{"en passant origin occupied", "4k3/4n3/8/4p3/8/8/8/4K3 w - e6", "en passant square e6: a double step from e7 to e5 is blocked"},
		{"negative clock", "4k3/8/8/8/8/8/8/4K3 w - - -1 1", `halfmove clock "-1" is not a number from 0 to 9999`},
		{"huge move number", "4k3/8/8/8/8/8/8/4K3 w - - 0 10000", `move number "10000" is not a number from 0 to 9999`},
	} {
		t.Run(c.rule, func(t *testing.T) {
			_, err := position.ParseFEN(c.fen)
			if err == nil {
				t.Fatalf("%s: got no error, want %q", c.fen, c.want)
			}
			if got := err.Error(); !strings.HasSuffix(got, ": "+c.want) {
				t.Errorf("got error %q, want it to end in %q", got, c.want)
			}
		})
	}
}

func TestFENIsWrittenInItsNormalForm(t *testing.T) {
	for _, c := range []struct{ rule, fen, want, shredder string }{
		{"standard start", position.StartFEN, position.StartFEN, "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w HAha - 0 1"},
		{"missing fields take defaults", "4k3/8/8/8/8/8/8/4K3 b", "4k3/8/8/8/8/8/8/4K3 b - - 0 1", "4k3/8/8/8/8/8/8/4K3 b - - 0 1"},
		{"missing counters take defaults", "r3k2r/8/8/8/8/8/8/R3K2R b KQkq -", "r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1", "r3k2r/8/8/8/8/8/8/R3K2R b HAha - 0 1"},
		{"move number 0 is 1", "4k3/8/8/8/8/8/8/4K3 w - - 7 0", "4k3/8/8/8/8/8/8/4K3 w - - 7 1", "4k3/8/8/8/8/8/8/4K3 w - - 7 1"},
		{"spaces and neighbouring digits", " 4k3/44/8/8/8/8/8/4K3  w  -   - 0 1 ", "4k3/8/8/8/8/8/8/4K3 w - - 0 1", "4k3/8/8/8/8/8/8/4K3 w - - 0 1"},
		{"rights in any order, twice or mixed", "r3k2r/8/8/8/8/8/8/R3K2R w qkQHKA -", "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "r3k2r/8/8/8/8/8/8/R3K2R w HAha - 0 1"},
		{"an inner rook keeps its file letter", "4k3/8/8/8/8/8/8/4KRR1 w F -", "4k3/8/8/8/8/8/8/4KRR1 w F - 0 1", "4k3/8/8/8/8/8/8/4KRR1 w F - 0 1"},
		{"the outermost rook becomes K", "4k3/8/8/8/8/8/8/4KRR1 w G -", "4k3/8/8/8/8/8/8/4KRR1 w K - 0 1", "4k3/8/8/8/8/8/8/4KRR1 w G - 0 1"},
		{"en passant that can be taken stays", "4k3/8/8/3Pp3/8/8/8/4K3 w - e6", "4k3/8/8/3Pp3/8/8/8/4K3 w - e6 0 1", "4k3/8/8/3Pp3/8/8/8/4K3 w - e6 0 1"},
		{"en passant without a taker is dropped", "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1", "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1", "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b HAha - 0 1"},
		{"en passant by a pinned pawn is dropped", "3k4/8/8/K2Pp2r/8/8/8/8 w - e6", "3k4/8/8/K2Pp2r/8/8/8/8 w - - 0 1", "3k4/8/8/K2Pp2r/8/8/8/8 w - - 0 1"},
	} {
		t.Run(c.rule, func(t *testing.T) {
			p := parse(t, c.fen)
			if got := p.FEN(); got != c.want {
				t.Errorf("FEN: got %q, want %q", got, c.want)
			}
			if got := p.ShredderFEN(); got != c.shredder {
				t.Errorf("Shredder-FEN: got %q, want %q", got, c.shredder)
			}
		})
	}
}

func TestChess960FlagFollowsFromTheRights(t *testing.T) {
	for _, c := range []struct {
		fen  string
		want bool
	}{
		{position.StartFEN, false},
		{"r3k2r/8/8/8/8/8/8/R3K2R w HAha -", false},
		{"4kr2/pppppppp/8/8/8/8/PPPPPPPP/4KR2 w Ff - 0 1", true},
		{"4kr2/pppppppp/8/8/8/8/PPPPPPPP/4KR2 w Kk - 0 1", true},
		{"4kr2/pppppppp/8/8/8/8/PPPPPPPP/4KR2 w - - 0 1", false},
		{"rk5r/pppppppp/8/8/8/8/PPPPPPPP/RK5R w KQkq - 0 1", true},
	} {
		p := parse(t, c.fen)
		if got := p.Chess960(); got != c.want {
			t.Errorf("%s: got %v, want %v", c.fen, got, c.want)
		}
	}
	forced := position.Start().WithChess960(true)
	if !forced.Chess960() {
		t.Error("the flag was set on a standard array and is not there")
	}
}

// The key tells positions apart that repetition must tell apart, and no others.
func TestKeyHoldsWhatMakesAPositionDifferent(t *testing.T) {
	for _, c := range []struct {
		rule, a, b string
		same       bool
	}{
		{"counters do not count", "4k3/8/8/8/8/8/8/4K2R w K - 0 1", "4k3/8/8/8/8/8/8/4K2R w K - 40 90", true},
		{"side to move counts", "4k3/8/8/8/8/8/8/4K2R w - -", "4k3/8/8/8/8/8/8/4K2R b - -", false},
		{"castling rights count", "4k3/8/8/8/8/8/8/4K2R w K -", "4k3/8/8/8/8/8/8/4K2R w - -", false},
		{"the rook of the right counts", "4k3/8/8/8/8/8/8/4K1RR w H -", "4k3/8/8/8/8/8/8/4K1RR w G -", false},
		{"both alphabets are one right", "4k3/8/8/8/8/8/8/4K2R w K -", "4k3/8/8/8/8/8/8/4K2R w H -", true},
		{"a legal en passant capture counts", "4k3/8/8/3Pp3/8/8/8/4K3 w - e6", "4k3/8/8/3Pp3/8/8/8/4K3 w - -", false},
		{"an impossible one does not", "3k4/8/8/K2Pp2r/8/8/8/8 w - e6", "3k4/8/8/K2Pp2r/8/8/8/8 w - -", true},
	} {
		a, b := parse(t, c.a), parse(t, c.b)
		if got := a.Key() == b.Key(); got != c.same {
			t.Errorf("%s: equal keys of %s and %s: got %v, want %v", c.rule, c.a, c.b, got, c.same)
		}
	}
	withoutPawns := parse(t, "4k3/8/8/8/8/8/8/4K2R w - -")
	if got := withoutPawns.PawnKey(); got != 0 {
		t.Errorf("pawn key without pawns: got %#x, want 0", got)
	}
}

func TestStartIsTheStartFEN(t *testing.T) {
	p := position.Start()
	if got := p.FEN(); got != position.StartFEN {
		t.Errorf("got %s, want %s", got, position.StartFEN)
	}
	if got := p.PieceAt(position.SquareAt(3, 7)); got != position.MakePiece(position.Black, position.Queen) {
		t.Errorf("piece on d8: got %v, want the black queen", got)
	}
	if got := p.CastlingRook(position.Black, 1).String(); got != "a8" {
		t.Errorf("rook of Black's queen's side: got %s, want a8", got)
	}
}

func TestPositionAnswersWhatTheFENSays(t *testing.T) {
	p := parse(t, "4k3/8/8/8/7b/8/4P3/R3K2R w KQ - 12 34")
	if got := p.SideToMove(); got != position.White {
		t.Errorf("side to move: got %v, want white", got)
	}
	if got := p.HalfmoveClock(); got != 12 {
		t.Errorf("halfmove clock: got %d, want 12", got)
	}
	if got := p.FullmoveNumber(); got != 34 {
		t.Errorf("move number: got %d, want 34", got)
	}
	if got, want := p.Checkers(), square("h4").Bit(); got != want || !p.InCheck() {
		t.Errorf("checkers: got %#x, want %#x", got, want)
	}
	if got, want := p.ByType(position.Rook), square("a1").Bit()|square("h1").Bit(); got != want {
		t.Errorf("rooks: got %#x, want %#x", got, want)
	}
	if got, want := p.AttackersTo(square("e1"), p.Occupied()), square("a1").Bit()|square("h1").Bit()|square("h4").Bit(); got != want {
		t.Errorf("attackers of e1: got %#x, want %#x", got, want)
	}
	if got := p.String(); got != p.FEN() {
		t.Errorf("text: got %s, want %s", got, p.FEN())
	}
}

func TestHasCastlingRights(t *testing.T) {
	for rights, want := range map[string]bool{"KQkq": true, "K": true, "q": true, "-": false} {
		p := parse(t, "r3k2r/8/8/8/8/8/8/R3K2R w "+rights+" - 0 1")
		if got := p.HasCastlingRights(); got != want {
			t.Errorf("%s: got %v, want %v", rights, got, want)
		}
	}
}

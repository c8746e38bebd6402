package pgn_test

import (
	"testing"

	"zeitnot/engine/pgn"
	"zeitnot/engine/position"
)

// FuzzParseEPD: a line that is taken holds a position that can be written and read again,
// and no operation without a code.
func FuzzParseEPD(f *testing.F) {
	for _, seed := range []string{
		`1k1r4/pp1b1R2/3q2pp/4p3/2B5/4Q3/PPP2B2/2K5 b - - bm Qd1+; id "BK.01";`,
		"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 ;D1 20 ;D2 400", "4k3/8/8/8/8/8/8/4K3 w - -0 1",
		"4k3/8/8/8/8/8/8/4K3 w - - hmvc 7; fmvn 99; id \"a;b\"; am", "4k3/8/8/8/8/8/8/4K3 w", "8/8 w - - ;;;", "\ufeff4k3/8/8/8/8/8/8/4K3 b - - bm \"",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, line string) {
		e, err := pgn.ParseEPD(line)
		if err != nil {
			return
		}
		if _, err := position.ParseFEN(e.Position.FEN()); err != nil {
			t.Errorf("%q gives %s: %v", line, e.Position.FEN(), err)
		}
		for _, op := range e.Ops {
			if op.Code == "" {
				t.Errorf("%q: an operation without a code: %+v", line, e.Ops)
			}
		}
		_ = e.ID()
	})
}

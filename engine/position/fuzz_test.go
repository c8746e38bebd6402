package position_test

import (
	"strings"
	"testing"

	"zeitnot/engine/position"
)

func FuzzParseFEN(f *testing.F) {
	for _, fen := range roots {
		f.Add(fen)
	}
	f.Add("8/8/8/8/8/8/8/8 w - - 0 1")
	f.Add("kBQQQQQQ/BR5Q/Q6Q/Q6Q/Q6Q/Q6Q/Q6Q/KQQQQQQQ w - -")
	f.Add("1r3rkQ/pPp2p1p/1pp2Bp1/8/3P4/4P3/PP3PPP/R2Q1RK1/BPNBnbnn b - - 39 20")
	f.Add("r1b2rk1/ppp2p1p/4p1p1/4Bn2/1b2N3/3B4/PPP3PP/R2Q1R1K b - - 3+3 0 15")
	f.Add("1b1k4/8/8/1rPpK3/8/8/8/8 w - d6")
	f.Fuzz(func(t *testing.T, fen string) {
		p, err := position.ParseFEN(fen)
		if err != nil {
			return
		}
		if err := p.Validate(); err != nil {
			t.Fatalf("%q: %v", fen, err)
		}
		for _, text := range []string{p.FEN(), p.ShredderFEN()} {
			if q := parse(t, text); q.WithChess960(p.Chess960()) != p {
				t.Fatalf("%q is written %q and read back as %q", fen, text, q.FEN())
			}
		}
		moves := legalMoves(&p)
		if len(moves) > 218 {
			t.Fatalf("%q: got %d legal moves, no position has more than 218", fen, len(moves))
		}
		for _, m := range moves {
			var next position.Position
			p.Make(m, &next)
			if err := next.Validate(); err != nil {
				t.Fatalf("%q after %s: %v", fen, p.UCI(m, true), err)
			}
		}
	})
}

func FuzzParseUCI(f *testing.F) {
	for _, s := range []string{"e2e4", "e1g1", "e1h1", "a7a8q", "0000", "N@f3", "e1"} {
		for _, fen := range roots[:3] {
			f.Add(fen, s)
		}
	}
	f.Fuzz(func(t *testing.T, fen, s string) {
		p, err := position.ParseFEN(fen)
		if err != nil {
			return
		}
		m, err := p.ParseUCI(s)
		if err != nil {
			return
		}
		if !p.IsLegal(m) {
			t.Fatalf("%q in %q: got the illegal move %#x", s, fen, m)
		}
		if again, err := p.ParseUCI(p.UCI(m, true)); err != nil || again != m {
			t.Fatalf("%q in %q: %s read back: got %#x (%v), want %#x", s, fen, p.UCI(m, true), again, err, m)
		}
	})
}

func FuzzParseSAN(f *testing.F) {
	for _, s := range []string{"e4", "Nf3", "O-O", "0-0-0", "bxa8=Q+", "Raxa8#", "e2-e4", "Q@e3", "dxe6 e.p.", "Qh4e1!?", "=", "()", "x"} {
		for _, fen := range roots[:3] {
			f.Add(fen, s)
		}
	}
	f.Fuzz(func(t *testing.T, fen, s string) {
		p, err := position.ParseFEN(fen)
		if err != nil {
			return
		}
		m, err := p.ParseSAN(s)
		if err != nil {
			return
		}
		if !p.IsLegal(m) {
			t.Fatalf("%q in %q: got the illegal move %#x", s, fen, m)
		}
		san := p.SAN(m)
		if strings.ContainsAny(san, " ?!") {
			t.Fatalf("%q in %q is written %q", s, fen, san)
		}
		if again, err := p.ParseSAN(san); err != nil || again != m {
			t.Fatalf("%q in %q: %s read back: got %#x (%v), want %#x", s, fen, san, again, err, m)
		}
	})
}

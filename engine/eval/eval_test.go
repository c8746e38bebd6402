package eval_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"zeitnot/engine/eval"
	"zeitnot/engine/position"
)

// mirror turns the board upside down and swaps the colours.
func mirror(t testing.TB, fen string) position.Position {
	t.Helper()
	f := strings.Fields(fen)
	ranks := strings.Split(f[0], "/")
	for i, j := 0, len(ranks)-1; i < j; i, j = i+1, j-1 {
		ranks[i], ranks[j] = ranks[j], ranks[i]
	}
	swap := func(s string) string {
		return strings.Map(func(r rune) rune {
			switch {
			case r >= 'a' && r <= 'z':
				return r - 'a' + 'A'
			case r >= 'A' && r <= 'Z':
				return r - 'A' + 'a'
			}
			return r
		}, s)
	}
	f[0], f[2] = swap(strings.Join(ranks, "/")), swap(f[2])
	f[1] = map[string]string{"w": "b", "b": "w"}[f[1]]
	f[3] = strings.NewReplacer("3", "6", "6", "3").Replace(f[3])
	p, err := position.ParseFEN(strings.Join(f, " "))
	if err != nil {
		t.Fatalf("mirror of %s: %v", fen, err)
	}
	return p
}

var fens = []string{
	position.StartFEN,
	"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
	"8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
	"4k3/8/8/8/8/8/8/4KBN1 w - - 0 1",
	"r1n1n1b1/1P1P1P1P/1N1N1N2/2RnQrRq/2pKp3/3BNQbQ/k7/4Bq2 w - - 0 1",
	"8/5k2/8/2p5/p1P3p1/P5P1/4K3/8 b - - 0 1",
}

// checkSymmetry fails unless the mirrored position has the same value for its side to
// move, and unless a used cache and an unused one agree.
func checkSymmetry(t testing.TB, e *eval.Evaluator, p *position.Position) {
	t.Helper()
	q := mirror(t, p.FEN())
	v, w := e.Evaluate(p), e.Evaluate(&q)
	if v != w {
		t.Errorf("%s: got %d, mirrored %d", p.FEN(), v, w)
	}
	if fresh := eval.New().Evaluate(p); fresh != v {
		t.Errorf("%s: got %d from the used cache, %d from a fresh one", p.FEN(), v, fresh)
	}
	if v > eval.Limit+100 || v < -eval.Limit-100 {
		t.Errorf("%s: %d is beyond the limit", p.FEN(), v)
	}
}

func TestMirroredPositionHasTheSameValue(t *testing.T) {
	e := eval.New()
	rng := rand.New(rand.NewPCG(3, 4))
	for _, fen := range fens {
		p, err := position.ParseFEN(fen)
		if err != nil {
			t.Fatal(err)
		}
		checkSymmetry(t, e, &p)
		for range 40 {
			var l position.MoveList
			if p.Legal(&l); l.Len() == 0 {
				break
			}
			var next position.Position
			p.Make(l.At(rng.IntN(l.Len())), &next)
			p = next
			checkSymmetry(t, e, &p)
		}
	}
}

func FuzzEvaluate(f *testing.F) {
	for _, fen := range fens {
		f.Add(fen)
	}
	e := eval.New()
	f.Fuzz(func(t *testing.T, fen string) {
		p, err := position.ParseFEN(fen)
		if err != nil {
			return
		}
		checkSymmetry(t, e, &p)
	})
}

func TestValues(t *testing.T) {
	e := eval.New()
	value := func(fen string) int {
		p, err := position.ParseFEN(fen)
		if err != nil {
			t.Fatal(err)
		}
		return e.White(&p)
	}
	for _, tt := range []struct {
		name, fen string
		low, high int
	}{
		{"start", position.StartFEN, -1, 1},
		{"a queen up", "rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 500, 2500},
		{"two knights cannot mate", "4k3/8/8/8/8/8/8/1N2K1N1 w - - 0 1", -20, 20},
		{"rook against bishop", "4k3/5b2/8/8/8/8/8/R3K3 w - - 0 1", -60, 120},
		{"bishop of the wrong colour", "k7/8/8/8/P7/8/1B6/1K6 w - - 0 1", -10, 10},
		{"bishop of the right colour", "k7/8/8/8/P7/7B/8/1K6 w - - 0 1", 150, 2000},
		{"bishop and knight", "8/8/3k4/8/8/8/8/3KBN2 w - - 0 1", 1000, 5000},
		{"rook", "8/8/3k4/8/8/8/8/3K3R w - - 0 1", 1000, 5000},
	} {
		if got := value(tt.fen); got < tt.low || got > tt.high {
			t.Errorf("%s: got %d, want %d to %d", tt.name, got, tt.low, tt.high)
		}
	}
	for _, tt := range []struct{ name, better, worse string }{
		{"connected passed pawns over isolated ones", "4k3/8/8/2PP4/8/8/5ppp/4K3 w - - 0 1", "4k3/8/8/2P2P2/8/8/5ppp/4K3 w - - 0 1"},
		{"bare king in the bishop's corner", "k7/8/2K5/8/4B3/3N4/8/8 w - - 0 1", "k7/8/2K5/8/3B4/3N4/8/8 w - - 0 1"},
		{"rook on the open file", "3r2k1/pp3ppp/8/8/8/8/PP3PPP/3R2K1 w - - 0 1", "3r2k1/pp3ppp/8/8/8/8/PP3PPP/R5K1 w - - 0 1"},
		{"far passed pawn", "4k3/8/P7/8/8/8/5p2/4K3 w - - 0 1", "4k3/8/8/8/P7/8/5p2/4K3 w - - 0 1"},
	} {
		if b, w := value(tt.better), value(tt.worse); b <= w {
			t.Errorf("%s: got %d, not above %d", tt.name, b, w)
		}
	}
}

func BenchmarkEvaluate(b *testing.B) {
	e := eval.New()
	var ps []position.Position
	for _, fen := range fens {
		p, err := position.ParseFEN(fen)
		if err != nil {
			b.Fatal(err)
		}
		ps = append(ps, p)
	}
	for i := 0; b.Loop(); i++ {
		e.Evaluate(&ps[i%len(ps)])
	}
}

package eval_test

import (
	"testing"

	"zeitnot/engine/eval"
	"zeitnot/engine/position"
)

func TestKingAndPawnAgainstKingIsKnown(t *testing.T) {
	e := eval.New()
	value := func(fen string) int {
		p, err := position.ParseFEN(fen)
		if err != nil {
			t.Fatal(err)
		}
		return e.White(&p)
	}
	for fen, won := range map[string]bool{
		"8/8/8/3k4/8/4K3/6P1/8 w - - 0 1": true,
		"3k4/8/3K4/3P4/8/8/8/8 b - - 0 1": true,
		"8/3k4/8/3PK3/8/8/8/8 b - - 0 1":  false, // Ke7 holds
		"k7/8/1K6/P7/8/8/8/8 w - - 0 1":   false, // the wrong corner
	} {
		if v := value(fen); won && v < 500 || !won && v != 0 {
			t.Errorf("%s: value %d, want won %v, or else 0", fen, v, won)
		}
		m := mirror(t, fen)
		if v, w := value(fen), e.White(&m); v != -w {
			t.Errorf("%s: value %d, with colours swapped %d", fen, v, w)
		}
	}
	far, near := value("8/8/8/8/1P6/1K6/8/6k1 w - - 0 1"), value("8/1P6/8/8/8/1K6/8/6k1 w - - 0 1")
	if queen := value("1Q6/8/8/8/8/1K6/8/6k1 b - - 0 1"); far >= near || near >= queen {
		t.Errorf("values %d, %d with the pawn on the seventh, %d with a queen; want them to rise", far, near, queen)
	}
}

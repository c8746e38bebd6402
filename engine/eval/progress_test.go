package eval

import "testing"

// What is said about progress makes the better side's ending better or worse, but never the
// other side's.
func TestProgressTurnsNoEnding(t *testing.T) {
	for _, c := range []struct {
		fen  string
		sign int // of the value for White
	}{
		{"4k3/5pp1/8/8/8/8/PPP2PP1/4K3 w - - 0 1", 1},
		{"4k3/ppp2pp1/8/8/8/8/5PP1/4K3 w - - 0 1", -1},
	} {
		value := func(base int) int {
			w := Default()
			w.Progress = Progress{Base: base}
			return c.sign * NewWith(&w, 1).White(mustParse(t, c.fen))
		}
		plain := value(0)
		if easy, hard := value(50), value(-50); !(0 < hard && hard < plain && plain < easy) {
			t.Errorf("%s: hard %d, plain %d, easy %d: want them to grow", c.fen, hard, plain, easy)
		}
		if got := value(-10_000); got != 0 {
			t.Errorf("%s: hopeless: got %d, want a draw", c.fen, got)
		}
	}
}

func TestProgressSaysNothingOfALevelEnding(t *testing.T) {
	w := Default()
	p := mustParse(t, "4k3/5pp1/8/8/8/8/5PP1/4K3 w - - 0 1")
	w.Progress = Progress{Base: 500}
	if got := NewWith(&w, 1).White(p); got != 0 {
		t.Errorf("got %d, want 0", got)
	}
}

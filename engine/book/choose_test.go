package book_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"zeitnot/engine/book"
	"zeitnot/engine/position"
)

const (
	codeE4 = 0x031c
	codeD4 = 0x02db
	codeC4 = 0x029a
)

func rng() *rand.Rand { return rand.New(rand.NewPCG(1, 2)) }

// count draws many times at the start and counts the moves.
func count(t *testing.T, s book.Source) map[string]int {
	t.Helper()
	g := game(t, "")
	l := book.NewLibrary([]book.Source{s}, nil)
	r := rng()
	got := make(map[string]int)
	for range 3000 {
		if c, ok := l.Pick(g, r); ok {
			got[g.Position().UCI(c.Move, false)]++
		}
	}
	return got
}

func startBook(t *testing.T) *book.Book {
	key := book.Key(game(t, ""))
	return bookOf(t, record{key, codeE4, 60}, record{key, codeD4, 30}, record{key, codeC4, 10}, record{key, 0x0195, 0})
}

func TestWeightedPlaysByWeight(t *testing.T) {
	got := count(t, book.Source{Book: startBook(t)})
	for move, want := range map[string]int{"e2e4": 1800, "d2d4": 900, "c2c4": 300, "g1f3": 0} {
		if got[move] < want*8/10 || got[move] > want*12/10 {
			t.Errorf("%s: %d of 3000, want about %d", move, got[move], want)
		}
	}
}

func TestUniformDoesNotLookAtWeight(t *testing.T) {
	got := count(t, book.Source{Book: startBook(t), Mode: book.Uniform})
	for _, move := range []string{"e2e4", "d2d4", "c2c4"} {
		if got[move] < 850 || got[move] > 1150 {
			t.Errorf("%s: %d of 3000, want about 1000", move, got[move])
		}
	}
	if len(got) != 3 {
		t.Errorf("moves %v: one of weight 0 was played", got)
	}
}

func TestBestPlaysTheHeaviest(t *testing.T) {
	if got := count(t, book.Source{Book: startBook(t), Mode: book.Best}); got["e2e4"] != 3000 {
		t.Errorf("got %v, want nothing but e2e4", got)
	}
}

func TestLightMovesAreLeftOut(t *testing.T) {
	if got := count(t, book.Source{Book: startBook(t), MinWeight: 30}); len(got) != 2 || got["c2c4"] != 0 {
		t.Errorf("got %v with a least weight of 30", got)
	}
	if got := count(t, book.Source{Book: startBook(t), MinShare: 0.5}); len(got) != 1 {
		t.Errorf("got %v with a least share of a half", got)
	}
	if got := count(t, book.Source{Book: startBook(t), MinWeight: 61}); len(got) != 0 {
		t.Errorf("got %v although all are too light", got)
	}
}

func TestDepthAndSideLimits(t *testing.T) {
	g := game(t, "", "e2e4")
	b := bookOf(t, record{book.Key(g), 0x0d24, 1}) // e7e5
	white, black := position.White, position.Black
	for _, c := range []struct {
		name   string
		source book.Source
		want   bool
	}{
		{"no limit", book.Source{Book: b}, true},
		{"second half-move allowed", book.Source{Book: b, MaxPly: 2}, true},
		{"first half-move only", book.Source{Book: b, MaxPly: 1}, false},
		{"for Black", book.Source{Book: b, Only: &black}, true},
		{"for White", book.Source{Book: b, Only: &white}, false},
	} {
		if _, ok := book.NewLibrary([]book.Source{c.source}, nil).Pick(g, rng()); ok != c.want {
			t.Errorf("%s: got a move %v, want %v", c.name, ok, c.want)
		}
	}
}

func TestEarlierBookComesFirst(t *testing.T) {
	g := game(t, "")
	key := book.Key(g)
	silent := bookOf(t, record{1, codeE4, 1})
	first := bookOf(t, record{key, codeD4, 1})
	second := bookOf(t, record{key, codeE4, 1})
	l := book.NewLibrary([]book.Source{{Book: silent}, {Book: first}, {Book: second}}, nil)
	c, ok := l.Pick(g, rng())
	if got := g.Position().UCI(c.Move, false); !ok || got != "d2d4" || c.Share != 1 || c.Book != "test" {
		t.Errorf("got %s of %+v, want d2d4 of the first book that has a move", got, c)
	}
}

func TestPositionOfThisGameIsNotRepeated(t *testing.T) {
	g := game(t, "", "g1f3", "g8f6", "f3g1")
	back, on := record{book.Key(g), 0x0b7e, 100}, record{book.Key(g), 0x0d24, 1} // f6g8, e7e5
	l := book.NewLibrary([]book.Source{{Book: bookOf(t, back, on)}}, nil)
	for range 50 {
		c, ok := l.Pick(g, rng())
		if got := g.Position().UCI(c.Move, false); !ok || got != "e7e5" {
			t.Fatalf("got %s, want e7e5: f6g8 goes back to the start", got)
		}
	}
	if c, ok := book.NewLibrary([]book.Source{{Book: bookOf(t, back)}}, nil).Pick(g, rng()); ok {
		t.Errorf("got %v, want no move rather than a repetition", c)
	}
}

// failing is a book whose disk fails after it was opened.
type failing struct {
	*bytes.Reader
	broken bool
	asked  int
}

func (f *failing) ReadAt(p []byte, off int64) (int, error) {
	if f.broken {
		f.asked++
		return 0, errors.New("disk on fire")
	}
	return f.Reader.ReadAt(p, off)
}

func TestBookThatCannotBeReadIsNamedOnceAndNotAskedAgain(t *testing.T) {
	g := game(t, "")
	data := bytesOf(record{book.Key(g), codeE4, 1})
	source := &failing{Reader: bytes.NewReader(data)}
	bad, err := book.New("bad.bin", source, int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	source.broken = true
	good := bookOf(t, record{book.Key(g), codeD4, 1})
	var reported []error
	l := book.NewLibrary([]book.Source{{Book: bad}, {Book: good}}, func(err error) { reported = append(reported, err) })
	for range 3 {
		if c, ok := l.Pick(g, rng()); !ok || g.Position().UCI(c.Move, false) != "d2d4" {
			t.Errorf("got %v (%v), want d2d4 of the other book", c, ok)
		}
	}
	if len(reported) != 1 || !strings.Contains(reported[0].Error(), "bad.bin") || source.asked != 1 {
		t.Errorf("reported %v, asked %d times, want one report that names bad.bin", reported, source.asked)
	}
}

func TestModesByName(t *testing.T) {
	for _, m := range []book.Mode{book.Weighted, book.Best, book.Uniform} {
		if got, err := book.ParseMode(m.String()); err != nil || got != m {
			t.Errorf("%v: got %v (%v)", m, got, err)
		}
	}
	if _, err := book.ParseMode("random"); err == nil {
		t.Error("an unknown mode was accepted")
	}
}

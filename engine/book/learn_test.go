package book_test

import (
	"math"
	"testing"

	"zeitnot/engine/book"
	"zeitnot/engine/position"
)

func TestResultsChangeHowOftenAMoveIsPlayed(t *testing.T) {
	key := book.Key(game(t, ""))
	lost, won := book.Result{Key: key, Move: codeE4, Games: 40}, book.Result{Key: key, Move: codeD4, Games: 40, Points: 80}
	var l book.Learned
	l.Add(lost, won)
	for _, c := range []struct {
		move     uint16
		low, top float64
	}{{codeE4, 0.5, 0.5}, {codeD4, 2, 2}, {codeC4, 1, 1}} {
		if f := l.Factor(key, c.move); f < c.low || f > c.top {
			t.Errorf("factor of %04x: got %v, want %v to %v", c.move, f, c.low, c.top)
		}
	}
	library := book.NewLibrary([]book.Source{{Book: startBook(t)}}, nil)
	library.Learn(&l)
	g, r, got := game(t, ""), rng(), map[string]int{}
	for range 3000 {
		c, ok := library.Pick(g, r)
		if !ok {
			t.Fatal("no move")
		}
		if name := g.Position().UCI(c.Move, false); name == "e2e4" && (c.Weight != 60 || c.Share != 0.6) {
			t.Fatalf("got %+v, want the book's own weight of 60 %%", c)
		} else {
			got[name]++
		}
	}
	// 60 30 10 are drawn as 30 60 10.
	if n := got["e2e4"]; n < 800 || n > 1000 {
		t.Errorf("drawn: %v, want e2e4 in 30 %%", got)
	}
	if n := got["d2d4"]; n < 1700 || n > 1900 {
		t.Errorf("drawn: %v, want d2d4 in 60 %%", got)
	}
	best := book.NewLibrary([]book.Source{{Book: startBook(t), Mode: book.Best}}, nil)
	best.Learn(&l)
	if c, _ := best.Pick(g, r); g.Position().UCI(c.Move, false) != "d2d4" {
		t.Errorf("best: got %s, want d2d4", g.Position().UCI(c.Move, false))
	}
}

func TestWhatIsLearnedDependsOnTheResultsAlone(t *testing.T) {
	results := []book.Result{{1, 2, 3, 4}, {1, 3, 10, 5}, {2, 2, 1, 2}, {1, 2, 2, 0}, {1, 3, 1, 1}}
	var forward, backward, split book.Learned
	forward.Add(results...)
	for i := range results {
		backward.Add(results[len(results)-1-i])
		r := results[i]
		for range r.Games {
			points := min(2, r.Points)
			r.Points -= points
			split.Add(book.Result{Key: r.Key, Move: r.Move, Games: 1, Points: points})
		}
	}
	for _, r := range results {
		a, b, c := forward.Factor(r.Key, r.Move), backward.Factor(r.Key, r.Move), split.Factor(r.Key, r.Move)
		if a != b || a != c || a < 0.5 || a > 2 {
			t.Errorf("%+v: factors %v, %v, %v; want the same, from 0.5 to 2", r, a, b, c)
		}
	}
}

func TestResultsThatCannotBeTeachNothing(t *testing.T) {
	var l book.Learned
	l.Add(
		book.Result{Key: 1, Move: 2, Games: -1, Points: 1}, book.Result{Key: 1, Move: 2, Games: 1, Points: 3},
		book.Result{Key: 1, Move: 2, Games: 1, Points: -1}, book.Result{Key: 1, Move: 2}, book.Result{Key: 1, Move: 2, Games: math.MaxInt, Points: 1},
	)
	if f := l.Factor(1, 2); f != 1 {
		t.Errorf("factor: got %v, want 1", f)
	}
	for range 10 { // more games than the numbers hold
		l.Add(book.Result{Key: 1, Move: 2, Games: math.MaxInt32 / 2, Points: 0}, book.Result{Key: 1, Move: 3, Games: 10, Points: 20})
	}
	if f := l.Factor(1, 3); !(f >= 1 && f <= 2) {
		t.Errorf("factor: got %v, want 1 to 2", f)
	}
}

func TestCodeIsTheBooksOwn(t *testing.T) {
	g := game(t, "")
	m, err := g.Position().ParseUCI("e2e4")
	if err != nil {
		t.Fatal(err)
	}
	if got := book.Code(m); got != codeE4 || position.NoMove == m {
		t.Errorf("got %04x, want %04x", got, codeE4)
	}
}

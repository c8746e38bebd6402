package book_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"zeitnot/engine/book"
	"zeitnot/engine/position"
)

// lines writes lines down: share, then each move with its value and what it loses.
func lines(t *testing.T, b *book.Book, n, plies int, judges ...book.Judge) []string {
	t.Helper()
	found, err := book.MainLines(context.Background(), b, n, plies, judges, nil)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, l := range found {
		g := position.NewGame(position.Start())
		words := []string{fmt.Sprintf("%.2f", l.Share)}
		for _, m := range l.Moves {
			words = append(words, fmt.Sprintf("%s%+d-%d", g.Position().UCI(m.Move, false), m.Value, m.Loss))
			g = g.Play(m.Move)
		}
		all = append(all, strings.Join(words, " "))
	}
	return all
}

// wary counts men, and sees that a bishop on a6 can be taken.
func wary(ctx context.Context, p *position.Position) (int, error) {
	if p.SideToMove() == position.Black && p.Pieces(position.White, position.Bishop).Has(position.SquareAt(0, 5)) {
		return 300, nil
	}
	return material(ctx, p)
}

func TestMainLinesAreTheMostFrequentWithTheirValues(t *testing.T) {
	games, _ := readAll(t, write(t, "games.txt", blunders), 0)
	for i := range games {
		games[i].Points = 0.5
	}
	b := open(t, build(t, book.BuildOptions{}, games))
	for _, judges := range [][]book.Judge{{wary}, {wary, wary, wary}} {
		for _, c := range []struct {
			n, plies int
			want     []string
		}{
			{2, 2, []string{"0.80 e2e4+0-0 e7e5+0-0", "0.20 e2e4+0-0 d7d5+0-0"}},
			{1, 1, []string{"1.00 e2e4+0-0"}},
			{3, 3, []string{
				"0.40 e2e4+0-0 e7e5+0-0 g1f3+0-0", "0.40 e2e4+0-0 e7e5+0-0 f1a6-300-300", "0.20 e2e4+0-0 d7d5+0-0 e4d5+100-0",
			}},
		} {
			if diff := cmp.Diff(c.want, lines(t, b, c.n, c.plies, judges...)); diff != "" {
				t.Errorf("%d lines of %d half-moves (-want +got):\n%s", c.n, c.plies, diff)
			}
		}
		// A line ends where the book does.
		if all := lines(t, b, 100, 100, judges...); len(all) != 5 || len(strings.Fields(all[0])) != 6 {
			t.Errorf("all lines: got %q, want the 5 games", all)
		}
	}
}

func TestMainLinesTellWhatGoesWrong(t *testing.T) {
	b := startBook(t)
	broken := errors.New("broken judge")
	fails := func(context.Context, *position.Position) (int, error) { return 0, broken }
	if _, err := book.MainLines(t.Context(), b, 1, 1, []book.Judge{fails}, nil); !errors.Is(err, broken) {
		t.Errorf("got %v, want the judge's error", err)
	}
	if _, err := book.MainLines(t.Context(), b, 1, 1, nil, nil); err == nil {
		t.Error("no error without a judge")
	}
	if got := lines(t, bookOf(t, record{1, 2, 3}), 5, 5, wary); len(got) != 0 {
		t.Errorf("a book without the start: got %q", got)
	}
}

package book_test

import (
	"bytes"
	"context"
	"errors"
	"sync"
	"testing"

	"zeitnot/engine/book"
	"zeitnot/engine/position"
)

// material is a judge that counts men.
func material(_ context.Context, p *position.Position) (int, error) {
	worth := [...]int{100, 300, 300, 500, 900}
	sum := 0
	for t := position.Pawn; t < position.King; t++ {
		us := p.SideToMove()
		sum += worth[t] * (p.Pieces(us, t).Count() - p.Pieces(us.Other(), t).Count())
	}
	return sum, nil
}

// blunders has a knight thrown away on the second move of one line.
const blunders = `1 e2e4 e7e5 g1f3 b8c6 f1b5
1 e2e4 e7e5 g1f3 d8h4 f3h4
0 e2e4 e7e5 f1a6 b7a6 g1f3
0 e2e4 e7e5 f1a6 b8a6 g1f3
= e2e4 d7d5 e4d5 d8d5 b1c3
`

func check(t *testing.T, o book.CheckOptions) (map[string]map[string]int, book.CheckStats) {
	t.Helper()
	games, _ := readAll(t, write(t, "games.txt", blunders), 0)
	// Every move scores at least a point, so that nothing is left out before the check.
	for i := range games {
		games[i].Points = 0.5
	}
	var out bytes.Buffer
	stats, err := book.Check(context.Background(), open(t, build(t, book.BuildOptions{}, games)), &out, o)
	if err != nil {
		t.Fatal(err)
	}
	b := open(t, out.Bytes())
	if b.Len() != stats.Entries {
		t.Errorf("%d entries, the check says %d", b.Len(), stats.Entries)
	}
	got := make(map[string]map[string]int)
	for _, line := range [][]string{
		{},
		{"e2e4"},
		{"e2e4", "e7e5"},
		{"e2e4", "e7e5", "g1f3"},
		{"e2e4", "e7e5", "g1f3", "d8h4"},
		{"e2e4", "e7e5", "f1a6"},
		{"e2e4", "e7e5", "f1a6", "b7a6"},
		{"e2e4", "d7d5"},
	} {
		name := ""
		for _, m := range line {
			name += m + " "
		}
		got[name] = weights(t, b, line...)
	}
	return got, stats
}

func TestCheckDropsMovesThatLoseTooMuchAndKeepsTheAnswersToThem(t *testing.T) {
	for _, judges := range [][]book.Judge{{material}, {material, material, material}} {
		got, stats := check(t, book.CheckOptions{Judges: judges, Margin: 50})
		for line, want := range map[string]map[string]int{
			"":                {"e2e4": 5},
			"e2e4 ":           {"e7e5": 4, "d7d5": 1}, // the pawn is won back only later, but not lost yet
			"e2e4 e7e5 ":      {"g1f3": 2, "f1a6": 2}, // not taken yet
			"e2e4 e7e5 g1f3 ": {"b8c6": 1, "d8h4": 1},
			"e2e4 e7e5 f1a6 ": {"b7a6": 1, "b8a6": 1},
			"e2e4 d7d5 ":      {"e4d5": 1},
		} {
			if !same(got[line], want) {
				t.Errorf("after %q: got %v, want %v", line, got[line], want)
			}
		}
		if stats.Dropped != 0 || stats.Judged == 0 {
			t.Errorf("stats %+v, want nothing dropped by a judge who looks at the board only", stats)
		}
	}

	// A judge who takes what hangs sees the bishop and the queen go.
	seeing := func(ctx context.Context, p *position.Position) (int, error) {
		best, err := material(ctx, p)
		var l position.MoveList
		p.Legal(&l)
		for _, m := range l.Slice() {
			if p.IsCapture(m) && m.To() != position.SquareAt(4, 3) && m.To() != position.SquareAt(4, 4) {
				var child position.Position
				p.Make(m, &child)
				n, _ := material(ctx, &child)
				best = max(best, -n)
			}
		}
		return best, err
	}
	for _, judges := range [][]book.Judge{{seeing}, {seeing, seeing, seeing}} {
		searched := make(map[uint64]int)
		var mu sync.Mutex
		for i, judge := range judges {
			judges[i] = func(ctx context.Context, p *position.Position) (int, error) {
				mu.Lock()
				defer mu.Unlock()
				searched[book.Key(position.NewGame(*p))]++
				return judge(ctx, p)
			}
		}
		steps := 0
		progress := func() {
			mu.Lock()
			defer mu.Unlock()
			steps++
		}
		got, stats := check(t, book.CheckOptions{Judges: judges, Margin: 250, Progress: progress})
		for line, want := range map[string]map[string]int{
			"e2e4 e7e5 ":           {"g1f3": 2}, // without the bishop's loss
			"e2e4 e7e5 f1a6 ":      {"b7a6": 1, "b8a6": 1},
			"e2e4 e7e5 f1a6 b7a6 ": {},          // we do not come here any more
			"e2e4 e7e5 g1f3 ":      {"b8c6": 1}, // without the queen's loss
			"e2e4 e7e5 g1f3 d8h4 ": {"f3h4": 1},
		} {
			if !same(got[line], want) {
				t.Errorf("after %q: got %v, want %v", line, got[line], want)
			}
		}
		if stats.Dropped != 2 {
			t.Errorf("%d moves dropped, want 2", stats.Dropped)
		}
		for key, n := range searched {
			if n != 1 {
				t.Errorf("position %016x is searched %d times, want once", key, n)
			}
		}
		if steps != stats.Judged || len(searched) != steps {
			t.Errorf("%d positions searched, progress shows %d and the check says %d", len(searched), steps, stats.Judged)
		}
	}
}

func TestCheckEndsWithItsJudgesFault(t *testing.T) {
	start := game(t, "")
	b := bookOf(t, record{book.Key(start), codeE4, 1})
	fault := errors.New("no idea")
	judge := func(context.Context, *position.Position) (int, error) { return 0, fault }
	if _, err := book.Check(context.Background(), b, &bytes.Buffer{}, book.CheckOptions{Judges: []book.Judge{judge}}); !errors.Is(err, fault) {
		t.Errorf("got %v, want the judge's fault", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := book.Check(ctx, b, &bytes.Buffer{}, book.CheckOptions{Judges: []book.Judge{material}}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want the cancellation", err)
	}
	if _, err := book.Check(ctx, b, &bytes.Buffer{}, book.CheckOptions{}); err == nil {
		t.Error("a check without a judge")
	}
}

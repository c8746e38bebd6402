package book_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"zeitnot/engine/book"
	"zeitnot/engine/position"
)

// lists are games as the file of move lists has them.
const lists = `1 e2e4 e7e5 g1f3 b8c6 f1b5
1 e2e4 e7e5 g1f3 b8c6 f1c4
0 e2e4 c7c5 g1f3
= d2d4 d7d5 c2c4
1 d2d4 g8f6 c2c4
0 f2f3 e7e5 g2g4 d8h4
1 e2e4 f7f5 e4e5 d7d5 e5d6
`

func write(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func readAll(t *testing.T, path string, maxPly int) ([]book.Played, int) {
	t.Helper()
	var games []book.Played
	bad, err := book.ReadGames(path, maxPly, func(g book.Played) { games = append(games, g) })
	if err != nil {
		t.Fatal(err)
	}
	return games, bad
}

func build(t *testing.T, o book.BuildOptions, games []book.Played) []byte {
	t.Helper()
	b := book.NewBuilder(o)
	for _, g := range games {
		b.Add(g)
	}
	var out bytes.Buffer
	if _, err := b.Write(&out); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func open(t *testing.T, data []byte) *book.Book {
	t.Helper()
	b, err := book.New("built", bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// weights are the moves of a book at the end of some moves.
func weights(t *testing.T, b *book.Book, moves ...string) map[string]int {
	t.Helper()
	g := game(t, "", moves...)
	found, err := b.Moves(g)
	if err != nil {
		t.Fatal(err)
	}
	got := make(map[string]int)
	for _, m := range found {
		got[g.Position().UCI(m.Move, false)] = m.Weight
	}
	return got
}

func same(a, b map[string]int) bool {
	if len(a) != len(b) {
		return false
	}
	for k, v := range a {
		if b[k] != v {
			return false
		}
	}
	return true
}

func TestBuiltBookGivesBackWhatTheGamesHave(t *testing.T) {
	games, bad := readAll(t, write(t, "games.txt", lists), 0)
	if bad != 0 || len(games) != 7 {
		t.Fatalf("%d games and %d bad ones, want 7 and none", len(games), bad)
	}
	b := open(t, build(t, book.BuildOptions{}, games))
	for _, c := range []struct {
		moves string
		want  map[string]int
	}{
		{"", map[string]int{"e2e4": 6, "d2d4": 3}}, // f2f3 never scored
		{"e2e4", map[string]int{"c7c5": 2}},        // e7e5 and f7f5 lost
		{"d2d4", map[string]int{"d7d5": 1}},
		{"f2f3", map[string]int{"e7e5": 2}},
		{"e2e4 e7e5 g1f3 b8c6", map[string]int{"f1b5": 2, "f1c4": 2}},
		{"e2e4 f7f5 e4e5 d7d5", map[string]int{"e5d6": 2}},
	} {
		if got := weights(t, b, strings.Fields(c.moves)...); !same(got, c.want) {
			t.Errorf("after %q: got %v, want %v", c.moves, got, c.want)
		}
	}
}

func TestFiltersOfTheBuilder(t *testing.T) {
	games, _ := readAll(t, write(t, "games.txt", lists), 0)
	if got := weights(t, open(t, build(t, book.BuildOptions{MinGames: 3}, games))); !same(got, map[string]int{"e2e4": 6}) {
		t.Errorf("at least 3 games: got %v, want e2e4 alone", got)
	}
	if got := weights(t, open(t, build(t, book.BuildOptions{MinScore: 0.76}, games))); len(got) != 0 {
		t.Errorf("more than 3 of 4 points: got %v, want none", got)
	}
	if got := weights(t, open(t, build(t, book.BuildOptions{MinScore: 0.75}, games))); len(got) != 2 {
		t.Errorf("3 of 4 points: got %v, want e2e4 and d2d4", got)
	}
	if got := weights(t, open(t, build(t, book.BuildOptions{MinShare: 0.5}, games))); !same(got, map[string]int{"e2e4": 6}) {
		t.Errorf("half of the games: got %v, want e2e4 alone", got)
	}
	b := open(t, build(t, book.BuildOptions{MaxPly: 1}, games))
	if got := weights(t, b, "e2e4"); len(got) != 0 {
		t.Errorf("one half-move a game: got %v for the second", got)
	}
}

func TestRatingsAndResultsOfPGN(t *testing.T) {
	const file = `[White "A"]
[WhiteElo "2500"]
[BlackElo "2400"]
[Result "1-0"]

1. e4 e5 2. Nf3 1-0

[White "B"]
[WhiteElo "2500"]
[BlackElo "1800"]
[Result "1-0"]

1. d4 d5 1-0

[White "C"]
[Result "*"]

1. c4 *

[White "D"]
[Result "1/2-1/2"]

1. Ke3 1/2-1/2
`
	games, bad := readAll(t, write(t, "games.pgn", file), 2)
	if len(games) != 2 || bad != 1 {
		t.Fatalf("%d games and %d bad, want 2 (one has no result) and 1", len(games), bad)
	}
	if len(games[0].Moves) != 2 {
		t.Errorf("%d half-moves, want the 2 asked for", len(games[0].Moves))
	}
	if got := weights(t, open(t, build(t, book.BuildOptions{MinRating: 2000}, games))); !same(got, map[string]int{"e2e4": 2}) {
		t.Errorf("got %v, want e2e4 alone", got)
	}
}

func TestCompressedListsAreRead(t *testing.T) {
	var z bytes.Buffer
	w := gzip.NewWriter(&z)
	w.Write([]byte(lists + "1 e2e5\nnonsense\n\n"))
	w.Close()
	games, bad := readAll(t, write(t, "games.txt.gz", z.String()), 0)
	if len(games) != 7 || bad != 2 {
		t.Errorf("%d games and %d bad, want 7 and 2", len(games), bad)
	}
	if _, err := book.ReadGames(write(t, "bad.gz", "no gzip"), 0, nil); err == nil {
		t.Error("a broken file was read")
	}
}

func TestOrderOfGamesDoesNotMatter(t *testing.T) {
	games, _ := readAll(t, write(t, "games.txt", lists), 0)
	want := build(t, book.BuildOptions{}, games)
	r := rand.New(rand.NewPCG(3, 3))
	for range 10 {
		r.Shuffle(len(games), func(i, j int) { games[i], games[j] = games[j], games[i] })
		if got := build(t, book.BuildOptions{}, games); !bytes.Equal(got, want) {
			t.Fatal("the same games in another order make another book")
		}
	}
}

func TestWeightsTooLargeShrinkInProportion(t *testing.T) {
	mv := func(s string) []position.Move { g := game(t, "", s); return slices.Clone(g.Moves()) }
	b := book.NewBuilder(book.BuildOptions{})
	for i := range 60_000 {
		move := "e2e4"
		if i%3 == 0 {
			move = "d2d4"
		}
		b.Add(book.Played{Start: position.Start(), Moves: mv(move), Points: 1})
	}
	var out bytes.Buffer
	stats, err := b.Write(&out)
	if err != nil || stats != (book.Stats{Games: 60_000, Positions: 1, Entries: 2}) {
		t.Fatalf("stats %+v (%v)", stats, err)
	}
	got := weights(t, open(t, out.Bytes()))
	if got["e2e4"] != 65535 || got["d2d4"] < 32700 || got["d2d4"] > 32800 {
		t.Errorf("got %v, want 65535 and half of it", got)
	}
}

// firstLines copies the beginning of a compressed file of lines.
func firstLines(t *testing.T, path string, n int) string {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	lines := bufio.NewScanner(z)
	lines.Buffer(nil, 1<<20)
	for ; n > 0 && lines.Scan(); n-- {
		text.WriteString(lines.Text() + "\n")
	}
	return write(t, "games.txt", text.String())
}

func TestRealGamesMakeABookOfLegalMoves(t *testing.T) {
	path, games := testData(t, "games", "gnuchess-book-1.02-games.txt.gz"), 142_429
	if testing.Short() {
		games = 5000
		path = firstLines(t, path, games)
	}
	// A thousand games are enough here.
	b, n := book.NewBuilder(book.BuildOptions{MaxPly: 30, MinGames: 2}), 0
	var sample []book.Played
	bad, err := book.ReadGames(path, 30, func(g book.Played) {
		if n++; n%max(1, games/1000) == 0 {
			b.Add(g)
			sample = append(sample, g)
		}
	})
	if err != nil || bad != 0 || n != games {
		t.Fatalf("%d games, %d bad (%v), want %d and none", n, bad, err, games)
	}
	var out bytes.Buffer
	stats, err := b.Write(&out)
	if err != nil || stats.Entries == 0 {
		t.Fatalf("%+v (%v)", stats, err)
	}
	built := open(t, out.Bytes())
	inBook := 0
	for _, s := range sample[:min(len(sample), 200)] {
		g := position.NewGame(s.Start)
		for _, m := range s.Moves {
			found, err := built.Moves(g)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.ContainsFunc(found, func(x book.Move) bool { return x.Move == m }) {
				break
			}
			inBook++
			g = g.Play(m)
		}
	}
	if inBook < 400 {
		t.Errorf("%d half-moves of 200 games are in a book made of them, want more than two a game", inBook)
	}
}

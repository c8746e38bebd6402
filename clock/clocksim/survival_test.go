package clocksim_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"zeitnot/clock/clocksim"
)

func TestLengthByName(t *testing.T) {
	source := rand.New(rand.NewPCG(3, 4))
	for name, median := range map[string]int{"model": 46, "tournament": 39, "lichess": 32, "300": 300, "1": 1} {
		l, err := clocksim.LengthByName(name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		below := 0
		const games = 20_000
		for range games {
			n := l.Draw(source)
			if n < 1 || n > clocksim.MaxMoves {
				t.Fatalf("%s: drew %d own moves", name, n)
			}
			if n < median {
				below++
			}
		}
		if fixed := name == "300" || name == "1"; fixed && below > 0 || !fixed && math.Abs(float64(below)/games-0.5) > 0.03 {
			t.Errorf("%s: got %d of %d games below %d own moves", name, below, games, median)
		}
	}
	for _, name := range []string{"", "0", "301", "-4", "chess"} {
		if _, err := clocksim.LengthByName(name); err == nil {
			t.Errorf("%q: got no error", name)
		}
	}
}

func TestCountedLengthsComeOutAgain(t *testing.T) {
	var c clocksim.LengthCount
	lines := "1 e2e4 e7e5\n" + "= e2e4\n" + "0" + strings.Repeat(" a1a2", 25) + "\n\n" + "1" + strings.Repeat(" a1a2", 2000)
	game := "[Event \"x\"]\n[Result \"*\"]\n\n1. e4 e5 2. Nf3 (2. f4 exf4 3. Nf3) 2... Nc6 3. Bb5 *\n\n"
	for _, file := range []string{lines, game + game} {
		if err := c.Add(strings.NewReader(file)); err != nil {
			t.Fatal(err)
		}
	}
	// 1, 13 and 300 own moves from the lines, twice 3 from the PGN; one ply is no game.
	if c.Games() != 5 {
		t.Fatalf("got %d games, want 5", c.Games())
	}
	var b bytes.Buffer
	if err := c.Write(&b); err != nil {
		t.Fatal(err)
	}
	got := strings.Split(strings.TrimSpace(b.String()), "\n")
	if diff := cmp.Diff([]string{"# 5 games: own moves, share of games with at least as many", "0\t1", "5\t0.4", "10\t0.4", "15\t0.2"}, got[:5]); diff != "" {
		t.Errorf("table (-want +got):\n%s", diff)
	}
	if last := got[len(got)-1]; last != "300\t0.2" {
		t.Errorf("last line: got %q", last)
	}
	s, err := clocksim.ReadSurvival("again", &b)
	if err != nil {
		t.Fatal(err)
	}
	source, long := rand.New(rand.NewPCG(5, 6)), 0
	for range 10_000 {
		if s.Draw(source) == clocksim.MaxMoves {
			long++
		}
	}
	if long < 1850 || long > 2150 {
		t.Errorf("got %d of 10000 games of 300 own moves, want 2000", long)
	}
	var none clocksim.LengthCount
	if err := none.Write(io.Discard); err == nil {
		t.Error("a table of no games: got no error")
	}
}

func TestOnlyGamesAreCounted(t *testing.T) {
	const game = "1 e2e4 e7e5\n"
	for fault, c := range map[string]struct{ text, says string }{
		"prose":        {"Once upon a time", `line 1: "Once": want a result (1, 0 or =) and moves such as e2e4`},
		"no result":    {game + "\ne2e4 e7e5", `line 3: "e2e4": want a result`},
		"no move":      {game + "1 e2e4 Nf6", `line 2, move 2: "Nf6": want a result (1, 0 or =) and moves such as e2e4`},
		"no promotion": {"1 e2e4 e7e8k", `line 1, move 2: "e7e8k"`},
		"no lines":     {game + strings.Repeat("\x00", 2<<20), "line 2: it has more than 1048576 bytes"},
		"nothing":      {"", "no games: want PGN, or lines of a result"},
		"one ply":      {"1 e2e4\n", "no games: want PGN"},
		"PGN of none":  {"[Event \"x\"]\n\n1. Ke4 *\n", "no games: want PGN"},
	} {
		var count clocksim.LengthCount
		if err := count.Add(strings.NewReader(c.text)); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: got %v, want %s", fault, err, c.says)
		}
	}
}

func TestReadSurvivalRefusesWhatIsNoCurve(t *testing.T) {
	for fault, text := range map[string]string{
		"empty": "# nothing\n", "words": "five 0.5", "one number": "5", "moves fall": "10 0.5\n5 0.4", "shares rise": "5 0.5\n10 0.6",
		"above 1": "5 1.5", "below 0": "5 -0.1", "beyond the longest game": "301 0.5", "not a number": "5 NaN", "twice": "0 1\n5 0.5\n5 0.5",
	} {
		if _, err := clocksim.ReadSurvival("x", strings.NewReader(text)); err == nil {
			t.Errorf("%s: got no error", fault)
		}
	}
}

// The tables are what the command in their first line makes of the files named there.
func TestTablesAreDerivedFromTheirFiles(t *testing.T) {
	folder := os.Getenv("ZEITNOT_TESTDATA")
	if folder == "" {
		t.Skip("ZEITNOT_TESTDATA is not set")
	}
	for table, file := range map[string]string{
		"tournament": "games/gnuchess-book-1.02-games.txt.gz", "lichess": "pgn/lichess_db_2025-05_first1MB.pgn",
	} {
		t.Run(table, func(t *testing.T) {
			t.Parallel()
			if testing.Short() && filepath.Ext(file) == ".gz" {
				t.Skip("11 million plies")
			}
			f, err := os.Open(filepath.Join(folder, file))
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			var r io.Reader = f
			if filepath.Ext(file) == ".gz" {
				if r, err = gzip.NewReader(f); err != nil {
					t.Fatal(err)
				}
			}
			var c clocksim.LengthCount
			if err := c.Add(r); err != nil {
				t.Fatal(err)
			}
			var got bytes.Buffer
			if err := c.Write(&got); err != nil {
				t.Fatal(err)
			}
			want, err := os.ReadFile("lengths/" + table + ".tsv")
			if err != nil {
				t.Fatal(err)
			}
			head, rest, _ := strings.Cut(string(want), "\n")
			if wantHead := "# zeitnot clock lengths " + filepath.Base(file); head != wantHead {
				t.Errorf("first line: got %q, want %q", head, wantHead)
			}
			if diff := cmp.Diff(rest, got.String()); diff != "" {
				t.Errorf("table (-stored +derived):\n%s", diff)
			}
		})
	}
}

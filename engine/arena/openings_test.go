package arena_test

import (
	"archive/zip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"zeitnot/engine/arena"
)

const (
	epd = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1 id \"one\";\n\n" +
		"8/PR6/8/8/8/2k5/8/K7 w - - 0 1\n7k/5Q2/6K1/8/8/8/8/8 b - -\n"
	games = "[Event \"?\"]\n[Result \"*\"]\n\n1. e4 e5 *\n\n[Event \"?\"]\n\n1. d4 d5\n2. c4 1/2-1/2\n\n1. f3 e5 2. g4 Qh4# 0-1\n"
)

func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func zipped(t *testing.T, files map[string]string) string {
	t.Helper()
	var b strings.Builder
	z := zip.NewWriter(&b)
	for name, text := range files {
		w, err := z.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		w.Write([]byte(text))
	}
	z.Close()
	return write(t, "book.zip", b.String())
}

// fens are the positions after the openings, as a set in order of the pick.
func fens(list []arena.Opening) []string {
	var f []string
	for _, o := range list {
		f = append(f, o.Game.Position().FEN())
	}
	return f
}

func TestBooksOfAllKinds(t *testing.T) {
	for _, c := range []struct {
		name, path string
		len, open  int // openings, and those that are not over
	}{
		{"EPD", write(t, "b.epd", epd), 3, 2},
		{"PGN", write(t, "b.pgn", games), 2, 2},
		{"PGN with carriage returns", write(t, "b.pgn", strings.ReplaceAll(games, "\n", "\r\n")), 2, 2},
		{"zipped EPD", zipped(t, map[string]string{"b.epd": epd, "README.md": "x"}), 3, 2},
		{"zipped PGN", zipped(t, map[string]string{"b.pgn": games}), 2, 2},
	} {
		b, err := arena.OpenBook(c.path)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if b.Len() != c.len {
			t.Errorf("%s: %d openings, want %d", c.name, b.Len(), c.len)
		}
		picked, err := b.Pick(5, 7)
		if err != nil || len(picked) != 5 {
			t.Errorf("%s: %d picked, %v; want 5", c.name, len(picked), err)
			continue
		}
		seen := map[string]int{}
		for _, f := range fens(picked) {
			seen[f]++
		}
		if len(seen) != c.open {
			t.Errorf("%s: %d different openings, want %d", c.name, len(seen), c.open)
		}
		again, _ := b.Pick(5, 7)
		if diff := cmp.Diff(fens(picked), fens(again)); diff != "" {
			t.Errorf("%s: the same seed picks others:\n%s", c.name, diff)
		}
	}
}

func TestBooksThatCannotBeRead(t *testing.T) {
	for _, c := range []struct{ name, path, want string }{
		{"not there", filepath.Join(t.TempDir(), "no.epd"), "no.epd"},
		{"another kind", write(t, "b.bin", epd), "neither .epd nor .pgn"},
		{"empty", write(t, "b.epd", "\n\n"), "empty"},
		{"two books in one", zipped(t, map[string]string{"a.epd": epd, "b.pgn": games}), "both"},
		{"no book in it", zipped(t, map[string]string{"README.md": "x"}), "no .epd"},
		{"no archive", write(t, "b.zip", "PK"), "zip"},
	} {
		if _, err := arena.OpenBook(c.path); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", c.name, err, c.want)
		}
	}
	b, err := arena.OpenBook(write(t, "b.epd", "8/8/8/8/8/8/8/8 w - - 0 1\n"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Pick(1, 1); err == nil || !strings.Contains(err.Error(), "entry 1") {
		t.Errorf("an impossible position: got %v, want entry 1", err)
	}
}

func TestTheFieldsBooks(t *testing.T) {
	folder := os.Getenv("ZEITNOT_TESTDATA")
	if folder == "" {
		t.Skip("ZEITNOT_TESTDATA is not set")
	}
	for name, want := range map[string]int{"8moves_v3.pgn.zip": 34700, "UHO_4060_v4.epd.zip": 241670, "FRC_openings.epd.zip": 960, "2moves_v1.epd.zip": 40457, "noob_3moves.epd.zip": 150932} {
		b, err := arena.OpenBook(filepath.Join(folder, "books", name))
		if err != nil {
			t.Error(err)
			continue
		}
		if b.Len() != want {
			t.Errorf("%s: %d openings, want %d", name, b.Len(), want)
		}
		if _, err := b.Pick(300, 1); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestParsePlayer(t *testing.T) {
	got, err := arena.ParsePlayer(`cmd=/usr/games/stockfish name=sf nodes=2500 option.Hash=64 "option.Skill Level=3" option.Book="my book.bin" arg=-x arg=y tc=3+0.05 movetime=0.1 depth=9 margin=0.01 dir=/tmp`)
	if err != nil {
		t.Fatal(err)
	}
	want := arena.Spec{
		Name: "sf", Cmd: "/usr/games/stockfish", Args: []string{"-x", "y"}, Dir: "/tmp",
		Options: []arena.Setting{{Name: "Hash", Value: "64"}, {Name: "Skill Level", Value: "3"}, {Name: "Book", Value: "my book.bin"}},
		Limits:  arena.Limits{Base: 3 * time.Second, Increment: 50 * time.Millisecond, MoveTime: 100 * time.Millisecond, Nodes: 2500, Depth: 9, Margin: 10 * time.Millisecond},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("player (-want +got):\n%s", diff)
	}
	if s := got.Limits.String(); s != "tc=3+0.05 movetime=0.1 nodes=2500 depth=9" {
		t.Errorf("limits as text: %q", s)
	}
	if p, err := arena.ParsePlayer("cmd=search tc=60"); err != nil || p.Name != "search" || p.Limits.Base != time.Minute {
		t.Errorf("a plain player: %+v, %v", p, err)
	}
	for text, want := range map[string]string{
		"": "cmd is missing", "name=x": "cmd is missing", "cmd=x nodes=0": "nodes: ", "cmd=x depth=many": "depth: ", "cmd=x tc=0+1": "3+0.05",
		"cmd=x tc=-1": "3+0.05", "cmd=x tc=1+x": "3+0.05", "cmd=x hash=3": "unknown key", "cmd=x option.=3": "unknown key", "cmd": "not key=value", `cmd="x`: "not closed",
		"cmd=x tc=NaN": "3+0.05", "cmd=x movetime=1e99": "movetime: ",
	} {
		if _, err := arena.ParsePlayer(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", text, err, want)
		}
	}
}

package syzygy_test

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"zeitnot/engine/syzygy"
)

func copyFile(tb testing.TB, from, dir string) string {
	tb.Helper()
	data, err := os.ReadFile(from)
	if err != nil {
		tb.Fatal(err)
	}
	to := filepath.Join(dir, filepath.Base(from))
	if err := os.WriteFile(to, data, 0o600); err != nil {
		tb.Fatal(err)
	}
	return to
}

const queenEnding = "8/8/8/3k4/8/8/1Q6/K7 w - - 0 1"

func TestBrokenFileIsNamedAndLeftOut(t *testing.T) {
	good := testData(t, "syzygy", "regular", "KRvKB.rtbw")
	for name, spoil := range map[string]func([]byte) []byte{
		"empty":                  func(b []byte) []byte { return nil },
		"cut in the middle":      func(b []byte) []byte { return b[:len(b)/2+3] },
		"cut at a fitting place": func(b []byte) []byte { return b[:(len(b)/128)*64+16] },
		"one unit only":          func(b []byte) []byte { return b[:16] },
		"another magic":          func(b []byte) []byte { b[0] ^= 1; return b },
		"zeros":                  func(b []byte) []byte { clear(b); return b },
		"zeros after the magic":  func(b []byte) []byte { clear(b[4:]); return b },
		"other flags":            func(b []byte) []byte { b[4] ^= 2; return b },
		"one bit changed":        func(b []byte) []byte { b[len(b)/2] ^= 8; return b },
		"other men":              func(b []byte) []byte { b[6] ^= 1; return b },
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := copyFile(t, good, dir)
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, spoil(data), 0o600); err != nil {
				t.Fatal(err)
			}
			copyFile(t, testData(t, "syzygy", "regular", "KQvK.rtbw"), dir)
			var reported []error
			tables, err := syzygy.Open([]string{dir}, func(err error) { reported = append(reported, err) })
			if err != nil {
				t.Fatal(err)
			}
			defer tables.Close()
			for range 2 {
				if w, ok := tables.ProbeWDL(parse(t, "8/8/3k4/8/8/2b5/8/KR6 w - - 0 1")); ok {
					t.Errorf("the broken table answered %v", w)
				}
			}
			if len(reported) != 1 || !strings.Contains(reported[0].Error(), path) {
				t.Errorf("reported %v, want one fault that names %s", reported, path)
			}
			if got := tables.Faults(); len(got) != 1 {
				t.Errorf("faults %v, want one", got)
			}
			if w, ok := tables.ProbeWDL(parse(t, queenEnding)); !ok || w != syzygy.Win {
				t.Errorf("the good table beside it answers %v (%v)", w, ok)
			}
		})
	}
}

func TestGoodFileOfALaterFolderTakesTheBrokenOnesPlace(t *testing.T) {
	dir := t.TempDir()
	path := copyFile(t, testData(t, "syzygy", "regular", "KQvK.rtbw"), dir)
	if err := os.WriteFile(path, make([]byte, 80), 0o600); err != nil {
		t.Fatal(err)
	}
	tables, err := syzygy.Open([]string{dir, testData(t, "syzygy", "regular")}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer tables.Close()
	if w, ok := tables.ProbeWDL(parse(t, queenEnding)); !ok || w != syzygy.Win {
		t.Errorf("got %v (%v), want win", w, ok)
	}
	if got := tables.Faults(); len(got) != 1 {
		t.Errorf("faults %v, want one", got)
	}
}

func TestFoldersThatCannotBeRead(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "missing")
	if _, err := syzygy.Open([]string{missing}, nil); err == nil || !strings.Contains(err.Error(), missing) {
		t.Errorf("error %v does not name %s", err, missing)
	}
	if _, err := syzygy.Open(nil, nil); err == nil {
		t.Error("no folder at all was accepted")
	}
	tables, err := syzygy.Open([]string{missing, t.TempDir()}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer tables.Close()
	if got := tables.Faults(); len(got) != 1 || tables.MaxMen() != 0 {
		t.Errorf("faults %v and %d men, want one fault and none", got, tables.MaxMen())
	}
	if _, ok := tables.ProbeWDL(parse(t, queenEnding)); ok {
		t.Error("an answer without tables")
	}
}

func TestMissingTableIsNoAnswer(t *testing.T) {
	dir := t.TempDir()
	copyFile(t, testData(t, "syzygy", "regular", "KPvK.rtbw"), dir)
	copyFile(t, testData(t, "syzygy", "regular", "KRvKB.rtbw"), dir)
	tables, err := syzygy.Open([]string{dir}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer tables.Close()
	if _, ok := tables.ProbeDTZ(parse(t, "8/8/8/3k4/8/8/1P6/K7 w - - 0 1")); ok {
		t.Error("a distance without its table")
	}
	// The rook can be taken, which leads to a table that is not there.
	if _, ok := tables.ProbeWDL(parse(t, "8/8/8/3k4/8/2b5/1R6/K7 b - - 0 1")); ok {
		t.Error("an answer although a capture leads to a missing table")
	}
}

func TestPositionsOutsideTheTables(t *testing.T) {
	tables := openAll(t)
	for name, fen := range map[string]string{
		"castling is possible": "4k3/8/8/8/8/8/8/4K2R w K - 0 1",
		"too many men":         "4k3/pppp4/8/8/8/8/PPPP4/4K3 w - - 0 1",
		"a class not there":    "4k3/8/8/8/8/8/8/QQQ1K3 w - - 0 1",
	} {
		if w, ok := tables.ProbeWDL(parse(t, fen)); ok {
			t.Errorf("%s: got %v", name, w)
		}
	}
	if w, ok := tables.ProbeWDL(parse(t, "4k3/8/8/8/8/8/8/4K3 w - - 0 1")); !ok || w != syzygy.Draw {
		t.Errorf("bare kings: got %v (%v), want draw", w, ok)
	}
}

func TestFileCutOffWhileInUseDoesNotEndTheProcess(t *testing.T) {
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
		t.Skip("files are not mapped on", runtime.GOOS)
	}
	dir := t.TempDir()
	path := copyFile(t, testData(t, "syzygy", "five", "KRBvKR.rtbw"), dir)
	for _, name := range []string{"KRvKB", "KRBvK", "KRvKR", "KBvKR", "KRvK", "KBvK"} {
		if from := testData(t, "syzygy", "regular", name+".rtbw"); name != "KBvKR" {
			copyFile(t, from, dir)
		}
	}
	tables, err := syzygy.Open([]string{dir}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer tables.Close()
	r := rand.New(rand.NewPCG(4, 4))
	probe := func() bool {
		for {
			if p, legal := randomPosition(r, "KRBvKR", 0); legal {
				_, ok := tables.ProbeWDL(&p)
				return ok
			}
		}
	}
	if !probe() {
		t.Fatal("the table does not answer")
	}
	if err := os.Truncate(path, 4096); err != nil {
		t.Fatal(err)
	}
	for n := 0; probe(); n++ {
		if n > 1000 {
			t.Fatal("the table still answers after it was cut off")
		}
	}
	if got := tables.Faults(); len(got) != 1 || !strings.Contains(got[0].Error(), path) {
		t.Errorf("faults %v, want one that names %s", got, path)
	}
	if _, ok := tables.ProbeWDL(parse(t, "8/8/8/3k4/8/8/1R6/K7 w - - 0 1")); !ok {
		t.Error("other tables do not answer any more")
	}
}

func TestVerifyNamesEveryBadFile(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"KRBvKR.rtbw", "KRBvKR.rtbz", "KNNvKN.rtbw"} {
		copyFile(t, testData(t, "syzygy", "five", name), dir)
	}
	bad := filepath.Join(dir, "KRBvKR.rtbw") // too large to be verified when it is opened
	data, err := os.ReadFile(bad)
	if err != nil {
		t.Fatal(err)
	}
	data[len(data)-1000] ^= 1
	if err := os.WriteFile(bad, data, 0o600); err != nil {
		t.Fatal(err)
	}
	tables, err := syzygy.Open([]string{dir}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer tables.Close()
	got := make(map[string]bool)
	if err := tables.Verify(context.Background(), func(path string, err error) { got[path] = err == nil }); err != nil {
		t.Fatal(err)
	}
	if len(got) != 3 || got[bad] {
		t.Errorf("good files by path: %v, want three and %s a bad one", got, bad)
	}
	for path, good := range got {
		if !good && path != bad {
			t.Errorf("%s is called bad", path)
		}
	}
}

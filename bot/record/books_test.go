package record_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"zeitnot/bot/record"
)

func TestBookResultsAreSummedUp(t *testing.T) {
	path := filepath.Join(t.TempDir(), "zeitnot.db")
	s := open(t, path)
	one, other := record.BookMove{Key: 1<<63 | 7, Move: 796}, record.BookMove{Key: 5, Move: 65535}
	for id, c := range map[string]struct {
		outcome record.Outcome
		moves   []*record.BookMove
	}{
		"won00000": {record.Win, []*record.BookMove{&one, &other, nil}},
		"drawn000": {record.Draw, []*record.BookMove{&one}},
		"lost0000": {record.Loss, []*record.BookMove{&one, nil}},
		"aborted0": {record.NoOutcome, []*record.BookMove{&one}},
		"running0": {"", []*record.BookMove{&other}},
	} {
		s.GameStarted(blitz(id))
		for i, b := range c.moves {
			m := move(id, 2*i+1)
			m.Book = b
			s.Move(m)
		}
		if c.outcome != "" {
			e := won(id, 10)
			e.Outcome = c.outcome
			s.GameEnded(e)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	got, err := record.BookResults(path)
	if err != nil {
		t.Fatal(err)
	}
	want := []record.BookResult{{one, 3, 3}, {other, 1, 2}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("results (-want +got):\n%s", diff)
	}
}

func TestBookResultsOfNoRecordAreAnError(t *testing.T) {
	dir := t.TempDir()
	broken := filepath.Join(dir, "broken.db")
	if err := os.WriteFile(broken, []byte("this is no database, however long it is read"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{broken, filepath.Join(dir, "missing.db")} {
		if results, err := record.BookResults(path); err == nil || len(results) > 0 {
			t.Errorf("%s: got %v, %v; want an error", path, results, err)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "missing.db")); err == nil {
		t.Error("a file was made")
	}
}

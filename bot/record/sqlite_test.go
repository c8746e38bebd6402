package record_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rs/zerolog"

	"zeitnot/bot/record"
	"zeitnot/clock"
)

// change runs a statement on the file, as another program would.
func change(t *testing.T, path, statement string) {
	t.Helper()
	db := connect(t, path)
	defer db.Close()
	if _, err := db.Exec(statement); err != nil {
		t.Fatal(err)
	}
}

// keep opens the file, hands over a game and closes it.
func keep(t *testing.T, path, id string) {
	t.Helper()
	s := open(t, path)
	s.GameStarted(blitz(id))
	s.Move(move(id, 1))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

func remembered(id string) record.Remembered {
	return record.Remembered{Game: blitz(id), Moves: []record.Move{move(id, 1)}}
}

func TestGamesAndPriorOutliveTheProcess(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a name with % and #.db")
	keep(t, path, "abcd1234")
	prior := record.Prior{Server: "https://a", Saved: noon, Estimator: clock.Prior{Mean: 61 * time.Millisecond, Dev: 1}}
	s := open(t, path)
	s.SavePrior(prior)
	s.GameEnded(won("abcd1234", 1))
	s.Close()
	s = open(t, path)
	if got, err := s.Prior("https://a"); err != nil || got != prior {
		t.Errorf("prior: got %+v, %v; want %+v", got, err, prior)
	}
	s.Close()
	if _, err := os.Stat(path); err != nil {
		t.Fatal(err)
	}
}

func TestFileIsForItsOwnerOnly(t *testing.T) {
	path := filepath.Join(t.TempDir(), "zeitnot.db")
	s := open(t, path)
	defer s.Close()
	for _, part := range []string{"", "-wal", "-shm"} {
		info, err := os.Stat(path + part)
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Mode().Perm(); got != 0o600 {
			t.Errorf("zeitnot.db%s: got mode %o, want 600", part, got)
		}
	}
}

func TestEmptyFileIsFilled(t *testing.T) {
	path := filepath.Join(t.TempDir(), "zeitnot.db")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	keep(t, path, "abcd1234")
	if diff := cmp.Diff([]record.Remembered{remembered("abcd1234")}, read(t, path)); diff != "" {
		t.Errorf("what is remembered (-want +got):\n%s", diff)
	}
}

func TestFileOfALaterVersionIsRefusedAndLeftAlone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "zeitnot.db")
	keep(t, path, "abcd1234")
	change(t, path, "PRAGMA user_version = 7")
	_, err := record.Open(path, zerolog.Nop())
	if !errors.Is(err, record.ErrNewer) {
		t.Fatalf("open: got %v, want ErrNewer", err)
	}
	if want := path + ": made by a newer zeitnot: its schema has version 7, this one knows versions up to 2"; err.Error() != want {
		t.Errorf("error: got %q, want %q", err, want)
	}
	if err := record.Check(path); !errors.Is(err, record.ErrNewer) {
		t.Errorf("check: got %v, want ErrNewer", err)
	}
	change(t, path, "PRAGMA user_version = 2")
	keep(t, path, "abcd5678")
	if got := len(read(t, path)); got != 2 {
		t.Errorf("games after all: got %d, want 2", got)
	}
}

func TestFileOfTheFirstVersionIsBroughtUpToDate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "zeitnot.db")
	keep(t, path, "abcd1234")
	change(t, path, "DROP INDEX moves_of_books; ALTER TABLE moves DROP COLUMN book_key; ALTER TABLE moves DROP COLUMN book_move; PRAGMA user_version = 1")
	keep(t, path, "abcd5678")
	if diff := cmp.Diff([]record.Remembered{remembered("abcd1234"), remembered("abcd5678")}, read(t, path)); diff != "" {
		t.Errorf("what is remembered (-want +got):\n%s", diff)
	}
}

func TestDatabaseOfAnotherProgramIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "zeitnot.db")
	change(t, path, "CREATE TABLE games (title TEXT)")
	_, err := record.Open(path, zerolog.Nop())
	if err == nil || !strings.Contains(err.Error(), "schema version 1: ") || !strings.Contains(err.Error(), "already exists") {
		t.Errorf("open: got %v, want to hear of the table that exists", err)
	}
}

func TestFileThatCannotBeOpenedIsAnError(t *testing.T) {
	path := filepath.Join(t.TempDir(), "zeitnot.db")
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := record.Open(path, zerolog.Nop()); err == nil || !strings.HasPrefix(err.Error(), path+": ") {
		t.Errorf("open a folder: got %v, want an error that names it once", err)
	}
	if _, err := record.Open(filepath.Join(path, "no", "zeitnot.db"), zerolog.Nop()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("open in no folder: got %v, want that there is none", err)
	}
}

func TestDamagedFileIsPutAsideAndANewOneBegun(t *testing.T) {
	whole := filepath.Join(t.TempDir(), "whole.db")
	keep(t, whole, "abcd1234")
	valid, err := os.ReadFile(whole)
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{
		"text":          bytes.Repeat([]byte("no database\n"), 1000),
		"cut short":     valid[:len(valid)/2],
		"a few bytes":   []byte("SQLite"),
		"schema broken": append(bytes.Clone(valid[:100]), bytes.Repeat([]byte{0xa5}, len(valid)-100)...),
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "zeitnot.db")
			if err := os.WriteFile(path, content, 0o600); err != nil {
				t.Fatal(err)
			}
			if err := record.Check(path); err == nil {
				t.Error("check: got no error")
			}
			var log bytes.Buffer
			s, err := record.Open(path, zerolog.New(&log))
			if err != nil {
				t.Fatal(err)
			}
			s.GameStarted(blitz("abcd1234"))
			s.Move(move("abcd1234", 1))
			s.Close()
			if diff := cmp.Diff([]record.Remembered{remembered("abcd1234")}, read(t, path)); diff != "" {
				t.Errorf("what is remembered (-want +got):\n%s", diff)
			}
			aside, err := filepath.Glob(path + ".damaged-*[0-9]")
			if err != nil || len(aside) != 1 {
				t.Fatalf("files put aside: got %q, %v; want one", aside, err)
			}
			if kept, err := os.ReadFile(aside[0]); err != nil || !bytes.Equal(kept, content) {
				t.Errorf("file put aside: got %d bytes, %v; want the %d that were there", len(kept), err, len(content))
			}
			if n := strings.Count(log.String(), "the record is damaged"); n != 1 || !strings.Contains(log.String(), filepath.Base(aside[0])) {
				t.Errorf("log: got %s, want it told once, with the new name", &log)
			}
		})
	}
}

func TestPriorThatCannotBeReadIsAnError(t *testing.T) {
	for _, garbage := range []string{"estimator = 'garbage'", "estimator = '[]'", "saved_at = 'yesterday'"} {
		path := filepath.Join(t.TempDir(), "zeitnot.db")
		s := open(t, path)
		s.SavePrior(record.Prior{Server: "https://a", Saved: noon, Estimator: clock.Prior{Mean: 1}})
		s.Close()
		change(t, path, "UPDATE priors SET "+garbage)
		s = open(t, path)
		if p, err := s.Prior("https://a"); err == nil || p != (record.Prior{}) || !strings.Contains(err.Error(), "https://a") {
			t.Errorf("%s: got %+v, %v; want an error that names the server", garbage, p, err)
		}
		s.Close()
	}
}

func TestCheckChangesNothing(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "zeitnot.db")
	if err := record.Check(path); err != nil {
		t.Errorf("no file: got %v, want that none is needed", err)
	}
	if files, _ := os.ReadDir(dir); len(files) > 0 {
		t.Errorf("files: got %v, want none", files)
	}
	s := open(t, path)
	if err := record.Check(path); err != nil {
		t.Errorf("in use: got %v, want no error", err)
	}
	s.GameStarted(blitz("abcd1234"))
	s.Close()
	if err := record.Check(path); err != nil {
		t.Errorf("at rest: got %v, want no error", err)
	}
	if files, _ := os.ReadDir(dir); len(files) != 1 || len(read(t, path)) != 1 {
		t.Errorf("files: got %v, want the one with the game", files)
	}
}

func TestGameThatIsDeletedTakesItsMovesAlong(t *testing.T) {
	path := filepath.Join(t.TempDir(), "zeitnot.db")
	keep(t, path, "abcd1234")
	keep(t, path, "abcd5678")
	change(t, path, "PRAGMA foreign_keys = ON; DELETE FROM games WHERE id = 'abcd1234'")
	if diff := cmp.Diff([]record.Remembered{remembered("abcd5678")}, read(t, path)); diff != "" {
		t.Errorf("what is remembered (-want +got):\n%s", diff)
	}
}

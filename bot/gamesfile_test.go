package bot

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

func text(id string) string {
	return fmt.Sprintf("[Event \"Casual blitz game\"]\n[GameId %q]\n\n1. e4 e5 *", id)
}

// writeGames runs a file over the games given and returns what the file holds.
func writeGames(t *testing.T, dir string, ids ...string) (string, []error) {
	t.Helper()
	var errs []error
	f := newGamesFile(dir, func(_ string, err error) {
		if err != nil {
			errs = append(errs, err)
		}
	})
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() { f.run(ctx) })
	for _, id := range ids {
		f.add(gameRecord{id, []byte(text(id))})
	}
	cancel() // what is queued is still written
	wg.Wait()
	got, err := os.ReadFile(filepath.Join(dir, "games.pgn"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	return string(got), errs
}

func TestEveryGameIsInTheFileOnceOverRestarts(t *testing.T) {
	dir := t.TempDir()
	writeGames(t, dir, "a", "b", "a")
	got, _ := writeGames(t, dir, "b", "c")
	if want := text("a") + "\n\n" + text("b") + "\n\n" + text("c") + "\n\n"; got != want {
		t.Errorf("file: got\n%s\nwant\n%s", got, want)
	}
}

func TestRecordCutOffByACrashIsRemoved(t *testing.T) {
	whole := text("a") + "\n\n" + text("b") + "\n\n"
	for cut := len(text("a")) + 3; cut < len(whole); cut++ {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "games.pgn"), []byte(whole[:cut]), 0o600); err != nil {
			t.Fatal(err)
		}
		got, errs := writeGames(t, dir, "b")
		if got != whole || len(errs) > 0 {
			t.Fatalf("cut at %d: got %q (errors %v), want %q", cut, got, errs, whole)
		}
	}
}

func TestFileThatCannotBeWrittenIsReportedAndNothingMore(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "games.pgn"), 0o700); err != nil {
		t.Fatal(err)
	}
	f := newGamesFile(dir, func(string, error) {})
	if err := f.append([]byte(text("a"))); err == nil {
		t.Error("append to a folder: got no error")
	}
}

func TestFullDiskLeavesNoPartOfARecord(t *testing.T) {
	// /dev/full fails every write as a full disk does; the daemon only hears of it.
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("no /dev/full on this system")
	}
	f := newGamesFile(t.TempDir(), func(string, error) {})
	f.path = "/dev/full"
	err := f.append([]byte(text("a")))
	if err == nil || !strings.Contains(err.Error(), "no space") {
		t.Errorf("append to a full disk: got %v", err)
	}
}

func TestRecordsBeyondTheQueueAreReportedAndDropped(t *testing.T) {
	var dropped int
	f := newGamesFile(t.TempDir(), func(_ string, err error) {
		if errors.Is(err, errRecordsFull) {
			dropped++
		}
	})
	for i := range recordQueue + 3 {
		f.add(gameRecord{fmt.Sprint(i), nil})
	}
	if dropped != 3 {
		t.Errorf("dropped: got %d, want 3", dropped)
	}
}

package bot

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/rs/zerolog"

	"zeitnot/clock"
)

func text(id string) string {
	return fmt.Sprintf("[Event \"Casual blitz game\"]\n[GameId %q]\n\n1. e4 e5 *", id)
}

// writeGames runs a file over the games given and returns what the file holds.
func writeGames(t *testing.T, dir string, ids ...string) (string, []error) {
	t.Helper()
	var errs []error
	f := newPGNFile(dir, func(_ string, err error) {
		if err != nil {
			errs = append(errs, err)
		}
	})
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() { f.run(ctx) })
	for _, id := range ids {
		f.add(gamePGN{id, []byte(text(id))})
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

func TestOnlyTheEndOfALongFileIsRead(t *testing.T) {
	// Two thirds of the file are before what is read, the last record is cut off.
	var old strings.Builder
	for n := 0; old.Len() < 3*loadedTail; n++ {
		old.WriteString(text(fmt.Sprint("old", n)) + "\n\n")
	}
	last := "[GameId \"cut\"]\n\n1. e4 e5"
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "games.pgn"), []byte(old.String()+text("a")+"\n\n"+last), 0o600); err != nil {
		t.Fatal(err)
	}
	got, errs := writeGames(t, dir, "a", "b")
	if want := old.String() + text("a") + "\n\n" + text("b") + "\n\n"; got != want || len(errs) > 0 {
		t.Errorf("got %d bytes that end with %q (errors %v), want %d", len(got), got[max(0, len(got)-200):], errs, len(want))
	}
	f := newPGNFile(dir, func(string, error) {})
	if err := f.load(); err != nil || len(f.known.ids) > len(f.known.ring) || !f.known.has("b") {
		t.Errorf("%d ids are known (%v), want at most %d, the last among them", len(f.known.ids), err, len(f.known.ring))
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

func TestFileThatCannotBeWrittenIsToldOnceAndNothingMore(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "games.pgn")
	if err := os.Mkdir(file, 0o700); err != nil {
		t.Fatal(err)
	}
	policy, err := clock.ByName("adaptive", clock.Tuning{})
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	d := New(Options{StateDir: dir, Clock: policy, Log: zerolog.New(&log).Level(zerolog.InfoLevel)})
	for _, id := range []string{"first", "second"} {
		d.pgns.add(gamePGN{id, []byte(text(id))})
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	d.pgns.run(ctx)
	want := fmt.Sprintf(`{"level":"error","error":"open %s: is a directory","message":"games.pgn cannot be used, no game will be added as long as this lasts"}`, file)
	if got := strings.TrimSpace(log.String()); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}

	// It can be used again, and then again not.
	log.Reset()
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	d.pgns.write(gamePGN{"third", []byte(text("third"))})
	if err := errors.Join(os.Remove(file), os.Mkdir(file, 0o700)); err != nil {
		t.Fatal(err)
	}
	d.pgns.write(gamePGN{"fourth", []byte(text("fourth"))})
	want = fmt.Sprintf(`{"level":"error","game":"fourth","error":"open %s: is a directory","message":"game not added to games.pgn"}`, file)
	if got := strings.TrimSpace(log.String()); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

func TestFullDiskLeavesNoPartOfARecord(t *testing.T) {
	// /dev/full fails every write as a full disk does; the daemon only hears of it.
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("no /dev/full on this system")
	}
	f := newPGNFile(t.TempDir(), func(string, error) {})
	f.path = "/dev/full"
	err := f.append([]byte(text("a")))
	if err == nil || !strings.Contains(err.Error(), "no space") {
		t.Errorf("append to a full disk: got %v", err)
	}
}

func TestGamesBeyondTheQueueAreReportedAndDropped(t *testing.T) {
	var dropped int
	f := newPGNFile(t.TempDir(), func(_ string, err error) {
		if errors.Is(err, errPGNsFull) {
			dropped++
		}
	})
	for i := range pgnQueue + 3 {
		f.add(gamePGN{fmt.Sprint(i), nil})
	}
	if dropped != 3 {
		t.Errorf("dropped: got %d, want 3", dropped)
	}
}

package main

import (
	"bytes"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"zeitnot/bot/record"
	"zeitnot/config"
	"zeitnot/engine/book"
)

// share is how often a book plays 1. e4.
func share(t *testing.T, k *knowledge) float64 {
	t.Helper()
	g, rng, n := played(t, "", false), rand.New(rand.NewPCG(1, 2)), 0
	for range 4000 {
		c, ok := k.shelf.Pick(g, rng)
		if !ok {
			t.Fatal("no book move")
		}
		if g.Position().UCI(c.Move, false) == "e2e4" {
			n++
		}
	}
	return float64(n) / 4000
}

func TestBooksLearnFromTheRecordAndFromGamesThatEnd(t *testing.T) {
	settings := &config.Config{StateDir: t.TempDir(), Book: []string{config.EmbeddedBook}, BookLearn: true}
	g := played(t, "", false)
	e4, err := g.Position().ParseUCI("e2e4")
	if err != nil {
		t.Fatal(err)
	}
	d4, err := g.Position().ParseUCI("d2d4")
	if err != nil {
		t.Fatal(err)
	}
	lose := record.BookMove{Key: book.Key(g), Move: book.Code(e4)}
	win := record.BookMove{Key: book.Key(g), Move: book.Code(d4)}

	store, err := record.Open(filepath.Join(settings.StateDir, recordFile), zerolog.Nop())
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	told := knows(t, settings.Book, "")
	before := share(t, told)
	tell := told.learn(settings, zerolog.Nop())
	for i := range 60 {
		m, outcome := win, record.Win
		if i%2 == 0 {
			m, outcome = lose, record.Loss
		}
		id := string(rune('A'+i)) + "bcd1234"
		store.GameStarted(record.Game{ID: id, Created: time.Now(), Color: "white", Opponent: "Anna", Speed: "blitz", Variant: "standard"})
		store.Move(record.Move{Game: id, Ply: 1, UCI: "-", Source: "book", Mode: record.ModeNormal, Book: &m})
		store.GameEnded(record.End{Game: id, At: time.Now(), Outcome: outcome, Plies: 10})
		tell([]record.BookMove{m}, outcome)
		tell([]record.BookMove{m}, record.NoOutcome)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	read := knows(t, settings.Book, "")
	read.learn(settings, zerolog.Nop())
	after, again := share(t, told), share(t, read)
	if after > before-0.1 || after != again {
		t.Errorf("1. e4 is played in %v, once it has lost in %v, after a restart in %v; want less, and the same twice", before, after, again)
	}

	t.Setenv("ZEITNOT_STATE_DIR", settings.StateDir)
	t.Setenv("ZEITNOT_BOOK_LEARN", "true")
	var out bytes.Buffer
	if code := newApp(strings.NewReader(""), &out, io.Discard).execute(t.Context(), []string{"book", "show"}); code != 0 ||
		!regexp.MustCompile(`(?m)^ *e4 .* × 0\.50$`).Match(out.Bytes()) || !regexp.MustCompile(`(?m)^ *d4 .* × 2\.00$`).Match(out.Bytes()) {
		t.Errorf("book show: code %d, want e4 at half its weight and d4 at double:\n%s", code, out.String())
	}
}

func TestAStateThatCannotBeReadTeachesNothing(t *testing.T) {
	settings := &config.Config{StateDir: t.TempDir(), Book: []string{config.EmbeddedBook}, BookLearn: true}
	if err := os.WriteFile(filepath.Join(settings.StateDir, recordFile), []byte("no database at all, but a text"), 0o600); err != nil {
		t.Fatal(err)
	}
	k := knows(t, settings.Book, "")
	before := share(t, k)
	var log bytes.Buffer
	k.learn(settings, zerolog.New(&log))
	if got := share(t, k); got != before {
		t.Errorf("1. e4 is played in %v, before in %v", got, before)
	}
	if !strings.Contains(log.String(), recordFile) || !strings.Contains(log.String(), "played as they are") {
		t.Errorf("the log does not name the file:\n%s", log.String())
	}
}

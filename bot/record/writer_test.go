package record

import (
	"bytes"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/rs/zerolog"

	"zeitnot/clock"
)

// started is a store in a new file.
func started(t *testing.T, log *bytes.Buffer) *SQLite {
	t.Helper()
	s, err := Open(filepath.Join(t.TempDir(), "zeitnot.db"), zerolog.New(log))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func someGame(id string) Game {
	return Game{ID: id, Created: time.Now(), Color: "white", Opponent: "Anna", Speed: "blitz", Variant: "standard"}
}

func someMove(id string, ply int) Move {
	return Move{Game: id, Ply: ply, UCI: "e2e4", Mode: ModeNormal, Source: "search"}
}

// number is what a query for one number gives in the closed file.
func number(t *testing.T, path, query string) (n int) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.QueryRow(query).Scan(&n); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return n
}

func TestFullQueueNeverBlocks(t *testing.T) {
	var log bytes.Buffer
	s := started(t, &log)
	blocked, release := make(chan struct{}), make(chan struct{})
	s.add(func(*sql.Tx, *file) error {
		close(blocked)
		<-release
		return nil
	})
	<-blocked
	const games, beyond = 10, 25
	for i := range games {
		s.GameStarted(someGame(fmt.Sprint(i)))
	}
	for i := games; i < queueSize+beyond; i++ {
		s.Move(someMove(fmt.Sprint(i%games), i))
	}
	if got := s.lost.Load(); got != beyond {
		t.Errorf("lost: got %d, want %d", got, beyond)
	}
	close(release)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if got := number(t, s.file.path, "SELECT count(*) FROM games"); got != games {
		t.Errorf("games: got %d, want %d", got, games)
	}
	if got := number(t, s.file.path, "SELECT count(*) FROM moves"); got != queueSize-games {
		t.Errorf("moves: got %d, want %d", got, queueSize-games)
	}
	if n := strings.Count(log.String(), "cannot write the record"); n != 1 {
		t.Errorf("log: got the loss %d times, want once:\n%s", n, &log)
	}
	if !strings.Contains(log.String(), fmt.Sprintf(`"lost":%d`, beyond)) {
		t.Errorf("log: got\n%s, want to hear how much was lost", &log)
	}
}

func TestWritingWaitsForAnotherProgramAndTheGamesDoNot(t *testing.T) {
	var log bytes.Buffer
	s := started(t, &log)
	other, err := sql.Open("sqlite", s.file.path+"?_txlock=immediate")
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	tx, err := other.Begin()
	if err != nil {
		t.Fatal(err)
	}
	s.GameStarted(someGame("abcd1234"))
	s.Move(someMove("abcd1234", 1))
	if err := tx.Rollback(); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if got := number(t, s.file.path, "SELECT count(*) FROM moves"); got != 1 || log.Len() > 0 {
		t.Errorf("moves: got %d, want 1 and nothing in the log:\n%s", got, &log)
	}
}

// The other program lets go of the file just when the writer has given up a try, and the store
// is closed meanwhile.
func TestClosingTriesOnceMore(t *testing.T) {
	var log bytes.Buffer
	s := started(t, &log)
	other, err := sql.Open("sqlite", s.file.path)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	tries, held, release := 0, make(chan struct{}), make(chan struct{})
	s.add(func(*sql.Tx, *file) error {
		if tries++; tries > 1 {
			return nil
		}
		close(held)
		<-release
		_, err := other.Exec("DELETE FROM moves") // an error as another program would cause it
		return err
	})
	<-held
	s.once.Do(func() { close(s.stop) })
	close(release)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if tries != 2 || s.lost.Load() > 0 || log.Len() > 0 {
		t.Errorf("got %d tries and %d lost, want 2 and none:\n%s", tries, s.lost.Load(), &log)
	}
}

func TestOneEntryThatFailsLeavesTheOthersAlone(t *testing.T) {
	var log bytes.Buffer
	s := started(t, &log)
	s.GameStarted(someGame("abcd1234"))
	s.Move(someMove("unknown1", 1))
	s.Move(someMove("abcd1234", 1))
	s.Close()
	if got := number(t, s.file.path, "SELECT count(*) FROM moves"); got != 1 || s.lost.Load() != 1 {
		t.Errorf("moves: got %d and lost %d, want 1 of each", got, s.lost.Load())
	}
	if !strings.Contains(log.String(), "unknown1") {
		t.Errorf("log: got\n%s, want to hear which game", &log)
	}
}

// A full disk, played by a limit of the file's size.
func TestRecordGoesOnAfterAFullDisk(t *testing.T) {
	var log bytes.Buffer
	s := started(t, &log)
	// The connection is there for one at a time: this falls between the batches.
	limit := func(pages int) {
		t.Helper()
		var got int
		if err := s.file.db.QueryRow(fmt.Sprintf("PRAGMA max_page_count = %d", pages)).Scan(&got); err != nil {
			t.Fatal(err)
		}
	}
	s.GameStarted(someGame("before"))
	begun := make(chan struct{})
	s.add(func(*sql.Tx, *file) error {
		close(begun)
		return nil
	})
	<-begun
	limit(1) // which means as many as there are
	for ply := 1; ply < 2000; ply++ {
		s.Move(someMove("before", ply))
	}
	for s.lost.Load() == 0 {
		runtime.Gosched()
	}
	limit(1 << 20)
	s.GameStarted(someGame("after"))
	s.Move(someMove("after", 1))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if got := number(t, s.file.path, "SELECT count(*) FROM games JOIN moves ON game = id WHERE id = 'after'"); got != 1 {
		t.Errorf("games after the full disk: got %d, want 1", got)
	}
	if got := number(t, s.file.path, "SELECT count(*) FROM games WHERE id = 'before'"); got != 1 {
		t.Errorf("games before the full disk: got %d, want 1", got)
	}
	for _, want := range []string{"database or disk is full", "the record goes on, with a gap"} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("log: got\n%s, want %q", &log, want)
		}
	}
}

// Damage that only writing meets: the pages that opening reads are whole.
func TestDamageThatShowsLaterBeginsANewFile(t *testing.T) {
	var log bytes.Buffer
	s := started(t, &log)
	path := s.file.path
	s.GameStarted(someGame("abcd1234"))
	for ply := 1; ply < 200; ply += 2 {
		s.Move(someMove("abcd1234", ply))
	}
	prior := Prior{Server: "https://a", Saved: time.UnixMilli(0).UTC(), Estimator: clock.Prior{Mean: time.Second}}
	s.SavePrior(prior)
	s.Close()

	root := number(t, path, "SELECT rootpage FROM sqlite_schema WHERE name = 'moves'")
	size := number(t, path, "PRAGMA page_size")
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	copy(content[(root-1)*size:root*size], bytes.Repeat([]byte{0xa5}, size))
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}

	log.Reset()
	s, err = Open(path, zerolog.New(&log))
	if err != nil {
		t.Fatal(err)
	}
	s.GameStarted(someGame("abcd1234"))
	s.Move(someMove("abcd1234", 201))
	s.GameStarted(someGame("abcd5678"))
	s.Close()
	if n := strings.Count(log.String(), "a new one begins"); n != 1 || s.lost.Load() != 0 {
		t.Errorf("log: got\n%s and %d lost, want one new file and nothing lost", &log, s.lost.Load())
	}
	if games, moves := number(t, path, "SELECT count(*) FROM games"), number(t, path, "SELECT count(*) FROM moves"); games != 2 || moves != 1 {
		t.Errorf("new file: got %d games, %d moves; want 2 and 1", games, moves)
	}
	s, err = Open(path, zerolog.Nop())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if got, err := s.Prior("https://a"); err != nil || got != prior {
		t.Errorf("prior in the new file: got %+v, %v; want %+v", got, err, prior)
	}
}

func TestSchemaIsBroughtUpToDateStepByStep(t *testing.T) {
	steps := fstest.MapFS{
		"migrations/0001.sql": {Data: []byte("CREATE TABLE a (x TEXT); INSERT INTO a VALUES ('first');")},
		"migrations/0002.sql": {Data: []byte("ALTER TABLE a ADD COLUMN y TEXT; -- a word at the end")},
	}
	broken := fstest.MapFS{
		"migrations/0001.sql": steps["migrations/0001.sql"],
		"migrations/0002.sql": steps["migrations/0002.sql"],
		"migrations/0003.sql": {Data: []byte("DELETE FROM a; CREATE TABEL b (x TEXT);")},
	}
	path := filepath.Join(t.TempDir(), "zeitnot.db")
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	f := &file{path: path, db: db}
	version := func(want int) {
		t.Helper()
		var got, rows int
		if err := db.QueryRow("PRAGMA user_version").Scan(&got); err != nil || got != want {
			t.Errorf("version: got %d, %v; want %d", got, err, want)
		}
		if err := db.QueryRow("SELECT count(*) FROM a").Scan(&rows); err != nil || rows != 1 {
			t.Errorf("rows: got %d, %v; want the first, once", rows, err)
		}
	}
	for _, want := range []int{1, 2, 2} {
		some := fstest.MapFS{}
		for i := range want {
			name := fmt.Sprintf("migrations/%04d.sql", i+1)
			some[name] = steps[name]
		}
		if err := f.migrate(some); err != nil {
			t.Fatal(err)
		}
		version(want)
	}
	if err := f.migrate(broken); err == nil || !strings.HasPrefix(err.Error(), "schema version 3: ") {
		t.Errorf("broken step: got %v, want an error that names it", err)
	}
	version(2) // and nothing of the third
}

func TestPanicLosesOneEntryAndNothingElse(t *testing.T) {
	var log bytes.Buffer
	s := started(t, &log)
	path := s.file.path
	hold, held := make(chan struct{}), make(chan struct{})
	s.add(func(*sql.Tx, *file) error {
		close(held)
		<-hold
		return nil
	})
	<-held // what follows is written in one transaction
	s.GameStarted(someGame("game0001"))
	s.add(func(*sql.Tx, *file) error { panic("index out of range") })
	s.add(func(tx *sql.Tx, _ *file) error {
		var none *sql.Tx
		_, err := none.Exec("a nil pointer") // as a fault of the driver
		return err
	})
	s.Move(someMove("game0001", 1))
	s.GameStarted(someGame("game0002"))
	close(hold)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if games, moves := number(t, path, "SELECT count(*) FROM games"), number(t, path, "SELECT count(*) FROM moves"); games != 2 || moves != 1 {
		t.Errorf("got %d games and %d moves, want 2 and 1", games, moves)
	}
	if n := s.lost.Load(); n != 2 || !strings.Contains(log.String(), "index out of range") {
		t.Errorf("lost %d entries, want 2 and a word in the log: %s", n, log.String())
	}
}

func TestPanicOfTheDatabaseItselfEndsTheRecordOnly(t *testing.T) {
	var log bytes.Buffer
	s := started(t, &log)
	done := make(chan struct{})
	s.add(func(_ *sql.Tx, f *file) error {
		db := f.db
		f.db = nil // the commit of this transaction succeeds, the next one has nothing to begin with
		t.Cleanup(func() { db.Close() })
		close(done)
		return nil
	})
	<-done
	for ply := range 3 {
		s.Move(someMove("game0001", ply+1))
	}
	if err := s.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
	if n := s.lost.Load(); n != 3 || !strings.Contains(log.String(), "panic while writing") {
		t.Errorf("lost %d entries, want 3 and a word in the log: %s", n, log.String())
	}
}

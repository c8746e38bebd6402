package main

import (
	"context"
	"database/sql"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"zeitnot/config"
	"zeitnot/lichess/sandbox"
)

// openFiles are the files that this process has open or mapped.
func openFiles(t *testing.T) string {
	t.Helper()
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		t.Fatal(err)
	}
	all := []string{string(maps)}
	links, err := filepath.Glob("/proc/self/fd/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, link := range links {
		if target, err := os.Readlink(link); err == nil { // the folder's own is gone
			all = append(all, target)
		}
	}
	return strings.Join(all, "\n")
}

// smallBook is the file of a book with one line.
func smallBook(t *testing.T) string {
	t.Helper()
	book, games := filepath.Join(t.TempDir(), "own.bin"), filepath.Join(t.TempDir(), "games.txt")
	if err := os.WriteFile(games, []byte("1 e2e4 e7e5\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	a := newApp(strings.NewReader(""), io.Discard, io.Discard)
	if code := a.execute(t.Context(), []string{"book", "build", "--games", games, "--out", book, "--min-games", "1"}); code != 0 {
		t.Fatalf("book build: exit code %d", code)
	}
	return book
}

// keepRuntime has the test keep the processors and limits of the memory that it has.
func keepRuntime(t *testing.T) {
	t.Helper()
	t.Setenv("GOMAXPROCS", "2")
	t.Setenv("GOMEMLIMIT", "1GiB")
	t.Setenv("GOGC", "100")
}

func TestAServiceThatCannotBeginLeavesNothingOpen(t *testing.T) {
	keepRuntime(t)
	book := smallBook(t)
	newer := func(t *testing.T, c *config.Config) {
		db, err := sql.Open("sqlite", filepath.Join(c.StateDir, recordFile))
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		if _, err := db.Exec("PRAGMA user_version = 7"); err != nil {
			t.Fatal(err)
		}
	}
	for name, spoil := range map[string]func(t *testing.T, c *config.Config){
		"state":         func(_ *testing.T, c *config.Config) { c.StateDir = "/dev/null/state" },
		"client":        func(_ *testing.T, c *config.Config) { c.URL = "gopher://nowhere" },
		"clock":         func(_ *testing.T, c *config.Config) { c.ClockPolicy = "sundial" },
		"memory":        func(_ *testing.T, c *config.Config) { c.HashMB = 1 << 30 },
		"cores":         func(_ *testing.T, c *config.Config) { c.Threads = 1 << 20 },
		"record":        newer,
		"databases":     func(_ *testing.T, c *config.Config) { c.OnlineCloudURL = "gopher://nowhere" },
		"search slots":  func(_ *testing.T, c *config.Config) { c.LimitElo, c.Online = "much", nil },
		"other engines": func(t *testing.T, c *config.Config) { c.Engine = "/bin/false" },
		"nothing":       nil,
	} {
		t.Run(name, func(t *testing.T) {
			state := t.TempDir()
			for name, value := range map[string]string{
				"URL": "http://127.0.0.1:9", "TOKEN": "lip_bot_" + tokenMark, "STATE_DIR": state, "LISTEN": "", "BOOK": book,
				"RECORD": "required", "ONLINE": "tablebase,cloud",
			} {
				t.Setenv("ZEITNOT_"+name, value)
			}
			a := newApp(strings.NewReader(""), io.Discard, io.Discard)
			settings, err := a.loadConfig("")
			if err != nil {
				t.Fatal(err)
			}
			before := goleak.IgnoreCurrent()
			if spoil != nil {
				spoil(t, settings)
			}
			s, err := a.newService(t.Context(), settings, 0)
			if spoil == nil {
				if err != nil {
					t.Fatal(err)
				}
				if list := openFiles(t); !strings.Contains(list, state) || !strings.Contains(list, book) {
					t.Error("neither state nor book are open: nothing is shown by their absence")
				}
				s.opened.close()
			} else if err == nil {
				t.Fatal("the service has begun")
			}
			list := openFiles(t)
			for _, file := range []string{state, book} {
				if strings.Contains(list, file) {
					t.Errorf("%s is still open after %v", file, err)
				}
			}
			noneLeft(t, before)
		})
	}
}

func TestRunLeavesNoBookNoTableAndNoGoroutineOpen(t *testing.T) {
	folders, book := testTables(t), smallBook(t)
	a := newApp(strings.NewReader(""), io.Discard, io.Discard)
	s, url := inSandbox(t, sandbox.OpponentSpec{
		Name: "Anna", New: sandbox.Script{ResignAt: 4}.Player,
		Plans: []sandbox.Plan{{Challenge: sandbox.Challenge{
			From: "Anna", To: "GoBot", Control: sandbox.ClockControl(time.Minute, 0), Color: "black", FEN: "8/8/8/3k4/8/8/2R5/K7 w - - 0 1",
		}}},
	})
	for name, value := range map[string]string{
		"URL": url, "TOKEN": "lip_bot_" + tokenMark, "STATE_DIR": t.TempDir(), "LISTEN": "", "BOOK": book, "SYZYGY_PATH": folders,
		"ACCEPT_HUMAN_VARIANTS": "fromPosition",
	} {
		t.Setenv("ZEITNOT_"+name, value)
	}
	keepRuntime(t)
	settings, err := a.loadConfig("")
	if err != nil {
		t.Fatal(err)
	}

	others := []goleak.Option{
		goleak.IgnoreCurrent(),
		// The server's own, which may begin later.
		goleak.IgnoreAnyFunction("zeitnot/lichess/sandbox.(*Server).Run.func1"),
		goleak.IgnoreAnyFunction("zeitnot/lichess/sandbox.(*Server).spawnLocked.func1"),
	}
	service, err := a.newService(t.Context(), settings, 0)
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- service.run(t.Context()) }()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	finished, err := s.WaitGames(ctx, 1)
	if err != nil {
		t.Fatalf("no game has ended: %v", err)
	}
	if list := openFiles(t); !strings.Contains(list, "KRvK.rtb") || !strings.Contains(list, book) {
		t.Error("the game had neither table nor book: nothing is shown by their absence later")
	}
	service.daemon.Drain()
	if err := <-ended; err != nil {
		t.Errorf("run ended with %v", err)
	}
	if finished[0].Winner == "black" {
		t.Errorf("the game was lost by %v", finished[0].Status)
	}
	list := openFiles(t)
	for _, part := range []string{".rtbw", ".rtbz", book, "zeitnot.db", "games.pgn"} {
		if strings.Contains(list, part) {
			t.Errorf("%s is still open after run", part)
		}
	}
	noneLeft(t, others...)
}

// noneLeft waits until no other goroutine runs: some end a moment later, and a server notices
// only then that its client is gone.
func noneLeft(t *testing.T, others ...goleak.Option) {
	t.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(50 * time.Millisecond) {
		err := goleak.Find(others...)
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal(err)
		}
	}
}

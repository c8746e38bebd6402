package bot_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"zeitnot/bot"
	"zeitnot/engine"
	"zeitnot/lichess"
)

// gamesEnv names the folder in which the test program keeps games until it is killed.
const gamesEnv = "BOT_TEST_GAMES"

// endGames plays games that end at once, one after the other and without an end. The first is
// the last that ended in the process before, as if that had not noticed. It writes a line for
// each that has ended.
func endGames(dir string) error {
	s := newStub()
	d := bot.New(bot.Options{
		Client: s, StateDir: dir, Clock: fixed{}, Searchers: []engine.Searcher{&thinks{answer: plays(nil, 0)}},
	})
	done := make(chan error, 1)
	go func() { done <- d.Run(context.Background()) }()
	<-d.Ready()
	text, _ := os.ReadFile(filepath.Join(dir, "last"))
	for n := 0; ; n++ {
		id := fmt.Sprintf("%d.%d", os.Getpid(), n)
		if n == 0 && len(text) > 0 {
			id = string(text)
		}
		s.gameAt(id, lichess.White, "e2e4 e7e5", lichess.StatusResign)
		before := d.Health().GamesFinished // now: it may be over at once
		s.start(id)
		for d.Health().GamesFinished == before || n == 1 && !kept(dir, id) {
			time.Sleep(time.Millisecond)
		}
		if err := os.WriteFile(filepath.Join(dir, "last"), []byte(id), 0o600); err != nil {
			return err
		}
		if _, err := fmt.Println(id); err != nil {
			return err
		}
		select {
		case err := <-done:
			return err
		default:
		}
	}
}

// kept tells whether the file has a game as a whole; the daemon writes it beside everything else.
func kept(dir, id string) bool {
	text, _ := os.ReadFile(filepath.Join(dir, "games.pgn")) // none yet
	_, rest, found := bytes.Cut(text, fmt.Appendf(nil, "[GameId %q]", id))
	return found && bytes.Count(rest, []byte("\n\n")) >= 2 // after the tags and after the moves
}

func TestKilledDaemonLeavesGamesThatCanBeRead(t *testing.T) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	rounds := 30
	if testing.Short() {
		rounds = 5
	}
	dir := t.TempDir()
	random := rand.New(rand.NewPCG(3, 5))
	var ended []string
	for range rounds {
		ended = append(ended, killGames(t, program, dir, time.Duration(random.Int64N(int64(60*time.Millisecond))))...)
	}
	mend(t, dir)
	text, err := os.ReadFile(filepath.Join(dir, "games.pgn"))
	if err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	for _, g := range readPGN(t, string(text)) {
		id := g.Tags.Get("GameId")
		if count[id]++; count[id] > 1 || len(g.Moves) != 2 {
			t.Errorf("game %s: it is there for the %d. time, with %d moves", id, count[id], len(g.Moves))
		}
	}
	if len(count) < rounds {
		t.Errorf("games kept: got %d of %d, want more", len(count), len(ended))
	}
}

// mend starts a daemon and ends it, which removes what the last kill has left of a game.
func mend(t *testing.T, dir string) {
	t.Helper()
	d := bot.New(bot.Options{Client: newStub(), StateDir: dir, Clock: fixed{}, Searchers: []engine.Searcher{&thinks{}}})
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	done := make(chan error, 1)
	go func() { done <- d.Run(ctx) }()
	<-d.Ready()
	leave()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
}

// killGames starts a process, kills it so long after a game of its own has ended, however slow
// the machine is, and tells which games it has said to have ended.
func killGames(t *testing.T, program, dir string, after time.Duration) (ended []string) {
	t.Helper()
	c := exec.Command(program)
	c.Env = append(os.Environ(), gamesEnv+"="+dir)
	c.Stderr = os.Stderr
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if ended = append(ended, lines.Text()); len(ended) == 2 {
			time.AfterFunc(after, func() { c.Process.Kill() })
		}
	}
	if err := c.Wait(); err == nil || lines.Err() != nil {
		t.Errorf("process: got %v, %v; want it killed", err, lines.Err())
	}
	return ended
}

package record

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/rs/zerolog"

	"zeitnot/leaktest"
)

// writerEnv names the file that the test program writes until it is killed.
const writerEnv = "RECORD_TEST_WRITER"

func TestMain(m *testing.M) {
	if path := os.Getenv(writerEnv); path != "" {
		fmt.Fprintln(os.Stderr, writeForEver(path))
		os.Exit(1)
	}
	leaktest.Main(m)
}

// writeForEver plays games without an end, and writes a line for each that has been handed
// over.
func writeForEver(path string) error {
	s, err := Open(path, zerolog.New(os.Stderr))
	if err != nil {
		return err
	}
	for n := 0; ; n++ {
		id := fmt.Sprintf("%d.%d", os.Getpid(), n)
		s.GameStarted(someGame(id))
		for ply := 1; ply <= 40; ply++ {
			s.Move(someMove(id, ply))
		}
		s.GameEnded(End{Game: id, Outcome: Win, Plies: 40})
		for len(s.queue) > queueSize/2 {
			runtime.Gosched()
		}
		if _, err := fmt.Println(id); err != nil {
			return err
		}
	}
}

func TestKilledWriterLeavesARecordThatCanBeRead(t *testing.T) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "zeitnot.db")
	before := 0
	for round := range 5 {
		// Half a queue waits and a whole one is being written at most: of more than that some
		// is in the file.
		killWriter(t, program, path, 2*queueSize/42+10*round)

		for what, query := range map[string]string{
			"damage":             "SELECT integrity_check != 'ok' FROM pragma_integrity_check",
			"moves without game": "SELECT count(*) FROM pragma_foreign_key_check",
			"games with gaps":    "SELECT count(*) FROM (SELECT 1 FROM moves GROUP BY game HAVING count(*) != max(ply))",
			"ended too early":    "SELECT count(*) FROM games WHERE ended_at IS NOT NULL AND (SELECT count(*) FROM moves WHERE game = id) != 40",
		} {
			if got := number(t, path, query); got != 0 {
				t.Errorf("round %d: %s: got %d, want 0", round, what, got)
			}
		}
		games := number(t, path, "SELECT count(*) FROM games")
		if games <= before {
			t.Errorf("round %d: got %d games, want more than the %d before", round, games, before)
		}
		before = games
	}
}

// killWriter starts a writer and kills it when it has handed over so many games.
func killWriter(t *testing.T, program, path string, games int) {
	t.Helper()
	writer := exec.Command(program)
	writer.Env = append(os.Environ(), writerEnv+"="+path)
	writer.Stderr = os.Stderr
	out, err := writer.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := writer.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for range games {
		if !lines.Scan() {
			break
		}
	}
	if err := writer.Process.Kill(); err != nil {
		t.Error(err)
	}
	for lines.Scan() { // what it had still written
	}
	if err := writer.Wait(); err == nil || lines.Err() != nil {
		t.Errorf("writer: got %v, %v; want it killed", err, lines.Err())
	}
}

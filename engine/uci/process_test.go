package uci_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"zeitnot/engine"
	"zeitnot/engine/position"
	"zeitnot/engine/uci"
	"zeitnot/leaktest"
)

// actEnv makes the test program act as an engine, or as the parent of one.
const actEnv = "UCI_TEST_ACT_AS"

func TestMain(m *testing.M) {
	if role := os.Getenv(actEnv); role != "" {
		act(role)
		return
	}
	leaktest.Main(m)
}

func act(role string) {
	switch role {
	case "parent":
		os.Setenv(actEnv, "engine")
		p, err := uci.StartProcess(context.Background(), uci.Command{Path: os.Args[0]}, uci.Patience{})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println("child", p.Author)
		time.Sleep(time.Hour)
	case "noisy":
		for range 5 << 10 {
			fmt.Fprintln(os.Stderr, strings.Repeat("n", 1023))
		}
		fmt.Fprintln(os.Stderr, "last words")
	case "stubborn", "closer":
		ignoreSignals()
	case "mute":
		fmt.Fprintln(os.Stderr, "no licence found")
		time.Sleep(time.Hour)
	case "leaver":
		os.Setenv(actEnv, "mute")
		left := exec.Command(os.Args[0])
		if err := left.Start(); err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println("id name", left.Process.Pid)
	}
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		switch word, _, _ := strings.Cut(lines.Text(), " "); word {
		case "uci":
			fmt.Println("id name Child")
			fmt.Println("id author", os.Getpid())
			for _, e := range os.Environ() {
				fmt.Println("option name", strings.ReplaceAll(e, "=", " type string default "))
			}
			fmt.Println("uciok")
		case "isready":
			fmt.Println("readyok")
		case "ponderhit":
			fmt.Println("bestmove e2e4")
		case "go":
			if role == "noisy" {
				for range 1 << 10 {
					fmt.Fprintln(os.Stderr, strings.Repeat("n", 1023))
				}
				fmt.Fprintln(os.Stderr, "last words")
			}
			if strings.HasPrefix(lines.Text(), "go ponder") {
				for range 10 << 10 {
					fmt.Println("info depth 1 pv e2e4 string", strings.Repeat("i", 1000))
				}
				continue
			}
			if role == "closer" {
				os.Stdout.Close()
				continue
			}
			if role == "crash" {
				fmt.Fprintln(os.Stderr, "assertion failed: board.go:17")
				os.Exit(3)
			}
			fmt.Println("bestmove e2e4")
		case "quit":
			if role != "stubborn" && role != "closer" {
				return
			}
		}
	}
	if role == "stubborn" || role == "closer" {
		time.Sleep(time.Hour)
	}
}

// alive tells whether the process runs; one that only waits to be reaped does not.
func alive(pid string) bool {
	stat, err := os.ReadFile("/proc/" + pid + "/stat")
	if err != nil {
		return false
	}
	_, after, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(after, "Z") && !strings.HasPrefix(after, "X")
}

// gone waits for the end of a process.
func gone(t *testing.T, pid string) {
	t.Helper()
	for until := time.Now().Add(time.Minute); time.Now().Before(until); time.Sleep(10 * time.Millisecond) {
		if !alive(pid) {
			return
		}
	}
	t.Errorf("process %s still runs", pid)
}

func startChild(t *testing.T, role string, patience uci.Patience) (*uci.Process, error) {
	t.Helper()
	return uci.StartProcess(t.Context(), uci.Command{Path: os.Args[0], Env: []string{actEnv + "=" + role}}, patience)
}

func TestTheChildSeesNoToken(t *testing.T) {
	for _, name := range []string{"ZEITNOT_TOKEN", "ZEITNOT_TOKEN_FILE", "LICHESS_BOT_TOKEN", "CREDENTIALS_DIRECTORY", "zeitnot_token_old", "ZEITNOT_ONLINE_TOKEN", "LICHESS_TOKEN"} {
		t.Setenv(name, "lip_secret")
	}
	t.Setenv("ZEITNOT_HARMLESS", "yes")
	p, err := startChild(t, "engine", uci.Patience{})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if _, ok := p.Option("ZEITNOT_HARMLESS"); !ok {
		t.Fatal("the child does not list its environment")
	}
	for _, o := range p.Options() {
		if strings.Contains(strings.ToUpper(o.Name), "TOKEN") || o.Name == "CREDENTIALS_DIRECTORY" || strings.Contains(o.Default, "lip_secret") {
			t.Errorf("the child sees %s=%s", o.Name, o.Default)
		}
	}
}

func TestAProcessIsAlwaysEndedAndReaped(t *testing.T) {
	quick := uci.Patience{Quit: 100 * time.Millisecond}
	for _, role := range []string{"engine", "stubborn", "noisy"} {
		p, err := startChild(t, role, quick)
		if err != nil {
			t.Errorf("%s: %v", role, err)
			continue
		}
		pid := p.Author
		if r, err := p.Search(t.Context(), position.NewGame(position.Start()), engine.Limits{}, nil); err != nil || name(r.Best) != "e2e4" {
			t.Errorf("%s: search: %s %v, want e2e4", role, name(r.Best), err)
		}
		p.Close()
		p.Close()
		if _, err := os.Stat("/proc/" + pid); err == nil {
			t.Errorf("%s: process %s is left, at least as a zombie", role, pid)
		}
		if role == "noisy" && (!strings.HasSuffix(p.Stderr(), "last words\n") || len(p.Stderr()) > 4096) {
			t.Errorf("stderr keeps %d bytes ending %q, want at most 4096 with the last words", len(p.Stderr()), tailOf(p.Stderr()))
		}
	}
}

// Whoever leaves at once does not wait for an engine that ignores every word.
func TestAKilledProcessIsNotWaitedFor(t *testing.T) {
	p, err := startChild(t, "stubborn", uci.Patience{Quit: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		p.Close()
	}()
	p.Kill()
	<-closed
	p.Kill()
	if _, err := os.Stat("/proc/" + p.Author); err == nil {
		t.Errorf("process %s is left, at least as a zombie", p.Author)
	}
}

func tailOf(s string) string { return s[max(0, len(s)-40):] }

// It lives on and says nothing more: that is as good as dead.
func TestAProcessThatClosesItsOutputIsEnded(t *testing.T) {
	p, err := startChild(t, "closer", uci.Patience{Quit: 50 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Search(t.Context(), position.NewGame(position.Start()), engine.Limits{}, nil); kindOf(err) != uci.Died {
		t.Errorf("search: %v, want died", err)
	}
	p.Close()
	if _, err := os.Stat("/proc/" + p.Author); err == nil {
		t.Errorf("process %s is left, at least as a zombie", p.Author)
	}
}

func TestWhatAnEngineSaysWhileItPondersIsRead(t *testing.T) {
	p, err := startChild(t, "noisy", uci.Patience{})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	for range 2 {
		search := p.Ponder(t.Context(), position.NewGame(position.Start()), engine.Limits{}, nil)
		search.Hit(engine.Limits{})
		if r, err := search.Result(); err != nil || name(r.Best) != "e2e4" {
			t.Errorf("got %s, %v; want e2e4", name(r.Best), err)
		}
	}
}

func TestACrashIsReportedWithTheLastWords(t *testing.T) {
	p, err := startChild(t, "crash", uci.Patience{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = p.Search(t.Context(), position.NewGame(position.Start()), engine.Limits{}, nil)
	if kindOf(err) != uci.Died {
		t.Errorf("search: %v, want died", err)
	}
	p.Close()
	if !strings.Contains(p.Stderr(), "assertion failed: board.go:17") {
		t.Errorf("stderr: %q, want the assertion", p.Stderr())
	}
}

// The number of a process may be given away once it is reaped: what it leaves behind must
// be ended before, and not at some later Close.
func TestWhatAnEngineLeavesBehindEndsWithIt(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("no process groups on " + runtime.GOOS)
	}
	p, err := startChild(t, "leaver", uci.Patience{})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if !alive(p.Name) {
		t.Fatalf("the engine's own child %s does not run", p.Name)
	}
	engine, err := strconv.Atoi(p.Author)
	if err != nil {
		t.Fatal(err)
	}
	if crashed, err := os.FindProcess(engine); err != nil || crashed.Kill() != nil {
		t.Fatalf("kill the engine: %v", err)
	}
	gone(t, p.Name)
}

func TestAnEngineThatCannotStart(t *testing.T) {
	_, err := uci.StartProcess(t.Context(), uci.Command{Path: filepath.Join(t.TempDir(), "nothing")}, uci.Patience{})
	if err == nil || !strings.Contains(err.Error(), "nothing") {
		t.Errorf("a file that is not there: %v", err)
	}
	// A busy machine may take long to start it: it has to come as far as its words.
	for patience := 300 * time.Millisecond; ; patience *= 4 {
		_, err = startChild(t, "mute", uci.Patience{Handshake: patience, Quit: 50 * time.Millisecond})
		said := err != nil && strings.Contains(err.Error(), "no licence found")
		if kindOf(err) != uci.NoHandshake || !said && patience > 10*time.Second {
			t.Errorf("a mute engine: %v, want no uciok and its stderr", err)
		}
		if said || patience > 10*time.Second {
			break
		}
	}
}

func TestTheChildDiesWithUs(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("no parent-death signal on " + runtime.GOOS)
	}
	parent := exec.Command(os.Args[0])
	parent.Env = append(os.Environ(), actEnv+"=parent")
	out, err := parent.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	pid, ok := strings.CutPrefix(strings.TrimSpace(line), "child ")
	if err != nil || !ok || !alive(pid) {
		t.Fatalf("the parent says %q, %v; want a running child", line, err)
	}
	parent.Process.Kill()
	parent.Wait()
	gone(t, pid)
}

func TestStockfishAsAnEngine(t *testing.T) {
	path := "/usr/games/stockfish"
	if _, err := os.Stat(path); err != nil {
		if path, err = exec.LookPath("stockfish"); err != nil {
			t.Skip("stockfish is not installed")
		}
	}
	p, err := uci.StartProcess(t.Context(), uci.Command{Path: path}, uci.Patience{})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if err := p.SetOption("Hash", "1"); err != nil {
		t.Error(err)
	}
	for _, c := range []struct{ fen, want string }{
		{"6k1/5ppp/8/8/8/8/8/R6K w - - 0 1", "a1a8"},
		{"7k/8/8/8/8/8/5PPP/4KR2 w F - 0 1", ""},
	} {
		g := game(t, c.fen)
		if err := p.NewGame(t.Context()); err != nil {
			t.Fatal(err)
		}
		nodes := 5000
		r, err := p.Search(t.Context(), g, engine.Limits{Nodes: &nodes}, nil)
		if err != nil || c.want != "" && name(r.Best) != c.want || r.Nodes == 0 {
			t.Errorf("%s: %s, %d nodes, %v; want %s", c.fen, name(r.Best), r.Nodes, err, c.want)
		}
	}
}

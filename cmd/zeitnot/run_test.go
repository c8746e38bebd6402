package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"zeitnot/lichess/sandbox"
)

// patience is how long a test waits for what should happen at once.
const patience = 30 * time.Second

// inSandbox starts a Lichess with a bot account and the opponents.
func inSandbox(t *testing.T, opponents ...sandbox.OpponentSpec) (s *sandbox.Server, url string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	url = "http://" + listener.Addr().String()
	s, err = sandbox.New(sandbox.Options{
		Seed: 1, URL: url, Opponents: opponents,
		Accounts: []sandbox.AccountSpec{
			{Name: "GoBot", Title: "BOT", Token: "lip_bot_" + tokenMark},
			{Name: "Human", Token: "lip_human_" + tokenMark},
			{Name: "Reader", Title: "BOT", Token: "lip_reader_" + tokenMark, Scopes: []string{"challenge:read"}},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { s.Run(ctx, listener) })
	t.Cleanup(func() { cancel(); running.Wait() })
	return s, url
}

// process is a running zeitnot.
type process struct {
	t      *testing.T
	cmd    *exec.Cmd
	output *syncBuffer
	ended  chan struct{} // closed when it has ended
}

// start runs zeitnot as a process of its own with nothing but these settings.
func start(t *testing.T, env []string, args ...string) *process {
	t.Helper()
	p := &process{t: t, cmd: exec.Command("zeitnot", args...), output: &syncBuffer{}, ended: make(chan struct{})}
	p.cmd.Env = append([]string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "ZEITNOT_LISTEN=", "ZEITNOT_LOG_LEVEL=debug",
	}, env...)
	p.cmd.Stdout, p.cmd.Stderr = p.output, p.output
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		p.cmd.Wait() // the exit code is looked at by exit
		close(p.ended)
	}()
	t.Cleanup(func() {
		p.cmd.Process.Kill()
		<-p.ended
		if strings.Contains(p.output.String(), tokenMark) {
			t.Errorf("the output shows the token:\n%s", p.output)
		}
	})
	return p
}

func (p *process) signal(sig os.Signal) {
	p.t.Helper()
	if err := p.cmd.Process.Signal(sig); err != nil {
		p.t.Fatal(err)
	}
}

// exit waits for the end and checks the code.
func (p *process) exit(want int) {
	p.t.Helper()
	select {
	case <-p.ended:
	case <-time.After(patience):
		p.t.Fatalf("still running after %v:\n%s", patience, p.output)
	}
	if got := p.cmd.ProcessState.ExitCode(); got != want {
		p.t.Errorf("got exit code %d, want %d:\n%s", got, want, p.output)
	}
}

// running fails the test if the process has ended.
func (p *process) running() {
	p.t.Helper()
	select {
	case <-p.ended:
		p.t.Fatalf("ended with code %d:\n%s", p.cmd.ProcessState.ExitCode(), p.output)
	default:
	}
}

// says waits until the output has the text.
func (p *process) says(text string) {
	p.t.Helper()
	for deadline := time.Now().Add(patience); !strings.Contains(p.output.String(), text); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			p.t.Fatalf("no %q in the output:\n%s", text, p.output)
		}
	}
}

// syncBuffer is a buffer that a process writes and a test reads.
type syncBuffer struct {
	mu sync.Mutex // guards b
	b  bytes.Buffer
}

func (s *syncBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *syncBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// manager is a service manager that listens.
func manager(t *testing.T) (socket string, expect func(want string)) {
	t.Helper()
	socket = filepath.Join(t.TempDir(), "notify")
	conn, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: socket, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return socket, func(want string) {
		t.Helper()
		conn.SetReadDeadline(time.Now().Add(patience))
		b := make([]byte, 4096)
		for {
			n, err := conn.Read(b)
			if err != nil {
				t.Fatalf("no %s: %v", want, err)
			}
			if got := string(b[:n]); got == want {
				return
			}
		}
	}
}

// challenges is a plan of one game against our bot.
func challenges(control sandbox.TimeControl) []sandbox.Plan {
	return []sandbox.Plan{{Challenge: sandbox.Challenge{From: "Anna", To: "GoBot", Control: control, Rated: true, Color: "white"}}}
}

func TestRunPlaysAndDrainsAtTheFirstSignal(t *testing.T) {
	// Anna thinks for so long that the signal comes in the middle of the game.
	s, url := inSandbox(t, sandbox.OpponentSpec{
		Name: "Anna", New: sandbox.Script{Think: time.Second, ResignAt: 4}.Player,
		Plans: challenges(sandbox.ClockControl(time.Minute, 0)),
	})
	socket, expect := manager(t)
	address, err := closedPort()
	if err != nil {
		t.Fatal(err)
	}
	state := filepath.Join(t.TempDir(), "state")
	env := []string{
		"ZEITNOT_URL=" + url, "ZEITNOT_TOKEN=lip_bot_" + tokenMark, "ZEITNOT_STATE_DIR=" + state, "ZEITNOT_LISTEN=" + address,
		"NOTIFY_SOCKET=" + socket, "WATCHDOG_USEC=1500000",
	}
	p := start(t, env, "run")
	expect("READY=1")
	expect("WATCHDOG=1")
	start(t, env, "healthcheck").exit(0)

	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	games, err := waitStarted(ctx, s)
	if err != nil {
		t.Fatal(err)
	}
	p.signal(syscall.SIGHUP)
	p.says("a restart does it")
	p.signal(syscall.SIGTERM)
	expect("STOPPING=1")
	p.running()
	expect("WATCHDOG=1")
	if _, err := s.WaitFinished(ctx, games[0].ID); err != nil {
		t.Fatal(err)
	}
	p.exit(0)
	if g, _ := s.Game(games[0].ID); g.Result() != "0-1" || g.Status != sandbox.Resign {
		t.Errorf("got %s by %s, want Anna to resign", g.Result(), g.Status)
	}
	record, err := os.ReadFile(filepath.Join(state, "games.pgn"))
	if err != nil || !strings.Contains(string(record), games[0].ID) {
		t.Errorf("games.pgn: got %q, %v; want the game in it", record, err)
	}
	if info, err := os.Stat(state); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("state folder: got %v, %v; want mode 0700", info, err)
	}
}

// waitStarted waits until a game has both sides' first moves.
func waitStarted(ctx context.Context, s *sandbox.Server) ([]sandbox.GameRecord, error) {
	for {
		games := s.Games()
		if len(games) > 0 && len(games[0].Moves) >= 2 {
			return games, nil
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("no game has begun: %w", ctx.Err())
		case <-time.After(10 * time.Millisecond):
		}
	}
}

func TestRunLeavesAtTheSecondSignal(t *testing.T) {
	s, url := inSandbox(t, sandbox.OpponentSpec{
		Name: "Anna", New: sandbox.Script{Think: time.Minute}.Player, Plans: challenges(sandbox.ClockControl(10*time.Minute, 0)),
	})
	p := start(t, []string{
		"ZEITNOT_URL=" + url, "ZEITNOT_TOKEN=lip_bot_" + tokenMark, "ZEITNOT_ACCEPT_HUMAN_SPEEDS=rapid",
	}, "run")
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for len(s.Games()) == 0 {
		if ctx.Err() != nil {
			t.Fatalf("no game has begun:\n%s", p.output)
		}
		time.Sleep(10 * time.Millisecond)
	}
	p.says(s.Games()[0].ID)
	p.signal(os.Interrupt)
	p.says("a second signal leaves at once")
	p.running()
	p.signal(os.Interrupt)
	p.exit(1) // the game was left running
}

func TestRunWaitsForAServerThatIsNotThere(t *testing.T) {
	nobody, err := closedPort()
	if err != nil {
		t.Fatal(err)
	}
	socket, expect := manager(t)
	p := start(t, []string{
		"ZEITNOT_URL=http://" + nobody, "ZEITNOT_TOKEN=lip_bot_" + tokenMark,
		"NOTIFY_SOCKET=" + socket, "WATCHDOG_USEC=900000",
	}, "run")
	p.says("connection refused")
	// Waiting for the server is healthy.
	for range 3 {
		expect("WATCHDOG=1")
	}
	p.running()
	p.signal(syscall.SIGTERM)
	p.exit(0)
}

// A crash dump shows what the program was doing, and not with which token.
func TestADumpDoesNotShowTheToken(t *testing.T) {
	_, url := inSandbox(t)
	p := start(t, []string{"ZEITNOT_URL=" + url, "ZEITNOT_TOKEN=lip_bot_" + tokenMark}, "run")
	p.says("event stream open")
	p.signal(syscall.SIGQUIT)
	p.exit(2) // the Go runtime's own
	p.says("goroutine")
}

func TestRunSaysWhyItCannotPlay(t *testing.T) {
	_, url := inSandbox(t)
	for name, tc := range map[string]struct {
		env  []string
		code int
		says string
	}{
		"no token":       {nil, exitConfig, "no token: make one with the scope bot:play"},
		"unknown token":  {[]string{"ZEITNOT_TOKEN=lip_unknown_" + tokenMark}, exitAccess, "does not accept the token"},
		"missing scope":  {[]string{"ZEITNOT_TOKEN=lip_reader_" + tokenMark}, exitAccess, "has no scope bot:play"},
		"no bot account": {[]string{"ZEITNOT_TOKEN=lip_human_" + tokenMark}, exitAccess, "is not a bot account: zeitnot upgrade makes it one"},
		"wrong setting":  {[]string{"ZEITNOT_TOKEN=lip_bot_" + tokenMark, "ZEITNOT_CONCURRENCY=0"}, exitConfig, `ZEITNOT_CONCURRENCY="0": below 1`},
		"no state folder": {
			[]string{"ZEITNOT_TOKEN=lip_bot_" + tokenMark, "ZEITNOT_STATE_DIR=/dev/null/state"},
			exitConfig,
			"state folder: mkdir /dev/null: not a directory",
		},
		"address in use": {
			[]string{"ZEITNOT_TOKEN=lip_bot_" + tokenMark, "ZEITNOT_LISTEN=" + strings.TrimPrefix(url, "http://")},
			exitFault,
			"address already in use",
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := start(t, append([]string{"ZEITNOT_URL=" + url}, tc.env...), "run")
			p.exit(tc.code)
			p.says("zeitnot: ")
			p.says(tc.says)
		})
	}
}

func TestExitOf(t *testing.T) {
	for name, tc := range map[string]struct {
		err  error
		want int
	}{
		"drained":    {nil, exitDone},
		"left":       {context.Canceled, exitDone},
		"broke down": {errors.New("broke down"), exitFault},
	} {
		got := exitDone
		if err := exitOf(tc.err); err != nil {
			got = err.(*exitError).code
		}
		if got != tc.want {
			t.Errorf("%s: got exit code %d, want %d", name, got, tc.want)
		}
	}
}

func TestRunTakesItsGameUpAgainAfterAKill(t *testing.T) {
	// Anna's moves are quick, so that a kill falls now into her thinking, now into ours.
	s, url := inSandbox(t, sandbox.OpponentSpec{
		Name: "Anna", New: sandbox.Script{Think: 20 * time.Millisecond, ResignAt: 12}.Player,
		Plans: challenges(sandbox.ClockControl(time.Minute, 0)),
	})
	state := filepath.Join(t.TempDir(), "state")
	env := []string{"ZEITNOT_URL=" + url, "ZEITNOT_TOKEN=lip_bot_" + tokenMark, "ZEITNOT_STATE_DIR=" + state}
	ctx, cancel := context.WithTimeout(t.Context(), 2*patience)
	defer cancel()

	p := start(t, env, "run")
	for _, plies := range []int{3, 8, 13} {
		for games := s.Games(); len(games) == 0 || len(games[0].Moves) < plies; games = s.Games() {
			if ctx.Err() != nil {
				t.Fatalf("the game has not got to %d plies:\n%s", plies, p.output)
			}
			time.Sleep(time.Millisecond)
		}
		p.signal(syscall.SIGKILL)
		<-p.ended
		p = start(t, env, "run")
	}
	id := s.Games()[0].ID
	if _, err := s.WaitFinished(ctx, id); err != nil {
		t.Fatalf("%v:\n%s", err, p.output)
	}
	p.signal(syscall.SIGTERM)
	p.exit(0)
	// Anna resigns, unless she is mated before.
	if g, _ := s.Game(id); g.Result() != "0-1" {
		t.Errorf("got %s by %s, want the game won", g.Result(), g.Status)
	}
	record, err := os.ReadFile(filepath.Join(state, "games.pgn"))
	if got := strings.Count(string(record), "[Event "); err != nil || got != 1 {
		t.Errorf("games.pgn: got %d games, %v; want the one game once:\n%s", got, err, record)
	}
}

func TestTwoDaemonsDoNotShareAStateFolder(t *testing.T) {
	if lock, _ := lockState(t.TempDir()); lock == nil {
		t.Skip("folders are not locked on this system")
	}
	_, url := inSandbox(t)
	state := filepath.Join(t.TempDir(), "state")
	env := []string{"ZEITNOT_URL=" + url, "ZEITNOT_TOKEN=lip_bot_" + tokenMark, "ZEITNOT_STATE_DIR=" + state}
	first := start(t, env, "run")
	first.says("event stream open")
	second := start(t, env, "run")
	second.says("in use by another zeitnot")
	second.exit(1)
	first.running()
	// However the first one goes, the next may come.
	first.signal(syscall.SIGKILL)
	<-first.ended
	third := start(t, env, "run")
	third.says("event stream open")
	third.signal(syscall.SIGTERM)
	third.exit(0)
}

func TestRunRefusesMoreHashThanThereIsMemory(t *testing.T) {
	all := memoryMB()
	if all == 0 || all > 65536 {
		t.Skip("the memory of this machine is not known, or more than the setting allows")
	}
	env := []string{"ZEITNOT_URL=http://127.0.0.1:9", "ZEITNOT_TOKEN=lip_bot_" + tokenMark, fmt.Sprintf("ZEITNOT_HASH_MB=%d", all)}
	for _, command := range []string{"run", "check"} {
		p := start(t, env, command)
		p.says("MiB of memory")
		p.exit(78)
	}
}

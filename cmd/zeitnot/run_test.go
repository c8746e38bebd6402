package main

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"zeitnot/lichess/sandbox"
)

// patience is how long a test waits for what should happen at once.
const patience = 2 * time.Minute

// inSandbox starts a Lichess with a bot account and the opponents.
func inSandbox(t *testing.T, opponents ...sandbox.OpponentSpec) (s *sandbox.Server, url string) {
	t.Helper()
	return inSandboxWith(t, sandbox.Limits{}, opponents...)
}

// inSandboxWith is inSandbox with other limits than Lichess's own.
func inSandboxWith(t *testing.T, limits sandbox.Limits, opponents ...sandbox.OpponentSpec) (s *sandbox.Server, url string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	url = "http://" + listener.Addr().String()
	s, err = sandbox.New(sandbox.Options{
		Seed: 1, URL: url, Opponents: opponents, Limits: limits,
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
	p := prepare(t, env, args...)
	p.begin()
	return p
}

// prepare is a process that has not begun.
func prepare(t *testing.T, env []string, args ...string) *process {
	t.Helper()
	p := &process{t: t, cmd: exec.Command("zeitnot", args...), output: &syncBuffer{}, ended: make(chan struct{})}
	p.cmd.Env = append([]string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "ZEITNOT_LISTEN=", "ZEITNOT_LOG_LEVEL=debug",
	}, env...)
	p.cmd.Stdout, p.cmd.Stderr = p.output, p.output
	return p
}

func (p *process) begin() {
	p.t.Helper()
	if err := p.cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	go func() {
		p.cmd.Wait() // the exit code is looked at by exit
		close(p.ended)
	}()
	p.t.Cleanup(func() {
		p.cmd.Process.Kill()
		<-p.ended
		if strings.Contains(p.output.String(), tokenMark) {
			p.t.Errorf("the output shows the token:\n%s", p.output)
		}
	})
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
	// Anna does not resign before she is told to, so that the signals come in the middle of the game.
	s, url := inSandbox(t, sandbox.OpponentSpec{
		Name: "Anna", New: sandbox.Script{Think: time.Second}.Player, Plans: challenges(sandbox.ClockControl(10*time.Minute, 0)),
	})
	socket, expect := manager(t)
	address, err := freeAddress()
	if err != nil {
		t.Fatal(err)
	}
	state := filepath.Join(t.TempDir(), "state")
	env := []string{
		"ZEITNOT_URL=" + url, "ZEITNOT_TOKEN=lip_bot_" + tokenMark, "ZEITNOT_STATE_DIR=" + state, "ZEITNOT_LISTEN=" + address,
		"ZEITNOT_ACCEPT_HUMAN_SPEEDS=rapid", "NOTIFY_SOCKET=" + socket, "WATCHDOG_USEC=1500000",
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
	if err := s.Do(games[0].ID, "Anna", sandbox.Action{Resign: true}); err != nil {
		t.Fatal(err)
	}
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
	for s.OpenStreams("GoBot").Games == 0 { // then the bot plays it
		if ctx.Err() != nil {
			t.Fatalf("no game has begun:\n%s", p.output)
		}
		time.Sleep(10 * time.Millisecond)
	}
	p.signal(os.Interrupt)
	p.says("no new games")
	time.Sleep(signalGap)
	p.running()
	p.signal(os.Interrupt)
	p.exit(1) // the game was left running
}

// The engine hangs in a search and ignores quit and SIGTERM: it is gone all the same.
func TestSecondSignalTakesAnyEngineAlong(t *testing.T) {
	s, url := inSandbox(t, sandbox.OpponentSpec{
		Name: "Anna", New: sandbox.Script{}.Player, Plans: challenges(sandbox.ClockControl(10*time.Minute, 0)),
	})
	pids := filepath.Join(t.TempDir(), "pids")
	p := start(t, []string{
		"ZEITNOT_URL=" + url, "ZEITNOT_TOKEN=lip_bot_" + tokenMark, "ZEITNOT_ACCEPT_HUMAN_SPEEDS=rapid", "ZEITNOT_BOOK=",
		"ZEITNOT_ENGINE=" + program(t, "stubengine"), "ZEITNOT_ENGINE_ARGS=stubborn", "STUB_LOG=" + pids,
	}, "run")
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if _, err := waitStarted(ctx, s); err != nil {
		t.Fatalf("%v:\n%s", err, p.output)
	}
	p.signal(syscall.SIGTERM)
	p.says("no new games")
	time.Sleep(signalGap)
	began := time.Now()
	p.signal(syscall.SIGTERM)
	p.exit(1) // the game was left running
	t.Logf("it took %v", time.Since(began))
	wantGone(t, pids)
}

// wantGone wants none of the processes to run that engines have noted in the file.
func wantGone(t *testing.T, file string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	started := strings.Fields(string(text))
	if len(started) == 0 {
		t.Error("no engine was started")
	}
	for _, pid := range started {
		if n, err := strconv.Atoi(pid); err != nil || syscall.Kill(n, 0) == nil {
			t.Errorf("engine process %s still runs", pid)
		}
	}
}

func TestRunWaitsForAServerThatIsNotThere(t *testing.T) {
	nobody, err := freeAddress()
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

// Servers that do what they can to have the token written somewhere: in the log at its
// chattiest, in the state folder, in the list of processes. That the output is free of it is
// looked at when each process ends.
func TestTokenIsWrittenNowhere(t *testing.T) {
	token := "lip_bot_" + tokenMark
	echo := func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("Location", "http://elsewhere.test/"+token)
		w.WriteHeader(500)
		fmt.Fprintf(w, `{"error":"%s %s"}`, r.Header.Get("Authorization"), body)
	}
	good := func(next http.HandlerFunc) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			switch r.URL.Path {
			case "/api/token/test":
				reply(w, 200, map[string]any{token: map[string]any{"userId": "gobot", "scopes": "bot:play"}})
			case "/api/account":
				reply(w, 200, map[string]any{"id": "gobot", "username": "GoBot", "title": "BOT"})
			default:
				next(w, r)
			}
		}
	}
	refuse := func(w http.ResponseWriter, r *http.Request) {
		reply(w, 401, map[string]any{"error": "No such token: " + r.Header.Get("Authorization")})
	}
	events := func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, "{\"error\":\"Missing scope for %s\"}\nnot json %s\n{\"type\":\"%s\"}\n", token, token, token)
	}
	for name, c := range map[string]struct {
		server http.HandlerFunc
		secure bool
		says   string
	}{
		"certificate of nobody":         {echo, true, "certificate"},
		"the token test is answered":    {echo, false, "status 500"},
		"refused after the start":       {good(refuse), false, "status 401"},
		"odd lines in the event stream": {good(events), false, "Missing scope"},
		"every answer a fault":          {good(echo), false, "status 500"},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewUnstartedServer(c.server)
			server.Config.ErrorLog = log.New(io.Discard, "", 0) // the client hangs up on it
			if c.secure {
				server.StartTLS()
			} else {
				server.Start()
			}
			defer server.Close()
			state := filepath.Join(t.TempDir(), "state")
			p := start(t, []string{"ZEITNOT_URL=" + server.URL, "ZEITNOT_TOKEN=" + token, "ZEITNOT_STATE_DIR=" + state}, "run")
			p.says(c.says)
			if line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", p.cmd.Process.Pid)); err == nil && strings.Contains(string(line), tokenMark) {
				t.Errorf("the list of processes shows the token: %q", line)
			}
			p.signal(syscall.SIGTERM)
			p.exit(0)
			err := filepath.WalkDir(state, func(path string, d fs.DirEntry, err error) error {
				if err != nil || d.IsDir() {
					return err
				}
				text, err := os.ReadFile(path)
				if strings.Contains(string(text), tokenMark) {
					t.Errorf("%s holds the token", path)
				}
				return err
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
}

func TestRunSaysWhyItCannotPlay(t *testing.T) {
	_, url := inSandbox(t)
	for name, tc := range map[string]struct {
		env  []string
		code int
		says string
	}{
		"no token":       {nil, exitConfig, "no token: make one with the scope bot:play"},
		"unknown token":  {[]string{"ZEITNOT_TOKEN=lip_unknown_" + tokenMark}, exitAccess, "does not accept the token: make a new one at " + url + "/account/oauth/token"},
		"missing scope":  {[]string{"ZEITNOT_TOKEN=lip_reader_" + tokenMark}, exitAccess, "has no scope bot:play (play games with the bot API): make a new one at " + url + "/account/oauth/token"},
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
			"address already in use (ZEITNOT_LISTEN says where; empty is nowhere)",
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
		if err := exitOf(tc.err, ""); err != nil {
			got = err.(*exitError).code
		}
		if got != tc.want {
			t.Errorf("%s: got exit code %d, want %d", name, got, tc.want)
		}
	}
}

// ask gives a query's one value, as text.
func ask(t *testing.T, file, query string) string {
	t.Helper()
	db, err := sql.Open("sqlite", file)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var value string
	if err := db.QueryRow(query).Scan(&value); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return value
}

func TestRunWithoutARecordWhereThereCanBeNone(t *testing.T) {
	_, url := inSandbox(t)
	state := t.TempDir()
	db, err := sql.Open("sqlite", filepath.Join(state, recordFile))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec("PRAGMA user_version = 7"); err != nil {
		t.Fatal(err)
	}
	db.Close()
	env := []string{"ZEITNOT_URL=" + url, "ZEITNOT_TOKEN=lip_bot_" + tokenMark, "ZEITNOT_STATE_DIR=" + state}

	p := start(t, append(env, "ZEITNOT_RECORD=required"), "run")
	p.exit(exitConfig)
	p.says("zeitnot.db: made by a newer zeitnot: its schema has version 7")

	p = start(t, append(env, "ZEITNOT_RECORD=on"), "run")
	p.says("playing without a record")
	p.says("event stream open")
	p.signal(syscall.SIGTERM)
	p.exit(exitDone)

	if err := os.Remove(filepath.Join(state, recordFile)); err != nil {
		t.Fatal(err)
	}
	p = start(t, append(env, "ZEITNOT_RECORD=off"), "run")
	p.says("event stream open")
	p.signal(syscall.SIGTERM)
	p.exit(exitDone)
	if _, err := os.Stat(filepath.Join(state, recordFile)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%s: got %v, want no such file", recordFile, err)
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

func TestRunRefusesMoreThreadsThanCores(t *testing.T) {
	env := []string{"ZEITNOT_URL=http://127.0.0.1:9", "ZEITNOT_TOKEN=lip_bot_" + tokenMark, "GOMAXPROCS=2", "ZEITNOT_THREADS=3"}
	for _, command := range []string{"run", "check"} {
		p := start(t, env, command)
		p.says("3 threads of a search: there are only 2 cores here")
		p.exit(78)
	}
}

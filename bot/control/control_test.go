package control_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"zeitnot/bot"
	"zeitnot/bot/control"
	"zeitnot/leaktest"
	"zeitnot/lichess"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// proposes is a bot that does what a test says.
type proposes func(context.Context, bot.Proposal) (bot.ProposalEnd, error)

func (f proposes) Propose(ctx context.Context, p bot.Proposal) (bot.ProposalEnd, error) {
	return f(ctx, p)
}

// accepts is a bot whose challenges are accepted.
func accepts(context.Context, bot.Proposal) (bot.ProposalEnd, error) {
	return bot.ProposalEnd{Outcome: bot.Accepted}, nil
}

// folder is one with a path short enough for a socket, unlike some of the tests' own.
func folder(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "control")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// serve serves until the test or the returned function ends it, which tells what Serve returned.
func serve(t *testing.T, dir string, b control.Bot) (stop func() error) {
	t.Helper()
	socket, err := control.Listen(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- socket.Serve(ctx, b) }()
	stop = func() error {
		cancel()
		err := <-ended
		ended <- err
		return err
	}
	t.Cleanup(func() { _ = stop() })
	return stop
}

func TestChallengeReachesTheBotAndItsEndTheAsker(t *testing.T) {
	dir := folder(t)
	want := bot.Proposal{User: "Anna", Time: lichess.ClockControl(180, 0), Rated: true, Color: lichess.Black, Variant: lichess.Chess960}
	wantEnd := bot.ProposalEnd{Outcome: bot.Declined, Game: "https://lichess.org/abcd1234", Why: "later"}
	got := make(chan bot.Proposal, 1)
	serve(t, dir, proposes(func(_ context.Context, p bot.Proposal) (bot.ProposalEnd, error) {
		got <- p
		return wantEnd, nil
	}))
	end, err := control.Challenge(t.Context(), dir, want)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, <-got); diff != "" {
		t.Errorf("challenge (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(wantEnd, end); diff != "" {
		t.Errorf("end (-want +got):\n%s", diff)
	}
}

func TestAskerWhoLeavesEndsTheContextOfTheBot(t *testing.T) {
	dir := folder(t)
	asked, left := make(chan struct{}), make(chan struct{})
	serve(t, dir, proposes(func(ctx context.Context, _ bot.Proposal) (bot.ProposalEnd, error) {
		close(asked)
		<-ctx.Done()
		close(left)
		return bot.ProposalEnd{}, ctx.Err()
	}))
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-asked
		cancel()
	}()
	if _, err := control.Challenge(ctx, dir, bot.Proposal{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want the end of the context", err)
	}
	<-left
}

func TestEndOfTheBotEndsTheWait(t *testing.T) {
	dir := folder(t)
	asked := make(chan struct{})
	stop := serve(t, dir, proposes(func(ctx context.Context, _ bot.Proposal) (bot.ProposalEnd, error) {
		close(asked)
		<-ctx.Done()
		time.Sleep(1500 * time.Millisecond) // as on a busy machine
		return bot.ProposalEnd{}, ctx.Err()
	}))
	stopped := make(chan error, 1)
	go func() {
		<-asked
		stopped <- stop()
	}()
	if _, err := control.Challenge(t.Context(), dir, bot.Proposal{}); err == nil || err.Error() != "the bot is being stopped" {
		t.Errorf("got %v, want that the bot is being stopped", err)
	}
	if err := <-stopped; err != nil {
		t.Errorf("serve: got %v", err)
	}
}

func TestSocketIsForItsOwnerAndIsRemovedAtTheEnd(t *testing.T) {
	dir := folder(t)
	stop := serve(t, dir, proposes(accepts))
	path := filepath.Join(dir, "control.sock")
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("socket: got %v, %v; want mode 0600", info, err)
	}
	if err := stop(); err != nil {
		t.Errorf("serve: got %v", err)
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) > 0 {
		t.Errorf("at the end: got %v, %v; want no socket", files, err)
	}
}

func TestHalfARequestDoesNotHoldUpTheEnd(t *testing.T) {
	dir := folder(t)
	stop := serve(t, dir, proposes(accepts))
	conn, err := net.Dial("unix", filepath.Join(dir, "control.sock"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	// The server asks for the body that it has begun to wait for.
	if _, err := conn.Write([]byte("POST /challenge HTTP/1.1\r\nHost: control\r\nContent-Length: 10\r\nExpect: 100-continue\r\n\r\n")); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(conn, make([]byte, len("HTTP/1.1 100 Continue\r\n\r\n"))); err != nil {
		t.Fatal(err)
	}
	if err := stop(); err != nil {
		t.Errorf("serve: got %v", err)
	}
}

// A process that is killed while it is asked.
func TestEndWithoutAnAnswerIsTold(t *testing.T) {
	dir := folder(t)
	l, err := net.Listen("unix", filepath.Join(dir, "control.sock"))
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		defer l.Close()
		if conn, err := l.Accept(); err == nil {
			conn.Close()
		}
	}()
	if _, err := control.Challenge(t.Context(), dir, bot.Proposal{}); err == nil || !strings.Contains(err.Error(), "ended before it had answered") {
		t.Errorf("got %v, want that the bot has ended", err)
	}
	<-ended
}

// stale leaves a socket behind as a killed process does.
func stale(t *testing.T, path string) {
	t.Helper()
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	l.(*net.UnixListener).SetUnlinkOnClose(false)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestSocketOfADeadProcessIsReplaced(t *testing.T) {
	dir := folder(t)
	stale(t, filepath.Join(dir, "control.sock"))
	stale(t, filepath.Join(dir, "control.new"))
	serve(t, dir, proposes(accepts))
	if end, err := control.Challenge(t.Context(), dir, bot.Proposal{}); err != nil || end.Outcome != bot.Accepted {
		t.Errorf("got %+v, %v", end, err)
	}
}

func TestFileInTheSocketsPlaceIsLeftAlone(t *testing.T) {
	dir := folder(t)
	path := filepath.Join(dir, "control.sock")
	if err := os.WriteFile(path, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := control.Listen(t.Context(), dir); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("got %v, want an error with the path", err)
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != "mine" {
		t.Errorf("file: got %q, %v", text, err)
	}
}

func TestNoDaemonIsToldFromOtherFailures(t *testing.T) {
	dir := folder(t)
	if _, err := control.Challenge(t.Context(), dir, bot.Proposal{}); !errors.Is(err, control.ErrNoDaemon) {
		t.Errorf("no socket: got %v", err)
	}
	stale(t, filepath.Join(dir, "control.sock"))
	if _, err := control.Challenge(t.Context(), dir, bot.Proposal{}); !errors.Is(err, control.ErrNoDaemon) {
		t.Errorf("socket of a dead process: got %v", err)
	}
}

func TestFolderTooDeepForASocketIsNamed(t *testing.T) {
	dir := filepath.Join(folder(t), strings.Repeat("deep", 30))
	_, listened := control.Listen(t.Context(), dir)
	_, asked := control.Challenge(t.Context(), dir, bot.Proposal{})
	for _, err := range []error{listened, asked} {
		if err == nil || !strings.Contains(err.Error(), dir) || !strings.Contains(err.Error(), "103 at most") || errors.Is(err, control.ErrNoDaemon) {
			t.Errorf("got %v, want an error with the path and the limit", err)
		}
	}
}

func TestNonsenseIsRefused(t *testing.T) {
	dir := folder(t)
	serve(t, dir, proposes(accepts))
	transport := &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", filepath.Join(dir, "control.sock"))
	}}
	for _, c := range []struct {
		method, path, body string
		want               int
	}{
		{"POST", "/challenge", "nonsense", http.StatusBadRequest},
		{"POST", "/challenge", `{"user":"` + strings.Repeat("a", 100_000) + `"}`, http.StatusBadRequest},
		{"GET", "/challenge", "", http.StatusMethodNotAllowed},
		{"POST", "/other", "{}", http.StatusNotFound},
	} {
		r, err := http.NewRequestWithContext(t.Context(), c.method, "http://control"+c.path, strings.NewReader(c.body))
		if err != nil {
			t.Fatal(err)
		}
		reply, err := (&http.Client{Transport: transport}).Do(r)
		if err != nil {
			t.Fatal(err)
		}
		reply.Body.Close()
		if reply.StatusCode != c.want {
			t.Errorf("%s %s: got status %d, want %d", c.method, c.path, reply.StatusCode, c.want)
		}
	}
}

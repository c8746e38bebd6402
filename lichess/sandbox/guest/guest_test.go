package guest_test

import (
	"bytes"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"zeitnot/leaktest"
	"zeitnot/lichess/sandbox/guest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// patience is how long a test waits for what should happen at once.
const patience = 2 * time.Minute

func start(t *testing.T, c guest.Command) *guest.Process {
	t.Helper()
	p, err := guest.Start(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Kill)
	return p
}

func ended(t *testing.T, p *guest.Process) {
	t.Helper()
	select {
	case <-p.Ended():
	case <-time.After(patience):
		t.Fatalf("still running; it wrote %q", p.Output())
	}
}

func TestTheBotIsToldWhereTheSandboxIs(t *testing.T) {
	t.Setenv("LICHESS_BOT_TOKEN", "lip_of_somebody")
	t.Setenv("ZEITNOT_TOKEN_FILE", "/etc/zeitnot/token")
	var log bytes.Buffer
	p := start(t, guest.Command{
		Line: `echo {url} {token} {dir} $ZEITNOT_URL $LICHESS_URL $ZEITNOT_TOKEN $LICHESS_TOKEN $LICHESS_BOT_TOKEN $STATE_DIRECTORY "[$ZEITNOT_TOKEN_FILE]" $MORE >&2; exit 3`,
		URL:  "http://127.0.0.1:1", Token: "it's", Dir: "/a b", Env: []string{"MORE=more"}, Log: &log,
	})
	ended(t, p)
	const want = "http://127.0.0.1:1 it's /a b http://127.0.0.1:1 http://127.0.0.1:1 it's it's it's /a b [] more\n"
	if got := p.Output(); got != want || log.String() != want {
		t.Errorf("got %q and in the log %q, want %q", got, log.String(), want)
	}
	if err := p.Err(); err == nil || !strings.Contains(err.Error(), "exit status 3") {
		t.Errorf("got %v, want exit status 3", err)
	}
}

func TestAnEmptyCommandIsAnError(t *testing.T) {
	if _, err := guest.Start(guest.Command{Line: " "}); err == nil {
		t.Error("got no error")
	}
}

func TestOnlyTheEndOfTheOutputIsKept(t *testing.T) {
	p := start(t, guest.Command{Line: `i=0; while [ $i -lt 2000 ]; do echo line $i; i=$((i+1)); done`})
	ended(t, p)
	if got := p.Output(); !strings.HasSuffix(got, "line 1999\n") || len(got) > 4096 {
		t.Errorf("got %d bytes that end with %q", len(got), got[max(0, len(got)-20):])
	}
}

// says waits until the bot has written the text.
func says(t *testing.T, p *guest.Process, text string) {
	t.Helper()
	for deadline := time.Now().Add(patience); !strings.Contains(p.Output(), text); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("no %q in %q", text, p.Output())
		}
	}
}

func TestStopAsksAndThenKillsAllThatTheBotStarted(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("process groups are used on Linux only")
	}
	for name, line := range map[string]string{
		"polite": `trap 'echo bye; exit 0' TERM; sleep 1000 & echo up; wait`,
		"deaf":   `trap '' TERM; (trap '' TERM; while :; do sleep 1000; done) & echo up; wait`,
		"left":   `sleep 1000 & echo up`,
	} {
		p := start(t, guest.Command{Line: line})
		says(t, p, "up")
		wait := patience
		if name == "deaf" {
			wait = 50 * time.Millisecond
		}
		p.Stop(wait)
		ended(t, p)
		if name == "polite" && !strings.Contains(p.Output(), "bye") {
			t.Errorf("%s: it was not asked to end: %q", name, p.Output())
		}
		if _, err := p.Usage(); err == nil {
			t.Errorf("%s: something of it is still running", name)
		}
	}
}

func TestUsageIsThatOfAllProcesses(t *testing.T) {
	if _, err := os.Stat("/proc/self/stat"); err != nil {
		t.Skip("no /proc here")
	}
	// The shell, a child, a grandchild, and one that has ended and whose parent, which became
	// another program, never asks.
	p := start(t, guest.Command{Line: `sh -c 'sleep 1000 & echo grandchild; wait' & sh -c 'true & exec sleep 1000' & echo up; wait`})
	says(t, p, "up")
	says(t, p, "grandchild")
	var got guest.Usage
	for deadline := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
		var err error
		if got, err = p.Usage(); err != nil {
			t.Fatal(err)
		}
		if got.Processes == 4 && got.Zombies == 1 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("got %+v, want 4 processes and a zombie", got)
		}
	}
	if got.RSS < 400<<10 || got.RSS > 100<<20 || got.Threads != 4 || got.Descriptors < 12 || got.PSS > got.RSS {
		t.Errorf("got %+v", got)
	}
}

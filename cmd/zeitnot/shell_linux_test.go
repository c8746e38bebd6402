package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// terminalPair is a pseudo-terminal: what a person types and sees, and what the program does.
func terminalPair(t *testing.T) (person, program *os.File) {
	t.Helper()
	person, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { person.Close() })
	n, err := unix.IoctlGetInt(int(person.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(person.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		err = unix.IoctlSetWinsize(int(person.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 40, Col: 100})
	}
	if err != nil {
		t.Fatal(err)
	}
	program, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	return person, program
}

// shellAtTerminal is a shell that a person sits at, a function that types, and one that tells
// whether the terminal itself shows what is typed and turns Ctrl-C into a signal. As keys mean
// something else while no line is edited, typing waits until one is; but for Ctrl-C alone, which
// has to wait for nothing.
func shellAtTerminal(t *testing.T, env ...string) (p *process, keys func(string), usual func() bool) {
	t.Helper()
	person, program := terminalPair(t)
	p = prepare(t, append(env, "TERM=xterm"), "shell")
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = program, program, program
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	p.begin()
	program.Close()
	var seeing sync.WaitGroup
	seeing.Go(func() { io.Copy(p.output, person) }) // ends with an error when the program does
	t.Cleanup(seeing.Wait)
	usual = func() bool {
		t.Helper()
		state, err := unix.IoctlGetTermios(int(person.Fd()), unix.TCGETS)
		if err != nil {
			t.Fatal(err)
		}
		return state.Lflag&unix.ECHO != 0 && state.Lflag&unix.ISIG != 0
	}
	keys = func(text string) {
		t.Helper()
		for deadline := time.Now().Add(patience); text != ctrlC && usual(); time.Sleep(10 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("no line is edited:\n%s", p.output)
			}
		}
		if _, err := io.WriteString(person, text); err != nil {
			t.Fatal(err)
		}
	}
	return p, keys, usual
}

const ctrlC = "\x03"

func TestShellAtATerminal(t *testing.T) {
	state := filepath.Join(t.TempDir(), "state")
	p, keys, _ := shellAtTerminal(t, "ZEITNOT_STATE_DIR="+state)
	p.says("help lists the commands")
	p.says("zeitnot> ")
	keys("mo\te4\r")
	p.says("1. e4  (black to move)")
	// Ctrl-C ends a thought that would go on for ever.
	keys("go infinite\r")
	p.says("    1  ")
	keys(ctrlC)
	p.says("best move \x1b[1m1... ")
	// Ctrl-C gives a line up.
	keys("half a line")
	p.says("half a line")
	keys(ctrlC)
	p.says("Ctrl-C again or Ctrl-D leaves")
	keys("fen\r")
	p.says("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1")
	keys("\x04")
	p.exit(0)

	path := filepath.Join(state, "shell_history")
	text, err := os.ReadFile(path)
	if want := "move e4\ngo infinite\nfen\n"; err != nil || string(text) != want {
		t.Errorf("history: got %q, %v, want %q", text, err, want)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("history: got %v, %v, want mode 0600", info, err)
	}

	// The next shell remembers, shows no colours if none are wanted, and two Ctrl-C leave.
	p, keys, _ = shellAtTerminal(t, "ZEITNOT_STATE_DIR="+state, "NO_COLOR=1")
	p.says("zeitnot> ")
	keys("\x1b[A\x1b[A\x1b[A\r")
	p.says("1. e4  (black to move)")
	keys("d\rgo depth 1\r")
	p.says("best move 1... ")
	keys(ctrlC + ctrlC)
	p.exit(0)
	if strings.Contains(p.output.String(), "\x1b[1m") {
		t.Errorf("colours though NO_COLOR is set: %q", p.output)
	}
}

func TestShellLeavesTheTerminalAsItWas(t *testing.T) {
	p, _, usual := shellAtTerminal(t)
	p.says("zeitnot> ")
	if usual() {
		t.Error("keys are not passed on while a line is edited")
	}
	p.signal(syscall.SIGTERM)
	p.exit(0)
	if !usual() {
		t.Error("the terminal is left as it was while a line was edited")
	}
}

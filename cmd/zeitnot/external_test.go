package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"zeitnot/lichess/sandbox"
)

// program is the absolute path of a program.
func program(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("%s is not installed", name)
	}
	if path, err = filepath.Abs(path); err != nil {
		t.Fatal(err)
	}
	return path
}

// Whatever an engine does wrong, both games come to their ends, and nothing of it is left.
func TestRunPlaysWithAnotherEngine(t *testing.T) {
	if testing.Short() {
		t.Skip("plays games in real time")
	}
	const again = "external engine failed again, the embedded engine plays the rest of this game"
	// A hang is known two seconds after the move, when so short a game may be over.
	const once = "external engine failed, it is restarted"
	for fault, says := range map[string]string{
		"":          `"source":"engine"`,
		"crash":     again,
		"hang":      once,
		"illegal":   again,
		"null":      again,
		"late":      `"message":"external engine `, // that it is late, or, where another game needs the slot, that it failed
		"talkative": `"source":"engine"`,
		"third go":  once,
		"idle":      once,
	} {
		t.Run("fault "+fault, func(t *testing.T) {
			t.Parallel()
			plays := sandbox.Script{Think: 10 * time.Millisecond, ResignAt: 4}.Player
			control := sandbox.ClockControl(30*time.Second, 0)
			plan := func(color string) []sandbox.Plan {
				return []sandbox.Plan{{Challenge: sandbox.Challenge{To: "GoBot", Control: control, Rated: true, Color: color}}}
			}
			s, url := inSandbox(t,
				sandbox.OpponentSpec{Name: "Anna", New: plays, Plans: plan("white")},
				sandbox.OpponentSpec{Name: "Berta", New: plays, Plans: plan("black")})
			pids := filepath.Join(t.TempDir(), "pids")
			p := start(t, []string{
				"ZEITNOT_URL=" + url, "ZEITNOT_TOKEN=lip_bot_" + tokenMark, "ZEITNOT_BOOK=", "ZEITNOT_CONCURRENCY=2",
				"ZEITNOT_ENGINE=" + program(t, "stubengine"), "ZEITNOT_ENGINE_ARGS=" + fault,
				"ZEITNOT_ENGINE_OPTIONS=Hash=8", "ZEITNOT_LOG_FORMAT=json", "STUB_LOG=" + pids,
			}, "run")
			p.says(`"engine":"Stub 1"`)
			ctx, cancel := context.WithTimeout(t.Context(), 2*patience)
			defer cancel()
			games, err := s.WaitGames(ctx, 2)
			if err != nil {
				t.Fatalf("%v:\n%s", err, p.output)
			}
			p.says(says)
			p.signal(syscall.SIGTERM)
			p.exit(0)
			for _, g := range games {
				if g.Status != sandbox.Resign || g.FlagFallen() != "" {
					t.Errorf("game %s: %s by %s, want that the opponent resigns:\n%s", g.ID, g.Result(), g.Status, p.output)
				}
			}
			wantGone(t, pids)
		})
	}
}

// The engine plays only the games that are for it.
func TestRunChoosesTheEngineByTheGame(t *testing.T) {
	if testing.Short() {
		t.Skip("plays games in real time")
	}
	plays := sandbox.Script{Think: 10 * time.Millisecond, ResignAt: 4}.Player
	plan := func(color string) []sandbox.Plan {
		return []sandbox.Plan{{Challenge: sandbox.Challenge{To: "GoBot", Control: sandbox.ClockControl(30*time.Second, 0), Rated: true, Color: color}}}
	}
	s, url := inSandbox(t,
		sandbox.OpponentSpec{Name: "Anna", New: plays, Plans: plan("white")},
		sandbox.OpponentSpec{Name: "Berta", New: plays, Plans: plan("black")})
	p := start(t, []string{
		"ZEITNOT_URL=" + url, "ZEITNOT_TOKEN=lip_bot_" + tokenMark, "ZEITNOT_BOOK=", "ZEITNOT_LOG_FORMAT=json", "ZEITNOT_CONCURRENCY=2",
		"ZEITNOT_ENGINE=" + program(t, "stubengine"), "ZEITNOT_ENGINE_FOR_COLORS=black",
	}, "run")
	ctx, cancel := context.WithTimeout(t.Context(), 2*patience)
	defer cancel()
	games, err := s.WaitGames(ctx, 2)
	if err != nil {
		t.Fatalf("%v:\n%s", err, p.output)
	}
	p.signal(syscall.SIGTERM)
	p.exit(0)
	for _, g := range games {
		source := `"source":"engine"`
		if g.White == "GoBot" {
			source = `"source":"search"`
		}
		moves := 0
		for line := range strings.SplitSeq(p.output.String(), "\n") {
			if strings.Contains(line, g.ID) && strings.Contains(line, `"source":`) {
				moves++
				if !strings.Contains(line, source) {
					t.Errorf("want %s in %s", source, line)
				}
			}
		}
		if moves == 0 {
			t.Errorf("game %s has no moves of ours:\n%s", g.ID, p.output)
		}
	}
}

func TestRunPlaysWithStockfish(t *testing.T) {
	if testing.Short() {
		t.Skip("plays a game in real time")
	}
	path := program(t, "stockfish")
	s, url := inSandbox(t, sandbox.OpponentSpec{
		Name: "Anna", New: sandbox.Script{Think: 300 * time.Millisecond, ResignAt: 12}.Player,
		Plans: challenges(sandbox.ClockControl(30*time.Second, 0)),
	})
	p := start(t, []string{
		"ZEITNOT_URL=" + url, "ZEITNOT_TOKEN=lip_bot_" + tokenMark, "ZEITNOT_BOOK=", "ZEITNOT_LOG_FORMAT=json",
		"ZEITNOT_ENGINE=" + path, "ZEITNOT_ENGINE_OPTIONS=Skill Level=20", "ZEITNOT_ENGINE_UNKNOWN_OPTION=error", "GOMAXPROCS=2",
	}, "run")
	ctx, cancel := context.WithTimeout(t.Context(), 2*patience)
	defer cancel()
	games, err := s.WaitGames(ctx, 1)
	if err != nil {
		t.Fatalf("%v:\n%s", err, p.output)
	}
	p.says(`"source":"engine"`)
	p.signal(syscall.SIGTERM)
	p.exit(0)
	if g := games[0]; g.Result() != "0-1" {
		t.Errorf("got %s by %s, want the game won", g.Result(), g.Status)
	}
	// It may be late on a busy machine, but it does not fail.
	if wrong := "external engine failed"; strings.Contains(p.output.String(), wrong) {
		t.Errorf("%s:\n%s", wrong, p.output)
	}
}

func TestRunRefusesAnEngineThatDoesNotPlay(t *testing.T) {
	_, url := inSandbox(t)
	stub := "ZEITNOT_ENGINE=" + program(t, "stubengine")
	plain := filepath.Join(t.TempDir(), "engine")
	if err := os.WriteFile(plain, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		env  []string
		says string
	}{
		"no such file":  {[]string{"ZEITNOT_ENGINE=/nowhere/engine"}, "start engine /nowhere/engine: fork/exec /nowhere/engine: no such file or directory"},
		"not a program": {[]string{"ZEITNOT_ENGINE=" + plain}, "permission denied"},
		"says nothing":  {[]string{"ZEITNOT_ENGINE=" + program(t, "false")}, "false: engine without a name: died"},
		"never ready": {
			[]string{stub, "ZEITNOT_ENGINE_ARGS=no uciok", "ZEITNOT_ENGINE_START_TIMEOUT=1s"},
			"no uciok: uci is not answered within 1s",
		},
		"killed":         {[]string{stub, "ZEITNOT_ENGINE_ARGS=illegal instruction"}, "died: after uci"},
		"ends at once":   {[]string{stub, "ZEITNOT_ENGINE_ARGS=mute at once"}, "died: after uci"},
		"unknown option": {[]string{stub, "ZEITNOT_ENGINE_OPTIONS=Sharpness=3", "ZEITNOT_ENGINE_UNKNOWN_OPTION=error"}, "engine Stub 1: bad option: Sharpness is not among its options"},
	} {
		for _, command := range []string{"run", "check"} {
			t.Run(name+", "+command, func(t *testing.T) {
				p := start(t, append([]string{"ZEITNOT_URL=" + url, "ZEITNOT_TOKEN=lip_bot_" + tokenMark}, c.env...), command)
				p.exit(exitConfig)
				p.says(c.says)
			})
		}
	}
}

func TestCheckNamesTheEngine(t *testing.T) {
	_, url := inSandbox(t)
	p := start(t, []string{
		"ZEITNOT_URL=" + url, "ZEITNOT_TOKEN=lip_bot_" + tokenMark, "ZEITNOT_ENGINE=" + program(t, "stubengine"),
		"ZEITNOT_ENGINE_OPTIONS=Sharpness=3,Hash=9999",
	}, "check")
	p.exit(0)
	for _, want := range []string{
		"warn  engine option: engine Stub 1: bad option: Sharpness is not among its options",
		"warn  engine option: engine Stub 1: bad option: Hash: 9999 is not within 1..64",
		"ok    engine: Stub 1 starts and plays",
		"warn  engine: Stub 1 does not play Chess960: the engine inside the program does",
	} {
		p.says(want)
	}
}

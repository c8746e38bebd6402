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

// obeying plays like another opponent until it is told to give up.
type obeying struct {
	sandbox.Opponent
	told <-chan struct{}
}

func (o obeying) Act(ctx context.Context, v sandbox.View) (sandbox.Action, error) {
	select {
	case <-o.told:
		if v.MyTurn && !v.Over && len(v.Moves) > 1 {
			return sandbox.Action{Resign: true}, nil
		}
	default:
	}
	return o.Opponent.Act(ctx, v)
}

// Whatever an engine does wrong, both games come to their ends, and nothing of it is left.
func TestRunPlaysWithAnotherEngine(t *testing.T) {
	if testing.Short() {
		t.Skip("plays games in real time")
	}
	const again = "external engine failed again, the embedded engine plays the rest of this game"
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
			// However long the engine takes to start again, the games last until it was seen.
			told := make(chan struct{})
			plays := func(info sandbox.GameInfo) sandbox.Opponent {
				return obeying{sandbox.Script{Think: 10 * time.Millisecond}.Player(info), told}
			}
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
			p.says(says)
			close(told)
			ctx, cancel := context.WithTimeout(t.Context(), 2*patience)
			defer cancel()
			games, err := s.WaitGames(ctx, 2)
			if err != nil {
				t.Fatalf("%v:\n%s", err, p.output)
			}
			p.signal(syscall.SIGTERM)
			p.exit(0)
			for _, g := range games {
				if g.Winner != g.Color("GoBot") || g.FlagFallen() != "" {
					t.Errorf("game %s: %s by %s, want it won:\n%s", g.ID, g.Result(), g.Status, p.output)
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
	plan := func(color string, clock time.Duration) []sandbox.Plan {
		return []sandbox.Plan{{Challenge: sandbox.Challenge{To: "GoBot", Control: sandbox.ClockControl(clock, 0), Rated: true, Color: color}}}
	}
	// The engine answers at once, and with a long clock it is waited for on the busiest machine;
	// ours uses what it is given.
	s, url := inSandbox(t,
		sandbox.OpponentSpec{Name: "Anna", New: plays, Plans: plan("white", 10*time.Minute)},
		sandbox.OpponentSpec{Name: "Berta", New: plays, Plans: plan("black", 30*time.Second)})
	p := start(t, []string{
		"ZEITNOT_URL=" + url, "ZEITNOT_TOKEN=lip_bot_" + tokenMark, "ZEITNOT_BOOK=", "ZEITNOT_LOG_FORMAT=json", "ZEITNOT_CONCURRENCY=2",
		"ZEITNOT_ACCEPT_HUMAN_SPEEDS=bullet,rapid",
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
		forEngine := g.Black == "GoBot"
		moves := 0
		for line := range strings.SplitSeq(p.output.String(), "\n") {
			if !strings.Contains(line, g.ID) || !strings.Contains(line, `"message":"move"`) {
				continue
			}
			// The first move of a game is a short one, for which the engine may be late.
			if moves++; strings.Contains(line, `"source":"engine"`) != forEngine && (moves > 1 || !forEngine) {
				t.Errorf("by the engine is to be %v: %s", forEngine, line)
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
	// It may be late on a busy machine, even so late that it counts as lost, but it does not fail.
	for line := range strings.SplitSeq(p.output.String(), "\n") {
		if strings.Contains(line, "external engine failed") && !strings.Contains(line, "no bestmove") {
			t.Errorf("%s in\n%s", line, p.output)
		}
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

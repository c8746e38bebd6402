package main

import (
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"zeitnot/lichess"
	"zeitnot/lichess/sandbox"
)

// shortFolder is a folder with a path short enough for a socket.
func shortFolder(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "zeitnot")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// A real daemon and real commands, one process each.
func TestChallengeHasTheRunningBotChallenge(t *testing.T) {
	s, url := inSandbox(t,
		sandbox.OpponentSpec{Name: "Anna", New: sandbox.Script{NoShow: true}.Player},
		sandbox.OpponentSpec{Name: "Bert", New: sandbox.Script{}.Player, Answer: func(sandbox.ChallengeRecord) string { return "tooFast" }},
		sandbox.OpponentSpec{Name: "Sleepy", New: sandbox.Script{}.Player, AnswerDelay: time.Hour},
	)
	env := []string{"ZEITNOT_URL=" + url, "ZEITNOT_TOKEN=lip_bot_" + tokenMark, "ZEITNOT_STATE_DIR=" + shortFolder(t), "ZEITNOT_ABORT_AFTER=10m"}
	daemon := start(t, env, "run")
	daemon.says("event stream open")
	for _, c := range []struct {
		args []string
		exit int
		says string
	}{
		{[]string{"bert", "--time", "3+2"}, 1, "zeitnot: challenge to bert declined: This time control is too fast for me"},
		{[]string{"nobody", "--time", "3+2"}, 1, "zeitnot: challenge to nobody failed: status 400: No such user: nobody"},
		{[]string{"gobot", "--time", "3+2"}, 1, "You cannot challenge yourself"},
	} {
		p := start(t, env, append([]string{"challenge"}, c.args...)...)
		p.exit(c.exit)
		p.says(c.says)
	}

	// One that nobody answers stands in the way of another, and is withdrawn by Ctrl-C.
	sleepy := start(t, env, "challenge", "sleepy", "--time", "1+0")
	daemon.says(`"user":"sleepy"`)
	busy := start(t, env, "challenge", "anna", "--time", "3+2")
	busy.exit(1)
	busy.says("a challenge to sleepy waits for its answer")
	sleepy.signal(syscall.SIGINT)
	sleepy.exit(1)
	sleepy.says("the bot withdraws the challenge")
	daemon.says(`"outcome":"withdrawn"`)

	accepted := start(t, env, "challenge", "Anna", "--time", "3+2", "--rated", "--color", "black", "--variant", "chess960")
	accepted.exit(0)
	games := s.Games()
	if len(games) != 1 {
		t.Fatalf("games: got %d, want 1", len(games))
	}
	accepted.says("\n" + url + "/" + games[0].ID + "\n")
	for _, c := range s.Challenges() {
		switch want := map[string]string{"sleepy": lichess.ChallengeCanceled, "bert": lichess.ChallengeDeclined, "Anna": lichess.ChallengeAccepted}[c.To]; {
		case c.State != want:
			t.Errorf("challenge to %s: got %s, want %s", c.To, c.State, want)
		case c.To == "Anna" && (!c.Rated || c.Color != "black" || c.Variant != sandbox.Chess960):
			t.Errorf("challenge to Anna: got %+v", c.Challenge)
		}
	}

	daemon.signal(syscall.SIGTERM)
	daemon.says("draining")
	late := start(t, env, "challenge", "bert", "--time", "3+2")
	late.exit(1)
	late.says("the bot is being stopped")
	if err := s.Do(games[0].ID, "Anna", sandbox.Action{Abort: true}); err != nil {
		t.Fatal(err)
	}
	daemon.exit(0)
	gone := start(t, env, "challenge", "bert", "--time", "3+2")
	gone.exit(69)
	gone.says("no bot is running")
}

func TestStateFolderTooDeepForASocketIsNoReasonNotToPlay(t *testing.T) {
	s, url := inSandbox(t, sandbox.OpponentSpec{
		Name: "Anna", New: sandbox.Script{ResignAt: 3}.Player, Plans: challenges(sandbox.ClockControl(3*time.Minute, 0)),
	})
	env := []string{
		"ZEITNOT_URL=" + url, "ZEITNOT_TOKEN=lip_bot_" + tokenMark,
		"ZEITNOT_STATE_DIR=" + shortFolder(t) + "/" + strings.Repeat("deep/", 25),
	}
	daemon := start(t, env, "run")
	daemon.says("no control socket")
	daemon.says("game over")
	if games := s.Games(); len(games) == 0 || games[0].Status != sandbox.Resign {
		t.Errorf("games: got %v, want one to its end", games)
	}
	asker := start(t, env, "challenge", "anna", "--time", "3+2")
	asker.exit(1)
	asker.says("a socket's path has 103 at most")
	daemon.signal(syscall.SIGTERM)
	daemon.exit(0)
}

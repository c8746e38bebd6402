package main

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"zeitnot/engine/position"
	"zeitnot/lichess/sandbox"
)

func TestADemoFailsOnlyByOurFlagOrWithoutAResult(t *testing.T) {
	for name, tc := range map[string]struct {
		status sandbox.Status
		winner string
		want   string
	}{
		"won by mate":     {sandbox.Mate, "white", ""},
		"lost by mate":    {sandbox.Mate, "black", ""},
		"drawn":           {sandbox.Draw, "", ""},
		"they lost time":  {sandbox.OutOfTime, "white", ""},
		"we lost on time": {sandbox.OutOfTime, "black", "was lost on time"},
		"aborted":         {sandbox.Aborted, "", "ended without a result: aborted"},
	} {
		t.Run(name, func(t *testing.T) {
			a := newApp(strings.NewReader(""), io.Discard, io.Discard)
			err := a.demoResult([]sandbox.GameRecord{{ID: "abcd1234", White: demoName, Black: "club", Status: tc.status, Winner: tc.winner}})
			switch {
			case tc.want == "" && err != nil:
				t.Errorf("got %v, want success", err)
			case tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)):
				t.Errorf("got %v, want an error with %q", err, tc.want)
			}
		})
	}
}

func TestResultsCountFromOurSide(t *testing.T) {
	var out bytes.Buffer
	a := newApp(strings.NewReader(""), &out, io.Discard)
	err := a.printResults([]sandbox.GameRecord{
		{White: demoName, Black: "club", Status: sandbox.Mate, Winner: "white", WhiteClock: 5 * time.Second, WhiteDiff: 7},
		{White: "club", Black: demoName, Status: sandbox.Mate, Winner: "white", BlackClock: 61 * time.Second, BlackDiff: -7},
		{White: "club", Black: demoName, Status: sandbox.Stalemate},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"zeitnot: 1 won, 1 drawn, 1 lost", "0:05.0      +7", "1:01.0      -7"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in:\n%s", want, out.String())
		}
	}
}

func TestBoardsStandSideBySide(t *testing.T) {
	now := time.Now()
	after := "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"
	got := boards([]sandbox.GameRecord{
		{
			ID: "over1234", White: "club", Black: demoName, Status: sandbox.Draw, FEN: position.StartFEN,
			Control: sandbox.ClockControl(time.Minute, 0),
		},
		{
			ID: "runs1234", White: demoName, Black: "novice", Status: sandbox.Started, FEN: after,
			Control:    sandbox.ClockControl(3*time.Minute, 2*time.Second),
			WhiteClock: 3 * time.Minute, BlackClock: 100 * time.Second,
			Moves: []sandbox.MoveRecord{{}, {}, {SAN: "e4", At: now.Add(-2500 * time.Millisecond)}},
		},
	}, now, shownBoards)
	lines := strings.Split(got, "\n")
	if len(lines) != boardHeight+1 {
		t.Fatalf("got %d lines, want %d:\n%s", len(lines)-1, boardHeight, got)
	}
	for i, want := range map[int]string{
		0: "  runs1234 3+2                          over1234 1+0",
		1: "  novice            0     1:37.5        zeitnot           0     0:00.0", // it is black's turn
		2: "8 r n b q k b n r                     8 r n b q k b n r",
		6: "4 . . . . P . . .                     4 . . . . . . . .",
		// The last line says how it stands.
		11: "  move 1, last e4                       1/2-1/2 by draw",
	} {
		if strings.TrimRight(lines[i], " ") != want {
			t.Errorf("line %d:\ngot  %q\nwant %q", i, lines[i], want)
		}
	}
}

func TestBoardsFitTheTerminal(t *testing.T) {
	for _, c := range []struct{ width, height, want int }{
		{80, 24, 2}, {200, 60, 2}, {76, 13, 2}, {75, 13, 1}, {38, 24, 1}, {37, 24, 0}, {80, 12, 0}, {0, 0, 2},
	} {
		if got := boardsThatFit(c.width, c.height); got != c.want {
			t.Errorf("%d columns, %d lines: got %d boards, want %d", c.width, c.height, got, c.want)
		}
	}
	games := []sandbox.GameRecord{
		{ID: "first123", FEN: position.StartFEN, Status: sandbox.Started}, {ID: "other123", FEN: position.StartFEN, Status: sandbox.Started},
	}
	for line := range strings.Lines(boards(games, time.Now(), 1)) {
		if n := utf8.RuneCountInString(strings.TrimRight(line, "\n")); n > boardWidth {
			t.Errorf("a single board has a line of %d columns, want at most %d: %q", n, boardWidth, line)
		}
	}
}

func TestClockText(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0:00.0", -time.Second: "0:00.0", 59960 * time.Millisecond: "0:59.9", time.Minute: "1:00.0",
		10*time.Minute + 5*time.Second + 250*time.Millisecond: "10:05.2",
	} {
		if got := clockText(d); got != want {
			t.Errorf("%v: got %s, want %s", d, got, want)
		}
	}
}

func TestFeedLosesNothing(t *testing.T) {
	f := newFeed[int]()
	go func() {
		for i := range 1000 {
			f.put(i)
		}
		f.put(-1)
	}()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	want := 0
	f.each(ctx, func(v int) {
		if v == -1 {
			cancel()
			return
		}
		if v != want {
			t.Errorf("got %d, want %d", v, want)
		}
		want++
	})
	if want != 1000 {
		t.Errorf("got %d values, want 1000", want)
	}
}

package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"zeitnot/engine/arena"
	"zeitnot/engine/pgn"
)

// resultOf is what the output has from the result on.
func resultOf(p *process) string {
	p.t.Helper()
	text := p.output.String()
	at := strings.Index(text, "search vs greedy: ")
	if at < 0 {
		p.t.Fatalf("no result in\n%s", text)
	}
	return text[at:]
}

func TestArenaGoesOnAfterAKill(t *testing.T) {
	dir := t.TempDir()
	play := func(name string, more ...string) *process {
		return start(t, nil, append([]string{
			"arena", "--engine", "cmd=search nodes=300 option.Hash=1", "--engine", "cmd=greedy", "--games", "12",
			"--concurrency", "2", "--pgn", filepath.Join(dir, name+".pgn"),
		}, more...)...)
	}
	whole := play("whole")
	whole.exit(0)
	state := filepath.Join(dir, "state")
	for range 2 {
		p := play("cut", "--resume", state)
		p.says("/12 ")       // a game is over
		p.cmd.Process.Kill() // on a busy machine all may have been played before
		<-p.ended
	}
	last := play("cut", "--resume", state)
	last.exit(0)
	if strings.Contains(last.output.String(), "\n1/12 ") {
		t.Errorf("a finished game is played again:\n%s", last.output)
	}
	if got, want := resultOf(last), resultOf(whole); got != want {
		t.Errorf("got the result\n%s\nwant\n%s", got, want)
	}
	want, err1 := os.ReadFile(filepath.Join(dir, "whole.pgn"))
	got, err2 := os.ReadFile(filepath.Join(dir, "cut.pgn"))
	if err1 != nil || err2 != nil || !bytes.Equal(got, want) {
		t.Errorf("other games than without a kill (%v, %v)", err1, err2)
	}
}

func TestTwoArenasDoNotResumeTheSameMatch(t *testing.T) {
	if lock, _ := lockState(t.TempDir()); lock == nil {
		t.Skip("files are not locked on this system")
	}
	args := []string{"arena", "--engine", "cmd=random", "--engine", "cmd=greedy", "--games", "100000", "--resume", filepath.Join(t.TempDir(), "state")}
	first := start(t, nil, args...)
	first.says("1/100000 ")
	second := start(t, nil, args...)
	second.says("in use by another zeitnot")
	second.exit(64)
	first.running()
}

func TestAnInterruptedArenaTellsItsResultAndWaitsForNoAnswer(t *testing.T) {
	// It never says uciok, which is waited for for half a minute, and dies only when killed.
	mute := filepath.Join(t.TempDir(), "mute")
	if err := os.WriteFile(mute, []byte("#!/bin/sh\ntrap '' TERM\nwhile :; do sleep 1; done\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	p := start(t, nil, "arena", "--engine", "cmd=random", "--engine", "cmd=greedy", "--engine", "cmd="+mute+" nodes=1",
		"--games", "2", "--gauntlet", "--max-plies", "20")
	p.says("2/4 ")
	p.signal(os.Interrupt)
	p.says("random vs greedy: 2 games")
	p.says("interrupted after 2 of 4 games")
	p.exit(1)
}

// screen is a terminal that understands what the live table uses.
type screen struct {
	lines []string
	row   int
}

func (s *screen) Write(p []byte) (int, error) {
	text := string(p)
	for text != "" {
		var up int
		switch n, _ := fmt.Sscanf(text, "\x1b[%dA", &up); {
		case n == 1:
			s.row -= up
			text = text[strings.IndexByte(text, 'A')+1:]
		case strings.HasPrefix(text, "\x1b[J"):
			s.lines = s.lines[:s.row]
			text = text[len("\x1b[J"):]
		case strings.HasPrefix(text, "\r"):
			line, rest, _ := strings.Cut(text[1:], "\x1b[K\n")
			s.lines = append(s.lines[:s.row], append([]string{line}, s.lines[min(s.row+1, len(s.lines)):]...)...)
			s.row++
			text = rest
		default:
			panic(fmt.Sprintf("%q is not understood", text))
		}
	}
	return len(p), nil
}

func TestTheLiveTableStaysInItsPlace(t *testing.T) {
	m := arena.Match{Players: []arena.Player{{Name: "a"}, {Name: strings.Repeat("long", 30)}}, Games: 4}
	var terminal screen
	show := newArenaShow(&m, &terminal, true)
	for _, size := range [][2]int{{80, 24}, {40, 24}, {80, 5}, {0, 0}} {
		show.size = func() (int, int, error) { return size[0], size[1], nil }
		for number := 1; number <= 4; number++ {
			show.drawn = show.began.Add(-redraw) // every game is drawn
			show.game(arena.Record{Number: number, Black: 1, Result: pgn.Draw, Reason: fmt.Sprint("game ", number)}, arena.Result{
				Players: []arena.Standing{{Name: "a"}, {Name: "b"}}, Pairings: []arena.Pairing{{Second: 1, Score: arena.Score{Draws: number}}},
			})
			all := strings.Join(terminal.lines, "\n")
			if strings.Count(all, " games, ") > 2 || !strings.Contains(all, fmt.Sprintf("a vs b: %d games", number)) {
				t.Fatalf("size %v, game %d:\n%s", size, number, all)
			}
			for _, l := range terminal.lines {
				if size[0] > 0 && len(l) >= size[0] {
					t.Errorf("size %v: the line %q flows over", size, l)
				}
			}
			if size[1] > 0 && len(terminal.lines) >= size[1] {
				t.Errorf("size %v: %d lines", size, len(terminal.lines))
			}
		}
		if show.clear(); len(terminal.lines) != 0 {
			t.Errorf("size %v: left behind %q", size, terminal.lines)
		}
	}
}

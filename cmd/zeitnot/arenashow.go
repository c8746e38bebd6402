package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"

	"zeitnot/engine/arena"
	"zeitnot/engine/pgn"
)

// redraw is the shortest time between two drawings of the live table.
const redraw = 100 * time.Millisecond

// arenaShow shows people how a match goes: a table in place on a terminal, else a line for
// each game.
type arenaShow struct {
	match *arena.Match
	to    io.Writer
	// size is that of the terminal; nil without one.
	size func() (width, height int, err error)

	mu      sync.Mutex // guards all below
	result  arena.Result
	counted int // games, earlier ones too
	played  int // games of this run
	began   time.Time
	drawn   time.Time
	height  int // lines of the table that stands there
}

func newArenaShow(m *arena.Match, to io.Writer, live bool) *arenaShow {
	s := &arenaShow{match: m, to: to, began: time.Now()}
	if live {
		s.size = func() (int, int, error) { return term.GetSize(int(os.Stderr.Fd())) }
	}
	return s
}

// game shows a game that was counted.
func (s *arenaShow) game(r arena.Record, sofar arena.Result) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.result = sofar
	s.counted++
	if r.Earlier {
		return
	}
	s.played++
	if s.size == nil {
		fmt.Fprintln(s.to, s.line(r))
		return
	}
	if now := time.Now(); now.Sub(s.drawn) >= redraw {
		s.drawn = now
		s.draw(s.progress(now) + "\n" + sofar.String() + s.line(r) + "\n")
	}
}

// sofar is the result of the games that were counted.
func (s *arenaShow) sofar() arena.Result {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.result
}

// clear takes the table away.
func (s *arenaShow) clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.size != nil {
		s.draw("")
	}
}

// draw puts the text in place of the last one. Lines are cut at the edge of the terminal:
// a line that flows over would be two to move back over.
func (s *arenaShow) draw(text string) {
	var b strings.Builder
	if s.height > 0 {
		fmt.Fprintf(&b, "\x1b[%dA", s.height)
	}
	width, height, err := s.size()
	if err != nil || width < 1 || height < 2 {
		width, height = 80, 24
	}
	s.height = 0
	for line := range strings.Lines(text) {
		if s.height == height-1 {
			break
		}
		runes := []rune(strings.TrimSuffix(line, "\n"))
		b.WriteString("\r" + string(runes[:min(len(runes), width-1)]) + "\x1b[K\n")
		s.height++
	}
	b.WriteString("\x1b[J")
	io.WriteString(s.to, b.String())
}

// progress says how much is played and how long the rest will take.
func (s *arenaShow) progress(now time.Time) string {
	each := now.Sub(s.began) / time.Duration(max(1, s.played))
	left := time.Duration(s.match.Total()-s.counted) * each
	return fmt.Sprintf("%d/%d games, %v a game, at most %v left", s.counted, s.match.Total(), each.Round(10*time.Millisecond), left.Round(time.Second))
}

// line is a finished game, and how its two players stand.
func (s *arenaShow) line(r arena.Record) string {
	symbol := r.Result
	if symbol == pgn.Draw {
		symbol = "1/2"
	}
	line := fmt.Sprintf("%d/%d %s %s %s, %d plies, %s; ", r.Number, s.match.Total(), s.match.Players[r.White].Name, symbol,
		s.match.Players[r.Black].Name, r.Plies, r.Reason)
	for _, p := range s.result.Pairings {
		if min(r.White, r.Black) != p.First || max(r.White, r.Black) != p.Second {
			continue
		}
		if len(s.match.Players) > 2 {
			line += s.match.Players[p.First].Name + " "
		}
		line += fmt.Sprintf("+%d =%d -%d, Elo %s", p.Wins, p.Draws, p.Losses, p.Difference())
	}
	return line
}

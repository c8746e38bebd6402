package main

import (
	"context"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"zeitnot/config"
	"zeitnot/engine/position"
	"zeitnot/lichess/sandbox"
)

// refresh is how often boards and clocks are drawn.
const refresh = 200 * time.Millisecond

// moveLine is a move in a pipe: the game, the move, who made it, and both clocks.
func moveLine(g sandbox.GameRecord, m sandbox.MoveRecord) string {
	number := fmt.Sprintf("%d.", (m.Ply+1)/2)
	if m.Color == "black" {
		number = fmt.Sprintf("%d...", m.Ply/2)
	}
	return fmt.Sprintf("%s %s-%s %s %s  %s took %s, clocks %s %s",
		m.GameID, g.White, g.Black, number, m.SAN, m.Color, m.Took.Round(time.Millisecond), clockText(m.White), clockText(m.Black))
}

// clockText is 2:03.4, or 0.4 in the last seconds.
func clockText(d time.Duration) string {
	tenths := max(0, d.Milliseconds()/100)
	minutes, rest := tenths/600, tenths%600
	return fmt.Sprintf("%d:%02d.%d", minutes, rest/10, rest%10)
}

// showBoards draws the running games on a terminal, over and over in the same place. room
// is how many boards fit side by side now.
func (a *app) showBoards(ctx context.Context, server *sandbox.Server, moves *feed[sandbox.MoveRecord], room func() int) {
	ticker := time.NewTicker(refresh)
	defer ticker.Stop()
	height := 0
	for ended := false; ; {
		moves.take() // the boards show them
		text := boards(server.Games(), time.Now(), max(1, room()))
		if height > 0 {
			fmt.Fprintf(a.out, "\x1b[%dA", height) // back to the first line
		}
		fmt.Fprint(a.out, strings.ReplaceAll(text, "\n", "\x1b[K\n"), "\x1b[J")
		height = strings.Count(text, "\n")
		if ended {
			return
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			ended = true // the last moves are still to be drawn
		}
	}
}

const (
	// shownBoards is how many boards stand side by side at the most: two fit into 80 columns.
	shownBoards = 2
	boardWidth  = 38
	boardHeight = 12
)

// boardsThatFit is how many boards a terminal has room for, with the line of the cursor
// below them; 0 is too small for any. A size of 0 by 0 is one that is not known.
func boardsThatFit(width, height int) int {
	switch {
	case width == 0 && height == 0:
		return shownBoards
	case height <= boardHeight:
		return 0
	}
	return min(width/boardWidth, shownBoards)
}

// boards is the latest games side by side, the running ones first, most of them at the most.
func boards(games []sandbox.GameRecord, now time.Time, most int) string {
	var shown, over []sandbox.GameRecord
	for _, g := range games {
		if g.Over() {
			over = append(over, g)
		} else {
			shown = append(shown, g)
		}
	}
	for len(shown) < most && len(over) > 0 {
		shown = append(shown, over[len(over)-1])
		over = over[:len(over)-1]
	}
	var columns [][]string
	for _, g := range shown[:min(len(shown), most)] {
		columns = append(columns, boardLines(g, now))
	}
	var b strings.Builder
	for i := range boardHeight {
		for _, c := range columns {
			fmt.Fprintf(&b, "%-*s", boardWidth, c[i])
		}
		b.WriteString("\n")
	}
	return b.String()
}

// boardLines is one game in boardHeight lines, white below.
func boardLines(g sandbox.GameRecord, now time.Time) []string {
	p, err := position.ParseFEN(g.FEN)
	if err != nil {
		p = position.Start() // the server keeps legal positions only
	}
	white, black := g.WhiteClock, g.BlackClock
	if n := len(g.Moves); !g.Over() && n >= 2 {
		spent := now.Sub(g.Moves[n-1].At)
		if p.SideToMove() == position.White {
			white -= spent
		} else {
			black -= spent
		}
	}
	last := "…"
	if n := len(g.Moves); n > 0 {
		last = g.Moves[n-1].SAN
	}
	state := fmt.Sprintf("move %d, last %s", p.FullmoveNumber(), last)
	if g.Over() {
		state = fmt.Sprintf("%s by %s", g.Result(), g.Status)
	}
	lines := []string{fmt.Sprintf("  %s %s", g.ID, controlText(g.Control)), playerLine(g.Black, g.BlackRating, black)}
	for rank := 7; rank >= 0; rank-- {
		var b strings.Builder
		fmt.Fprintf(&b, "%d ", rank+1)
		for file := range 8 {
			b.WriteString(pieceLetter(p.PieceAt(position.SquareAt(file, rank))) + " ")
		}
		lines = append(lines, b.String())
	}
	return append(lines, playerLine(g.White, g.WhiteRating, white), "  "+state)
}

func playerLine(name string, rating int, left time.Duration) string {
	return fmt.Sprintf("  %-14s %4d  %9s", name, rating, clockText(left))
}

// pieceLetter is a FEN letter, large for white.
func pieceLetter(p position.Piece) string {
	if p == position.NoPiece {
		return "."
	}
	letter := string("pnbrqk"[p.Type()])
	if p.Color() == position.White {
		letter = strings.ToUpper(letter)
	}
	return letter
}

func controlText(tc sandbox.TimeControl) string {
	return config.TimeControl{Initial: tc.Limit, Increment: tc.Increment}.String()
}

// printResults is the table at the end of a demo.
func (a *app) printResults(games []sandbox.GameRecord) error {
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "\ngame\ttime\twhite\tblack\tresult\tended by\tmoves\tclock left\trating")
	wins, draws, losses := 0, 0, 0
	for _, g := range games {
		ours := g.Color(demoName)
		left, diff := g.WhiteClock, g.WhiteDiff
		if ours == "black" {
			left, diff = g.BlackClock, g.BlackDiff
		}
		switch {
		case g.Winner == ours:
			wins++
		case g.Winner != "":
			losses++
		case g.Result() != "*":
			draws++
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%d\t%s\t%+d\n", g.ID, controlText(g.Control), g.White, g.Black,
			g.Result(), g.Status, (len(g.Moves)+1)/2, clockText(left), diff)
	}
	fmt.Fprintf(w, "\n%s: %d won, %d drawn, %d lost\n", demoName, wins, draws, losses)
	return w.Flush()
}

package shell

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"
	"unicode/utf8"

	"zeitnot/engine"
	"zeitnot/engine/position"
)

// goCommand thinks about the position and shows what it thinks. Who follows changes
// nothing: the search is told to report or not, and is the same.
func (s *Shell) goCommand(ctx context.Context, args []string) error {
	l, err := s.parseGo(args)
	if err != nil {
		return err
	}
	if !s.game.Position().HasLegalMove() {
		return errors.New("go: " + s.state() + ": there is no move")
	}
	ctx, stop := s.cfg.Interrupt(ctx)
	defer stop()
	t := &thought{Shell: s, root: s.game.Position(), started: s.cfg.Now()}
	var follow func(engine.Info)
	if s.think {
		t.row("depth", "score", "nodes", "time", "line (score for White)")
		follow = t.follow
	}
	result, err := s.cfg.Engine.Search(ctx, s.game, l.engine(), follow)
	if err != nil {
		return fmt.Errorf("go: %w", err)
	}
	if s.cfg.Interactive && ctx.Err() != nil {
		s.printf("\n") // the terminal has shown ^C
	}
	t.answer(result)
	return nil
}

// thought is one search as it is shown.
type thought struct {
	*Shell
	root    *position.Position
	started time.Duration
}

// follow shows a report, unless it is of the move that is being searched.
func (t *thought) follow(info engine.Info) {
	if len(info.PV) == 0 || info.MultiPV > 1 {
		return
	}
	score := t.score(info.Score)
	switch forWhite(info.Bound, t.root.SideToMove()) {
	case engine.BoundLower:
		score = ">=" + score
	case engine.BoundUpper:
		score = "<=" + score
	}
	t.row(strconv.Itoa(info.Depth), score, grouped(info.Nodes), seconds(t.cfg.Now()-t.started), numbered(t.root, info.PV))
}

// row prints one row of the table, as wide as there is room.
func (t *thought) row(depth, score, nodes, elapsed, line string) {
	t.printf("%s\n", cut(fmt.Sprintf("%5s  %7s  %13s  %7s  %s", depth, score, nodes, elapsed, line), t.cfg.Width()))
}

// answer shows what came of it.
func (t *thought) answer(r engine.Result) {
	elapsed := t.cfg.Now() - t.started
	best := numbered(t.root, []position.Move{r.Best})
	switch r.Source {
	case "search", "":
		t.printf("best move %s, score %s for White, depth %d, %s nodes in %s\n",
			t.colored(bold, best), t.score(r.Score), r.Depth, grouped(r.Nodes), seconds(elapsed))
	case "forced":
		t.printf("best move %s, the only one\n", t.colored(bold, best))
	default:
		t.printf("best move %s, by the %s\n", t.colored(bold, best), r.Source)
	}
}

// score is a score of the side to move as White sees it: pawns, or #3 for White's mate in
// three moves and #-3 for Black's.
func (t *thought) score(s engine.Score) string {
	sign := 1
	if t.root.SideToMove() == position.Black {
		sign = -1
	}
	if s.IsMate() {
		return fmt.Sprintf("#%d", sign*s.MateMoves())
	}
	return fmt.Sprintf("%+.2f", float64(sign*int(s))/100)
}

// forWhite turns a bound of the side to move.
func forWhite(b engine.Bound, side position.Color) engine.Bound {
	if side == position.Black {
		switch b {
		case engine.BoundLower:
			return engine.BoundUpper
		case engine.BoundUpper:
			return engine.BoundLower
		}
	}
	return b
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.2fs", max(0, d).Seconds()) }

// cut shortens a line to so many columns; 0 or less leaves it.
func cut(line string, width int) string {
	if width <= 0 || utf8.RuneCountInString(line) <= width {
		return line
	}
	return string([]rune(line)[:width-1]) + "…"
}

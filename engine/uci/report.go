package uci

import (
	"fmt"
	"strings"
	"time"

	"zeitnot/engine"
	"zeitnot/engine/position"
)

// currMoveAfter is how long a search must run before its root moves are reported: a short
// search would flood the reader.
const currMoveAfter = time.Second

// report writes one info line, stamped with the time since go.
func (s *searching) report(info engine.Info) {
	elapsed := s.now() - s.started
	if info.CurrMove != position.NoMove {
		if elapsed >= currMoveAfter {
			move := s.game.Position().UCI(info.CurrMove, s.kingTakesRook)
			s.out.lines(fmt.Sprintf("info depth %d currmove %s currmovenumber %d", info.Depth, move, info.CurrMoveNumber))
		}
		return
	}
	s.out.lines(s.infoLine(info, elapsed))
}

// infoLine is the line for one report after so long a search.
func (s *searching) infoLine(info engine.Info, elapsed time.Duration) string {
	var b strings.Builder
	fmt.Fprintf(&b, "info depth %d", info.Depth)
	if info.SelDepth > 0 {
		fmt.Fprintf(&b, " seldepth %d", info.SelDepth)
	}
	fmt.Fprintf(&b, " multipv %d", max(1, info.MultiPV))
	if info.Bound != engine.BoundNone {
		b.WriteString(" score " + s.scoreText(info.Score))
	}
	switch info.Bound {
	case engine.BoundLower:
		b.WriteString(" lowerbound")
	case engine.BoundUpper:
		b.WriteString(" upperbound")
	}
	ms := max(0, elapsed.Milliseconds())
	fmt.Fprintf(&b, " nodes %d nps %d hashfull %d tbhits %d time %d",
		info.Nodes, info.Nodes*1000/uint64(max(1, ms)), info.HashFull, info.TBHits, ms)
	if len(info.PV) > 0 {
		b.WriteString(" pv")
		for _, m := range info.PV {
			b.WriteString(" " + s.game.Position().UCI(m, s.kingTakesRook))
		}
	}
	return b.String()
}

// scoreText is a score with, if they are wanted, the games of a thousand that are won, drawn
// and lost from it.
func (s *searching) scoreText(score engine.Score) string {
	text := score.String()
	if s.showWDL {
		win, draw, loss := score.WDL()
		text += fmt.Sprintf(" wdl %d %d %d", win, draw, loss)
	}
	return text
}

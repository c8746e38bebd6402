package uci

import (
	"fmt"
	"math"
	"strings"
	"time"

	"zeitnot/engine"
	"zeitnot/engine/position"
)

// goParams is a parsed `go`. What was not given is nil; a given zero, or less, counts.
type goParams struct {
	wtime, btime, moveTime *time.Duration
	winc, binc             time.Duration
	movesToGo              int
	depth, nodes, mate     *int
	perft                  *int
	infinite, ponder       bool
	searchMoves            []position.Move
	// complaints are about words that were passed over.
	complaints []string
}

// parseGo reads the words after `go` at position p. Whatever it does not understand is
// passed over with a complaint: a go always leads to a bestmove.
func parseGo(words []string, p *position.Position) goParams {
	var g goParams
	for i := 0; i < len(words); {
		key := strings.ToLower(words[i])
		i++
		switch key {
		case "infinite":
			g.infinite = true
			continue
		case "ponder":
			g.ponder = true
			continue
		case "searchmoves":
			i += g.parseSearchMoves(words[i:], p)
			continue
		}
		set := g.number(key)
		if set == nil {
			g.complaints = append(g.complaints, fmt.Sprintf("go: unknown word %q", key))
			continue
		}
		if i == len(words) {
			g.complaints = append(g.complaints, "go: "+key+" has no value")
			continue
		}
		n, ok := clampInt(words[i])
		if !ok {
			g.complaints = append(g.complaints, fmt.Sprintf("go: %s %q is no number", key, words[i]))
			if g.number(strings.ToLower(words[i])) == nil && !isGoFlag(words[i]) {
				i++
			}
			continue
		}
		i++
		set(n)
	}
	return g
}

// number is where the value of the parameter goes, nil if there is no such parameter.
func (g *goParams) number(key string) func(int64) {
	whole := func(p **int) func(int64) {
		return func(n int64) { v := int(min(max(n, 0), math.MaxInt32*1024)); *p = &v }
	}
	switch key {
	case "wtime":
		return func(n int64) { d := millis(n); g.wtime = &d }
	case "btime":
		return func(n int64) { d := millis(n); g.btime = &d }
	case "winc":
		return func(n int64) { g.winc = millis(n) }
	case "binc":
		return func(n int64) { g.binc = millis(n) }
	case "movestogo":
		return func(n int64) { g.movesToGo = int(min(max(n, 0), math.MaxInt32)) }
	case "movetime":
		return func(n int64) { d := max(0, millis(n)); g.moveTime = &d }
	case "depth":
		return whole(&g.depth)
	case "nodes":
		return whole(&g.nodes)
	case "mate":
		return whole(&g.mate)
	case "perft":
		return whole(&g.perft)
	}
	return nil
}

func isGoFlag(word string) bool {
	switch strings.ToLower(word) {
	case "infinite", "ponder", "searchmoves":
		return true
	}
	return false
}

// parseSearchMoves takes moves up to the next parameter and says how many words it used.
func (g *goParams) parseSearchMoves(words []string, p *position.Position) int {
	for i, w := range words {
		m, err := p.ParseUCI(strings.ToLower(w))
		switch {
		case err == nil:
			g.searchMoves = append(g.searchMoves, m)
		case isGoFlag(w) || g.number(strings.ToLower(w)) != nil:
			return i
		default:
			g.complaints = append(g.complaints, fmt.Sprintf("go: searchmoves %s is not legal here", w))
		}
	}
	return len(words)
}

// millis turns milliseconds into a duration, cut to +-10^10 ms, so that nothing that is
// computed with it can overflow.
func millis(n int64) time.Duration {
	const most = 10_000_000_000
	return time.Duration(max(-most, min(most, n))) * time.Millisecond
}

// clock is the clock of the side to move. If only the opponent's was given, ours is taken
// to be the same: a search without end would be worse.
func (g *goParams) clock(side position.Color) (remaining, increment time.Duration, ok bool) {
	own, other, inc := g.wtime, g.btime, g.winc
	if side == position.Black {
		own, other, inc = g.btime, g.wtime, g.binc
	}
	if own == nil {
		own = other
	}
	if own == nil {
		return 0, 0, false
	}
	return *own, inc, true
}

// endless tells that nothing bounds the search: it goes on until stop.
func (g *goParams) endless() bool {
	bounded := g.wtime != nil || g.btime != nil || g.moveTime != nil || g.depth != nil || g.nodes != nil || g.mate != nil
	return g.infinite || !bounded
}

// limits are the limits of the search, counted from at, on the engine's clock.
func (s *Server) limits(g *goParams, at time.Duration) engine.Limits {
	var l engine.Limits
	side := s.game.Position().SideToMove()
	if remaining, increment, ok := g.clock(side); ok {
		s.base = max(s.base, remaining)
		l = s.cfg.Budget(engine.ClockState{
			Remaining: remaining, Increment: increment, Base: s.base,
			MoveNumber: s.game.OwnMoves(), MovesToGo: g.movesToGo, HasClock: true,
		})
	}
	if g.moveTime != nil {
		d := max(0, s.cfg.MoveTime(*g.moveTime))
		if l.Hard == nil || d < *l.Hard {
			l.Hard = &d
		}
	}
	if l.Hard != nil {
		deadline := at + *l.Hard
		l.Deadline = &deadline
	}
	l.Nodes, l.Depth, l.Mate = g.nodes, g.depth, g.mate
	l.MultiPV, l.SearchMoves = s.multiPV, g.searchMoves
	l.Infinite = g.endless()
	return l
}

package syzygy

import (
	"cmp"
	"slices"

	"zeitnot/engine/position"
)

// Root is what the tables say about the moves of a game's current position.
type Root struct {
	// WDL is the value that the best move keeps, with the fifty-move counter and the
	// repetitions of this game taken into account.
	WDL WDL
	// Moves are all legal moves, best first.
	Moves []RootMove
	// HasDTZ tells that distances are known. Without them the moves are in order of WDL
	// only, and playing any that keeps a win need not make progress.
	HasDTZ bool
}

// RootMove is a move and what it leads to, for the side that plays it.
type RootMove struct {
	Move position.Move
	// WDL is the value in this game: a win that the fifty-move counter does not leave time
	// for is cursed, and a third repetition is a draw.
	WDL WDL
	// DTZ is the distance to zeroing counted with this move: 1 zeroes or mates and wins.
	DTZ int
	// Seen is how often the position after the move has been in the game already.
	Seen int
	// Mates tells that the move mates.
	Mates bool
	// after is, for a zeroing move, the DTZ of the position behind it, as a size; it
	// orders moves that all zero.
	after int
}

// Best are the moves that are as good as the first.
func (r Root) Best() []position.Move {
	return r.until(func(m RootMove) bool { return compareMoves(r.Moves[0], m) != 0 })
}

// Keep are the moves that keep the value of the best, whatever their distance.
func (r Root) Keep() []position.Move {
	return r.until(func(m RootMove) bool { return m.WDL != r.WDL })
}

func (r Root) until(worse func(RootMove) bool) []position.Move {
	var moves []position.Move
	for _, m := range r.Moves {
		if worse(m) {
			break
		}
		moves = append(moves, m.Move)
	}
	return moves
}

// fiftyMoves is the clock at which a game may be drawn.
const fiftyMoves = 100

// Root orders the moves of the current position: first by value under the fifty-move
// counter, so that nothing throws away a win or a draw; then a win by the way to the next
// zeroing move, without returning to a position that has been there, and a loss by the
// resistance it offers. Always playing one of Best wins what is won.
//
// stop, if not nil, is asked before each look into a table, which may have to wait for a
// disk; when it says true, or a table is missing, ok is false.
func (t *Tables) Root(g position.Game, stop func() bool) (r Root, ok bool) {
	for _, hasDTZ := range [2]bool{true, false} {
		pr := prober{tables: t, stop: stop}
		pr.run(g.Position(), func() { r = pr.root(g, hasDTZ) })
		if !pr.failed && len(r.Moves) > 0 {
			return r, true
		}
		if stop != nil && stop() {
			break
		}
	}
	return Root{}, false
}

// root judges all moves.
func (pr *prober) root(g position.Game, hasDTZ bool) Root {
	r := Root{HasDTZ: hasDTZ}
	var l position.MoveList
	g.Position().Legal(&l)
	for _, m := range l.Slice() {
		j := pr.judge(g, m, hasDTZ)
		if pr.failed {
			return Root{}
		}
		r.Moves = append(r.Moves, j)
	}
	if len(r.Moves) == 0 {
		return r
	}
	slices.SortStableFunc(r.Moves, compareMoves)
	r.WDL = r.Moves[0].WDL
	return r
}

// judge finds out what one move is worth in this game.
func (pr *prober) judge(g position.Game, m position.Move, hasDTZ bool) RootMove {
	p := g.Position()
	var child position.Position
	p.Make(m, &child)
	j := RootMove{Move: m, Mates: child.InCheck() && !child.HasLegalMove()}
	for _, key := range g.Keys() {
		if key == child.Key() {
			j.Seen++
		}
	}
	zeroing := child.HalfmoveClock() == 0

	switch {
	case j.Mates:
		j.WDL, j.DTZ = Win, 1
	case child.InsufficientMaterial():
		j.WDL = Draw
	case zeroing || !hasDTZ:
		w, _ := pr.wdl(&child, false)
		j.WDL = -w
		if hasDTZ {
			j.DTZ = beforeZeroing(j.WDL)
			j.after = pr.sizeAfter(&child, j.WDL)
		}
	default:
		j.DTZ = pr.dtzOfMove(p, m)
		j.WDL = underClock(j.DTZ, p.HalfmoveClock())
	}
	if j.Seen >= 2 || (!zeroing && !j.Mates && child.HalfmoveClock() >= fiftyMoves) {
		j.WDL, j.DTZ = Draw, 0
	}
	return j
}

// underClock is the value of a DTZ n when the halfmove clock stands at clock.
func underClock(n, clock int) WDL {
	switch {
	case n > 0 && n+clock <= fiftyMoves:
		return Win
	case n > 0:
		return CursedWin
	case n < 0 && -n+clock <= fiftyMoves:
		return Loss
	case n < 0:
		return BlessedLoss
	}
	return Draw
}

// sizeAfter is the distance to the zeroing move after the next, 0 if it is not known.
func (pr *prober) sizeAfter(child *position.Position, w WDL) int {
	if w == Draw {
		return 0
	}
	next := prober{tables: pr.tables, stop: pr.stop}
	var n int
	next.run(child, func() { n = next.dtz(child) })
	if next.failed {
		return 0
	}
	return n * sign(n)
}

// compareMoves puts the better move first.
func compareMoves(a, b RootMove) int {
	if c := cmp.Compare(b.WDL, a.WDL); c != 0 {
		return c
	}
	if a.WDL == Draw {
		return 0
	}
	c := cmp.Or(
		compareBools(b.Mates, a.Mates),
		cmp.Compare(a.Seen, b.Seen),
		cmp.Compare(a.DTZ*sign(a.DTZ), b.DTZ*sign(b.DTZ)),
		cmp.Compare(a.after, b.after),
	)
	if a.WDL < Draw {
		return -c // the loser wants it long, and to repeat
	}
	return c
}

func compareBools(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

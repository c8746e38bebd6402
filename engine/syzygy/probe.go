package syzygy

import "zeitnot/engine/position"

// ProbeWDL is the value of a position for the side to move, whatever its halfmove clock
// says. ok is false if a table that is needed is missing, or castling is still possible.
func (t *Tables) ProbeWDL(p *position.Position) (w WDL, ok bool) {
	pr := prober{tables: t}
	pr.run(p, func() { w, _ = pr.wdl(p, false) })
	return w, !pr.failed
}

// ProbeDTZ is the distance to zeroing: how many half-moves it takes until the side that
// wins captures, moves a pawn or mates without giving the win away, positive if the side to
// move wins, negative if it loses, 0 for a draw, -1 for one that is mated. Where the win is
// cursed it counts on from 100. It may be one too low, since many tables count in moves: a
// win whose number and halfmove clock make exactly 100 together may come too late.
func (t *Tables) ProbeDTZ(p *position.Position) (n int, ok bool) {
	pr := prober{tables: t}
	pr.run(p, func() { n = pr.dtz(p) })
	return n, !pr.failed
}

// prober answers one question. Once failed is set its answers mean nothing.
type prober struct {
	tables *Tables
	// stop, if not nil, is asked before each look into a table; true ends the probe.
	stop   func() bool
	failed bool
	// using is the table being read, to name it if that fails.
	using *table
	owner *lazyTable
}

// run runs f under guard if the position can be in the tables at all.
func (pr *prober) run(p *position.Position, f func()) {
	if !pr.tables.holds(p) {
		pr.failed = true
		return
	}
	if err := guard(f); err != nil {
		pr.failed = true
		pr.tables.drop(pr.owner, pr.using, err)
	}
}

// holds tells whether a position is small enough for the tables and has no castling rights.
func (t *Tables) holds(p *position.Position) bool {
	return p.Occupied().Count() <= max(t.men, kings) && !p.HasCastlingRights()
}

// open is the table of a kind for a position, nil if it cannot be had.
func (pr *prober) open(k kind, m material) *table {
	if pr.failed || (pr.stop != nil && pr.stop()) {
		pr.failed = true
		return nil
	}
	pr.using, pr.owner = pr.tables.get(k, m)
	pr.failed = pr.using == nil
	return pr.using
}

func (pr *prober) damaged() {
	pr.failed = true
	pr.tables.drop(pr.owner, pr.using, errDamage)
}

// tableWDL is what the table says.
func (pr *prober) tableWDL(p *position.Position) WDL {
	m := materialOf(p)
	if m == 0 {
		return Draw
	}
	tb := pr.open(wdlKind, m)
	if tb == nil {
		return Draw
	}
	w, ok := tb.wdl(p, m)
	if !ok {
		pr.damaged()
	}
	return w
}

// wdl is the value of a position. Since tables know nothing of en passant, and may hold any
// worse value where a capture is best, captures are tried first; with zeroing set the moves
// of pawns are tried as well. zeroes tells that such a move is the best, or all there is.
func (pr *prober) wdl(p *position.Position, zeroing bool) (w WDL, zeroes bool) {
	var l position.MoveList
	p.Legal(&l)
	best, tried := Loss-1, 0
	pawns := p.Pieces(p.SideToMove(), position.Pawn)
	for _, m := range l.Slice() {
		if !p.IsCapture(m) && !(zeroing && pawns.Has(m.From())) {
			continue
		}
		var child position.Position
		p.Make(m, &child)
		reply, _ := pr.wdl(&child, false)
		if pr.failed {
			return Draw, false
		}
		tried++
		if best = max(best, -reply); best == Win {
			return best, true
		}
	}
	// En passant may be the only move: the table thinks that it is mate or stalemate.
	only := tried > 0 && tried == l.Len()
	if only {
		return best, true
	}
	if w = pr.tableWDL(p); best >= w {
		return best, best > Draw
	}
	return w, false
}

// beforeZeroing is the DTZ of a position whose best move zeroes and leads to the value w.
func beforeZeroing(w WDL) int {
	switch w {
	case Win:
		return 1
	case CursedWin:
		return 101
	case BlessedLoss:
		return -101
	case Loss:
		return -1
	}
	return 0
}

// sign is -1, 0 or 1.
func sign(n int) int {
	switch {
	case n < 0:
		return -1
	case n > 0:
		return 1
	}
	return 0
}

func (pr *prober) dtz(p *position.Position) int {
	w, zeroes := pr.wdl(p, true)
	if pr.failed || w == Draw {
		return 0
	}
	if zeroes {
		return beforeZeroing(w)
	}

	m := materialOf(p)
	tb := pr.open(dtzKind, m)
	if tb == nil {
		return 0
	}
	n, there, ok := tb.dtz(p, m, w)
	if !ok {
		pr.damaged()
		return 0
	}
	if there {
		if w == CursedWin || w == BlessedLoss {
			n += 100
		}
		return n * sign(int(w))
	}
	return pr.dtzFromChildren(p, sign(int(w)))
}

// dtzFromChildren looks one move ahead, for a table that holds the other side to move.
// want is the sign of the result.
func (pr *prober) dtzFromChildren(p *position.Position, want int) int {
	best, found := 0, false
	var l position.MoveList
	p.Legal(&l)
	for _, m := range l.Slice() {
		n := pr.dtzOfMove(p, m)
		if pr.failed {
			return 0
		}
		if sign(n) == want && (!found || n < best) {
			best, found = n, true
		}
	}
	if !found {
		return -1 // mated
	}
	return best
}

// dtzOfMove is the DTZ of a position if m is played in it.
func (pr *prober) dtzOfMove(p *position.Position, m position.Move) int {
	var child position.Position
	p.Make(m, &child)
	if child.HalfmoveClock() == 0 {
		w, _ := pr.wdl(&child, false)
		return beforeZeroing(-w)
	}
	n := -pr.dtz(&child)
	if n == 1 && child.InCheck() && !child.HasLegalMove() {
		return 1 // mate
	}
	return n + sign(n)
}

// Package eval judges a position without searching: a hand-crafted evaluation in integers,
// tapered between middlegame and endgame. It looks at one position at a time, knows no
// history and no search, and gives the same value on every platform.
package eval

import (
	"zeitnot/engine/position"
)

// Evaluator evaluates positions. It caches what depends on pawns and kings alone, so each
// searching goroutine has its own; the value of a position does not depend on the cache.
type Evaluator struct {
	w     *Weights
	pawns []pawnEntry
}

// New makes an evaluator with the weights that the engine plays with.
func New() *Evaluator { return NewWith(&defaultWeights, pawnEntries) }

// NewWith makes an evaluator with other weights, for tuning them, and a pawn cache of so
// many entries, a power of two. After a change of w Clear must be called.
func NewWith(w *Weights, cache int) *Evaluator {
	return &Evaluator{w: w, pawns: make([]pawnEntry, cache)}
}

// Default is a copy of the weights that the engine plays with.
func Default() Weights { return defaultWeights }

// Parts are the ingredients of White's value, for tuning: middlegame and endgame value, the
// phase from 0 (endgame) to 24, and the scale of the endgame value from 0 to 64. The value
// is (mg*phase + eg*scale/64*(24-phase)) / 24; ok is false if a known ending replaces it.
func (e *Evaluator) Parts(p *position.Position) (mg, eg, phase, scale int, ok bool) {
	if _, ok := known(p); ok {
		return 0, 0, 0, 0, false
	}
	score, phase, scale := e.parts(p)
	return score.mg(), score.eg(), phase, scale, true
}

// Clear empties the caches.
func (e *Evaluator) Clear() { clear(e.pawns) }

const (
	// phaseMax is the phase of the initial position; the endgame begins towards 0.
	phaseMax = 24
	// scaleMax is the divisor of the endgame scale.
	scaleMax = 64
	// Limit is the largest value for White, without the bonus for the move, and well below
	// the scores of mates.
	Limit = 20000
)

// phaseWeight is what a piece adds to the phase, by type.
var phaseWeight = [6]int{0, 1, 1, 2, 4, 0}

// Evaluate is the value of the position in centipawns for the side to move. The position
// should not be in check: tactics are the search's business.
func (e *Evaluator) Evaluate(p *position.Position) int {
	v := e.White(p)
	if p.SideToMove() == position.Black {
		v = -v
	}
	return v + e.w.Tempo
}

// White is the value of the position for White, without the bonus for the move.
func (e *Evaluator) White(p *position.Position) int {
	if v, ok := known(p); ok {
		return v
	}
	score, phase, scale := e.parts(p)
	if scale == 0 {
		return 0 // a draw, whatever the few pieces left add to the middlegame value
	}
	mg, eg := score.mg(), score.eg()
	v := (mg*phase + eg*scale/scaleMax*(phaseMax-phase)) / phaseMax
	return min(max(v, -Limit), Limit)
}

// parts are the ingredients of the value: the pair of both stages for White, the phase
// from 0 to phaseMax, and the scale of the endgame value.
func (e *Evaluator) parts(p *position.Position) (score pair, phase, scale int) {
	var in info
	in.p = p
	in.occ = p.Occupied()
	white, black := p.KingSquare(position.White), p.KingSquare(position.Black)
	in.flip[position.White] = turn(white)
	in.flip[position.Black] = turn(black) ^ 56
	if turn(white) != turn(black) {
		in.wing = 1
	}
	pe := e.pawnsOf(&in)
	in.pawn = pe
	for c := position.White; c <= position.Black; c++ {
		in.prepare(c)
	}
	for c := position.White; c <= position.Black; c++ {
		in.prepareArea(c)
	}
	score = pe.score
	var sides [2]pair
	for c := position.White; c <= position.Black; c++ {
		sides[c] = e.pieces(&in, c)
	}
	for c := position.White; c <= position.Black; c++ {
		sides[c] += e.king(&in, c) + e.threats(&in, c) + e.passed(&in, c) + e.space(&in, c)
	}
	score += sides[position.White] - sides[position.Black]
	score += s(0, e.progress(&in, score.eg()))
	phase = min(in.phase, phaseMax)
	return score, phase, in.scale(score.eg())
}

// info is what the terms share about one position.
type info struct {
	p     *position.Position
	pawn  *pawnEntry
	occ   position.Bitboard
	phase int

	own   [2]position.Bitboard
	pawns [2]position.Bitboard
	kings [2]position.Square
	// flip turns squares so that c's king is on the right half, as c sees them; wing is 1
	// when the kings are on different wings.
	flip [2]position.Square
	wing int
	ring [2]position.Bitboard // the squares around the king that attacks on it are counted on
	area [2]position.Bitboard // squares that count as mobility
	// attacks by type and of all, and squares attacked at least twice.
	by    [2][6]position.Bitboard
	all   [2]position.Bitboard
	twice [2]position.Bitboard

	// attacks on the enemy king: pieces that attack its ring, the sum of their weights, and
	// the attacked squares next to the king.
	attackers, attackWeight, ringAttacks [2]int
}

const (
	fileA = position.Bitboard(0x0101010101010101)
	fileH = fileA << 7
	rank1 = position.Bitboard(0xff)
)

// up moves a set one rank forward as c sees it, down one rank back.
func up(c position.Color, b position.Bitboard) position.Bitboard {
	if c == position.White {
		return b << 8
	}
	return b >> 8
}

func down(c position.Color, b position.Bitboard) position.Bitboard { return up(c.Other(), b) }

// sideways is the set moved one file to both sides.
func sideways(b position.Bitboard) position.Bitboard {
	return b&^fileA>>1 | b&^fileH<<1
}

// pawnAttacksOf is the set of squares that pawns of c on b attack.
func pawnAttacksOf(c position.Color, b position.Bitboard) position.Bitboard {
	return sideways(up(c, b))
}

// relativeRank is the rank of sq as c sees it, from 0.
func relativeRank(c position.Color, sq position.Square) int {
	if c == position.White {
		return sq.Rank()
	}
	return 7 - sq.Rank()
}

// relative is sq as c sees it.
func relative(c position.Color, sq position.Square) position.Square {
	if c == position.White {
		return sq
	}
	return sq.Flip()
}

// turn is what a square is XORed with to bring a king on k to the right half.
func turn(k position.Square) position.Square {
	if k.File() < 4 {
		return 7
	}
	return 0
}

// ranks is the set of the ranks from first to last as c sees them.
func ranks(c position.Color, first, last int) position.Bitboard {
	var b position.Bitboard
	for r := first; r <= last; r++ {
		if c == position.White {
			b |= rank1 << (8 * r)
		} else {
			b |= rank1 << (8 * (7 - r))
		}
	}
	return b
}

// add enters the attacks of a piece into the maps.
func (in *info) add(c position.Color, t position.PieceType, att position.Bitboard) {
	in.by[c][t] |= att
	in.twice[c] |= in.all[c] & att
	in.all[c] |= att
}

// prepare enters pawns and king of c.
func (in *info) prepare(c position.Color) {
	p := in.p
	in.own[c] = p.ByColor(c)
	in.pawns[c] = p.Pieces(c, position.Pawn)
	k := p.KingSquare(c)
	in.kings[c] = k
	ahead := up(c, in.pawns[c])
	left, right := ahead&^fileA>>1, ahead&^fileH<<1
	in.add(c, position.Pawn, left)
	in.add(c, position.Pawn, right)
	in.add(c, position.King, position.KingAttacks(k))
	centre := position.SquareAt(min(max(k.File(), 1), 6), min(max(k.Rank(), 1), 6))
	in.ring[c] = position.KingAttacks(centre) | centre.Bit()
}

// prepareArea fixes the mobility area: no squares that an enemy pawn attacks, none of our
// king, and none of our pawns that are blocked or have not moved far.
func (in *info) prepareArea(c position.Color) {
	them := c.Other()
	stuck := in.pawns[c] & (down(c, in.occ) | lowRanks[c])
	in.area[c] = ^(stuck | in.kings[c].Bit() | in.by[them][position.Pawn])
}

// lowRanks are the second and third rank of each side.
var lowRanks = [2]position.Bitboard{ranks(position.White, 1, 2), ranks(position.Black, 1, 2)}

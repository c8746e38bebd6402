package position

import "math/bits"

// wanted says which part of the legal moves a generator writes.
type wanted uint8

const (
	noisy wanted = 1 << iota // captures, en passant, promotions to a queen
	quiet                    // all others: castling and the other promotions included
)

// Legal fills l with every legal move.
func (p *Position) Legal(l *MoveList) { p.generate(l, noisy|quiet) }

// LegalNoisy fills l with the legal captures (en passant included) and promotions to a
// queen. In check it gives only those evasions that are noisy.
func (p *Position) LegalNoisy(l *MoveList) { p.generate(l, noisy) }

// LegalQuiet fills l with the legal moves that are not noisy.
func (p *Position) LegalQuiet(l *MoveList) { p.generate(l, quiet) }

// evasions is the set where a piece other than the king must land: everywhere without a
// check, on the checker or before it in a single check, nowhere in a double check.
func (p *Position) evasions(king Square) Bitboard {
	switch {
	case p.checkers == 0:
		return ^Bitboard(0)
	case p.checkers.Several():
		return 0
	}
	return p.checkers | between[king&63][p.checkers.First()&63]
}

// pawnSteps are the destinations of all legal pawn moves but en passant, each set by the
// step that led there. Pins are respected: a pinned pawn keeps to the line of its king.
type pawnSteps struct {
	push, double, west, east Bitboard
	up                       int // squares from one rank to the next, negative for Black
}

func (p *Position) pawnSteps(us Color, king Square, target Bitboard) (s pawnSteps) {
	pawns := p.byType[Pawn] & p.byColor[us&1]
	enemy := p.byColor[us&1^1]
	empty := ^(p.byColor[0] | p.byColor[1])
	s.up = 8 - 16*int(us&1)
	// The rank that a pawn reaches by its first single step.
	third := RankMask(2 + 3*int(us&1))
	toWest, toEast := &antiDiagonals, &diagonals
	if us == Black {
		toWest, toEast = toEast, toWest
	}
	free := pawns &^ p.pinned
	s.push = rotate(free|pawns&FileMask(king.File()), s.up) & empty
	s.double = rotate(s.push&third, s.up) & empty & target
	s.push &= target
	s.west = rotate((free|pawns&toWest[king&63])&^fileA, s.up-1) & enemy & target
	s.east = rotate((free|pawns&toEast[king&63])&^fileH, s.up+1) & enemy & target
	return s
}

func rotate(b Bitboard, by int) Bitboard {
	return Bitboard(bits.RotateLeft64(uint64(b), by))
}

// AttackedBy is the set of squares that the pieces of c attack.
func (p *Position) AttackedBy(c Color) Bitboard { return p.attackedBy(c, p.Occupied()) }

// attackedBy is the set of squares that c attacks when occ is occupied.
func (p *Position) attackedBy(c Color, occ Bitboard) (b Bitboard) {
	own := p.byColor[c&1]
	up := 8 - 16*int(c&1)
	pawns := p.byType[Pawn] & own
	b = rotate(pawns&^fileA, up-1) | rotate(pawns&^fileH, up+1)
	b |= kingAttacks[(p.byType[King]&own).First()&63]
	for knights := p.byType[Knight] & own; knights != 0; {
		b |= knightAttacks[knights.PopFirst()&63]
	}
	for s := (p.byType[Bishop] | p.byType[Queen]) & own; s != 0; {
		b |= BishopAttacks(s.PopFirst(), occ)
	}
	for s := (p.byType[Rook] | p.byType[Queen]) & own; s != 0; {
		b |= RookAttacks(s.PopFirst(), occ)
	}
	return b
}

// canCastle tells whether the side to move may castle with its right i, given the squares
// that the enemy attacks. It must not be in check.
func (p *Position) canCastle(i int, king Square, danger Bitboard) bool {
	rook := p.castling[p.side&1][i]
	if rook == NoSquare {
		return false
	}
	kingTo, rookTo := castleTargets(king, rook)
	kingPath := between[king&63][kingTo&63] | kingTo.Bit()
	path := kingPath | between[rook&63][rookTo&63] | rookTo.Bit()
	occ := (p.byColor[0] | p.byColor[1]) &^ (king.Bit() | rook.Bit())
	// A pinned rook would leave its king open on the back rank, which only Chess960 can show.
	return path&occ == 0 && kingPath&danger == 0 && !p.pinned.Has(rook)
}

func (p *Position) generate(l *MoveList, want wanted) {
	us := p.side & 1
	own, enemy := p.byColor[us], p.byColor[us^1]
	occ := own | enemy
	king := (p.byType[King] & own).First() & 63
	l.n = 0

	var squares Bitboard // where pieces may land
	if want&noisy != 0 {
		squares |= enemy
	}
	if want&quiet != 0 {
		squares |= ^occ
	}

	// The king, who must not hide in his own shadow: he is no blocker for the danger.
	targets := kingAttacks[king] & squares
	castles := want&quiet != 0 && p.checkers == 0 && p.castling[us] != [2]Square{NoSquare, NoSquare}
	if targets != 0 || castles {
		danger := p.attackedBy(us^1, occ&^king.Bit())
		l.add(king, targets&^danger)
		if castles {
			for i, rook := range p.castling[us] {
				if p.canCastle(i, king, danger) {
					l.push(NewMove(king, rook, Castle))
				}
			}
		}
	}
	evade := p.evasions(king)
	if evade == 0 {
		return
	}

	p.pawnMoves(l, want, king, evade)

	// A pinned knight cannot move; the other pinned pieces stay on the line.
	squares &= evade
	for b := p.byType[Knight] & own &^ p.pinned; b != 0; {
		s := b.PopFirst()
		l.add(s, knightAttacks[s&63]&squares)
	}
	for b := (p.byType[Bishop] | p.byType[Queen]) & own; b != 0; {
		s := b.PopFirst()
		to := BishopAttacks(s, occ) & squares
		if p.pinned.Has(s) {
			to &= line[king][s&63]
		}
		l.add(s, to)
	}
	for b := (p.byType[Rook] | p.byType[Queen]) & own; b != 0; {
		s := b.PopFirst()
		to := RookAttacks(s, occ) & squares
		if p.pinned.Has(s) {
			to &= line[king][s&63]
		}
		l.add(s, to)
	}
}

func (p *Position) pawnMoves(l *MoveList, want wanted, king Square, evade Bitboard) {
	us := p.side & 1
	s := p.pawnSteps(us, king, evade)
	const last = rank1 | rank8
	if want&noisy != 0 {
		l.addPawns(s.west&^last, s.up-1, Normal)
		l.addPawns(s.east&^last, s.up+1, Normal)
		if (s.west|s.east|s.push)&last != 0 {
			for k := PromoteKnight; k <= PromoteQueen; k++ {
				l.addPawns(s.west&last, s.up-1, k)
				l.addPawns(s.east&last, s.up+1, k)
			}
			l.addPawns(s.push&last, s.up, PromoteQueen)
		}
		if p.ep != NoSquare {
			pawn := p.ep ^ 8
			for b := pawnAttacks[us^1][p.ep&63] & p.byType[Pawn] & p.byColor[us]; b != 0; {
				if from := b.PopFirst(); p.epIsSafe(from, p.ep, pawn) {
					l.push(NewMove(from, p.ep, EnPassant))
				}
			}
		}
	}
	if want&quiet != 0 {
		l.addPawns(s.push&^last, s.up, Normal)
		l.addPawns(s.double, 2*s.up, DoublePush)
		if s.push&last != 0 {
			for k := PromoteKnight; k <= PromoteRook; k++ {
				l.addPawns(s.push&last, s.up, k)
			}
		}
	}
}

func (l *MoveList) push(m Move) {
	l.moves[l.n&255] = m
	l.n++
}

// add appends a plain move from s to each square of targets.
func (l *MoveList) add(s Square, targets Bitboard) {
	n := l.n
	for targets != 0 {
		l.moves[n&255] = Move(s) | Move(targets.PopFirst())<<6
		n++
	}
	l.n = n
}

// addPawns appends a move to each square of targets from the square that lies by less.
func (l *MoveList) addPawns(targets Bitboard, by int, k Kind) {
	n := l.n
	for targets != 0 {
		to := targets.PopFirst()
		l.moves[n&255] = NewMove(Square(int(to)-by)&63, to, k)
		n++
	}
	l.n = n
}

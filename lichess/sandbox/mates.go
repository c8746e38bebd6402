package sandbox

import (
	"sync"

	"zeitnot/engine/position"
)

// mateTable is an ending of king and one piece against king: in how many half-moves the piece
// mates, counted back from the mates. The side with the piece is White in it.
type mateTable struct {
	once sync.Once
	// strong and weak are by the side to move, indexed by index; 0 is not won, or cannot be.
	// A mate on the board is 1, so that the numbers are plies + 1.
	strong, weak []int8
	attacks      func(position.Square, position.Bitboard) position.Bitboard
}

// index is the same for positions that mirror each other at the middle of files or ranks: it is
// that of the one whose strong king stands in the corner of a1.
func index(king, piece, bare position.Square) int {
	var flip position.Square
	if king.File() > 3 {
		flip |= 7
	}
	if king.Rank() > 3 {
		flip |= 56
	}
	return int(king^flip)<<12 | int(piece^flip)<<6 | int(bare^flip)
}

func squares(at int) (king, piece, bare position.Square) {
	return position.Square(at >> 12), position.Square(at >> 6 & 63), position.Square(at & 63)
}

// mates is the number of half-moves to mate, negative for the side that is mated and 0 if it is
// a draw; false for any other ending.
func (d *databases) mates(p *position.Position) (plies int, known bool) {
	if p.Occupied().Count() != 3 || p.HasCastlingRights() {
		return 0, false
	}
	for c := position.White; c <= position.Black; c++ {
		for t, table := range map[position.PieceType]*mateTable{position.Queen: &d.queenMates, position.Rook: &d.rookMates} {
			piece := p.Pieces(c, t)
			if piece.Count() != 1 {
				continue
			}
			table.once.Do(func() { table.solve(t) })
			at := index(p.KingSquare(c), piece.First(), p.KingSquare(c.Other()))
			if p.SideToMove() == c {
				return max(0, int(table.strong[at])-1), true
			}
			return min(0, 1-int(table.weak[at])), true
		}
	}
	return 0, false
}

// solve fills the table, backwards from the mates. Every move in it can be taken back the way it
// came, since nothing is captured and there are no pawns.
func (m *mateTable) solve(t position.PieceType) {
	m.attacks = position.RookAttacks
	if t == position.Queen {
		m.attacks = position.QueenAttacks
	}
	m.strong, m.weak = make([]int8, 1<<18), make([]int8, 1<<18)
	var lost []int
	for at := range m.weak {
		king, piece, bare := squares(at)
		if index(king, piece, bare) != at || king == piece || king == bare || piece == bare || position.KingAttacks(king).Has(bare) {
			continue
		}
		if m.isLost(king, piece, bare, 0) {
			m.weak[at] = 1
			lost = append(lost, at)
		}
	}
	for plies := 1; len(lost) > 0; plies += 2 {
		lost = m.lostBefore(m.wonBefore(lost, plies), plies+1)
	}
}

// wonBefore marks and returns the positions from which a move leads to one of those just lost.
func (m *mateTable) wonBefore(lost []int, plies int) (won []int) {
	add := func(king, piece, bare position.Square) {
		at := index(king, piece, bare)
		// With the bare king in check it would not be the other side's turn.
		if m.strong[at] == 0 && !m.attacks(piece, king.Bit()|piece.Bit()|bare.Bit()).Has(bare) {
			m.strong[at] = int8(plies + 1)
			won = append(won, at)
		}
	}
	for _, at := range lost {
		king, piece, bare := squares(at)
		occupied := king.Bit() | piece.Bit() | bare.Bit()
		for from := m.attacks(piece, occupied) &^ occupied; from != 0; {
			add(king, from.PopFirst(), bare)
		}
		for from := position.KingAttacks(king) &^ occupied &^ position.KingAttacks(bare); from != 0; {
			add(from.PopFirst(), piece, bare)
		}
	}
	return won
}

// lostBefore marks and returns the positions from which every move leads to one that is won, the
// longest way to one of those just found.
func (m *mateTable) lostBefore(won []int, plies int) (lost []int) {
	for _, at := range won {
		king, piece, bare := squares(at)
		for from := position.KingAttacks(bare) &^ king.Bit() &^ piece.Bit() &^ position.KingAttacks(king); from != 0; {
			sq := from.PopFirst()
			at := index(king, piece, sq)
			if m.weak[at] == 0 && m.isLost(king, piece, sq, plies) {
				m.weak[at] = int8(plies + 1)
				lost = append(lost, at)
			}
		}
	}
	return lost
}

// isLost tells whether the bare king, to move, is mated in exactly so many plies if it was not
// found to be in fewer.
func (m *mateTable) isLost(king, piece, bare position.Square, plies int) bool {
	own := king.Bit() | piece.Bit()
	check := m.attacks(piece, own|bare.Bit()).Has(bare)
	moves := 0
	for to := position.KingAttacks(bare); to != 0; {
		sq := to.PopFirst()
		if position.KingAttacks(king).Has(sq) || sq != piece && m.attacks(piece, king.Bit()|sq.Bit()).Has(sq) {
			continue
		}
		if sq == piece {
			return false // it takes the piece
		}
		moves++
		if won := m.strong[index(king, piece, sq)]; won == 0 || int(won) > plies {
			return false
		}
	}
	return moves > 0 || check && plies == 0
}

package search

import "zeitnot/engine/position"

// seeValue are the piece values of the static exchange evaluation, in centipawns. The king
// is worth nothing because it may only capture last, which seeAtLeast looks after.
var seeValue = [8]int{100, 310, 330, 500, 960, 0, 0, 0}

// seeGain is what the move wins at once, before any answer.
func seeGain(p *position.Position, m position.Move) int {
	gain := seeValue[p.Captured(m)&7]
	if m.IsPromotion() {
		gain += seeValue[m.Promotion()] - seeValue[position.Pawn]
	}
	return gain
}

// seeAtLeast tells whether the exchange that m starts on its target square gives the side
// to move at least threshold centipawns, if both sides capture with their least valuable
// piece and may stop at any time. Pins are not looked at.
func seeAtLeast(p *position.Position, m position.Move, threshold int) bool {
	if m.IsCastle() {
		return threshold <= 0
	}
	from, to := m.From(), m.To()

	// The move alone must reach the threshold, even with nothing lost afterwards.
	balance := seeGain(p, m) - threshold
	if balance < 0 {
		return false
	}
	// If losing the piece outright still leaves enough, nothing can go wrong.
	moving := p.PieceAt(from).Type()
	if m.IsPromotion() {
		moving = m.Promotion()
	}
	balance -= seeValue[moving]
	if balance >= 0 {
		return true
	}

	occ := p.Occupied()&^from.Bit() | to.Bit()
	if m.Kind() == position.EnPassant {
		occ &^= position.SquareAt(to.File(), from.Rank()).Bit()
	}
	diagonal := p.ByType(position.Bishop) | p.ByType(position.Queen)
	straight := p.ByType(position.Rook) | p.ByType(position.Queen)
	attackers := p.AttackersTo(to, occ) & occ
	us := p.SideToMove()
	side := us.Other()

	for {
		own := attackers & p.ByColor(side)
		if own == 0 {
			break
		}
		// The least valuable attacker captures, and may uncover a slider behind it.
		t := position.Pawn
		var with position.Bitboard
		for ; t <= position.King; t++ {
			if with = own & p.ByType(t); with != 0 {
				break
			}
		}
		occ &^= with.First().Bit()
		if t == position.Pawn || t == position.Bishop || t == position.Queen {
			attackers |= position.BishopAttacks(to, occ) & diagonal
		}
		if t == position.Rook || t == position.Queen {
			attackers |= position.RookAttacks(to, occ) & straight
		}
		attackers &= occ

		// The balance, seen by the side that will move next, after this capture.
		side = side.Other()
		balance = -balance - 1 - seeValue[t]
		if balance >= 0 {
			// The capturer keeps its gain even if its piece is lost, unless it was the king
			// that captured into an attacked square.
			if t == position.King && attackers&p.ByColor(side) != 0 {
				side = side.Other()
			}
			break
		}
	}
	// Whoever has to move now has lost the exchange.
	return side != us
}

package position

// countLegal is the number of legal moves: generate with additions in place of writes.
func (p *Position) countLegal() int {
	us := p.side & 1
	own, enemy := p.byColor[us], p.byColor[us^1]
	occ := own | enemy
	king := (p.byType[King] & own).First() & 63
	n := 0

	targets := kingAttacks[king] &^ own
	castles := p.checkers == 0 && p.castling[us] != [2]Square{NoSquare, NoSquare}
	if targets != 0 || castles {
		danger := p.attackedBy(us^1, occ&^king.Bit())
		n += (targets &^ danger).Count()
		if castles {
			for i := range p.castling[us] {
				if p.canCastle(i, king, danger) {
					n++
				}
			}
		}
	}
	evade := p.evasions(king)
	if evade == 0 {
		return n
	}

	s := p.pawnSteps(us, king, evade)
	n += s.push.Count() + s.double.Count() + s.west.Count() + s.east.Count()
	const last = rank1 | rank8
	if (s.push|s.west|s.east)&last != 0 {
		n += 3 * ((s.push & last).Count() + (s.west & last).Count() + (s.east & last).Count())
	}
	if p.ep != NoSquare {
		for b := pawnAttacks[us^1][p.ep&63] & p.byType[Pawn] & own; b != 0; {
			if p.epIsSafe(b.PopFirst(), p.ep, p.ep^8) {
				n++
			}
		}
	}

	squares := evade &^ own
	for b := p.byType[Knight] & own &^ p.pinned; b != 0; {
		n += (knightAttacks[b.PopFirst()&63] & squares).Count()
	}
	for b := (p.byType[Bishop] | p.byType[Queen]) & own; b != 0; {
		s := b.PopFirst()
		to := BishopAttacks(s, occ) & squares
		if p.pinned.Has(s) {
			to &= line[king][s&63]
		}
		n += to.Count()
	}
	for b := (p.byType[Rook] | p.byType[Queen]) & own; b != 0; {
		s := b.PopFirst()
		to := RookAttacks(s, occ) & squares
		if p.pinned.Has(s) {
			to &= line[king][s&63]
		}
		n += to.Count()
	}
	return n
}

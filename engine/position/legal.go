package position

// IsLegal tells whether m, any value at all, is a legal move here. It is cheap: meant for
// moves out of a transposition table, which may belong to another position.
func (p *Position) IsLegal(m Move) bool {
	from, to, kind := m.From(), m.To(), m.Kind()
	us := p.side & 1
	own, enemy := p.byColor[us], p.byColor[us^1]
	occ := own | enemy
	pc := p.board[from]
	if kind > PromoteQueen || !own.Has(from) {
		return false
	}
	king := (p.byType[King] & own).First() & 63
	if kind == Castle {
		if from != king || p.checkers != 0 {
			return false
		}
		side := sideOf(from, to)
		return p.castling[us][side] == to && p.canCastle(side, king, p.attackedBy(us^1, occ))
	}
	if own.Has(to) {
		return false
	}
	switch pc.Type() {
	case Pawn:
		if !p.pawnReaches(from, to, kind) {
			return false
		}
		if kind == EnPassant {
			return p.epIsSafe(from, to, to^8)
		}
	case King:
		return kind == Normal && kingAttacks[from].Has(to) &&
			p.AttackersTo(to, occ^from.Bit())&enemy == 0
	default:
		if kind != Normal || !p.pieceAttacks(pc.Type(), from, occ).Has(to) {
			return false
		}
	}
	if p.checkers != 0 && !p.evasions(king).Has(to) {
		return false
	}
	return !p.pinned.Has(from) || line[king][from].Has(to)
}

// pieceAttacks is what a piece other than a pawn attacks.
func (p *Position) pieceAttacks(t PieceType, s Square, occ Bitboard) Bitboard {
	switch t {
	case Knight:
		return knightAttacks[s&63]
	case Bishop:
		return BishopAttacks(s, occ)
	case Rook:
		return RookAttacks(s, occ)
	case Queen:
		return QueenAttacks(s, occ)
	}
	return kingAttacks[s&63]
}

// pawnReaches tells whether a pawn of the side to move on from gets to a square without
// an own piece by a move of just this kind, checks and pins aside.
func (p *Position) pawnReaches(from, to Square, kind Kind) bool {
	us := p.side & 1
	occ := p.byColor[0] | p.byColor[1]
	up := 8 - 16*int(us)
	switch kind {
	case DoublePush:
		start := RankMask(1 + 5*int(us))
		return start.Has(from) && int(to) == int(from)+2*up && !occ.Has(to) && !occ.Has(Square(int(from)+up))
	case EnPassant:
		return to == p.ep && p.ep != NoSquare && pawnAttacks[us][from].Has(to)
	case Normal:
		if (rank1 | rank8).Has(to) {
			return false
		}
	default:
		if !(rank1 | rank8).Has(to) {
			return false
		}
	}
	if occ.Has(to) { // not an own piece
		return pawnAttacks[us][from].Has(to)
	}
	return int(to) == int(from)+up
}

// HasLegalMove tells whether the side to move has any move: without one it is mated or
// stalemated.
func (p *Position) HasLegalMove() bool { return p.countLegal() != 0 }

// Captured is the type of the piece that m takes, NoPieceType if it takes none. m must be
// legal.
func (p *Position) Captured(m Move) PieceType {
	switch m.Kind() {
	case EnPassant:
		return Pawn
	case Castle:
		return NoPieceType // the target is the own rook's square
	}
	return p.board[m.To()&63].Type()
}

// IsCapture tells whether m takes a piece, en passant included. m must be legal.
func (p *Position) IsCapture(m Move) bool { return p.Captured(m) != NoPieceType }

// IsNoisy tells on which side of the split between LegalNoisy and LegalQuiet m falls. m
// must be legal.
func (p *Position) IsNoisy(m Move) bool {
	return m.Kind() == PromoteQueen || p.IsCapture(m)
}

// GivesCheck tells whether the legal move m gives check, directly or by discovery.
func (p *Position) GivesCheck(m Move) bool {
	from, to := m.From()&63, m.To()&63
	us := p.side & 1
	own := p.byColor[us]
	king := (p.byType[King] & p.byColor[us^1]).First() & 63
	occ := (p.byColor[0] | p.byColor[1]) ^ from.Bit() | to.Bit()
	t := p.board[from].Type()
	switch m.Kind() {
	case Castle:
		kingTo, rookTo := castleTargets(from, to)
		occ = occ&^to.Bit() | kingTo.Bit() | rookTo.Bit()
		return RookAttacks(rookTo, occ).Has(king) || p.slidersSee(king, occ, own&^to.Bit())
	case EnPassant:
		occ &^= (to ^ 8).Bit()
		return pawnAttacks[us][to].Has(king) || p.slidersSee(king, occ, own)
	case PromoteKnight, PromoteBishop, PromoteRook, PromoteQueen:
		t = m.Promotion()
	}
	if t == Pawn {
		if pawnAttacks[us][to].Has(king) {
			return true
		}
	} else if t != King && p.pieceAttacks(t, to, occ).Has(king) {
		return true
	}
	// A discovered check starts from a line through the king.
	return (rookRays[king] | bishopRays[king]).Has(from) && p.slidersSee(king, occ, own&^from.Bit())
}

// slidersSee tells whether a slider of the set given attacks s when occ is occupied.
func (p *Position) slidersSee(s Square, occ, set Bitboard) bool {
	queens := p.byType[Queen]
	return BishopAttacks(s, occ)&(p.byType[Bishop]|queens)&set != 0 ||
		RookAttacks(s, occ)&(p.byType[Rook]|queens)&set != 0
}

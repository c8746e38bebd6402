package position

// Make plays m and writes the position after it into next; p stays as it was. m must be
// legal and next must not be p.
func (p *Position) Make(m Move, next *Position) {
	*next = *p
	us := p.side & 1
	from, to := m.From()&63, m.To()&63
	next.side = us ^ 1
	next.fullmove += uint16(us)
	next.halfmove++
	next.ep = NoSquare
	next.key ^= zobristBlack ^ zobristEP[p.ep&127]
	if p.castleSquares&(from.Bit()|to.Bit()) != 0 {
		next.dropRights(us, from, to)
	}
	switch kind := m.Kind(); kind {
	case Normal, DoublePush:
		pc, captured := p.board[from], p.board[to]
		next.capture(captured, to)
		next.move(pc, from, to)
		if pc.Type() == Pawn {
			next.halfmove = 0
			if kind == DoublePush {
				next.setEnPassant((from+to)/2, to)
			}
		}
	case EnPassant:
		pc := p.board[from]
		next.capture(MakePiece(us^1, Pawn), to^8) // the pawn one rank behind the target
		next.board[to^8] = NoPiece
		next.move(pc, from, to)
	case Castle:
		king, rook := MakePiece(us, King), MakePiece(us, Rook)
		kingTo, rookTo := castleTargets(from, to)
		next.remove(king, from)
		next.remove(rook, to)
		next.put(king, kingTo)
		next.put(rook, rookTo)
	default:
		next.capture(p.board[to], to)
		pawn := MakePiece(us, Pawn)
		next.remove(pawn, from)
		next.put(MakePiece(us, m.Promotion()), to)
		next.halfmove = 0
	}
	next.checkers, next.pinned = next.checksAndPins(us ^ 1)
}

// MakeNull passes the move and writes the position after it into next. The side to move
// must not be in check. The en passant chance is gone; the clock runs on.
func (p *Position) MakeNull(next *Position) {
	*next = *p
	next.side = p.side ^ 1
	next.fullmove += uint16(p.side)
	next.halfmove++
	next.ep = NoSquare
	next.key ^= zobristBlack ^ zobristEP[p.ep&127]
	next.checkers, next.pinned = next.checksAndPins(next.side)
}

// castleTargets are the squares where king and rook land, the same in Chess960 as in
// standard chess: g and f on the king's side, c and d on the queen's.
func castleTargets(king, rook Square) (kingTo, rookTo Square) {
	rank := king & 56
	if rook > king {
		return rank | 6, rank | 5
	}
	return rank | 2, rank | 3
}

// move takes pc from one square to another that is empty or was emptied by capture.
func (p *Position) move(pc Piece, from, to Square) {
	both := from.Bit() | to.Bit()
	p.byType[pc&7] ^= both
	p.byColor[pc>>3&1] ^= both
	p.board[from&63] = NoPiece
	p.board[to&63] = pc
	p.hash(pc, zobristPiece[pc&15][from&63]^zobristPiece[pc&15][to&63])
}

// capture takes pc off s and resets the clock; with NoPiece it does nothing. The board
// array is left to the piece that comes.
func (p *Position) capture(pc Piece, s Square) {
	if pc == NoPiece {
		return
	}
	p.byType[pc&7] ^= s.Bit()
	p.byColor[pc>>3&1] ^= s.Bit()
	p.hash(pc, zobristPiece[pc&15][s&63])
	p.halfmove = 0
}

// hash enters a change of the squares of pc into the keys.
func (p *Position) hash(pc Piece, change uint64) {
	p.key ^= change
	if pc.Type() == Pawn {
		p.pawnKey ^= change
	} else {
		p.pieceKey[pc>>3&1] ^= change
	}
}

func (p *Position) remove(pc Piece, s Square) {
	p.byType[pc&7] ^= s.Bit()
	p.byColor[pc>>3&1] ^= s.Bit()
	p.board[s&63] = NoPiece
	p.hash(pc, zobristPiece[pc&15][s&63])
}

func (p *Position) put(pc Piece, s Square) {
	p.byType[pc&7] ^= s.Bit()
	p.byColor[pc>>3&1] ^= s.Bit()
	p.board[s&63] = pc
	p.hash(pc, zobristPiece[pc&15][s&63])
}

// dropRights takes away the rights that end with a move of us between two squares of
// which at least one holds a king or rook with a right.
func (p *Position) dropRights(us Color, from, to Square) {
	kingMoves := p.byType[King].Has(from)
	for c := range p.castling {
		for i, rook := range p.castling[c] {
			if rook == NoSquare {
				continue
			}
			if rook == from || rook == to || kingMoves && Color(c) == us {
				p.castling[c][i] = NoSquare
				p.key ^= zobristCastle[rook&63]
			}
		}
	}
	p.castleSquares = p.rightSquares()
}

// rightSquares computes castleSquares from the rights.
func (p *Position) rightSquares() (b Bitboard) {
	for c := range p.castling {
		for _, rook := range p.castling[c] {
			if rook != NoSquare {
				b |= rook.Bit() | p.byType[King]&p.byColor[c]
			}
		}
	}
	return b
}

// setEnPassant notes the target square behind a pawn that has just stepped two squares
// to pawn, if the side to move has a legal capture there. The side to move is already
// the capturing one.
func (p *Position) setEnPassant(target, pawn Square) {
	us := p.side
	takers := pawnAttacks[us^1][target&63] & p.byType[Pawn] & p.byColor[us]
	for takers != 0 {
		if p.epIsSafe(takers.PopFirst(), target, pawn) {
			p.ep = target
			p.key ^= zobristEP[target&127]
			return
		}
	}
}

// epIsSafe tells whether the own king is safe after a capture en passant: two pawns leave
// their rank at once, so neither pins nor checkers tell it.
func (p *Position) epIsSafe(from, target, pawn Square) bool {
	us := p.side & 1
	occ := p.Occupied()&^(from.Bit()|pawn.Bit()) | target.Bit()
	enemy := p.byColor[us^1] &^ pawn.Bit()
	return p.AttackersTo(p.KingSquare(us), occ)&enemy == 0
}

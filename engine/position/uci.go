package position

import "fmt"

// UCI writes m in coordinates, "0000" for NoMove. Castling is written as king takes rook
// or as the king's own step to the c- or g-file.
func (p *Position) UCI(m Move, kingTakesRook bool) string {
	if m == NoMove {
		return "0000"
	}
	from, to := m.From(), m.To()
	if m.IsCastle() && !kingTakesRook {
		to, _ = castleTargets(from, to)
	}
	s := from.String() + to.String()
	if m.IsPromotion() {
		s += string("nbrq"[m.Promotion()-Knight])
	}
	return s
}

// ParseUCI reads a legal move in coordinates. A king that moves onto its own rook
// castles; so does a king on e that moves two files towards a rook on a or h with the
// right. Every other king move is a plain step, so Chess960 is never ambiguous.
func (p *Position) ParseUCI(s string) (Move, error) {
	if len(s) != 4 && len(s) != 5 {
		return NoMove, fmt.Errorf("move %q is not in coordinates", clip(s))
	}
	from, ok1 := parseSquare(s[:2])
	to, ok2 := parseSquare(s[2:4])
	if !ok1 || !ok2 {
		return NoMove, fmt.Errorf("move %q is not in coordinates", s)
	}
	promotion := NoPieceType
	if len(s) == 5 {
		switch s[4] {
		case 'n':
			promotion = Knight
		case 'b':
			promotion = Bishop
		case 'r':
			promotion = Rook
		case 'q':
			promotion = Queen
		default:
			return NoMove, fmt.Errorf("move %q: no promotion to %q", s, s[4])
		}
	}
	m := NewMove(from, to, p.kindOf(from, to, promotion))
	if m.IsCastle() { // in either notation the move holds the square of the rook
		m = NewMove(from, p.castling[p.side][sideOf(from, to)], Castle)
	}
	if !p.IsLegal(m) {
		return NoMove, fmt.Errorf("move %q is illegal in %s", s, p.FEN())
	}
	return m, nil
}

// sideOf is the castling side of a step from the king's square: 0 king's, 1 queen's.
func sideOf(king, to Square) int {
	if to > king {
		return 0
	}
	return 1
}

// kindOf is the only kind that a move between two squares can have; castling needs the
// right, else the move is a plain one that IsLegal refuses. A missing or
// needless promotion gives a kind that IsLegal refuses.
func (p *Position) kindOf(from, to Square, promotion PieceType) Kind {
	if promotion != NoPieceType {
		return PromoteKnight + Kind(promotion-Knight)
	}
	switch p.board[from] {
	case MakePiece(p.side, Pawn):
		switch {
		case to == p.ep && from.File() != to.File():
			return EnPassant
		case from^to == 16:
			return DoublePush
		}
	case MakePiece(p.side, King):
		side := sideOf(from, to)
		rook := p.castling[p.side][side]
		two := from.Rank() == to.Rank() && (int(to)-int(from) == 2 || int(from)-int(to) == 2)
		if rook != NoSquare && (to == rook || two && p.standardRight(p.side, side)) {
			return Castle
		}
	}
	return Normal
}

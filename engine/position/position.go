// Package position holds the rules of chess: positions, moves, their notations and the
// history of a game. It covers standard chess and Chess960, imports the standard
// library only, and refuses to hold an illegal position: parsing gives a legal one or
// an error that says why not.
package position

// Position is one legal chess position. It is a plain value: copying it copies the
// position, and a move is made into another one (copy-make), so nothing is ever undone.
// Two equal values are the same position with the same counters.
type Position struct {
	// byType is indexed by PieceType for both colours; the entries past King are always
	// empty, which lets Make clear the square of a captured piece without asking whether
	// there is one.
	byType  [8]Bitboard
	byColor [2]Bitboard
	board   [64]Piece
	key     uint64 // zobrist key of the whole position
	pawnKey uint64 // zobrist key of the pawns alone
	// pieceKey are the zobrist keys of the pieces of each side that are not pawns.
	pieceKey [2]uint64

	checkers Bitboard // pieces that give check to the side to move
	pinned   Bitboard // pieces of the side to move that are pinned to their king
	// castleSquares are the kings and rooks of all rights left: only a move from or to one
	// of them can change the rights.
	castleSquares Bitboard
	castling      [2][2]Square // rook square per colour and side (0 king's, 1 queen's), NoSquare without the right

	ep       Square // only set when an en passant capture is legal
	side     Color
	chess960 bool
	halfmove uint16 // half-moves since the last capture or pawn move
	fullmove uint16 // move number as in FEN, from 1
}

// Start is the initial position of standard chess.
func Start() Position {
	p, err := ParseFEN(StartFEN)
	if err != nil {
		panic(err) // the constant is wrong
	}
	return p
}

// WithChess960 is the same position with the Chess960 flag as given. The flag chooses
// how castling is written and read, never which moves are legal.
func (p Position) WithChess960(on bool) Position {
	p.chess960 = on
	return p
}

// Chess960 tells whether castling is written as king takes rook.
func (p *Position) Chess960() bool { return p.chess960 }

// SideToMove is the side whose turn it is.
func (p *Position) SideToMove() Color { return p.side }

// Key is the zobrist key: pieces, side, castling rights and the file of a legal en
// passant capture. Positions that repeat have equal keys.
func (p *Position) Key() uint64 { return p.key }

// PawnKey is the zobrist key of the pawns of both sides alone; 0 without pawns.
func (p *Position) PawnKey() uint64 { return p.pawnKey }

// PieceKey is the zobrist key of the pieces of c without its pawns.
func (p *Position) PieceKey(c Color) uint64 { return p.pieceKey[c&1] }

// HalfmoveClock is the number of half-moves since the last capture or pawn move.
func (p *Position) HalfmoveClock() int { return int(p.halfmove) }

// FullmoveNumber is the move number as in FEN, from 1.
func (p *Position) FullmoveNumber() int { return int(p.fullmove) }

// EnPassant is the square where a pawn can be captured en passant by a legal move,
// else NoSquare.
func (p *Position) EnPassant() Square { return p.ep }

// PieceAt is the piece on s, NoPiece when it is empty.
func (p *Position) PieceAt(s Square) Piece { return p.board[s&63] }

// Pieces is the set of pieces of one type and side.
func (p *Position) Pieces(c Color, t PieceType) Bitboard { return p.byColor[c&1] & p.byType[t&7] }

// ByType is the set of pieces of one type of both sides.
func (p *Position) ByType(t PieceType) Bitboard { return p.byType[t&7] }

// ByColor is the set of pieces of one side.
func (p *Position) ByColor(c Color) Bitboard { return p.byColor[c&1] }

// Occupied is the set of all pieces.
func (p *Position) Occupied() Bitboard { return p.byColor[White] | p.byColor[Black] }

// KingSquare is the square of the king of c.
func (p *Position) KingSquare(c Color) Square { return (p.byType[King] & p.byColor[c&1]).First() }

// Checkers is the set of pieces that give check to the side to move.
func (p *Position) Checkers() Bitboard { return p.checkers }

// InCheck tells whether the side to move is in check.
func (p *Position) InCheck() bool { return p.checkers != 0 }

// CastlingRook is the square of the rook with which c may still castle on the side given
// (0 king's, 1 queen's); NoSquare without the right.
func (p *Position) CastlingRook(c Color, side int) Square { return p.castling[c&1][side&1] }

// HasCastlingRights tells whether either side may still castle.
func (p *Position) HasCastlingRights() bool {
	return p.castling != [2][2]Square{{NoSquare, NoSquare}, {NoSquare, NoSquare}}
}

// Pinned is the set of pieces of c that may only move on the line of their king, because
// an enemy slider stands behind them.
func (p *Position) Pinned(c Color) Bitboard {
	if c == p.side {
		return p.pinned
	}
	_, pinned := p.checksAndPins(c)
	return pinned
}

// AttackersTo is the set of pieces of both sides that attack s when occ is occupied. Pieces
// outside occ that stand on the board still count as attackers: mask the result with occ
// after removing some.
func (p *Position) AttackersTo(s Square, occ Bitboard) Bitboard {
	s &= 63
	queens := p.byType[Queen]
	return pawnAttacks[White][s]&p.byType[Pawn]&p.byColor[Black] |
		pawnAttacks[Black][s]&p.byType[Pawn]&p.byColor[White] |
		knightAttacks[s]&p.byType[Knight] |
		kingAttacks[s]&p.byType[King] |
		BishopAttacks(s, occ)&(p.byType[Bishop]|queens) |
		RookAttacks(s, occ)&(p.byType[Rook]|queens)
}

// checksAndPins gives the pieces that check the king of c and the pieces of c that are
// pinned to it. Every enemy slider that would see the king on an empty board does one or
// the other when no piece or exactly one stands between.
func (p *Position) checksAndPins(c Color) (checkers, pinned Bitboard) {
	own, enemy := p.byColor[c&1], p.byColor[c&1^1]
	king := (p.byType[King] & own).First() & 63
	occ := own | enemy
	queens := p.byType[Queen]
	checkers = (knightAttacks[king]&p.byType[Knight] | pawnAttacks[c&1][king]&p.byType[Pawn]) & enemy
	snipers := (rookRays[king]&(p.byType[Rook]|queens) | bishopRays[king]&(p.byType[Bishop]|queens)) & enemy
	for snipers != 0 {
		s := snipers.PopFirst()
		switch blockers := between[king][s&63] & occ; {
		case blockers == 0:
			checkers |= s.Bit()
		case !blockers.Several():
			pinned |= blockers & own
		}
	}
	return checkers, pinned
}

// Package position holds the rules of chess: positions, moves, their notations and the
// history of a game. It covers standard chess and Chess960, imports the standard
// library only, and refuses to hold an illegal position: parsing gives a legal one or
// an error that says why not.
package position

// Position is one legal chess position. It is a plain value: copying it copies the
// position, and a move is made into another one (copy-make), so nothing is ever undone.
type Position struct {
	byType   [6]Bitboard // squares of each piece type, both colours
	byColor  [2]Bitboard // squares of each side
	board    [64]Piece
	key      uint64 // zobrist key of the whole position
	pawnKey  uint64 // zobrist key of the pawns alone
	checkers Bitboard
	castling [2][2]Square // rook square per colour and side (0 king's, 1 queen's), NoSquare without the right
	ep       Square       // only set when an en passant capture is legal
	side     Color
	chess960 bool
	halfmove uint16 // half-moves since the last capture or pawn move
	fullmove uint16 // move number as in FEN, from 1
}

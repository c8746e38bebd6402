package position

// Move is a move in 16 bits: from (0-5), to (6-11), kind (12-15). Castling is always
// held as king takes own rook, in standard chess and in Chess960 alike; the notation
// is chosen when it is written. The zero value is NoMove.
type Move uint16

// NoMove is the absent move; it also stands for a null move in a line.
const NoMove Move = 0

// Kind says what is special about a move.
type Kind uint8

// The kinds of a move. Promotions are PromoteKnight + (type - Knight).
const (
	Normal Kind = iota
	DoublePush
	EnPassant
	Castle
	PromoteKnight
	PromoteBishop
	PromoteRook
	PromoteQueen
)

// NewMove packs a move; it does not check it.
func NewMove(from, to Square, k Kind) Move {
	return Move(from) | Move(to)<<6 | Move(k)<<12
}

// From is the square that the piece leaves.
func (m Move) From() Square { return Square(m & 63) }

// To is the square where the piece lands; for castling the square of the own rook.
func (m Move) To() Square { return Square(m >> 6 & 63) }

// Kind of the move.
func (m Move) Kind() Kind { return Kind(m >> 12) }

// IsCastle tells whether the move castles.
func (m Move) IsCastle() bool { return m.Kind() == Castle }

// IsPromotion tells whether a pawn promotes.
func (m Move) IsPromotion() bool { return m.Kind() >= PromoteKnight }

// Promotion is the type promoted to, NoPieceType when the move does not promote.
func (m Move) Promotion() PieceType {
	if !m.IsPromotion() {
		return NoPieceType
	}
	return Knight + PieceType(m.Kind()-PromoteKnight)
}

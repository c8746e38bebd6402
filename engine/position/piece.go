package position

// Color is the side: White or Black.
type Color uint8

// The two sides.
const (
	White Color = iota
	Black
)

// Other is the opponent of c.
func (c Color) Other() Color { return c ^ 1 }

// String is "white" or "black".
func (c Color) String() string {
	if c == White {
		return "white"
	}
	return "black"
}

// PieceType is a kind of piece without its colour.
type PieceType uint8

// The piece types in ascending order of value; NoPieceType is an empty square.
const (
	Pawn PieceType = iota
	Knight
	Bishop
	Rook
	Queen
	King
	NoPieceType
)

// Piece is a coloured piece: colour<<3 | type. NoPiece is an empty square.
type Piece uint8

// NoPiece is an empty square.
const NoPiece Piece = Piece(NoPieceType)

// MakePiece joins a colour and a type.
func MakePiece(c Color, t PieceType) Piece { return Piece(c)<<3 | Piece(t) }

// Color of the piece; meaningless for NoPiece.
func (p Piece) Color() Color { return Color(p >> 3) }

// Type of the piece; NoPieceType for NoPiece.
func (p Piece) Type() PieceType { return PieceType(p & 7) }

package position

// Square is a board square, a1 = 0, b1 = 1, … h8 = 63. NoSquare means none.
type Square uint8

// NoSquare is the absent square (no en passant target, no king yet).
const NoSquare Square = 64

// SquareAt returns the square on file 0-7 (a-h) and rank 0-7 (1-8).
func SquareAt(file, rank int) Square { return Square(rank<<3 | file) }

// File is 0 for the a-file … 7 for the h-file.
func (s Square) File() int { return int(s & 7) }

// Rank is 0 for the first rank … 7 for the eighth.
func (s Square) Rank() int { return int(s >> 3) }

// Flip mirrors the square between the two sides (a1 <-> a8).
func (s Square) Flip() Square { return s ^ 56 }

// Distance is the number of king moves to another square of an empty board.
func (s Square) Distance(to Square) int {
	files, ranks := s.File()-to.File(), s.Rank()-to.Rank()
	return max(files, -files, ranks, -ranks)
}

// String is the algebraic name, "-" for NoSquare.
func (s Square) String() string {
	if s >= NoSquare {
		return "-"
	}
	return string([]byte{'a' + byte(s.File()), '1' + byte(s.Rank())})
}

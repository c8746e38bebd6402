package position

// The tables below are built once at start-up and never written again.
var (
	knightAttacks = leaperTable([][2]int{{1, 2}, {2, 1}, {2, -1}, {1, -2}, {-1, -2}, {-2, -1}, {-2, 1}, {-1, 2}})
	kingAttacks   = leaperTable([][2]int{{1, 0}, {1, 1}, {0, 1}, {-1, 1}, {-1, 0}, {-1, -1}, {0, -1}, {1, -1}})
	pawnAttacks   = [2][64]Bitboard{
		White: leaperTable([][2]int{{-1, 1}, {1, 1}}),
		Black: leaperTable([][2]int{{-1, -1}, {1, -1}}),
	}
	rookRays   = rayTable(rookSteps) // on an empty board
	bishopRays = rayTable(bishopSteps)

	diagonals     = lineTable([][2]int{{1, 1}, {-1, -1}}) // the a1-h8 direction, with the square itself
	antiDiagonals = lineTable([][2]int{{-1, 1}, {1, -1}})

	between, line = segmentTables()
)

var (
	rookSteps   = [][2]int{{1, 0}, {-1, 0}, {0, 1}, {0, -1}}
	bishopSteps = [][2]int{{1, 1}, {-1, 1}, {-1, -1}, {1, -1}}
)

// Files and ranks that the generator needs by name.
const (
	fileA Bitboard = 0x0101010101010101
	fileH Bitboard = fileA << 7
	rank1 Bitboard = 0xff
	rank8 Bitboard = rank1 << 56
)

// FileMask is the file 0-7 (a-h) as a set.
func FileMask(file int) Bitboard { return fileA << (file & 7) }

// RankMask is the rank 0-7 (1-8) as a set.
func RankMask(rank int) Bitboard { return rank1 << ((rank & 7) * 8) }

// KnightAttacks is the set of squares that a knight on s attacks.
func KnightAttacks(s Square) Bitboard { return knightAttacks[s&63] }

// KingAttacks is the set of squares next to s.
func KingAttacks(s Square) Bitboard { return kingAttacks[s&63] }

// PawnAttacks is the set of squares that a pawn of colour c on s attacks.
func PawnAttacks(c Color, s Square) Bitboard { return pawnAttacks[c&1][s&63] }

// Between is the set of squares strictly between a and b, empty unless they share a rank,
// file or diagonal.
func Between(a, b Square) Bitboard { return between[a&63][b&63] }

// Line is the whole rank, file or diagonal through a and b, both included; empty when
// they share none or are equal.
func Line(a, b Square) Bitboard { return line[a&63][b&63] }

// step is the square one step away from s, false when that leaves the board.
func step(s Square, d [2]int) (Square, bool) {
	f, r := s.File()+d[0], s.Rank()+d[1]
	if f < 0 || f > 7 || r < 0 || r > 7 {
		return NoSquare, false
	}
	return SquareAt(f, r), true
}

// walk slides from s in each direction up to and including the first blocker.
func walk(s Square, occ Bitboard, steps [][2]int) (b Bitboard) {
	for _, d := range steps {
		for t, ok := step(s, d); ok; t, ok = step(t, d) {
			b |= t.Bit()
			if occ.Has(t) {
				break
			}
		}
	}
	return b
}

func leaperTable(steps [][2]int) (table [64]Bitboard) {
	for s := range NoSquare {
		for _, d := range steps {
			if t, ok := step(s, d); ok {
				table[s] |= t.Bit()
			}
		}
	}
	return table
}

func rayTable(steps [][2]int) (table [64]Bitboard) {
	for s := range NoSquare {
		table[s] = walk(s, 0, steps)
	}
	return table
}

func lineTable(steps [][2]int) (table [64]Bitboard) {
	for s := range NoSquare {
		table[s] = walk(s, 0, steps) | s.Bit()
	}
	return table
}

func segmentTables() (between, line [64][64]Bitboard) {
	for a := range NoSquare {
		for _, steps := range [][][2]int{rookSteps[:2], rookSteps[2:], {bishopSteps[0], bishopSteps[2]}, {bishopSteps[1], bishopSteps[3]}} {
			whole := walk(a, 0, steps)
			for rest := whole; rest != 0; {
				b := rest.PopFirst()
				line[a][b] = whole | a.Bit()
				between[a][b] = walk(a, b.Bit(), steps) & walk(b, a.Bit(), steps)
			}
		}
	}
	return between, line
}

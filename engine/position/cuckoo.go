package position

// reversibleMoves holds every move of a piece other than a pawn between two squares of the
// empty board, by the key that it adds to a position's: 3668 moves, each in one of the two
// places that its key has. So one or two looks tell whether two positions are a move apart
// (the cuckoo tables of Marcel van Kervinck's paper on upcoming repetitions). Both arrays
// are written during init alone.
var (
	reversibleKeys  [cuckooSize]uint64
	reversibleMoves [cuckooSize][2]Square
)

const cuckooSize = 1 << 13

// cuckooPlaces are the two places of a key.
func cuckooPlaces(key uint64) (first, second int) {
	return int(key % cuckooSize), int(key >> 16 % cuckooSize)
}

// fillReversible builds the tables; the zobrist numbers must be there. A move that comes
// takes the place of the one before, which goes to its other place, and so on until one is
// free.
func fillReversible() {
	for _, c := range []Color{White, Black} {
		for t := Knight; t <= King; t++ {
			numbers := &zobristPiece[MakePiece(c, t)&15]
			for a := range NoSquare {
				for b := a + 1; b < NoSquare; b++ {
					if !attacksOnEmpty(t, a).Has(b) {
						continue
					}
					key, move := numbers[a]^numbers[b]^zobristBlack, [2]Square{a, b}
					place, _ := cuckooPlaces(key)
					for {
						key, reversibleKeys[place] = reversibleKeys[place], key
						move, reversibleMoves[place] = reversibleMoves[place], move
						if key == 0 {
							break
						}
						first, second := cuckooPlaces(key)
						place ^= first ^ second
					}
				}
			}
		}
	}
}

// attacksOnEmpty is the set of squares that a piece on s attacks when there is no other.
func attacksOnEmpty(t PieceType, s Square) Bitboard {
	switch t {
	case Knight:
		return knightAttacks[s&63]
	case King:
		return kingAttacks[s&63]
	case Bishop:
		return bishopRays[s&63]
	case Rook:
		return rookRays[s&63]
	case Queen:
		return rookRays[s&63] | bishopRays[s&63]
	}
	return 0
}

// Restores tells whether the side to move can bring about the position with the key given,
// an earlier one of the game since which no pawn has moved and nothing was captured, by a
// single move. Castling is none: it cannot be taken back.
func (p *Position) Restores(key uint64) bool {
	diff := p.key ^ key
	place, second := cuckooPlaces(diff)
	if reversibleKeys[place] != diff {
		if place = second; reversibleKeys[place] != diff {
			return false
		}
	}
	m := reversibleMoves[place]
	if between[m[0]&63][m[1]&63]&p.Occupied() != 0 {
		return false
	}
	// The piece stands on one of the squares; if it is the opponent's, the move was theirs.
	return p.byColor[p.side&1]&(m[0].Bit()|m[1].Bit()) != 0
}

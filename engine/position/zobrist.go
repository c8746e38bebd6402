package position

// The zobrist numbers, from a fixed seed so that keys are the same in every build. The
// rows of an absent piece are zero, and so is the entry of an absent en passant square.
var (
	zobristPiece  [16][64]uint64 // by Piece
	zobristCastle [64]uint64     // by the square of a rook with a right
	zobristEP     [128]uint64    // by en passant square; NoSquare is zero, its file decides the rest
	zobristBlack  uint64         // Black to move
)

func init() {
	seed := uint64(0x7a6569746e6f7421)
	random := func() uint64 { // splitmix64
		seed += 0x9e3779b97f4a7c15
		z := seed
		z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
		z = (z ^ z>>27) * 0x94d049bb133111eb
		return z ^ z>>31
	}
	for _, c := range []Color{White, Black} {
		for t := Pawn; t <= King; t++ {
			for s := range NoSquare {
				zobristPiece[MakePiece(c, t)][s] = random()
			}
		}
	}
	for f := range 8 {
		zobristCastle[SquareAt(f, 0)] = random()
		zobristCastle[SquareAt(f, 7)] = random()
		file := random()
		zobristEP[SquareAt(f, 2)], zobristEP[SquareAt(f, 5)] = file, file
	}
	zobristBlack = random()
	fillReversible()
}

// freshKeys computes the keys from the board; Make keeps them up to date.
func (p *Position) freshKeys() {
	p.key, p.pawnKey, p.pieceKey = 0, 0, [2]uint64{}
	for s, pc := range p.board {
		if pc != NoPiece {
			p.hash(pc, zobristPiece[pc&15][s])
		}
	}
	for c := range p.castling {
		for _, r := range p.castling[c] {
			if r != NoSquare {
				p.key ^= zobristCastle[r]
			}
		}
	}
	p.key ^= zobristEP[p.ep&127]
	if p.side == Black {
		p.key ^= zobristBlack
	}
}

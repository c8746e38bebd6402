package syzygy

import "zeitnot/engine/position"

// The numberings of squares below are part of the file format. Positions are first turned
// so that the leading man stands in the triangle a1-d1-d4 (tables without pawns) or on
// the files a-d (tables with pawns); the tables number what is left.

const (
	triangleOff = 6  // squares of the triangle below its diagonal: b1 c1 d1 c2 d2 d3
	triangleAll = 10 // with the diagonal a1 b2 c3 d4
	belowAll    = 28 // squares of the board below the diagonal a1-h8
	// kingPairCount is the number of placements of two kings that are not symmetric.
	kingPairCount = 462
	// tripleCount is the number of placements of three different men.
	tripleCount = triangleOff*63*62 + 4*belowAll*62 + 4*7*belowAll + 4*7*6
	pawnSquares = 48
	// maxLeaders is the most pawns that one side of a table can have.
	maxLeaders = MaxMen - kings
)

// squares is a numbering of the board.
type squares [64]uint8

var (
	binomials   = makeBinomials()
	triangle    = makeTriangle()
	below       = makeBelow()
	kingPairs   = makeKingPairs()
	pawnOrder   = makePawnOrder()
	leaderIndex = makeLeaderIndex()
)

// offDiagonal is 0 on the diagonal a1-h8, negative below it and positive above.
func offDiagonal(s position.Square) int { return s.Rank() - s.File() }

// transpose mirrors a square in the diagonal a1-h8.
func transpose(s position.Square) position.Square { return s>>3 | s<<3&56 }

// makeBinomials gives [k][n], the number of ways to choose k of n.
func makeBinomials() (b [MaxMen][65]uint64) {
	for n := range 65 {
		b[0][n] = 1
		for k := 1; k < MaxMen && n > 0; k++ {
			b[k][n] = b[k-1][n-1] + b[k][n-1]
		}
	}
	return b
}

// makeTriangle numbers a1-d1-d4: the squares below the diagonal first.
func makeTriangle() (m squares) {
	off, on := uint8(0), uint8(triangleOff)
	for s := position.Square(0); s < 64; s++ {
		switch {
		case s.File() > 3:
		case offDiagonal(s) < 0:
			m[s] = off
			off++
		case offDiagonal(s) == 0:
			m[s] = on
			on++
		}
	}
	return m
}

// makeBelow numbers the squares below the diagonal a1-h8.
func makeBelow() (m squares) {
	n := uint8(0)
	for s := position.Square(0); s < 64; s++ {
		if offDiagonal(s) < 0 {
			m[s] = n
			n++
		}
	}
	return m
}

// makeKingPairs numbers two kings, [place of the first in the triangle][square of the
// second]. With the first on the diagonal the second is never above it; placements with
// both on the diagonal come last.
func makeKingPairs() (m [triangleAll][64]uint16) {
	var inOrder [triangleAll]position.Square
	for s := position.Square(0); s < 32; s++ {
		if s.File() <= 3 && offDiagonal(s) <= 0 {
			inOrder[triangle[s]] = s
		}
	}
	n := uint16(0)
	for _, onDiagonal := range [2]bool{false, true} {
		for i, first := range inOrder {
			for second := position.Square(0); second < 64; second++ {
				touching := second == first || position.KingAttacks(first).Has(second)
				both := offDiagonal(first) == 0 && offDiagonal(second) == 0
				above := offDiagonal(first) == 0 && offDiagonal(second) > 0
				if touching || above || both != onDiagonal {
					continue
				}
				m[i][second] = n
				n++
			}
		}
	}
	return m
}

// makePawnOrder ranks the squares of pawns: 47 for a2, 46 for h2, 45 for a3 …, so from
// the edge files inward and on each file forward. The pawn with the highest leads.
func makePawnOrder() (m squares) {
	n := uint8(pawnSquares - 1)
	for file := range 4 {
		for rank := 1; rank <= 6; rank++ {
			m[position.SquareAt(file, rank)] = n
			m[position.SquareAt(7-file, rank)] = n - 1
			n -= 2
		}
	}
	return m
}

// leaders numbers the placements of the leading pawns.
type leaders struct {
	// first is the number of the first placement with the leading pawn on a square.
	first [64]uint64
	// size is the number of placements with the leading pawn on a file a-d.
	size [4]uint64
}

// makeLeaderIndex is indexed by the number of leading pawns.
func makeLeaderIndex() (m [maxLeaders + 1]leaders) {
	for n := 1; n <= maxLeaders; n++ {
		for file := range 4 {
			total := uint64(0)
			for rank := 1; rank <= 6; rank++ {
				s := position.SquareAt(file, rank)
				m[n].first[s] = total
				total += binomials[n-1][pawnOrder[s]]
			}
			m[n].size[file] = total
		}
	}
	return m
}

package sandbox

import (
	"strings"

	"zeitnot/engine/position"
)

// chess960Start is the start position of a number 0-959 in Scharnagl's numbering; 518 is
// the usual one.
func chess960Start(n int) string {
	var rank [8]byte
	free := func(i int) int { // the i-th square that is still empty
		for sq, p := range rank {
			if p == 0 {
				if i == 0 {
					return sq
				}
				i--
			}
		}
		panic("sandbox: Chess960 rank is full")
	}
	n, light := n/4, n%4
	n, dark := n/4, n%4
	knights, queen := n/6, n%6
	rank[2*light+1] = 'B'
	rank[2*dark] = 'B'
	rank[free(queen)] = 'Q'
	pairs := [10][2]int{{0, 1}, {0, 2}, {0, 3}, {0, 4}, {1, 2}, {1, 3}, {1, 4}, {2, 3}, {2, 4}, {3, 4}}
	a, b := free(pairs[knights][0]), free(pairs[knights][1])
	rank[a], rank[b] = 'N', 'N'
	for _, p := range []byte("RKR") {
		rank[free(0)] = p
	}
	white := string(rank[:])
	return strings.ToLower(white) + "/pppppppp/8/8/8/8/PPPPPPPP/" + white + " w KQkq - 0 1"
}

// isChess960Start tells whether a FEN is one of the 960 with all rights.
func isChess960Start(fen string) bool {
	p, err := position.ParseFEN(fen)
	if err != nil {
		return false
	}
	for n := range 960 {
		if q, err := position.ParseFEN(chess960Start(n)); err == nil && q.FEN() == p.FEN() {
			return true
		}
	}
	return false
}

// Package kpk knows the ending of king and pawn against king perfectly, without any file:
// a bitbase of 24 KiB is inside the program. It is made by Generate and exact (a test
// compares every position with a tablebase). The fifty-move rule never matters here.
package kpk

import (
	_ "embed"

	"zeitnot/engine/position"
)

//go:generate go test -run TestBitbaseIsWhatGenerateMakes -update .

// bitbase has one bit per index: White, with the pawn, wins.
//
//go:embed kpk.bin
var bitbase string

// size is the number of indexes: side to move, two kings, pawns on a2-d7.
const size = 2 * 64 * 64 * 4 * 6

// index numbers a position with a white pawn on the files a-d.
func index(stm position.Color, white, black, pawn position.Square) int {
	return int(stm) | int(black)<<1 | int(white)<<7 | pawn.File()<<13 | (pawn.Rank()-1)<<15
}

// Wins tells whether the side with the pawn wins; if not, the game is drawn. strong is its
// colour and king and pawn its men, bare the other king, stm the side to move. The position
// must be legal.
func Wins(strong position.Color, king, pawn, bare position.Square, stm position.Color) bool {
	if strong == position.Black {
		king, pawn, bare, stm = king.Flip(), pawn.Flip(), bare.Flip(), stm.Other()
	}
	if pawn.File() > 3 {
		king, pawn, bare = king^7, pawn^7, bare^7
	}
	i := index(stm, king, bare, pawn)
	return bitbase[i>>3]>>(i&7)&1 != 0
}

// Probe tells whether a position is king and pawn against king (ok), and if so whether the
// side with the pawn wins.
func Probe(p *position.Position) (wins, ok bool) {
	pawns := p.ByType(position.Pawn)
	if p.Occupied().Count() != 3 || pawns == 0 {
		return false, false
	}
	strong := position.White
	if p.Pieces(position.Black, position.Pawn) != 0 {
		strong = position.Black
	}
	return Wins(strong, p.KingSquare(strong), pawns.First(), p.KingSquare(strong.Other()), p.SideToMove()), true
}

// Package syzygy probes Syzygy endgame tablebases: who wins (WDL) and how many half-moves
// until the next capture, pawn move or mate (DTZ), for positions of up to seven men. It
// reads the published file format, orders the moves of a game by what the tables say and
// the fifty-move rule and repetitions allow, and knows nothing of searching.
//
// The tables assume that castling is over: positions with castling rights are not there.
// Classes of three to five men are tested against real tables. The numbering of positions
// with six and seven men is tested by its properties alone (in range, equal for symmetric
// positions, different for others), since such tables are too large to test with.
//
// A table is mapped into memory (or, where that is not possible, read) when it is first
// asked for. One that is cut off, altered or unreadable is named to the owner and left out.
package syzygy

import "zeitnot/engine/position"

// WDL is the value of a position for the side to move.
type WDL int8

// The values. A cursed win is won, but not before the fifty-move rule may draw it; a
// blessed loss is the same seen by the loser.
const (
	Loss        WDL = -2
	BlessedLoss WDL = -1
	Draw        WDL = 0
	CursedWin   WDL = 1
	Win         WDL = 2
)

// String is the value in words: "win", "cursed win", ….
func (w WDL) String() string {
	switch w {
	case Loss:
		return "loss"
	case BlessedLoss:
		return "blessed loss"
	case Draw:
		return "draw"
	case CursedWin:
		return "cursed win"
	case Win:
		return "win"
	}
	return "unknown"
}

// MaxMen is the number of men, kings included, that the largest tables hold.
const MaxMen = 7

// kings is the number of men in the smallest position; it is always drawn.
const kings = 2

// tableType numbers the piece types as the files do: pawn 1 … king 6.
func tableType(t position.PieceType) byte { return byte(t) + 1 }

package engine

import "fmt"

// Score is a value for the side to move: centipawns, or a mate when it is at least
// MateIn(MaxPly) in size.
type Score int32

const (
	// MaxPly is the deepest distance from the root that any search reaches.
	MaxPly = 246
	// Mate is the score of being mated on the board, with its sign turned.
	Mate Score = 32000
	// TableWin is the score of a position that tablebases call won: more than any
	// evaluation, less than any mate.
	TableWin Score = 25000
	// Infinite is beyond every score.
	Infinite Score = 32001
)

// MateIn is the score of giving mate after so many plies.
func MateIn(ply int) Score { return Mate - Score(ply) }

// MatedIn is the score of being mated after so many plies.
func MatedIn(ply int) Score { return Score(ply) - Mate }

// IsMate tells whether the score is a forced mate for either side.
func (s Score) IsMate() bool { return s >= MateIn(MaxPly) || s <= MatedIn(MaxPly) }

// MateMoves is the distance to mate in moves, positive when the side to move gives it,
// negative when it is mated (0 when mated already). It only means something if IsMate.
func (s Score) MateMoves() int {
	if s > 0 {
		return (int(Mate-s) + 1) / 2
	}
	return -(int(Mate+s) + 1) / 2
}

// String is the score as UCI writes it: "cp 13" or "mate -3".
func (s Score) String() string {
	if s.IsMate() {
		return fmt.Sprintf("mate %d", s.MateMoves())
	}
	return fmt.Sprintf("cp %d", int32(s))
}

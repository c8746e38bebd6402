package engine

import "math"

// The model of how games end from a score: the score from which on more than half of them are
// won, and the centipawns that divide the odds by e. Fitted by `tune wdl` of engine/eval/tune to
// games of the engine against itself; docs/engines.md says which, and how well.
const (
	wdlHalf  = 103
	wdlScale = 122
)

// WDL is how many games of a thousand the side to move wins, draws and loses from positions
// with the score. Together they are 1000.
func (s Score) WDL() (win, draw, loss int) {
	share := func(s Score) int { return int(math.Round(1000 * WinShare(float64(s), wdlHalf, wdlScale))) }
	win, loss = share(s), share(-s)
	return win, 1000 - win - loss, loss
}

// WinShare is the share of games that are won from a score, by a logistic model.
func WinShare(cp, half, scale float64) float64 { return 1 / (1 + math.Exp((half-cp)/scale)) }

package clock

import "time"

// The numbers of the softhard policy; given, not tuned, like those of reserve.
const (
	softMovesLeft    = 30 // moves thought to be still to come, at any point of the game
	softIncrementPct = 75 // share of the increment that is spent at once
	hardFactor       = 3  // hard limit as a multiple of the soft one
	ceilingDivisor   = 2  // no limit above half of the usable clock
)

// DefaultMoveOverhead is what a game over the network is thought to lose per move as
// long as nothing is measured. A GUI on the same machine needs 30 ms.
const DefaultMoveOverhead = 100 * time.Millisecond

// SoftHard aims at a soft limit and lets a search that is in trouble run up to the hard
// one. How a search stretches its soft limit is Scale.
type SoftHard struct {
	// MoveOverhead is taken off the clock, or off a fixed time per move, before anything
	// is planned; negative counts as 0.
	MoveOverhead time.Duration
}

// Name implements Policy.
func (SoftHard) Name() string { return "softhard" }

// Budget implements Policy.
func (p SoftHard) Budget(s State) Budget {
	usable := max(0, span(s.Remaining)-span(p.MoveOverhead))
	movesLeft := min(count(s.MovesToGo), softMovesLeft)
	if movesLeft <= 0 {
		movesLeft = softMovesLeft
	}
	soft := usable/time.Duration(movesLeft) + span(s.Increment)*softIncrementPct/100
	ceiling := usable / ceilingDivisor
	return Budget{Soft: min(soft, ceiling), Hard: min(hardFactor*soft, ceiling)}
}

// MoveTime is the budget for a move that has a fixed time of its own. It is not to be
// scaled.
func (p SoftHard) MoveTime(d time.Duration) Budget {
	b := max(0, span(d)-span(p.MoveOverhead))
	return Budget{Soft: b, Hard: b}
}

// Scale implements Scaler: a best move that keeps changing or a score that falls from
// one depth to the next asks for more time, a settled search for less.
func (SoftHard) Scale(p Progress) float64 {
	if p.Depth < 2 {
		return 1
	}
	return stability(p.BestStableFor) * scoreFall(p.Scores)
}

// stability is the factor for a best move that has held for so many depths.
func stability(depths int) float64 {
	percent := [...]float64{180, 140, 110, 90, 75}
	return percent[min(max(depths, 0), len(percent)-1)] / 100
}

// scoreFall is 1 plus a hundredth for each centipawn by which the last score is below the
// one before, 2 at most. A mate seen or lost sight of is not a fall of so many centipawns.
func scoreFall(scores []int) float64 {
	if len(scores) < 2 {
		return 1
	}
	before, now := scores[len(scores)-2], scores[len(scores)-1]
	if isMate(before) || isMate(now) {
		return 1
	}
	return 1 + float64(min(max(before-now, 0), 100))/100
}

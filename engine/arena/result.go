package arena

import (
	"fmt"
	"math"
	"strings"
)

// Result is the state of a match, seen from the first player.
type Result struct {
	Players             [2]string
	Wins, Draws, Losses int
	// Pairs counts the finished pairs of games by the first player's half points, 0 to 4.
	Pairs [5]int
	// Faults of each player.
	Faults [2]map[Fault]int
	// Timed tells that the numbers hold for this machine only.
	Timed bool
	// SPRT is the test that the match ran under, nil for none.
	SPRT *SPRT
	// half is the first player's half points in the game whose twin is still to come.
	half int
}

// add counts one more game; games come in the order of their numbers.
func (r *Result) add(g Record) {
	points := g.points()
	switch points {
	case 2:
		r.Wins++
	case 1:
		r.Draws++
	default:
		r.Losses++
	}
	if g.Number%2 == 1 {
		r.half = points
	} else {
		r.Pairs[r.half+points]++
	}
	if g.Fault != NoFault {
		// The map is copied: results given out earlier stay as they were.
		counts := map[Fault]int{g.Fault: 1}
		for f, n := range r.Faults[g.FaultBy] {
			counts[f] += n
		}
		r.Faults[g.FaultBy] = counts
	}
}

// Games is the number of finished games.
func (r *Result) Games() int { return r.Wins + r.Draws + r.Losses }

// Score is the first player's share of the points, 0 to 1; 0 before the first game.
func (r *Result) Score() float64 {
	if r.Games() == 0 {
		return 0
	}
	return (float64(r.Wins) + float64(r.Draws)/2) / float64(r.Games())
}

// sample is the mean and the variance of the score of one unit, and how many units there
// are. Units are pairs of games, because both games of an opening hang together; games as
// long as no pair is finished.
func (r *Result) sample() (mean, variance, n float64) {
	counts, most := r.Pairs[:], 4.0
	if r.Pairs == [5]int{} {
		counts, most = []int{r.Losses, r.Draws, r.Wins}, 2
	}
	for points, c := range counts {
		n += float64(c)
		mean += float64(c) * float64(points) / most
	}
	if n == 0 {
		return 0, 0, 0
	}
	mean /= n
	for points, c := range counts {
		d := float64(points)/most - mean
		variance += float64(c) * d * d
	}
	return mean, variance / n, n
}

// Elo is the difference of strength and half the width of its 95 % interval. A side that
// has scored nothing is infinitely far away; the margin is infinite where it cannot be told.
func (r *Result) Elo() (elo, margin float64) {
	mean, variance, n := r.sample()
	if n == 0 {
		return 0, math.Inf(1)
	}
	elo = eloOf(mean)
	spread := 1.959964 * math.Sqrt(variance/n)
	low, high := eloOf(mean-spread), eloOf(mean+spread)
	if math.IsInf(elo, 0) || math.IsInf(low, 0) || math.IsInf(high, 0) || n < 2 {
		return elo, math.Inf(1)
	}
	return elo, (high - low) / 2
}

// LOS is the likelihood that the first player is the stronger one, 0 to 1.
func (r *Result) LOS() float64 {
	mean, variance, n := r.sample()
	switch {
	case n == 0 || mean == 0.5:
		return 0.5
	case variance == 0 && mean > 0.5:
		return 1
	case variance == 0:
		return 0
	}
	return 0.5 * (1 + math.Erf((mean-0.5)/math.Sqrt(2*variance/n)))
}

// eloOf is the Elo difference that gives the score.
func eloOf(score float64) float64 {
	switch {
	case score <= 0:
		return math.Inf(-1)
	case score >= 1:
		return math.Inf(1)
	}
	return 400 * math.Log10(score/(1-score))
}

// scoreOf is the score that an Elo difference gives.
func scoreOf(elo float64) float64 { return 1 / (1 + math.Pow(10, -elo/400)) }

// Difference is Elo for people, "12.3 +- 4.5", or what keeps it from being told: too few
// games for a margin, or a side that has scored nothing.
func (r *Result) Difference() string {
	elo, margin := r.Elo()
	switch {
	case math.IsInf(elo, 0):
		return "not measurable"
	case math.IsInf(margin, 0):
		return fmt.Sprintf("%.1f +- ?", elo)
	}
	return fmt.Sprintf("%.1f +- %.1f", elo, margin)
}

// String is a table of a few lines.
func (r Result) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s vs %s: %d games, +%d =%d -%d, %.1f %%\n", r.Players[0], r.Players[1], r.Games(), r.Wins, r.Draws, r.Losses, 100*r.Score())
	fmt.Fprintf(&b, "Elo %s, LOS %.1f %%, pairs (0 to 2 points) %v\n", r.Difference(), 100*r.LOS(), r.Pairs)
	if r.SPRT != nil {
		low, high := r.SPRT.bounds()
		fmt.Fprintf(&b, "SPRT [%g, %g]: LLR %.2f (%.2f, %.2f) %s\n", r.SPRT.Elo0, r.SPRT.Elo1, r.LLR(*r.SPRT), low, high, r.verdict())
	}
	for i, name := range r.Players {
		fmt.Fprintf(&b, "%s: %d time forfeits, %d illegal moves, %d failures\n", name, r.Faults[i][TimeForfeit], r.Faults[i][IllegalMove], r.Faults[i][Failed])
	}
	if r.Timed {
		b.WriteString("Timed: these numbers hold for this machine only.\n")
	}
	return b.String()
}

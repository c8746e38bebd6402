package arena

import (
	"fmt"
	"math"
	"slices"
)

// Score counts games and pairs of games from one side.
type Score struct {
	Wins, Draws, Losses int
	// Pairs counts the finished pairs of games by the side's half points, 0 to 4.
	Pairs [5]int
}

// z95 is how many standard deviations a 95 % interval reaches to either side.
const z95 = 1.959964

// game counts one game of 0, 1 or 2 half points.
func (s *Score) game(points int) {
	switch points {
	case 2:
		s.Wins++
	case 1:
		s.Draws++
	default:
		s.Losses++
	}
}

// flipped is the same from the other side.
func (s Score) flipped() Score {
	s.Wins, s.Losses = s.Losses, s.Wins
	slices.Reverse(s.Pairs[:])
	return s
}

// plus is both together.
func (s Score) plus(o Score) Score {
	s.Wins += o.Wins
	s.Draws += o.Draws
	s.Losses += o.Losses
	for i, n := range o.Pairs {
		s.Pairs[i] += n
	}
	return s
}

// Games is the number of finished games.
func (s *Score) Games() int { return s.Wins + s.Draws + s.Losses }

// Points are 1 for a win and a half for a draw.
func (s *Score) Points() float64 { return float64(s.Wins) + float64(s.Draws)/2 }

// DrawRatio is the share of draws, 0 to 1; 0 before the first game.
func (s *Score) DrawRatio() float64 {
	if s.Games() == 0 {
		return 0
	}
	return float64(s.Draws) / float64(s.Games())
}

// Share is the share of the points, 0 to 1; 0 before the first game.
func (s *Score) Share() float64 {
	if s.Games() == 0 {
		return 0
	}
	return s.Points() / float64(s.Games())
}

// sample is the mean and the variance of the score of one unit, and how many units there
// are. Units are pairs of games, because both games of an opening hang together; games as
// long as no pair is finished.
func (s *Score) sample() (mean, variance, n float64) {
	counts, most := s.Pairs[:], 4.0
	if s.Pairs == [5]int{} {
		counts, most = []int{s.Losses, s.Draws, s.Wins}, 2
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
func (s *Score) Elo() (elo, margin float64) {
	mean, variance, n := s.sample()
	if n == 0 {
		return 0, math.Inf(1)
	}
	elo = eloOf(mean)
	spread := z95 * math.Sqrt(variance/n)
	low, high := eloOf(mean-spread), eloOf(mean+spread)
	// Units that all scored alike say nothing about how much they vary.
	if math.IsInf(elo, 0) || math.IsInf(low, 0) || math.IsInf(high, 0) || n < 2 || variance == 0 {
		return elo, math.Inf(1)
	}
	return elo, (high - low) / 2
}

// LOS is the likelihood that the scoring side is the stronger one, 0 to 1.
func (s *Score) LOS() float64 {
	mean, variance, n := s.sample()
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

// Normalised is the difference in the deviations of one game, 1 being nearly 350 normalised
// Elo, and half the width of its 95 % interval: what decides how many games tell two players
// apart, at any ratio of draws. ok is false where all units scored alike.
func (s *Score) Normalised() (elo, margin float64, ok bool) {
	mean, variance, n := s.sample()
	if variance == 0 {
		return 0, 0, false
	}
	// A unit of two games has half the variance of one game.
	games := 1.0
	if s.Pairs != [5]int{} {
		games = 2
	}
	const scale = 800 / math.Ln10
	return scale * (mean - 0.5) / math.Sqrt(games*variance), scale * z95 / math.Sqrt(games*n), true
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
func (s *Score) Difference() string {
	elo, margin := s.Elo()
	switch {
	case math.IsInf(elo, 0):
		return "not measurable"
	case math.IsInf(margin, 0):
		return fmt.Sprintf("%.1f +- ?", elo)
	}
	return fmt.Sprintf("%.1f +- %.1f", elo, margin)
}

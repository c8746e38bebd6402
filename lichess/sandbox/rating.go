package sandbox

import "math"

// perf is an account's standing in one kind of game.
type perf struct {
	games    int
	rating   float64
	rd       float64 // rating deviation
	progress int     // change over the last dozen games, as the profile shows it
	last     []int   // rating differences of the last 12 games
}

// The bounds of a deviation and the one from which a rating counts as provisional, as
// Lichess has them.
const (
	minDeviation         = 45
	maxDeviation         = 500
	provisionalDeviation = 110
)

func (p *perf) provisional() bool { return p.rd >= provisionalDeviation }
func (p *perf) shown() int        { return int(math.Round(p.rating)) }

// rate applies one game to both standings by Glicko's first system (Glickman 1999), with
// the period of a single game; score is a's: 1, ½ or 0. It returns the changes as shown.
func rate(a, b *perf, score float64) (diffA, diffB int) {
	beforeA, beforeB := a.shown(), b.shown()
	ra, da := glicko(a, b, score)
	rb, db := glicko(b, a, 1-score)
	a.rating, a.rd, b.rating, b.rd = ra, da, rb, db
	diffA, diffB = a.shown()-beforeA, b.shown()-beforeB
	a.note(diffA)
	b.note(diffB)
	return diffA, diffB
}

func glicko(p, o *perf, score float64) (rating, rd float64) {
	q := math.Ln10 / 400
	g := 1 / math.Sqrt(1+3*q*q*o.rd*o.rd/(math.Pi*math.Pi))
	expected := 1 / (1 + math.Pow(10, -g*(p.rating-o.rating)/400))
	d2 := 1 / (q * q * g * g * expected * (1 - expected))
	precision := 1/(p.rd*p.rd) + 1/d2
	rating = p.rating + q/precision*g*(score-expected)
	rd = math.Sqrt(1 / precision)
	return max(400, rating), min(max(rd, minDeviation), maxDeviation)
}

func (p *perf) note(diff int) {
	p.games++
	p.last = append(p.last, diff)
	if len(p.last) > 12 {
		p.last = p.last[1:]
	}
	p.progress = 0
	for _, d := range p.last {
		p.progress += d
	}
}

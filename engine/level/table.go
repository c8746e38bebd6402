package level

import (
	"fmt"
	"math"
)

// rung is a strength that has been measured; docs/levels.md has the matches.
type rung struct {
	elo int
	Params
}

func ladder() []rung {
	return []rung{
		{450, Params{Nodes: 2000, Candidates: 24, Margin: 1000, Shallow: 1, Horizon: 1}},
		{750, Params{Nodes: 2000, Candidates: 16, Margin: 600, Shallow: 0.9, Horizon: 1}},
		{1000, Params{Nodes: 2000, Candidates: 10, Margin: 350, Shallow: 0.7, Horizon: 1}},
		{1180, Params{Nodes: 2000, Candidates: 8, Margin: 220, Shallow: 0.5, Horizon: 1}},
		{1350, Params{Nodes: 2000, Candidates: 6, Margin: 130, Shallow: 0.3, Horizon: 2}},
		{1570, Params{Nodes: 3000, Candidates: 4, Margin: 70, Shallow: 0.15, Horizon: 2}},
		{1700, Params{Nodes: 5000, Candidates: 4, Margin: 40, Shallow: 0.1, Horizon: 3}},
		{1990, Params{Nodes: 15000, Candidates: 3, Margin: 25, Shallow: 0.05, Horizon: 3}},
		{2260, Params{Nodes: 50000, Candidates: 2, Margin: 15, Shallow: 0.02, Horizon: 4}},
	}
}

// EloRange is what ForElo takes.
func EloRange() (least, most int) {
	l := ladder()
	return l[0].elo, l[len(l)-1].elo
}

// ForElo is the strength of that many Elo; see docs/levels.md for the scale and its errors.
// Between two measured strengths the parameters are interpolated, nodes by their logarithm.
func ForElo(elo int) (Params, error) {
	rungs := ladder()
	least, most := EloRange()
	if elo < least || elo > most {
		return Params{}, fmt.Errorf("%d Elo: not within %d-%d", elo, least, most)
	}
	high := 1
	for rungs[high].elo < elo {
		high++
	}
	a, b := rungs[high-1], rungs[high]
	f := float64(elo-a.elo) / float64(b.elo-a.elo)
	between := func(x, y float64) float64 { return x + f*(y-x) }
	whole := func(x, y int) int { return int(math.Round(between(float64(x), float64(y)))) }
	return Params{
		Nodes:      int(math.Round(math.Exp(between(math.Log(float64(a.Nodes)), math.Log(float64(b.Nodes)))))),
		Candidates: whole(a.Candidates, b.Candidates),
		Margin:     whole(a.Margin, b.Margin),
		Shallow:    between(a.Shallow, b.Shallow),
		Horizon:    whole(a.Horizon, b.Horizon),
	}, nil
}

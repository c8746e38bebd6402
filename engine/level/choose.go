package level

import (
	"math/rand/v2"

	"zeitnot/engine"
	"zeitnot/engine/position"
)

// candidates gathers the lines of a search. Only those of one depth can be compared, so the
// lines of a depth count once all of them are there.
type candidates struct {
	lines   int // that make a depth complete
	depth   int // of running
	running []engine.Info
	done    []engine.Info // of the last complete depth, by rank
}

func (c *candidates) add(i engine.Info) {
	if i.CurrMove != position.NoMove || len(i.PV) == 0 {
		return
	}
	if i.Depth != c.depth || i.MultiPV == 1 {
		c.depth, c.running = i.Depth, nil
	}
	if i.MultiPV != len(c.running)+1 {
		return
	}
	if c.running = append(c.running, i); len(c.running) == c.lines {
		c.done = c.running
	}
}

// choose draws a bonus between nothing and the margin for each candidate and takes the best
// sum: good moves are more likely than bad ones, and what is worse than the best by more
// than the margin cannot win. ok is false if there is nothing to choose from.
func (c *candidates) choose(p *Params, rng *rand.Rand) (line engine.Info, ok bool) {
	best := 0.0
	for n, i := range c.done {
		if n >= p.Candidates {
			break
		}
		sum := float64(i.Score) + float64(p.Margin)*rng.Float64()
		if !ok || sum > best {
			line, best, ok = i, sum, true
		}
	}
	return line, ok
}

package clocksim

import (
	"slices"
	"time"
)

// trace is the clock and the budget of one game, move by move.
type trace struct{ left, soft []time.Duration }

func (t *trace) move(left, soft time.Duration) {
	if t != nil {
		t.left, t.soft = append(t.left, left), append(t.soft, soft)
	}
}

// band is how clock and budget are distributed at one move number over the games that
// have come so far: lower end, median and upper end.
type band struct{ left, soft [3]time.Duration }

// The share of games below each line of a band.
var bandQuantiles = [3]float64{0.05, 0.5, 0.95}

// bandGames is the fewest games that a band is made of.
const bandGames = 20

// bandsOf are the bands by move number, as far as enough games have come.
func bandsOf(traces []trace) []band {
	var bands []band
	for move := 0; ; move++ {
		var left, soft []time.Duration
		for _, t := range traces {
			if move < len(t.left) {
				left, soft = append(left, t.left[move]), append(soft, t.soft[move])
			}
		}
		if len(left) == 0 || len(left) < min(bandGames, len(traces)) {
			return bands
		}
		slices.Sort(left)
		slices.Sort(soft)
		var b band
		for i, q := range bandQuantiles {
			at := min(int(q*float64(len(left))), len(left)-1)
			b.left[i], b.soft[i] = left[at], soft[at]
		}
		bands = append(bands, b)
	}
}

package clocksim

import (
	"math"
	"math/rand/v2"
)

// MaxMoves is the number of own moves after which the server ends a game.
const MaxMoves = 300

// Length draws the number of own moves of a game.
type Length interface {
	Name() string
	Draw(source *rand.Rand) int
}

// The model of game lengths: log-logistic, with a few marathons mixed in, which are what
// loses on time.
const (
	lengthMedian  = 45
	lengthShape   = 5.93
	marathonShare = 0.03
	marathonLeast = 100
)

// ModelLength is the model that the gates are measured on.
type ModelLength struct{}

// Name implements Length.
func (ModelLength) Name() string { return "model" }

// Draw implements Length.
func (ModelLength) Draw(source *rand.Rand) int {
	if source.Float64() < marathonShare {
		return marathonLeast + source.IntN(MaxMoves-marathonLeast+1)
	}
	u := source.Float64()
	return int(math.Round(min(lengthMedian*math.Pow(u/(1-u), 1/lengthShape), MaxMoves)))
}

// FixedLength lets every game have so many own moves.
type FixedLength int

// Name implements Length.
func (FixedLength) Name() string { return "fixed" }

// Draw implements Length.
func (l FixedLength) Draw(*rand.Rand) int { return int(l) }

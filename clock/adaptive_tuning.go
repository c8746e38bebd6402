package clock

import "time"

// Fixed parts of the adaptive policy.
const (
	// FirstMoveLimit bounds our first move of a network game. The server does not charge
	// for it, but somebody waits.
	FirstMoveLimit = 3 * time.Second

	minBase      = 3 * time.Second // a game without initial time starts with as much
	stallPct     = 6               // of the initial time is insured against a stall at the most
	premoveShare = 8               // below the guard even premoves get shorter
	openingMoves = 10              // so many own moves until a move has its full weight

	// Lengths of games in own moves: a log-logistic distribution with this median and shape.
	// Fitted to engine games on the server; docs/benchmarks.md has the check against two
	// collections of games.
	medianMoves = 45
	lengthShape = 5.93
)

// AdaptiveTuning is the numbers of the adaptive policy. Where each came from stands in
// docs/benchmarks.md; "given" below means a starting value that no measurement moved.
type AdaptiveTuning struct {
	// Stall is the longest hold-up of the network that one game is insured against; a
	// short game insures at most a fixed share of its initial time.
	Stall time.Duration
	// InsuredMoves is the number of own moves for which the cost at premove speed is kept
	// back. The server ends a game after 300.
	InsuredMoves int
	// Premove is the time one move takes when there is no time: a lookup and one ply.
	Premove time.Duration
	// DrainFactor is on the mean overhead where the cost of moves to come is planned.
	DrainFactor float64
	// NeedShare is the part of the clock that is kept back for moves to come at the most.
	NeedShare float64
	// DevShare is how much of the overhead's deviation counts as overhead.
	DevShare float64
	// MinHorizon is the fewest moves the free time is dealt out over; from move 2*LateHorizon
	// on the horizon grows by half a move per move.
	MinHorizon, LateHorizon float64
	// IncrementShare is the part of an increment, less the overhead, that is spent at once.
	IncrementShare float64
	// OpeningFactor is on the soft limit of the first move, MiddleFactor from the tenth on.
	OpeningFactor, MiddleFactor float64
	// HardFactor, HardClockShare and HardIncrementShare bound the hard limit: by the soft one,
	// by the free time, and by the clock as far as the increment is spent ahead.
	HardFactor, HardClockShare, HardIncrementShare float64
}

// DefaultAdaptiveTuning is what games are played with.
func DefaultAdaptiveTuning() AdaptiveTuning {
	return AdaptiveTuning{
		Stall:              3 * time.Second,
		InsuredMoves:       200,
		Premove:            3 * time.Millisecond,
		DrainFactor:        1.05,
		NeedShare:          0.8,
		DevShare:           0.5,
		MinHorizon:         16,
		LateHorizon:        14,
		IncrementShare:     0.95,
		OpeningFactor:      0.8,
		MiddleFactor:       1.15,
		HardFactor:         4.5,
		HardClockShare:     0.4,
		HardIncrementShare: 0.3,
	}
}

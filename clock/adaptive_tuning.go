package clock

import "time"

// Fixed parts of the adaptive policy.
const (
	// FirstMoveLimit bounds our first move of a network game. The server does not charge
	// for it, but somebody waits.
	FirstMoveLimit = 3 * time.Second

	minBase       = 3 * time.Second // a game without initial time starts with as much
	affordable    = 0.8             // share of the initial time that moves to come may cost without a thought
	estimateMoves = 40              // increments that the server counts into the length of a game
	premoveShare  = 8               // below the guard even premoves get shorter
	openingMoves  = 10              // so many own moves until a move has its full weight

	// Lengths of games in own moves: a log-logistic distribution with this median and shape,
	// cut where the server ends a game. Fitted to engine games on the server;
	// docs/benchmarks.md has the check against two collections of games.
	medianMoves = 45
	lengthShape = 5.93
	longestGame = 300
)

// AdaptiveTuning is the numbers of the adaptive policy. Where the defaults came from stands
// beside them; "given" means a starting value that no measurement moved.
type AdaptiveTuning struct {
	// InsuredLength is the length from which a game is insured against a stall and for
	// InsuredMoves, and with an increment every game is. UninsuredLength is the length up to
	// which a game without increment keeps back only what most games will still need; in
	// between it is something of both. The length is the server's: the initial time and forty
	// increments.
	UninsuredLength, InsuredLength time.Duration
	// Stall is the longest hold-up of the network that one game is insured against, a short
	// game for StallShare of its length at the most; one that is not insured has the measured
	// guard alone.
	Stall      time.Duration
	StallShare float64
	// InsuredMoves is the number of own moves for which the cost at premove speed is kept
	// back. The server ends a game after 300. A game that is not insured keeps back that of
	// UninsuredMeans times the moves that are to come on average.
	InsuredMoves   int
	UninsuredMeans float64
	// Premove is the time one move takes when there is no time: a lookup and one ply.
	Premove time.Duration
	// DrainFactor is on the mean overhead where the cost of moves to come is planned.
	DrainFactor float64
	// NeedShare is the part of the clock that is kept back for moves to come at the most,
	// where they would cost more than the initial time.
	NeedShare float64
	// DevShare is how much of the overhead's deviation counts as overhead.
	DevShare float64
	// With an increment MinHorizon is the fewest moves the free time is dealt out over, and
	// from move 2*LateHorizon on the horizon grows by half a move per move. Without one the
	// horizon is always EvenHorizon: what the last moves of a long game are played with has to
	// be left then. 0: without one it is like with one.
	MinHorizon, LateHorizon, EvenHorizon float64
	// IncrementShare is the part of an increment, less the overhead, that is spent at once.
	IncrementShare float64
	// OpeningFactor is on the soft limit of the first move, MiddleFactor from the tenth on.
	OpeningFactor, MiddleFactor float64
	// HardFactor, HardClockShare and HardIncrementShare bound the hard limit: by the soft one,
	// by the free time, and by the clock as far as the increment is spent ahead.
	HardFactor, HardClockShare, HardIncrementShare float64
}

// DefaultAdaptiveTuning is what games are played with. "Simulated" numbers are the ones
// that meet every gate of the simulator at once; docs/benchmarks.md has the frontiers.
func DefaultAdaptiveTuning() AdaptiveTuning {
	return AdaptiveTuning{
		UninsuredLength:    time.Minute,             // matches: the clock kept back for long games costs more points than they do
		InsuredLength:      160 * time.Second,       // simulated: 2+1 and 3+0 lose no game; the length of 2+1
		Stall:              5200 * time.Millisecond, // simulated: stalls of 1-5 s cost no game with an increment; 3 s: 4 in 10,000 at 2+1
		StallShare:         0.055,                   // simulated: 0.05 loses twice as many games of 300 moves at 1+0, 0.06 takes 0.01 off log2 there
		InsuredMoves:       300,                     // simulated: the server's limit; 260 loses 3 games in 10,000 at 1+0
		UninsuredMeans:     2,                       // matches: as strong as 1 and 1.4, and loses a fifth as many games on time
		Premove:            3 * time.Millisecond,    // given
		DrainFactor:        1.05,                    // given; 1.02 loses three times as many games of 300 moves at 1+0
		NeedShare:          0.9,                     // simulated at 1/2+0 and 60 ms: 0.8 loses 5 games in 1,000
		DevShare:           0.5,                     // given
		MinHorizon:         15,                      // simulated, with the three below: clocks with an increment are used up
		LateHorizon:        14,                      // given; 20 and 50 play more premoves and gain nothing
		EvenHorizon:        36,                      // matches against softhard at 1+0: 30 and 54 are worse
		IncrementShare:     1,                       // simulated: 0.95 leaves 0.6 % of the clock more at 2+1
		OpeningFactor:      1,                       // simulated: 0.8 takes 0.01 off log2 at 2+1
		MiddleFactor:       1.2,                     // simulated: 1.15 leaves 1 % of the clock more, 1.25 hurries moves 41-60
		HardFactor:         4.5,                     // given; 6 changes nothing
		HardClockShare:     0.4,                     // given
		HardIncrementShare: 0.3,                     // given
	}
}

package clock

import (
	"math"
	"time"
)

// Adaptive plans with what a move really costs. It spends the clock over the moves that a
// game of this length still has, keeps back one long stall and the bare cost of the moves
// that may come if the game does not end, and is continuous: a millisecond more or less on
// the clock never changes a budget by more than a few.
//
// It needs a measured overhead in the state. The zero Overhead means that nothing was
// measured yet and is replaced by a cautious guess.
type Adaptive struct {
	Tuning AdaptiveTuning
	// Feedback chooses what a running search may stretch and cut its soft limit by.
	Feedback FeedbackElements
	// Local, when given, is the fixed overhead of a GUI on the same machine: it replaces
	// the measured one, no stall is insured against, and twice as much stays on the clock.
	// Negative counts as 0.
	Local *time.Duration
}

// startOverhead is what a game is played with before anything is known of its network.
func startOverhead() Overhead {
	return Overhead{Mean: startMean, Dev: startDev, Q90: startMean + startDev, Guard: startGuard}
}

// NewAdaptive is the policy as it plays over a network.
func NewAdaptive() Adaptive {
	return Adaptive{Tuning: DefaultAdaptiveTuning(), Feedback: AllFeedback()}
}

// NewStrict is the adaptive policy that insures every game wholly and uses the clock up while
// most games last, also where that costs points: it meets every gate of the simulator.
func NewStrict() Adaptive {
	a := NewAdaptive()
	a.Tuning.UninsuredLength, a.Tuning.InsuredLength, a.Tuning.EvenHorizon = 0, 0, 0
	return a
}

// Name implements Policy.
func (a Adaptive) Name() string {
	if a.Tuning.InsuredLength <= 0 {
		return "strict"
	}
	return "adaptive"
}

// Budget implements Policy. The state of a move is worked out in milliseconds; the last
// step, the limit that no budget may pass, is exact.
func (a Adaptive) Budget(s State) Budget {
	t := a.Tuning
	p := a.Plan(s)

	remaining := ms(span(s.Remaining))
	increment := ms(span(s.Increment))
	guard := ms(p.Guard)
	gain := max(0, increment-p.overhead) // what an increment brings in after the move was paid for
	premove := min(max((remaining-guard)/premoveShare, 0), ms(span(t.Premove)))

	// The opening is played a little faster: its moves are worth less and better known.
	warm := t.OpeningFactor + (t.MiddleFactor-t.OpeningFactor)*min(1, float64(p.moves)/openingMoves)
	soft := max(premove, (p.free/p.Horizon+t.IncrementShare*gain)*warm)
	hard := max(premove, t.HardClockShare*p.free+min(gain, t.HardIncrementShare*(remaining-guard)))
	hard = max(premove, min(t.HardFactor*soft, hard))

	limit := max(0, span(s.Remaining)-p.Guard)
	if a.Local == nil && p.moves == 0 {
		limit = min(limit, FirstMoveLimit)
	}
	b := Budget{Hard: min(duration(hard), limit), Red: p.free <= 0}
	b.Soft = min(duration(soft), b.Hard)
	return b
}

// AdaptivePlan is how the clock is divided for one move.
type AdaptivePlan struct {
	// Guard stays on the clock whatever happens; Need is what is kept back so that the game
	// can go on at premove speed if it does not end; Free is what may be thought with, and
	// negative when the other two are not covered.
	Guard, Need, Free time.Duration
	// Horizon is over how many moves Free is dealt out.
	Horizon float64

	moves          int64
	overhead, free float64 // ms; free without rounding
}

// Plan divides the clock.
func (a Adaptive) Plan(s State) AdaptivePlan {
	t := a.Tuning
	ov := s.Overhead
	if ov == (Overhead{}) {
		ov = startOverhead()
	}
	// The server's own measure of how long a game is: without the increments a game of 0+1
	// would insure next to nothing, though it can save up for a stall.
	base := max(span(s.Base), span(s.Increment), minBase)
	length := ms(base) + estimateMoves*ms(span(s.Increment))
	if a.Local != nil {
		ov = Overhead{Mean: *a.Local}
	}

	// What a move costs at the least, how far an increment does not pay for that, and how far
	// the game is insured: wholly if an increment does, or when it is long.
	drain := t.DrainFactor*perMove(ov) + ms(span(t.Premove)) - ms(span(s.Increment))
	unpaid := 0.0
	if drain > 0 {
		unpaid = drain / (drain + ms(span(s.Increment)))
	}
	insured := 1 - unpaid*clamp((ms(t.InsuredLength)-length)/max(1, ms(t.InsuredLength-t.UninsuredLength)), 0, 1)

	guard := max(span(ov.Guard), duration(insured*min(ms(span(t.Stall)), t.StallShare*length)))
	if a.Local != nil {
		guard = min(2*span(*a.Local), MaxTime)
	}
	n := max(0, count(s.MoveNumber))
	moves := mix(t.UninsuredMeans*meanToCome[min(n, longestGame)], float64(max(0, int64(t.InsuredMoves)-n)), insured)
	horizon := max(t.MinHorizon, medianToCome(n), float64(n)/2-t.LateHorizon)
	if t.EvenHorizon > 0 {
		horizon = mix(horizon, t.EvenHorizon, unpaid)
	}
	if toGo := count(s.MovesToGo); toGo > 0 {
		horizon, moves = min(horizon, float64(toGo)), float64(toGo)
	}

	// What the moves that may come cost together. Where that is beyond the means of such a
	// game from its start, it is never all of the clock: all of the game would be played at
	// premove speed. The means are those of the initial time, since with those of the present
	// clock more time could give less.
	remaining := ms(span(s.Remaining))
	need := 0.0
	if drain > 0 {
		all := drain * moves
		beyond := all/max(1, ms(base)-ms(guard)) - affordable
		share := 1 - (1-t.NeedShare)*clamp(beyond/(1-affordable), 0, 1)
		need = min(share*remaining, all)
	}
	free := remaining - ms(guard) - need
	return AdaptivePlan{
		Guard: guard, Need: duration(need), Free: duration(free), Horizon: horizon,
		moves: n, overhead: ms(span(ov.Mean)) + t.DevShare*ms(span(ov.Dev)), free: free,
	}
}

// perMove is what each of many moves to come will cost, in ms. The running average is too
// restless for that: where it happens to be low the clock is spent, and where it is high it
// does not come back. The slow average is steady. The running one takes over when it has
// left it by some deviations, which is a network that has changed; for the worse it is
// believed sooner than for the better.
func perMove(ov Overhead) float64 {
	mean, dev, long := ms(span(ov.Mean)), ms(span(ov.Dev)), ms(span(ov.Long))
	if long <= 0 {
		return mean
	}
	excess := mean - long
	devs := math.Abs(excess) / max(dev, 1)
	if excess > 0 {
		return long + excess*clamp(devs-0.5, 0, 1)
	}
	return long + excess*clamp(devs-2.5, 0, 1)
}

// medianToCome is the median number of own moves still to come after n, when the length of
// games follows the log-logistic distribution.
func medianToCome(n int64) float64 {
	x := float64(n) / medianMoves
	return medianMoves*math.Pow(1+2*math.Pow(x, lengthShape), 1/lengthShape) - float64(n)
}

// meanToCome is the mean number of own moves still to come after so many: what is left under
// the survival curve of the games that have come so far. Marathons are none of them. From
// move 70 on they would be most of what is to come, and all others would be played at premove
// speed with seconds on the clock.
var meanToCome = func() (mean [longestGame + 1]float64) {
	survival := func(n int) float64 {
		return 1 / (1 + math.Pow(float64(n)/medianMoves, lengthShape))
	}
	sum := 0.0
	for n := longestGame - 1; n >= 0; n-- {
		sum += (survival(n) + survival(n+1)) / 2
		mean[n] = sum / survival(n)
	}
	return mean
}()

// mix is a at share 0, b at share 1.
func mix(a, b, share float64) float64 { return a + share*(b-a) }

// ms is a time in milliseconds.
func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// duration is so many milliseconds, rounded down.
func duration(ms float64) time.Duration {
	return time.Duration(math.Floor(ms * float64(time.Millisecond)))
}

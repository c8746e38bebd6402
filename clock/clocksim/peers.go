package clocksim

import (
	"math"
	"time"

	"zeitnot/clock"
)

// Peer is how another bot and its engine share out a clock, for comparison. The bridge
// takes something off the clock, the engine plans with what it is told. Constants are the
// published ones; the descriptions are ours.
type Peer struct {
	name string
	// tell is the clock that the bridge gives to the engine.
	tell func(s clock.State) time.Duration
}

// EngineOverhead is the engine's own `Move Overhead` as the bridge's template sets it.
const engineOverhead = 100 * time.Millisecond

// LichessBot is the widely used Python bridge with Stockfish: it takes a fixed second off
// the clock, its built-in overhead, and never tells the engine less than a millisecond.
func LichessBot() Peer {
	return Peer{"lichess-bot", func(s clock.State) time.Duration {
		return max(time.Millisecond, s.Remaining-time.Second)
	}}
}

// BotLi is another bridge with the same engine: it takes a second off for each minute of
// initial time, at least one, and tells half of the clock when it is below that.
func BotLi() Peer {
	return Peer{"botli", func(s clock.State) time.Duration {
		off := max(time.Second, s.Base/60)
		if s.Remaining < off {
			return s.Remaining / 2
		}
		return s.Remaining - off
	}}
}

// Stockfish is the engine alone, told the true clock.
func Stockfish() Peer {
	return Peer{"stockfish", func(s clock.State) time.Duration { return s.Remaining }}
}

// Name implements clock.Policy.
func (p Peer) Name() string { return p.name }

// Budget implements clock.Policy: Stockfish's two limits. It thinks of fifty moves to come,
// of fewer in the last second, takes the clock together with the increments of those moves
// and without their overheads, and spends a share of it that rises with a power of the ply
// and, slowly, with the logarithm of the clock. Its hard limit is a multiple of that, larger
// the more time there is, and at most 82.5 % of the clock.
func (p Peer) Budget(s clock.State) clock.Budget {
	told := float64(p.tell(s)) / float64(time.Millisecond)
	inc := float64(s.Increment) / float64(time.Millisecond)
	overhead := float64(engineOverhead) / float64(time.Millisecond)
	ply := float64(2 * s.MoveNumber)

	moves := 50.0
	if told < 1000 && inc <= 0 {
		moves = math.Floor(told * 0.05)
	}
	timeLeft := max(1, told+inc*(moves-1)-overhead*(2+moves))
	log := math.Log10(max(told, 1) / 1000)
	share := min(0.0122+math.Pow(ply+2.95, 0.462)*min(0.00308+0.000319*log, 0.00506), 0.213*told/timeLeft)
	factor := min(6.64, max(3.39+3.01*log, 2.93)+ply/12)

	optimum := share * timeLeft
	maximum := min(0.825*told-overhead, factor*optimum) - 10
	hard := max(0, maximum)
	return clock.Budget{
		Soft: time.Duration(min(max(0, optimum), hard) * float64(time.Millisecond)),
		Hard: time.Duration(hard * float64(time.Millisecond)),
	}
}

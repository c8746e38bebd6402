package clocksim

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"time"

	"zeitnot/clock"
)

// Latency is a model of what a move costs between the server and us, both ways together.
// All parts are drawn for each move alone unless they say otherwise.
type Latency struct {
	Name string
	// Median and Sigma are those of a lognormal distribution.
	Median time.Duration
	Sigma  float64
	// SpikeShare of the moves take an exponentially distributed time more, SpikeMean on average.
	SpikeShare float64
	SpikeMean  time.Duration
	// StallShare of the moves are held up for StallMin to StallMax.
	StallShare         float64
	StallMin, StallMax time.Duration
	// LostShare of the moves never arrive: they are sent once more after the time in which
	// an answer was due.
	LostShare float64
	// From own move FactorFrom on all is Factor times as slow; 0 never.
	FactorFrom int
	Factor     float64
	// A burst begins with BurstShare of the moves, makes all BurstFactor times as slow and
	// ends with BurstEnd of its moves.
	BurstShare, BurstEnd, BurstFactor float64
}

// Latencies are the models, by rising trouble. L2, L3 and L5 are those that the gates are
// measured on; L3 is the default: its 99.9 % quantile is half a second.
func Latencies() []Latency {
	lognormal := func(name string, median time.Duration, sigma float64) Latency {
		return Latency{Name: name, Median: median, Sigma: sigma}
	}
	spiky := func(l Latency, share float64, mean time.Duration) Latency {
		l.SpikeShare, l.SpikeMean = share, mean
		return l
	}
	stalling := func(l Latency) Latency {
		l.StallShare, l.StallMin, l.StallMax = 2e-4, time.Second, 5*time.Second
		return l
	}
	named := func(l Latency, name string) Latency { l.Name = name; return l }

	l2 := spiky(lognormal("L2", 60*time.Millisecond, 0.35), 0.005, 300*time.Millisecond)
	l3 := lognormal("L3", 60*time.Millisecond, 0.686)
	lost, threefold, bursts := named(l3, "lost"), named(l2, "x3"), named(l2, "bursts")
	lost.LostShare = 0.005
	threefold.FactorFrom, threefold.Factor = 20, 3
	bursts.BurstShare, bursts.BurstEnd, bursts.BurstFactor = 0.02, 0.1, 5
	return []Latency{
		lognormal("L1", 20*time.Millisecond, 0.35),
		l2,
		l3,
		spiky(lognormal("L4", 150*time.Millisecond, 0.35), 0.005, 300*time.Millisecond),
		stalling(named(l2, "L5")),
		spiky(lognormal("L6", 300*time.Millisecond, 0.35), 0.005, 300*time.Millisecond),
		spiky(lognormal("spikes", 60*time.Millisecond, 0.35), 0.01, 300*time.Millisecond),
		stalling(named(l3, "L3+stalls")),
		lost,
		threefold,
		bursts,
	}
}

// LatencyByName is the named model.
func LatencyByName(name string) (Latency, error) {
	var names []string
	for _, l := range Latencies() {
		if strings.EqualFold(l.Name, name) {
			return l, nil
		}
		names = append(names, l.Name)
	}
	return Latency{}, fmt.Errorf("latency %q: want one of %s", name, strings.Join(names, ", "))
}

// Moves draws what the own moves of one game cost, one after the other. The same seed gives
// the same game.
func (l Latency) Moves(seed uint64) func() time.Duration {
	source := rand.New(rand.NewPCG(seed, 0x6c6174656e6379))
	var n network
	move := 0
	return func() time.Duration {
		move++
		return n.draw(source, &l, move, l.usual())
	}
}

// usual is the value that nine of ten moves of the lognormal distribution stay under.
func (l Latency) usual() time.Duration { return scaled(l.Median, math.Exp(1.2816*l.Sigma)) }

// Prior is what a running bot knows of its network from the moves of a few games.
func (l Latency) Prior(seed uint64) clock.Prior {
	return l.learn(rand.New(rand.NewPCG(seed, 0x7072696f72)))
}

// learn lets a few games' worth of moves teach.
func (l *Latency) learn(source *rand.Rand) clock.Prior {
	e := clock.NewEstimator(clock.Prior{})
	var n network
	for range 300 {
		// Every move is a first one: what changes within a game belongs to that game.
		total := n.draw(source, l, 1, e.Quantile(0.9))
		e.Observe(clock.Sample{OwnMoves: 1, Charged: charge(total), Remaining: clock.MaxTime})
	}
	return e.Prior()
}

// network is what a network remembers within a game.
type network struct{ bursting bool }

// hedgeLeast is the shortest time after which a move without an answer is sent once more.
const hedgeLeast = 300 * time.Millisecond

// draw is the cost of own move number n, which is 1 for the first. usual is the value that
// nine of ten moves stay under, as the sender knows it. What is drawn from the source never
// depends on the policy.
func (n *network) draw(source *rand.Rand, l *Latency, move int, usual time.Duration) time.Duration {
	t := l.trip(source)
	if l.LostShare > 0 {
		again := l.trip(source)
		if source.Float64() < l.LostShare {
			t = max(4*usual, hedgeLeast) + again
		}
	}
	if l.FactorFrom > 0 && move >= l.FactorFrom {
		t = scaled(t, l.Factor)
	}
	if l.BurstShare > 0 {
		turn := source.Float64()
		if n.bursting {
			n.bursting = turn >= l.BurstEnd
		} else {
			n.bursting = turn < l.BurstShare
		}
		if n.bursting {
			t = scaled(t, l.BurstFactor)
		}
	}
	return t
}

// trip is one way there and back.
func (l *Latency) trip(source *rand.Rand) time.Duration {
	t := scaled(l.Median, math.Exp(l.Sigma*source.NormFloat64()))
	if l.SpikeShare > 0 && source.Float64() < l.SpikeShare {
		t += scaled(l.SpikeMean, source.ExpFloat64())
	}
	if l.StallShare > 0 && source.Float64() < l.StallShare {
		t += l.StallMin + scaled(l.StallMax-l.StallMin, source.Float64())
	}
	return t
}

func scaled(d time.Duration, by float64) time.Duration { return time.Duration(float64(d) * by) }

package clocksim

import (
	"math"
	"math/rand/v2"
	"time"

	"zeitnot/clock"
)

// The model of a search: it takes its soft limit times a lognormal factor, since feedback
// stretches and cuts it, and never more than its hard limit. A policy with one limit only
// has that limit taken.
const (
	thinkMu    = -0.18
	thinkSigma = 0.6
)

// grain is the step in which the server charges.
const grain = 10 * time.Millisecond

// charge is what the server makes of a time that has passed.
func charge(d time.Duration) time.Duration { return d.Round(grain) }

// player plays games of one cell, one after the other.
type player struct {
	policy    clock.Policy
	control   Control
	latency   Latency
	length    Length
	overshoot Overshoot

	// One source for the network and one for us, so that an oracle meets the same network.
	net, own       *rand.PCG
	netRand, owned *rand.Rand
}

func newPlayer(c Config, control Control, latency Latency) *player {
	p := &player{
		policy: c.Policy, control: control, latency: latency, length: c.Length, overshoot: c.Overshoot,
		net: rand.NewPCG(0, 0), own: rand.NewPCG(0, 0),
	}
	p.netRand, p.owned = rand.New(p.net), rand.New(p.own)
	return p
}

// thinker is who decides how long the moves of a game take: the policy, or the oracle.
type thinker func(clock.State) (think time.Duration, b clock.Budget)

// outcome is how the clock of a game went.
type outcome struct {
	left, least time.Duration // at the end, and the lowest before that
	flagged     bool
}

// game plays game number i, adds it to the sum and returns the clock left in centiseconds.
func (p *player) game(seed, i uint64, past clock.Prior, sum *tally, t *trace) int32 {
	p.own.Seed(seed^0x5bd1e995, 2*i+1)
	moves := min(max(p.length.Draw(p.owned), 1), MaxMoves)
	o := p.clocks(seed, i, past, moves, func(s clock.State) (time.Duration, clock.Budget) {
		b := p.policy.Budget(s)
		think := b.Hard
		if b.Soft < b.Hard {
			think = min(b.Hard, scaled(b.Soft, math.Exp(thinkMu+thinkSigma*p.owned.NormFloat64())))
		}
		sum.move(s.MoveNumber+1, think, b)
		t.move(s.Remaining, b.Soft)
		return think, b
	})
	sum.games++
	switch {
	case !o.flagged:
		sum.least(o.least)
	case p.avoidable(seed, i, past, moves):
		sum.avoidable++
	default:
		sum.unavoidable++
	}
	return int32(o.left / grain)
}

// avoidable tells whether an oracle that takes a millisecond for every move would have
// brought the same game to its end.
func (p *player) avoidable(seed, i uint64, past clock.Prior, moves int) bool {
	return !p.clocks(seed, i, past, moves, func(clock.State) (time.Duration, clock.Budget) {
		return time.Millisecond, clock.Budget{Soft: time.Millisecond, Hard: time.Millisecond}
	}).flagged
}

// clocks plays one game by the server's rules. Our first move is one of the first two
// plies: it costs nothing and earns no increment.
func (p *player) clocks(seed, i uint64, past clock.Prior, moves int, think thinker) outcome {
	p.net.Seed(seed, 2*i)
	e := clock.NewEstimator(past)
	var n network
	left := p.control.start()
	o := outcome{least: left}
	for move := range moves {
		// 1. It is our turn.
		t, b := think(clock.State{
			Remaining: left, Increment: p.control.Increment, Base: p.control.Initial,
			MoveNumber: move, Overhead: e.Overhead(left),
		})

		// 2. We think, are a little late, and the network takes its time.
		t += p.overshoot.draw(p.owned)
		e.ObserveOvershoot(t - b.Hard)
		charged := charge(t + n.draw(p.netRand, &p.latency, move+1, e.Quantile(0.9)))
		if move == 0 {
			continue
		}

		// 3. The server charges, and adds the increment to a clock that still runs.
		if charged >= left {
			return outcome{flagged: true}
		}
		left -= charged
		o.least = min(o.least, left)
		left += p.control.Increment
		e.Observe(clock.Sample{Charged: charged, Own: t, Remaining: left, OwnMoves: move})
	}
	o.left = left
	return o
}

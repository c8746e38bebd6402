// Package clocksim plays the clocks of many games in virtual time, without boards: a time
// policy is asked for a budget, the model of a search takes a part of it, the model of a
// network adds to it, and the server charges. It answers how often a policy loses on time,
// how much of that could have been avoided, and how much thinking it buys.
//
// The same configuration gives the same report, byte for byte, however many workers play:
// each game draws from its own source, and games of the same seed meet the same network
// whatever the policy. It reads no clock and refuses to guess: what a model is made of
// stands beside it.
package clocksim

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"

	"zeitnot/clock"
)

// Config says what is simulated: every time control under every latency.
type Config struct {
	Policy    clock.Policy
	Times     []Control
	Latencies []Latency
	// Games are played in each cell.
	Games int
	Seed  uint64
	// Length draws how long games are; nil is ModelLength.
	Length Length
	// Overshoot is how late the engine is; the zero value is DefaultOvershoot.
	Overshoot Overshoot
	// Fresh starts every game as the first one of a process without a past; otherwise
	// games start with what earlier ones on the same network have taught.
	Fresh bool
	// Workers is the number of goroutines that play; 0 is one per core.
	Workers int
	// Traced is the number of games of each cell whose clocks are kept for WriteSVG; 0 is
	// DefaultTraced, negative none.
	Traced int
}

// DefaultTraced is enough games for steady bands in a plot.
const DefaultTraced = 2000

const (
	chunk  = 500 // games a worker takes at once
	priors = 64  // pasts that the games of a cell share
)

// Run plays all cells. progress, when given, is called with the games played so far and
// the number of all, from one goroutine at a time. A cancelled context ends the run with
// its error.
func Run(ctx context.Context, c Config, progress func(played, all int)) (Report, error) {
	if err := c.check(); err != nil {
		return Report{}, err
	}
	r := Report{Policy: c.Policy.Name(), Seed: c.Seed, Cells: []Cell{}}
	all := len(c.Times) * len(c.Latencies) * c.Games
	var played int
	for _, control := range c.Times {
		for _, latency := range c.Latencies {
			cell, err := runCell(ctx, c, control, latency, func(n int) {
				if played += n; progress != nil {
					progress(played, all)
				}
			})
			if err != nil {
				return Report{}, err
			}
			r.Cells = append(r.Cells, cell)
		}
	}
	return r, nil
}

func (c *Config) check() error {
	switch {
	case c.Policy == nil:
		return errors.New("simulate clocks: no policy")
	case len(c.Times) == 0 || len(c.Latencies) == 0:
		return errors.New("simulate clocks: no time control or no latency")
	case c.Games < 1:
		return fmt.Errorf("simulate clocks: %d games: want at least 1", c.Games)
	}
	if c.Length == nil {
		c.Length = ModelLength{}
	}
	if c.Overshoot.none() {
		c.Overshoot = DefaultOvershoot()
	}
	if c.Workers <= 0 {
		c.Workers = runtime.GOMAXPROCS(0)
	}
	if c.Traced == 0 {
		c.Traced = DefaultTraced
	}
	return nil
}

// runCell plays one time control under one latency.
func runCell(ctx context.Context, c Config, control Control, latency Latency, played func(int)) (Cell, error) {
	seed := cellSeed(c.Seed, control, latency)
	pasts := learnPriors(seed, latency, c.Fresh)
	left := make([]int32, c.Games) // clock at the end in centiseconds, by game
	traces := make([]trace, min(max(c.Traced, 0), c.Games))

	var next atomic.Int64
	var mu sync.Mutex // guards total and the calls of played
	var total tally
	var wait sync.WaitGroup
	for range c.Workers {
		wait.Go(func() {
			p := newPlayer(c, control, latency)
			for ctx.Err() == nil {
				from := int(next.Add(chunk)) - chunk
				if from >= c.Games {
					break
				}
				to := min(from+chunk, c.Games)
				var sum tally
				for i := from; i < to; i++ {
					var t *trace
					if i < len(traces) {
						t = &traces[i]
					}
					left[i] = p.game(seed, uint64(i), pasts[i%len(pasts)], &sum, t)
				}
				mu.Lock()
				total.add(sum)
				played(to - from)
				mu.Unlock()
			}
		})
	}
	wait.Wait()
	if err := ctx.Err(); err != nil {
		return Cell{}, err
	}
	return newCell(control, latency, c.Games, total, left, traces), nil
}

// cellSeed tells cells apart but not policies: all of them meet the same games.
func cellSeed(seed uint64, control Control, latency Latency) uint64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%d %s %s", seed, control, latency.Name)
	return h.Sum64()
}

// learnPriors lets a few games' worth of moves teach what a running bot knows of its network.
func learnPriors(seed uint64, latency Latency, fresh bool) []clock.Prior {
	if fresh {
		return []clock.Prior{{}}
	}
	known := make([]clock.Prior, priors)
	for i := range known {
		known[i] = latency.learn(rand.New(rand.NewPCG(seed, ^uint64(i))))
	}
	return known
}

package arena_test

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"zeitnot/engine"
	"zeitnot/engine/arena"
	"zeitnot/engine/pgn"
	"zeitnot/engine/search"
)

// counting is a player whose searches count 10 nodes as a millisecond and are given what
// share of the clock the budget says.
func counting(name string, limits arena.Limits, divisor, factor time.Duration) arena.Player {
	return arena.Player{
		Name: name, Limits: limits,
		Make: arena.Embedded(func(uint64) (engine.Searcher, error) {
			return search.New(search.Options{HashMB: 1, NodesPerMS: 10}), nil
		}, func() arena.Budget {
			return func(c engine.ClockState, last *arena.Spent) engine.Limits {
				hard := c.Remaining * factor / divisor
				if last != nil {
					hard = max(0, hard-(last.Charged-last.Own)) // what the last move cost, this one will
				}
				return engine.Limits{Soft: &hard, Hard: &hard}
			}
		}),
	}
}

// drawn is a latency of 5 to 15 ms.
func drawn(seed uint64) func() time.Duration {
	rng := rand.New(rand.NewPCG(seed, 1))
	return func() time.Duration {
		return 5*time.Millisecond + time.Duration(rng.Int64N(int64(10*time.Millisecond)))
	}
}

func TestClocksOfNodesAreTheSameEveryTime(t *testing.T) {
	limits := arena.Limits{Base: 2 * time.Second, Increment: 10 * time.Millisecond}
	play := func(seed uint64, concurrency int) (string, []arena.Record) {
		var out bytes.Buffer
		var records []arena.Record
		result, err := arena.Run(t.Context(), arena.Match{
			Players:  []arena.Player{counting("a", limits, 30, 1), counting("b", limits, 20, 1)},
			Openings: openings(t, "startpos|", "startpos|e2e4 e7e5"), Games: 4, Concurrency: concurrency, Seed: seed, PGN: &out,
			Virtual:    &arena.VirtualTime{NodesPerMS: 10, Latency: drawn},
			Adjudicate: arena.Adjudication{MaxPlies: 80},
			OnGame:     func(r arena.Record, _ arena.Result) { records = append(records, r) },
		})
		if err != nil || result.Timed {
			t.Fatalf("timed %v, %v", result.Timed, err)
		}
		return out.String() + result.String(), records
	}
	first, records := play(1, 1)
	if again, _ := play(1, 3); again != first {
		t.Error("other games at another concurrency")
	}
	if other, _ := play(2, 1); other == first {
		t.Error("another seed draws the same latencies")
	}
	for _, r := range records {
		for side, e := range r.Effort {
			if want := time.Duration(e.Nodes) * time.Millisecond / 10; e.Nodes == 0 || e.Time < want-time.Millisecond || e.Time > want {
				t.Errorf("game %d, side %d: %d nodes took %v, want %v", r.Number, side, e.Nodes, e.Time, want)
			}
		}
		// The clock goes by what a move took and by the increment.
		left := [2]time.Duration{limits.Base, limits.Base}
		ply := 0
		for _, m := range read(t, r).Moves {
			if m.Clock == nil {
				continue // of the opening
			}
			side := ply % 2
			ply++
			left[side] += limits.Increment - *m.Elapsed
			if d := left[side] - *m.Clock; d < -time.Duration(ply)*time.Millisecond || d > time.Duration(ply)*time.Millisecond {
				t.Errorf("game %d, ply %d: the clock shows %v, want %v", r.Number, ply, *m.Clock, left[side])
			}
			if *m.Elapsed < 5*time.Millisecond {
				t.Errorf("game %d, ply %d: took %v, less than the latency", r.Number, ply, *m.Elapsed)
			}
		}
	}
}

func TestAClockOfNodesThatRunsOutLoses(t *testing.T) {
	second := arena.Limits{Base: time.Second}
	for _, c := range []struct {
		name    string
		divisor time.Duration
		factor  time.Duration
		latency time.Duration
		plies   int // of the lost game; 0: nobody loses on time
	}{
		{"a budget beyond the clock", 1, 2, 0, 0 + 1},
		{"all of the clock, and then the network", 1, 1, time.Millisecond, 0 + 1},
		{"a network that eats the clock", 1000, 1, 400 * time.Millisecond, 4 + 1},
		{"a careful budget", 30, 1, 0, 0},
	} {
		var first arena.Record
		result, err := arena.Run(t.Context(), arena.Match{
			Players:  []arena.Player{counting("a", second, c.divisor, c.factor), player("b", arena.Limits{Nodes: 1}, random)},
			Openings: start(t), Games: 2, Virtual: &arena.VirtualTime{NodesPerMS: 10, Latency: func(uint64) func() time.Duration {
				return func() time.Duration { return c.latency }
			}},
			Adjudicate: arena.Adjudication{MaxPlies: 12},
			OnGame: func(r arena.Record, _ arena.Result) {
				if r.Number == 1 {
					first = r
				}
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		if c.plies == 0 {
			if len(result.Players[0].Faults) != 0 {
				t.Errorf("%s: %s", c.name, first.Reason)
			}
			continue
		}
		if result.Players[0].Faults[arena.TimeForfeit] != 2 || first.Result != pgn.BlackWins || first.Plies+1 != c.plies || !strings.Contains(first.Reason, "time forfeit by a") {
			t.Errorf("%s: %s by %s in %d plies, want a loss on time in %d", c.name, first.Result, first.Reason, first.Plies, c.plies)
		}
	}
}

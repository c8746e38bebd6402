package syzygy_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"zeitnot/engine/position"
)

// BenchmarkWarmProbe asks 4-man WDL tables that are in memory about random positions. Beside
// it, in the same run, goes a chain of loads that miss every cache; loads/probe is how many
// of those one probe costs.
func BenchmarkWarmProbe(b *testing.B) {
	tables := openAll(b)
	r := rand.New(rand.NewPCG(6, 6))
	var positions []position.Position
	for _, class := range classes(b) {
		for n := 0; n < 100 && len(class) == 5; {
			if p, legal := randomPosition(r, class, 0); legal {
				positions = append(positions, p)
				n++
			}
		}
	}
	r.Shuffle(len(positions), func(i, j int) { positions[i], positions[j] = positions[j], positions[i] })

	// One cycle through 64 MiB, in random order, so that each load waits for the last.
	const entries = 1 << 24
	next := make([]uint32, entries)
	for i := range next {
		next[i] = uint32(i)
	}
	for i := entries - 1; i > 0; i-- {
		j := r.IntN(i)
		next[i], next[j] = next[j], next[i]
	}

	at := uint32(0)
	var probing, loading time.Duration
	probes := 0
	for b.Loop() {
		start := time.Now()
		for i := range positions {
			if _, ok := tables.ProbeWDL(&positions[i]); !ok {
				b.Fatalf("%s: no answer", positions[i].FEN())
			}
		}
		probing += time.Since(start)
		probes += len(positions)
		start = time.Now()
		for range positions {
			at = next[at]
		}
		loading += time.Since(start)
	}
	if at >= entries {
		b.Fatal("the chain of loads left its memory")
	}
	b.ReportMetric(float64(probing.Nanoseconds())/float64(probes), "ns/probe")
	b.ReportMetric(float64(loading.Nanoseconds())/float64(probes), "ns/load")
	b.ReportMetric(float64(probing)/float64(loading), "loads/probe")
}

// BenchmarkRoot orders the moves of 4-man positions.
func BenchmarkRoot(b *testing.B) {
	tables := openAll(b)
	g := game(b, "8/8/8/3k4/8/4K3/6P1/7r w - - 0 1")
	for b.Loop() {
		root(b, tables, g)
	}
}

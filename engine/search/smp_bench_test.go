package search

import (
	"context"
	"math"
	"slices"
	"testing"
	"time"

	"zeitnot/engine"
)

// BenchmarkTimeToDepth searches twenty positions in turn with one thread and with two, from
// empty tables to the same depth, and reports how much sooner two are there: the geometric
// mean and the median over the positions. The nodes of the main thread alone say the same
// of a machine that has two free cores, however busy this one is.
func BenchmarkTimeToDepth(b *testing.B) {
	const positions, depth = 20, 15
	var sooner, fewer []float64
	for b.Loop() {
		for i := range positions {
			var spent [2]time.Duration
			var searched [2]uint64
			for k := range 2 {
				threads := 1 + (i+k)%2 // neither is always the first
				s := New(Options{HashMB: 64, Threads: threads})
				g := mustGame(b, benchFENs[i*len(benchFENs)/positions])
				start := time.Now()
				_, err := s.Search(context.Background(), g, engine.Limits{Depth: new(depth)}, nil)
				if err != nil {
					b.Fatal(err)
				}
				spent[threads-1], searched[threads-1] = time.Since(start), s.main.nodes
				s.Wait()
			}
			sooner = append(sooner, float64(spent[0])/float64(spent[1]))
			fewer = append(fewer, float64(searched[0])/float64(searched[1]))
		}
	}
	for name, ratios := range map[string][]float64{"time": sooner, "nodes": fewer} {
		logs := 0.0
		for _, x := range ratios {
			logs += math.Log(x)
		}
		slices.Sort(ratios)
		b.ReportMetric(math.Exp(logs/float64(len(ratios))), name+"-mean")
		b.ReportMetric(ratios[len(ratios)/2], name+"-median")
	}
}

package search

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"zeitnot/engine"
)

// BenchmarkHugePages searches the same positions in turn with a table of ordinary pages and
// with one of large pages, and reports how much faster the latter is: the median over the
// positions. Both see the same state of the machine.
func BenchmarkHugePages(b *testing.B) {
	for _, mb := range []int{16, 64, 128} {
		b.Run(fmt.Sprintf("%dMiB", mb), func(b *testing.B) {
			plain, huge := New(Options{HashMB: mb}), New(Options{HashMB: mb})
			plain.tt.buckets = make([]bucket, len(plain.tt.buckets))
			plain.tt.clear(1)
			var ratios []float64
			for b.Loop() {
				for i := range 160 {
					g := mustGame(b, benchFENs[i/4*3%len(benchFENs)])
					spent := map[*Searcher]time.Duration{}
					order := []*Searcher{plain, huge}
					if i%2 == 1 {
						slices.Reverse(order)
					}
					for _, s := range order {
						start := time.Now()
						if _, err := s.Search(context.Background(), g, engine.Limits{Nodes: new(20_000)}, nil); err != nil {
							b.Fatal(err)
						}
						spent[s] = time.Since(start)
					}
					ratios = append(ratios, float64(spent[plain])/float64(spent[huge]))
				}
			}
			slices.Sort(ratios)
			b.ReportMetric(ratios[len(ratios)/2], "speedup")
		})
	}
}

//go:build unix

package flight_test

import (
	"context"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"zeitnot/bot/flight"
	"zeitnot/engine/search"
)

// BenchmarkSearchRecorded searches the positions of the bench alone, twice with a recorder
// beside it, and alone again. Its metric "recorder" is the median ratio of the processor's
// time of the middle ones to that of the others; "alone", where nothing runs beside any, is
// what such a ratio is worth here.
func BenchmarkSearchRecorded(b *testing.B) {
	const depth = 9
	search := func(recorded bool) float64 {
		ctx, cancel := context.WithCancel(b.Context())
		var beside sync.WaitGroup
		if recorded {
			r := flight.New(b.TempDir(), zerolog.Nop())
			beside.Go(func() { r.Run(ctx) })
		}
		before := processorTime(b)
		if _, err := search.Bench(ctx, depth); err != nil {
			b.Fatal(err)
		}
		used := processorTime(b) - before
		cancel()
		beside.Wait()
		return used.Seconds()
	}
	ratio := func(recorded bool) float64 {
		first, second, third, last := search(false), search(recorded), search(recorded), search(false)
		return (second + third) / (first + last)
	}
	search(false)
	var alone, recorded []float64
	for b.Loop() {
		alone, recorded = append(alone, ratio(false)), append(recorded, ratio(true))
	}
	b.ReportMetric(median(alone), "alone")
	b.ReportMetric(median(recorded), "recorder")
}

func median(values []float64) float64 {
	slices.Sort(values)
	return values[len(values)/2]
}

// BenchmarkRecorder lets a recorder run by itself. Its metric is the share of one processor
// that it takes.
func BenchmarkRecorder(b *testing.B) {
	const span = 10 * time.Second
	r := flight.New(b.TempDir(), zerolog.Nop())
	used := time.Duration(0)
	for b.Loop() {
		ctx, cancel := context.WithTimeout(b.Context(), span)
		before := processorTime(b)
		r.Run(ctx)
		used += processorTime(b) - before
		cancel()
	}
	b.ReportMetric(used.Seconds()/(span.Seconds()*float64(b.N)), "processors")
}

// processorTime is what the process has used.
func processorTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

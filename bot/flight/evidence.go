package flight

import (
	"math"
	"os"
	"runtime/metrics"
	"slices"
	"strconv"
	"strings"
	"time"
)

// evidence is what the runtime and the system have counted up to an instant.
type evidence struct {
	at            time.Time
	pauses, waits histogram     // of garbage collection; of goroutines for a processor
	stolen        time.Duration // by the host, over all processors
	diskFaults    int64         // pages of ours that had to be read from a disk
}

// histogram is a copy of one of the runtime's.
type histogram struct {
	counts  []uint64
	buckets []float64 // seconds; one more than counts
}

const (
	pausesMetric = "/sched/pauses/total/gc:seconds"
	waitsMetric  = "/sched/latencies:seconds"
)

// gather takes stock. What a system does not tell stays 0.
func gather() evidence {
	samples := []metrics.Sample{{Name: pausesMetric}, {Name: waitsMetric}}
	metrics.Read(samples)
	e := evidence{at: time.Now(), pauses: copyOf(samples[0].Value), waits: copyOf(samples[1].Value)}
	if stat, err := os.ReadFile("/proc/stat"); err == nil {
		e.stolen = stolenTime(string(stat))
	}
	if stat, err := os.ReadFile("/proc/self/stat"); err == nil {
		e.diskFaults = diskFaults(string(stat))
	}
	return e
}

func copyOf(v metrics.Value) histogram {
	if v.Kind() != metrics.KindFloat64Histogram {
		return histogram{} // this runtime does not know the metric
	}
	h := v.Float64Histogram()
	return histogram{slices.Clone(h.Counts), h.Buckets}
}

// longestSince is the upper end of the highest bucket that has grown, and 0 if none has.
func (h histogram) longestSince(before histogram) time.Duration {
	if len(h.counts) != len(before.counts) {
		return 0
	}
	for i := len(h.counts) - 1; i >= 0; i-- {
		if h.counts[i] > before.counts[i] {
			end := h.buckets[i+1]
			if math.IsInf(end, 1) {
				end = h.buckets[i]
			}
			return time.Duration(end * float64(time.Second))
		}
	}
	return 0
}

// tick is the unit of the processor times in /proc.
const tick = 10 * time.Millisecond

// stolenTime reads the time that other guests of the host had from /proc/stat; 0 if that is
// not told.
func stolenTime(stat string) time.Duration {
	const column = 8 // user nice system idle iowait irq softirq steal
	for line := range strings.Lines(stat) {
		if words := strings.Fields(line); len(words) > column && words[0] == "cpu" {
			n, _ := strconv.ParseInt(words[column], 10, 64) // 0 if it is no number
			return time.Duration(n) * tick
		}
	}
	return 0
}

// diskFaults reads the number of major faults from /proc/self/stat.
func diskFaults(stat string) int64 {
	// The name of the program, in parentheses, may hold anything; the tenth field after it
	// is the one.
	const column = 9
	if words := strings.Fields(stat[strings.LastIndexByte(stat, ')')+1:]); len(words) > column {
		n, _ := strconv.ParseInt(words[column], 10, 64) // 0 if it is no number
		return n
	}
	return 0
}

package main

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"zeitnot/bot/flight"
	"zeitnot/clock/clocksim"
)

// overshoots are the measured moves.
type overshoots struct {
	want     int
	canary   flight.Canary        // knows when the host did not run us
	progress func(moves, all int) // may be nil
	enough   chan struct{}        // closed once there are as many as wanted

	mu    sync.Mutex // guards everything below
	late  []flight.Departure
	early int // found before their deadline
}

func newOvershoots(want int, progress func(moves, all int)) *overshoots {
	return &overshoots{
		want: want, progress: progress, enough: make(chan struct{}),
		canary: flight.Canary{Tick: hostTick, Least: hostStall, Keep: keptStalls, Sleep: sleepThread},
	}
}

// add takes a move that has left.
func (o *overshoots) add(d flight.Departure) {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case len(o.late) == o.want:
		return
	case d.Late() < 0:
		o.early++
		return
	}
	o.late = append(o.late, d)
	if o.progress != nil {
		o.progress(len(o.late), o.want)
	}
	if len(o.late) == o.want {
		close(o.enough)
	}
}

// sort tells the moves apart: ordinary ones, those while the host did not run us, and those
// for which no search slot came free before the deadline. It is called when all have left:
// a stall is known only when it is over.
func (o *overshoots) sort() (ordinary, ofHost, noSlot []time.Duration) {
	for _, d := range o.late {
		switch {
		case d.NoSlot || !d.Arrived.Add(d.SlotWait).Before(d.Deadline):
			noSlot = append(noSlot, d.Late())
		case o.canary.Stalled(d.Deadline, d.Written) > 0:
			ofHost = append(ofHost, d.Late())
		default:
			ordinary = append(ordinary, d.Late())
		}
	}
	return ordinary, ofHost, noSlot
}

// overshootReport is what was measured, as JSON; times in ms.
type overshootReport struct {
	Moves     int            `json:"moves"`
	Games     int            `json:"games"`
	Seed      uint64         `json:"seed"`
	Ordinary  overshootTimes `json:"ordinary"`
	HostStall overshootTimes `json:"host_stall"`
	NoSlot    overshootTimes `json:"no_slot"`
	Early     int            `json:"early"`
	Histogram []overshootBin `json:"histogram"` // of the ordinary ones
}

// overshootTimes are the percentiles of some times; all 0 if there are none.
type overshootTimes struct {
	Moves int     `json:"moves"`
	P50   float64 `json:"p50"`
	P90   float64 `json:"p90"`
	P99   float64 `json:"p99"`
	P999  float64 `json:"p99_9"`
	Max   float64 `json:"max"`
}

// overshootBin is how many moves were late by so much at the most.
type overshootBin struct {
	UpTo  float64 `json:"up_to"`
	Moves int64   `json:"moves"`
}

func timesOf(times []time.Duration) overshootTimes {
	if len(times) == 0 {
		return overshootTimes{}
	}
	sorted := slices.Sorted(slices.Values(times))
	// rank is the smallest time that so many thousandths do not exceed.
	rank := func(thousandths int) float64 {
		n := (len(sorted)*thousandths + 999) / 1000
		return millis(sorted[max(0, n-1)])
	}
	return overshootTimes{len(sorted), rank(500), rank(900), rank(990), rank(999), rank(1000)}
}

func millis(d time.Duration) float64 {
	return float64(d.Round(time.Microsecond)) / float64(time.Millisecond)
}

func (b *overshootBench) report(o *overshoots) overshootReport {
	ordinary, ofHost, noSlot := o.sort()
	r := overshootReport{
		Moves: len(o.late), Games: b.games, Seed: b.seed,
		Ordinary: timesOf(ordinary), HostStall: timesOf(ofHost), NoSlot: timesOf(noSlot),
		Early: o.early, Histogram: []overshootBin{},
	}
	for end, n := range clocksim.NewHistogram(ordinary).Bins() {
		r.Histogram = append(r.Histogram, overshootBin{millis(end), n})
	}
	return r
}

// print writes the percentiles as comments over the histogram.
func (r overshootReport) print(out io.Writer) error {
	w := bufio.NewWriter(out)
	fmt.Fprintf(w, "# zeitnot clock overshoot --moves %d --games %d --seed %d\n", r.Moves, r.Games, r.Seed)
	fmt.Fprintf(w, "# written after the hard deadline, ms; %d more moves were found before it\n", r.Early)
	fmt.Fprintf(w, "# %-12s %8s %9s %9s %9s %9s %9s\n", "", "moves", "p50", "p90", "p99", "p99.9", "max")
	for _, row := range []struct {
		name string
		of   overshootTimes
	}{{"ordinary", r.Ordinary}, {"host stalled", r.HostStall}, {"no slot", r.NoSlot}} {
		t := row.of
		fmt.Fprintf(w, "# %-12s %8d %9.3f %9.3f %9.3f %9.3f %9.3f\n", row.name, t.Moves, t.P50, t.P90, t.P99, t.P999, t.Max)
	}
	fmt.Fprintln(w, "# the ordinary ones: up to so many ms, moves")
	for _, bin := range r.Histogram {
		fmt.Fprintf(w, "%.3f %d\n", bin.UpTo, bin.Moves)
	}
	return w.Flush()
}

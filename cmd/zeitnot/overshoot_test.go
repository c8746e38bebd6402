package main

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"zeitnot/bot/flight"
	"zeitnot/clock"
	"zeitnot/clock/clocksim"
)

// departure is a move that was written so long after its deadline.
func departure(late time.Duration) flight.Departure {
	now := time.Now()
	return flight.Departure{Arrived: now.Add(-50 * time.Millisecond), Deadline: now, Written: now.Add(late)}
}

func TestOvershootsAreToldApart(t *testing.T) {
	o := newOvershoots(1003, nil)
	for i := range 1000 {
		o.add(departure(time.Duration(i+1) * time.Microsecond))
		o.add(departure(-time.Millisecond))
	}
	slow := departure(11 * time.Millisecond)
	slow.NoSlot = true
	o.add(slow)
	slow.NoSlot, slow.SlotWait = false, 50*time.Millisecond
	o.add(slow)
	slow.SlotWait = 49 * time.Millisecond // there was time left
	select {
	case <-o.enough:
		t.Error("enough too early")
	default:
	}
	o.add(slow)
	<-o.enough
	o.add(slow) // one too many

	b := overshootBench{games: 2, seed: 3}
	r := b.report(o)
	ordinary := overshootTimes{1001, 0.501, 0.901, 0.991, 1, 11}
	if r.Moves != 1003 || r.Early != 1000 || r.Ordinary != ordinary || r.NoSlot.Moves != 2 || r.HostStall != (overshootTimes{}) {
		t.Errorf("got %+v", r)
	}
	var text strings.Builder
	if err := r.print(&text); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(text.String(), "# zeitnot clock overshoot --moves 1003 --games 2 --seed 3\n") {
		t.Errorf("got %s", &text)
	}
	h, err := clocksim.ReadHistogram(strings.NewReader(text.String()))
	if err != nil {
		t.Fatal(err)
	}
	sum := int64(0)
	for _, n := range h.Bins() {
		sum += n
	}
	if sum != 1001 {
		t.Errorf("the simulator reads %d moves, want 1001", sum)
	}
}

func TestStallsOfTheHostAreCountedApart(t *testing.T) {
	o := newOvershoots(2, nil)
	beats := 0
	o.canary.Sleep = func(d time.Duration) {
		time.Sleep(d)
		if beats++; beats == 2 {
			time.Sleep(5 * time.Millisecond) // and now the host does not run us
		}
	}
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		at := func(d time.Duration) time.Time { return began.Add(d) }
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		defer cancel()
		o.canary.Run(ctx) // the stall is from 2 to 7 ms
		o.add(flight.Departure{Arrived: at(-time.Second), Deadline: at(time.Millisecond), Written: at(3 * time.Millisecond)})
		o.add(flight.Departure{Arrived: at(-time.Second), Deadline: at(8 * time.Millisecond), Written: at(9 * time.Millisecond)})
		if ordinary, ofHost, _ := o.sort(); len(ordinary) != 1 || len(ofHost) != 1 || ofHost[0] != 2*time.Millisecond {
			t.Errorf("got %v ordinary and %v of the host", ordinary, ofHost)
		}
	})
}

func TestDrawnBudgetsCoverTheirRange(t *testing.T) {
	d := newDrawnBudgets(1)
	below := 0
	for range 1000 {
		b := d.Budget(clock.State{})
		if b.Soft != b.Hard || b.Hard < leastOvershootBudget || b.Hard > mostOvershootBudget {
			t.Fatalf("got %+v", b)
		}
		if b.Hard < 22360*time.Microsecond { // the geometric mean
			below++
		}
	}
	if below < 400 || below > 600 {
		t.Errorf("%d of 1000 are below the geometric mean", below)
	}
}

package bot

import (
	"testing"
	"time"

	"zeitnot/clock"
)

// A stall belongs to the game that had it; what a move usually costs is everybody's.
func TestGamesShareTheNetworkButNotItsStalls(t *testing.T) {
	n := newNetwork()
	stalled, calm := way{network: n}, way{network: n}
	usual := clock.Sample{Charged: 80 * time.Millisecond, Remaining: time.Minute, OwnMoves: 9}
	for range 30 {
		stalled.observe(usual)
		calm.observe(usual)
	}
	before := calm.overhead(time.Minute)
	long := usual
	long.Charged = 6 * time.Second
	stalled.observe(long)

	if ov := stalled.overhead(time.Minute); !ov.Stalled || ov.Guard < 6*time.Second {
		t.Errorf("the game with the stall: %+v, want it remembered", ov)
	}
	if ov := calm.overhead(time.Minute); ov != before {
		t.Errorf("the other game: %+v, want %+v as before", ov, before)
	}
	late := way{network: n}
	if ov := late.overhead(time.Minute); ov.Stalled || ov.Mean < 80*time.Millisecond || ov.Mean > 200*time.Millisecond {
		t.Errorf("a game that begins later: %+v, want the usual cost and no stall", ov)
	}
}

// A game in which nothing was learnt yet goes by what the others have found meanwhile.
func TestAGameThatWaitsHearsOfTheOthers(t *testing.T) {
	n := newNetwork()
	waiting, playing := way{network: n}, way{network: n}
	waiting.observe(clock.Sample{OwnMoves: 0}) // free, so it says nothing
	for range 100 {
		playing.observe(clock.Sample{Charged: 300 * time.Millisecond, Remaining: time.Minute, OwnMoves: 9})
	}
	if ov := waiting.overhead(time.Minute); ov.Mean < 250*time.Millisecond {
		t.Errorf("mean %v, want near 300 ms", ov.Mean)
	}
}

package clock_test

import (
	"math"
	"testing"
	"time"

	"zeitnot/clock"
)

func TestReserveTablesComeOutExactly(t *testing.T) {
	type row struct{ remaining, move, movesToGo, spendable, target, cap int64 }
	for _, table := range []struct {
		name               string
		initial, increment time.Duration
		rows               []row
	}{
		{"1+0", time.Minute, 0, []row{
			{60000, 1, 29, 57000, 1965, 12000},
			{30000, 10, 20, 28500, 1425, 6000},
			{10000, 20, 12, 9500, 791, 2000},
			{4000, 30, 12, 3700, 308, 800},
			{2000, 40, 12, 1700, 141, 400},
			{500, 50, 12, 200, 20, 100},
		}},
		{"10+10", 10 * time.Minute, 10 * time.Second, []row{
			{600000, 1, 29, 570000, 29655, 120000},
			{400000, 10, 20, 380000, 29000, 80000},
			{200000, 20, 12, 190000, 25833, 40000},
			{60000, 30, 12, 57000, 12000, 12000},
			{20000, 40, 12, 19000, 4000, 4000},
			{5000, 50, 12, 4700, 1000, 1000},
			{1500, 60, 12, 1200, 200, 300},
		}},
	} {
		t.Run(table.name, func(t *testing.T) {
			states := clock.PublishedReserve(table.initial, table.increment)
			if len(states) != len(table.rows) {
				t.Fatalf("got %d published rows, want %d", len(states), len(table.rows))
			}
			for i, want := range table.rows {
				s := states[i]
				if s.Remaining.Milliseconds() != want.remaining || int64(s.MoveNumber) != want.move {
					t.Errorf("row %d: got %v at move %d, want %d ms at move %d", i, s.Remaining, s.MoveNumber, want.remaining, want.move)
				}
				p := clock.Reserve{}.Plan(s)
				got := row{
					want.remaining, want.move, int64(p.MovesToGo),
					p.Spendable.Milliseconds(), p.Target.Milliseconds(), p.Cap.Milliseconds(),
				}
				if got != want {
					t.Errorf("R %d move %d: got %+v, want %+v", want.remaining, want.move, got, want)
				}
			}
		})
	}
	if rows := clock.PublishedReserve(3*time.Minute, 2*time.Second); rows != nil {
		t.Errorf("3+2: got %d published rows, want none", len(rows))
	}
}

func TestReserve(t *testing.T) {
	ms := clock.Milliseconds
	for name, tc := range map[string]struct {
		state        clock.State
		buffer, want int64
	}{
		"buffer is taken off the target":          {clock.State{Remaining: ms(60000), MoveNumber: 1}, 50, 1915},
		"buffer above the target leaves nothing":  {clock.State{Remaining: ms(500), MoveNumber: 50}, 50, 0},
		"negative buffer counts as none":          {clock.State{Remaining: ms(60000), MoveNumber: 1}, -50, 1965},
		"moves to go are taken as given":          {clock.State{Remaining: ms(60000), MovesToGo: 40}, 0, 1425},
		"the last move before the control":        {clock.State{Remaining: ms(60000), MovesToGo: 1}, 0, 12000},
		"negative moves to go are unknown":        {clock.State{Remaining: ms(60000), MoveNumber: 1, MovesToGo: -5}, 0, 1965},
		"above the panic threshold":               {clock.State{Remaining: ms(2301), Increment: ms(2000), MoveNumber: 40}, 0, 460},
		"at the panic threshold":                  {clock.State{Remaining: ms(2300), Increment: ms(2000), MoveNumber: 40}, 0, 200},
		"minimum think can exceed the clock":      {clock.State{Remaining: ms(1)}, 0, 20},
		"an empty clock still plans the minimum":  {clock.State{}, 0, 20},
		"a negative clock counts as empty":        {clock.State{Remaining: ms(-5), Increment: ms(1)}, 0, 20},
		"a part of a millisecond does not count":  {clock.State{Remaining: ms(60000) + 999*time.Microsecond, MoveNumber: 1}, 0, 1965},
		"the floor rules below six seconds":       {clock.State{Remaining: ms(5999), MoveNumber: 30}, 0, 474},
		"moves still thought to come stay twelve": {clock.State{Remaining: ms(60000), MoveNumber: math.MaxInt32}, 0, 4750},
	} {
		t.Run(name, func(t *testing.T) {
			got := clock.Reserve{Buffer: ms(tc.buffer)}.Budget(tc.state)
			if got.Soft != got.Hard {
				t.Errorf("got two limits %v, want one", got)
			}
			if got.Hard != ms(tc.want) {
				t.Errorf("got %v, want %d ms", got.Hard, tc.want)
			}
		})
	}
}

package bot

import (
	"testing"

	"zeitnot/bot/record"
	"zeitnot/clock"
)

func TestModeOfAMove(t *testing.T) {
	for _, c := range []struct {
		red, pondered bool
		want          record.Mode
	}{
		{false, false, record.ModeNormal},
		{true, false, record.ModeRed},
		{false, true, record.ModePonderHit},
		{true, true, record.ModePremove},
	} {
		p := &pendingMove{decision: decision{turn: &turn{budget: clock.Budget{Red: c.red}}, pondered: c.pondered}}
		if got := p.mode(); got != c.want {
			t.Errorf("red %v, pondered %v: got %q, want %q", c.red, c.pondered, got, c.want)
		}
	}
}

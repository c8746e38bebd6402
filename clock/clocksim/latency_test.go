package clocksim_test

import (
	"math"
	"testing"
	"time"

	"zeitnot/clock/clocksim"
)

// What a network takes from a clock of three minutes in a game in which nobody thinks.
func TestLatencyModels(t *testing.T) {
	const each = 50 * time.Millisecond
	for name, c := range map[string]struct {
		moves int
		spoil func(*clocksim.Latency)
		want  time.Duration
	}{
		"the first move is free":           {1, func(*clocksim.Latency) {}, 0},
		"all alike":                        {40, func(*clocksim.Latency) {}, 39 * each},
		"three times as slow from move 20": {40, func(l *clocksim.Latency) { l.FactorFrom, l.Factor = 20, 3 }, 18*each + 21*3*each},
		"a burst without end":              {40, func(l *clocksim.Latency) { l.BurstShare, l.BurstFactor = 1, 5 }, 39 * 5 * each},
		"bursts of one move": {41, func(l *clocksim.Latency) {
			l.BurstShare, l.BurstEnd, l.BurstFactor = 1, 1, 5
		}, 20*each + 20*5*each},
		"stalls of two seconds": {11, func(l *clocksim.Latency) {
			l.StallShare, l.StallMin, l.StallMax = 1, 2*time.Second, 2*time.Second
		}, 10 * (each + 2*time.Second)},
		// Nothing is known of the network, so an answer is due after four times 150 ms.
		"a lost move is sent once more": {2, func(l *clocksim.Latency) { l.LostShare = 1 }, 600*time.Millisecond + each},
	} {
		t.Run(name, func(t *testing.T) {
			cfg := config(t, "adaptive", "3+0", "L1", 1)
			cfg.Policy, cfg.Fresh = still{}, true
			cfg.Length = clocksim.FixedLength(c.moves)
			cfg.Overshoot = clocksim.Overshoot{Least: time.Nanosecond}
			l := quiet(each)
			c.spoil(&l)
			cfg.Latencies = []clocksim.Latency{l}
			got := time.Duration((1 - run(t, cfg).Cells[0].ClockLeftP50) * float64(3*time.Minute))
			// The report keeps four decimals of the share, here 18 ms.
			if math.Abs(float64(got-c.want)) > float64(10*time.Millisecond) {
				t.Errorf("got %v taken from the clock, want %v", got, c.want)
			}
		})
	}
}

func TestEveryLatencyIsFoundByItsName(t *testing.T) {
	seen := map[string]bool{}
	for _, l := range clocksim.Latencies() {
		got, err := clocksim.LatencyByName(l.Name)
		if err != nil || got != l || seen[l.Name] {
			t.Errorf("%s: got %+v, %v, want it and it alone", l.Name, got, err)
		}
		seen[l.Name] = true
	}
	for _, name := range []string{"L1", "L2", "L3", "L5", "lost", "x3", "bursts"} {
		if !seen[name] {
			t.Errorf("no latency %s", name)
		}
	}
}

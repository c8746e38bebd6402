package clocksim_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"zeitnot/clock/clocksim"
)

func TestParseControl(t *testing.T) {
	for s, want := range map[string][2]time.Duration{
		"3+2":   {3 * time.Minute, 2 * time.Second},
		"1/2+0": {30 * time.Second, 0},
		"0.5+0": {30 * time.Second, 0},
		"½+0":   {30 * time.Second, 0},
		"1.5+1": {90 * time.Second, time.Second},
		"0+1":   {0, time.Second},
		"180+0": {3 * time.Hour, 0},
	} {
		c, err := clocksim.ParseControl(s)
		if err != nil || c.Initial != want[0] || c.Increment != want[1] || c.String() != s {
			t.Errorf("%q: got %+v, %v, want %v", s, c, err, want)
		}
	}
	for _, s := range []string{"", "3", "+", "3+", "+2", "x+1", "3+x", "1/0+0", "1/x+0", "-1+0", "3+-1", "0+0", "NaN+1", "1e9+0", "3+2+1"} {
		if c, err := clocksim.ParseControl(s); err == nil {
			t.Errorf("%q: got %+v, want an error", s, c)
		}
	}
}

func TestModelLengthIsTheModel(t *testing.T) {
	source := rand.New(rand.NewPCG(1, 2))
	n := 100_000
	lengths := make([]int, n)
	for i := range lengths {
		lengths[i] = clocksim.ModelLength{}.Draw(source)
	}
	slices.Sort(lengths)
	if got := lengths[n/2]; got < 45 || got > 46 {
		t.Errorf("median: got %d own moves, want 45 or, for the marathons, 46", got)
	}
	long := 0
	for _, l := range lengths {
		if l >= 100 {
			long++
		}
	}
	// 3 % marathons, and 1/(1+(100/45)^5.93) of the rest.
	if got := float64(long) / float64(n); got < 0.036 || got > 0.041 {
		t.Errorf("100 moves and more: got %v, want about 0.038", got)
	}
}

func TestReadHistogram(t *testing.T) {
	h, err := clocksim.ReadHistogram(strings.NewReader("# ms count\n1 1\n\n2 0\n4 3\n"))
	if err != nil {
		t.Fatal(err)
	}
	c := config(t, "adaptive", "3+2", "L1", 1)
	c.Overshoot = clocksim.Overshoot{Histogram: h}
	c.Policy = still{}
	c.Latencies = []clocksim.Latency{quiet(60 * time.Millisecond)}
	c.Length = clocksim.FixedLength(100)
	if got := run(t, c).Cells[0].ClockLeftP50; got < 2.06 || got > 2.07 {
		t.Errorf("99 moves of 61 to 64 ms, charged 60, two seconds each: got %v of the clock left, want 2.067", got)
	}
	for fault, text := range map[string]string{
		"not a number": "x 1", "no count": "1", "falling": "2 1\n1 1", "twice": "1 1\n1 1", "negative": "1 -1", "empty": "", "zero": "1 0",
	} {
		if _, err := clocksim.ReadHistogram(strings.NewReader(text)); err == nil {
			t.Errorf("%s: got no error", fault)
		}
	}
}

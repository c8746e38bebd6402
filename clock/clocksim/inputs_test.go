package clocksim_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"zeitnot/clock/clocksim"
)

func TestControlIsNamedAsWritten(t *testing.T) {
	for want, c := range map[string]clocksim.Control{
		"3+2":   {Initial: 3 * time.Minute, Increment: 2 * time.Second},
		"0+1":   {Increment: time.Second},
		"0.5+0": {Initial: 30 * time.Second},
		"1/2+0": {Initial: 30 * time.Second, Name: "1/2+0"},
	} {
		if got := c.String(); got != want {
			t.Errorf("%v: got %q, want %q", c.Initial, got, want)
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

package clocksim_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
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
		"long": strings.Repeat("x", 50_000),
	} {
		if _, err := clocksim.ReadHistogram(strings.NewReader(text)); err == nil || len(err.Error()) > 200 {
			t.Errorf("%s: got %v, want a short error", fault, err)
		}
	}
}

func TestHistogramOfTimes(t *testing.T) {
	us := func(n int) time.Duration { return time.Duration(n) * time.Microsecond }
	h := clocksim.NewHistogram([]time.Duration{-5, us(10), us(11), us(12), us(13), us(400), us(400), 7 * time.Millisecond})
	counts, last := map[time.Duration]int64{}, time.Duration(0)
	for end, n := range h.Bins() {
		if end <= last || end > last+last/4 && last > 0 {
			t.Errorf("a bin from %v to %v", last, end)
		}
		counts[end], last = n, end
	}
	if counts[us(10)] != 2 || counts[us(12)] != 2 || counts[us(15)] != 1 || last < 7*time.Millisecond || last > 9*time.Millisecond {
		t.Errorf("got %v up to %v", counts, last)
	}
	var text strings.Builder
	for end, n := range h.Bins() {
		fmt.Fprintf(&text, "%.3f %d\n", float64(end)/float64(time.Millisecond), n)
	}
	again, err := clocksim.ReadHistogram(strings.NewReader(text.String()))
	if err != nil || !reflect.DeepEqual(again, h) {
		t.Errorf("read again: got %+v (%v), want %+v\n%s", again, err, h, &text)
	}
	if _, err := clocksim.ReadHistogram(strings.NewReader("")); err == nil || !reflect.DeepEqual(clocksim.NewHistogram(nil), clocksim.Histogram{}) {
		t.Error("nothing is a histogram")
	}
}

package clocksim_test

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"zeitnot/clock"
	"zeitnot/clock/clocksim"
)

// controls are the time controls of the tests.
var controls = map[string]clocksim.Control{
	"1/2+0": {Initial: 30 * time.Second},
	"1+0":   {Initial: time.Minute},
	"1+1":   {Initial: time.Minute, Increment: time.Second},
	"2+1":   {Initial: 2 * time.Minute, Increment: time.Second},
	"3+0":   {Initial: 3 * time.Minute},
	"3+2":   {Initial: 3 * time.Minute, Increment: 2 * time.Second},
	"5+0":   {Initial: 5 * time.Minute},
}

func config(t *testing.T, policy, times, latencies string, games int) clocksim.Config {
	t.Helper()
	p, err := clocksim.PolicyByName(policy)
	if err != nil {
		t.Fatal(err)
	}
	c := clocksim.Config{Policy: p, Games: games, Seed: 1}
	for _, s := range strings.Fields(times) {
		control, known := controls[s]
		if !known {
			t.Fatalf("time control %q is not in the tests' table", s)
		}
		control.Name = s
		c.Times = append(c.Times, control)
	}
	for _, s := range strings.Fields(latencies) {
		latency, err := clocksim.LatencyByName(s)
		if err != nil {
			t.Fatal(err)
		}
		c.Latencies = append(c.Latencies, latency)
	}
	return c
}

func run(t *testing.T, c clocksim.Config) clocksim.Report {
	t.Helper()
	r, err := clocksim.Run(context.Background(), c, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestRunIsReproducibleToTheByteWhateverTheWorkers(t *testing.T) {
	write := func(workers int, seed uint64) (report, plot string) {
		c := config(t, "adaptive", "1/2+0", "L3 bursts", 1100)
		c.Workers, c.Traced, c.Seed = workers, 300, seed
		r := run(t, c)
		var j, svg bytes.Buffer
		if err := errors.Join(r.WriteJSON(&j), clocksim.WriteSVG(&svg, r)); err != nil {
			t.Fatal(err)
		}
		return j.String(), svg.String()
	}
	report, plot := write(1, 1)
	for _, workers := range []int{1, 3, 8} {
		again, plotted := write(workers, 1)
		if diff := cmp.Diff(report, again); diff != "" {
			t.Errorf("%d workers (-one +several):\n%s", workers, diff)
		}
		if plot != plotted {
			t.Errorf("%d workers: another plot", workers)
		}
	}
	if other, _ := write(1, 2); other == report {
		t.Error("another seed: got the same report")
	}
}

func TestReportKeepsTheContractOfItsKeys(t *testing.T) {
	r := run(t, config(t, "softhard", "3+2", "L3", 10))
	var b bytes.Buffer
	if err := r.WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	var top map[string]json.RawMessage
	var cells []map[string]json.RawMessage
	if err := json.Unmarshal(b.Bytes(), &top); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(top["cells"], &cells); err != nil {
		t.Fatal(err)
	}
	keys := func(m map[string]json.RawMessage) map[string]bool {
		set := map[string]bool{}
		for k := range m {
			set[k] = true
		}
		return set
	}
	set := func(names string) map[string]bool {
		m := map[string]bool{}
		for _, n := range strings.Fields(names) {
			m[n] = true
		}
		return m
	}
	if diff := cmp.Diff(set("policy seed cells"), keys(top)); diff != "" {
		t.Errorf("report (-want +got):\n%s", diff)
	}
	want := set("time latency games avoidable_flags unavoidable_flags clock_left_p50 clock_left_p90 " +
		"log2_think_1_40 log2_think_41_60 log2_think_1_60 premove_share min_clock_ms")
	if diff := cmp.Diff(want, keys(cells[0])); diff != "" {
		t.Errorf("cell (-want +got):\n%s", diff)
	}
}

// The gates at a size that a test can afford; docs/benchmarks.md has them in full.
func TestInsuredGamesMeetTheirGates(t *testing.T) {
	games := 1000
	if testing.Short() {
		games = 300
	}
	for _, g := range []struct {
		policy, times, latency string
		avoidable              int
		left, log2             float64 // at most, at least; 0: not a gate
	}{
		{"adaptive", "2+1", "L3", 0, 0.12, 0},
		{"adaptive", "3+2", "L3", 0, 0.12, 0},
		{"adaptive", "3+0", "L3", 0, 0, 0},
		{"adaptive", "5+0", "L3", 0, 0, 0},
		{"strict", "1+0", "L3", 0, 0, 0},
		{"adaptive", "2+1", "L5", 0, 0.12, 0},
		{"adaptive", "3+2", "L5", 0, 0.12, 0},
		{"strict", "1/2+0", "L2", games / 1000, 0, 0},
		{"adaptive", "2+1", "L2", 0, 0.12, 11.31},
		{"adaptive", "3+2", "L2", 0, 0.12, 12.08},
		{"strict", "3+0", "L3", 0, 0, 0},
		{"strict", "3+0", "L2", 0, 0, 11.08},
		{"strict", "1+0", "L2", 0, 0, 9.00},
	} {
		t.Run(g.policy+" "+g.times+" "+g.latency, func(t *testing.T) {
			t.Parallel()
			c := run(t, config(t, g.policy, g.times, g.latency, games)).Cells[0]
			// The thinking time of a few hundred games is known to about a hundredth.
			if c.AvoidableFlags > g.avoidable || g.left > 0 && c.ClockLeftP50 > g.left || c.Log2Think1To60 < g.log2-0.02 {
				t.Errorf("got %s, want %+v", brief(c), g)
			}
		})
	}
}

func TestAProcessWithoutAPastSurvivesABadNetwork(t *testing.T) {
	c := config(t, "adaptive", "3+0", "L6", 1000)
	c.Fresh = true
	if cell := run(t, c).Cells[0]; cell.AvoidableFlags != 0 {
		t.Errorf("300 ms, no samples: got %s, want no flag", brief(cell))
	}
}

func TestExactPoliciesLoseLongGamesWithoutIncrement(t *testing.T) {
	for _, policy := range []string{"reserve", "softhard", "lichess-bot", "botli", "stockfish"} {
		t.Run(policy, func(t *testing.T) {
			c := config(t, policy, "1+0 3+2", "L3", 20)
			c.Length = clocksim.FixedLength(clocksim.MaxMoves)
			r := run(t, c)
			if got := r.Cells[0].AvoidableFlags; got < 15 {
				t.Errorf("1+0, 300 moves: got %d of 20 lost on time, want nearly all", got)
			}
			if got := r.Cells[1].AvoidableFlags; got != 0 {
				t.Errorf("3+2, 300 moves: got %d of 20 lost on time, want none", got)
			}
		})
	}
}

// brief is what a cell reports.
func brief(c clocksim.Cell) string {
	text, err := json.Marshal(c)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// still is a policy that never thinks.
type still struct{}

func (still) Name() string                    { return "still" }
func (still) Budget(clock.State) clock.Budget { return clock.Budget{} }

// greedy takes the same time for every move.
type greedy time.Duration

func (greedy) Name() string { return "greedy" }
func (g greedy) Budget(clock.State) clock.Budget {
	return clock.Budget{Soft: time.Duration(g), Hard: time.Duration(g)}
}

// quiet is a network whose cost is the same for every move.
func quiet(each time.Duration) clocksim.Latency { return clocksim.Latency{Name: "quiet", Median: each} }

func TestServerChargesInStepsAndAddsIncrements(t *testing.T) {
	c := config(t, "adaptive", "1+1", "L1", 1)
	c.Latencies = []clocksim.Latency{quiet(64 * time.Millisecond)}
	c.Overshoot = clocksim.Overshoot{Least: 1 * time.Microsecond}
	c.Length = clocksim.FixedLength(11)
	c.Policy = greedy(500 * time.Millisecond)
	// The first move is free. Ten moves of 564 ms are charged 560 ms each and earn a second.
	cell := run(t, c).Cells[0]
	if want := (60 + 10*0.44) / 60; cell.ClockLeftP50 < want-1e-4 || cell.ClockLeftP50 > want+1e-4 {
		t.Errorf("clock left: got %v, want %v of a minute", cell.ClockLeftP50, want)
	}
	if want := int64(59440); cell.MinClockMs != want {
		t.Errorf("lowest clock: got %d, want %d ms", cell.MinClockMs, want)
	}
	if cell.Log2Think1To60 != 8.9658 {
		t.Errorf("log2 of 500 ms: got %v, want 8.9658", cell.Log2Think1To60)
	}
}

func TestAFlagIsAvoidableWhenAQuickerPlayerWouldNotHaveFallen(t *testing.T) {
	c := config(t, "adaptive", "1/2+0", "L1", 50)
	c.Length = clocksim.FixedLength(100)
	c.Policy = greedy(time.Second)
	c.Latencies = []clocksim.Latency{quiet(100 * time.Millisecond), quiet(400 * time.Millisecond)}
	r := run(t, c)
	if got := r.Cells[0]; got.AvoidableFlags != 50 || got.UnavoidableFlags != 0 {
		t.Errorf("100 moves of 100 ms in 30 s: got %s, want 50 avoidable flags", brief(got))
	}
	if got := r.Cells[1]; got.AvoidableFlags != 0 || got.UnavoidableFlags != 50 {
		t.Errorf("100 moves of 400 ms in 30 s: got %s, want 50 unavoidable flags", brief(got))
	}
	c.Policy = still{}
	if got := run(t, c).Cells[0]; got.AvoidableFlags+got.UnavoidableFlags != 0 || got.PremoveShare != 1 {
		t.Errorf("nobody thinks: got %s, want no flag and nothing but premoves", brief(got))
	}
}

func TestPoliciesMeetTheSameNetwork(t *testing.T) {
	// A policy that never thinks is left with what the network took, whatever its name.
	c := config(t, "adaptive", "3+0", "lost", 200)
	c.Policy = still{}
	a := run(t, c).Cells[0]
	c.Policy = greedy(0)
	b := run(t, c).Cells[0]
	if brief(a) != brief(b) {
		t.Errorf("another network: got %s, want %s", brief(b), brief(a))
	}
}

func TestCancelledRunSaysSo(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	c := config(t, "adaptive", "3+0", "L3", 100_000)
	c.Workers = 2
	_, err := clocksim.Run(ctx, c, func(played, all int) {
		if played > all {
			t.Errorf("progress: got %d of %d", played, all)
		}
		cancel()
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
}

func TestProgressEndsAtTheWhole(t *testing.T) {
	c := config(t, "softhard", "1+0 3+0", "L1 L2", 700)
	last := 0
	if _, err := clocksim.Run(context.Background(), c, func(played, all int) {
		if played <= last || all != 2800 {
			t.Errorf("progress: got %d of %d after %d", played, all, last)
		}
		last = played
	}); err != nil {
		t.Fatal(err)
	}
	if last != 2800 {
		t.Errorf("got %d, want 2800", last)
	}
}

func TestBadConfigurationsAreRefused(t *testing.T) {
	good := config(t, "adaptive", "3+0", "L3", 10)
	for name, spoil := range map[string]func(*clocksim.Config){
		"no policy":  func(c *clocksim.Config) { c.Policy = nil },
		"no time":    func(c *clocksim.Config) { c.Times = nil },
		"no latency": func(c *clocksim.Config) { c.Latencies = nil },
		"no games":   func(c *clocksim.Config) { c.Games = 0 },
	} {
		c := good
		spoil(&c)
		if _, err := clocksim.Run(context.Background(), c, nil); err == nil {
			t.Errorf("%s: got no error", name)
		}
	}
	if _, err := clocksim.PolicyByName("hasty"); err == nil || !strings.Contains(err.Error(), `"hasty": want one of`) {
		t.Errorf("unknown policy: got %v", err)
	}
	if _, err := clocksim.LatencyByName("L9"); err == nil || !strings.Contains(err.Error(), `"L9": want one of L1, L2`) {
		t.Errorf("unknown latency: got %v", err)
	}
}

func TestPlotIsWellFormedAndLaysPoliciesOverEachOther(t *testing.T) {
	var reports []clocksim.Report
	for _, policy := range []string{"adaptive", "reserve"} {
		reports = append(reports, run(t, config(t, policy, "3+0 3+2", "L2 L6", 50)))
	}
	var b bytes.Buffer
	if err := clocksim.WriteSVG(&b, reports...); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"adaptive at L2", "reserve at L6", "3+0: clock before the move", "3+2: soft budget"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("plot: got no %q", want)
		}
	}
	lines := 0
	d := xml.NewDecoder(&b)
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if e, ok := token.(xml.StartElement); ok && e.Name.Local == "polyline" {
			lines++
		}
	}
	if want := 2 * 2 * 2 * 2; lines != want { // policies, latencies, controls, panels
		t.Errorf("got %d lines, want %d", lines, want)
	}
	if err := clocksim.WriteSVG(io.Discard, clocksim.Report{}); err == nil {
		t.Error("nothing to plot: got no error")
	}
}

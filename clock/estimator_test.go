package clock_test

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"zeitnot/clock"
)

// Replays hold samples of whole games with the state expected after each. The expected
// states were computed by another program, from the description of the estimator.
func TestEstimatorReplays(t *testing.T) {
	files, err := filepath.Glob("testdata/replay/*.tsv")
	if err != nil || len(files) < 6 {
		t.Fatalf("replays: got %v, %v, want at least 6", files, err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".tsv"), func(t *testing.T) { replay(t, file) })
	}
}

var rejections = map[string]clock.Rejection{
	"-": "", "first": clock.FirstPlies, "resumed": clock.Resumed, "takeback": clock.Takeback,
	"final": clock.Final, "gift": clock.Gift,
}

func replay(t *testing.T, file string) {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	number := func(s string) time.Duration {
		f, err := strconv.ParseFloat(s, 64)
		if err != nil {
			t.Fatal(err)
		}
		return time.Duration(math.Round(f * 1e6))
	}
	near := func(got, want time.Duration) bool { return (got - want).Abs() <= time.Microsecond }

	var e *clock.Estimator
	samples := 0
	for line := range strings.Lines(string(text)) {
		f := strings.Split(strings.TrimSpace(line), "\t")
		switch {
		case strings.HasPrefix(line, "#"):
			continue
		case f[0] == "prior":
			long, errLong := strconv.Atoi(f[7])
			seen, errSeen := strconv.Atoi(f[8])
			if err := errors.Join(errLong, errSeen); err != nil {
				t.Fatal(err)
			}
			e = clock.NewEstimator(clock.Prior{
				Mean: number(f[1]), Dev: number(f[2]), Q90: number(f[3]), Q50: number(f[4]), Peak: number(f[5]), Long: number(f[6]), LongMoves: long, Samples: seen,
			})
			continue
		}
		n, err := strconv.Atoi(f[0])
		if err != nil {
			t.Fatal(err)
		}
		got, rejected := e.Observe(clock.Sample{
			OwnMoves: n, Charged: number(f[1]), Own: number(f[2]), Remaining: number(f[3]),
			Resumed: f[4] == "resumed", Takeback: f[4] == "takeback", Final: f[4] == "final",
		})
		samples++
		want := clock.Overhead{Mean: number(f[5]), Dev: number(f[6]), Q90: number(f[7]), Long: number(f[8]), Guard: number(f[9]), Stalled: f[10] == "yes"}
		if !near(got.Mean, want.Mean) || !near(got.Dev, want.Dev) || !near(got.Q90, want.Q90) ||
			!near(got.Long, want.Long) || !near(got.Guard, want.Guard) || got.Stalled != want.Stalled {
			t.Errorf("after move %d: got %+v, want %+v", n, got, want)
		}
		if rejected != rejections[f[11]] {
			t.Errorf("move %d: got rejection %q, want %q", n, rejected, rejections[f[11]])
		}
	}
	if samples < 20 {
		t.Errorf("got %d samples, want at least 20", samples)
	}
}

func sample(overhead time.Duration) clock.Sample {
	return clock.Sample{OwnMoves: 9, Charged: time.Second + overhead, Own: time.Second, Remaining: time.Minute}
}

func TestEstimatorFollowsALastingChange(t *testing.T) {
	e := clock.NewEstimator(clock.Prior{})
	var got clock.Overhead
	for range 30 {
		got, _ = e.Observe(sample(60 * time.Millisecond))
	}
	if got.Mean < 58*time.Millisecond || got.Mean > 62*time.Millisecond {
		t.Errorf("steady 60 ms: got mean %v", got.Mean)
	}
	for range 20 {
		got, _ = e.Observe(sample(180 * time.Millisecond))
	}
	if got.Mean < 170*time.Millisecond || got.Mean > 182*time.Millisecond {
		t.Errorf("20 moves after a change to 180 ms: got mean %v", got.Mean)
	}
}

func TestOneWildSampleMovesTheMeanByABoundedStep(t *testing.T) {
	e := clock.NewEstimator(clock.Prior{Mean: 60 * time.Millisecond, Dev: 10 * time.Millisecond, Q90: 75 * time.Millisecond, Samples: 9})
	got, _ := e.Observe(sample(50 * time.Second))
	if want := 69 * time.Millisecond; (got.Mean - want).Abs() > time.Microsecond {
		t.Errorf("mean after 50 s: got %v, want %v (0.15 of 4 dev + 20 ms)", got.Mean, want)
	}
	if !got.Stalled {
		t.Error("50 s: got no stall")
	}
	if want := 15 * time.Second; got.Guard != want {
		t.Errorf("guard with a minute left: got %v, want %v", got.Guard, want)
	}
}

func TestAStallIsForgottenAfterTwentyMoves(t *testing.T) {
	e := clock.NewEstimator(clock.Prior{Mean: 60 * time.Millisecond, Dev: 10 * time.Millisecond, Q90: 75 * time.Millisecond, Samples: 9})
	got, _ := e.Observe(sample(4 * time.Second))
	for move := range 20 {
		if want := 5 * time.Second; !got.Stalled || got.Guard != want {
			t.Fatalf("%d moves after a stall of 4 s: got %+v, want a guard of %v", move, got, want)
		}
		got, _ = e.Observe(sample(60 * time.Millisecond))
	}
	if got.Stalled || got.Guard > 1050*time.Millisecond {
		t.Errorf("20 moves after it: got %+v", got)
	}
}

func TestPriorCarriesOverToTheNextGame(t *testing.T) {
	first := clock.NewEstimator(clock.StartPrior([]time.Duration{80 * time.Millisecond, 300 * time.Millisecond, 50 * time.Millisecond}))
	before := first.Overhead(time.Minute)
	if before.Mean != 80*time.Millisecond || before.Dev != 50*time.Millisecond || before.Guard < 500*time.Millisecond {
		t.Errorf("start: got %+v, want the median round trip, 50 ms and at least 500 ms", before)
	}
	for range 100 {
		first.Observe(sample(40 * time.Millisecond))
	}
	first.ObserveOvershoot(3 * time.Millisecond)
	p := first.Prior()

	second := clock.NewEstimator(p)
	got, want := second.Overhead(time.Minute), first.Overhead(time.Minute)
	if (got.Guard-want.Guard).Abs() > time.Microsecond || got.Mean != want.Mean || got.Q90 != want.Q90 {
		t.Errorf("next game: got %+v, want %+v", got, want)
	}

	text, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	var stored clock.Prior
	if err := json.Unmarshal(text, &stored); err != nil {
		t.Fatal(err)
	}
	p.Samples = 0
	if diff := cmp.Diff(p, stored); diff != "" {
		t.Errorf("stored prior (-want +got):\n%s", diff)
	}
	restarted := clock.NewEstimator(stored).Overhead(time.Minute)
	if restarted.Mean != want.Mean || restarted.Guard < 500*time.Millisecond {
		t.Errorf("after a restart: got %+v, want the mean of before and at least 500 ms", restarted)
	}
}

func TestOvershootIsKeptApart(t *testing.T) {
	e := clock.NewEstimator(clock.Prior{Mean: 60 * time.Millisecond, Dev: 10 * time.Millisecond, Q90: 75 * time.Millisecond, Samples: 9})
	was := e.Overhead(time.Minute)
	e.ObserveOvershoot(-time.Second)
	if got := e.Overhead(time.Minute); got != was {
		t.Errorf("a move in time: got %+v, want %+v", got, was)
	}
	e.ObserveOvershoot(7 * time.Millisecond)
	got := e.Overhead(time.Minute)
	if got.Guard-was.Guard != 7*time.Millisecond {
		t.Errorf("guard: got %v more, want 7 ms", got.Guard-was.Guard)
	}
	if got.Guard = was.Guard; got != was {
		t.Errorf("all but the guard: got %+v, want %+v", got, was)
	}
	if e.Overshoot() != 7*time.Millisecond {
		t.Errorf("overshoot: got %v", e.Overshoot())
	}
}

func TestEstimatorStandsAnySample(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := clock.Prior{
			Mean: time.Duration(rapid.Int64().Draw(t, "mean")), Dev: time.Duration(rapid.Int64().Draw(t, "dev")),
			Q90: time.Duration(rapid.Int64().Draw(t, "q90")), Long: time.Duration(rapid.Int64().Draw(t, "long")), LongMoves: rapid.Int().Draw(t, "long moves"), Peak: time.Duration(rapid.Int64().Draw(t, "peak")), Samples: rapid.Int().Draw(t, "samples"),
		}
		e, twin := clock.NewEstimator(p), clock.NewEstimator(p)
		for range rapid.IntRange(1, 150).Draw(t, "moves") {
			s := clock.Sample{
				Charged: time.Duration(rapid.Int64().Draw(t, "charged")), Own: time.Duration(rapid.Int64Range(0, 1e12).Draw(t, "own")),
				Remaining: time.Duration(rapid.Int64().Draw(t, "remaining")), OwnMoves: rapid.IntRange(-1, 300).Draw(t, "n"),
			}
			got, _ := e.Observe(s)
			if got.Mean < 0 || got.Dev < 0 || got.Q90 < 0 || got.Long < 0 || got.Guard < 100*time.Millisecond {
				t.Fatalf("after %+v: got %+v, want nothing negative and a guard of 100 ms", s, got)
			}
			if again, _ := twin.Observe(s); again != got {
				t.Fatalf("after %+v: got %+v, then %+v", s, got, again)
			}
			b := clock.NewAdaptive().Budget(clock.State{Remaining: s.Remaining, Overhead: got})
			if f := fault(b, clock.State{Remaining: s.Remaining}, got.Guard); f != "" {
				t.Fatalf("budget %v after %+v: %s", b, s, f)
			}
		}
	})
}

func TestPriorOfAnEstimatorPassesTheCheck(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := clock.NewEstimator(clock.Prior{})
		for _, cost := range rapid.SliceOfN(rapid.Int64Range(-10_000, 20_000), 1, 400).Draw(t, "costs in ms") {
			e.Observe(sample(time.Duration(cost) * time.Millisecond))
			e.ObserveOvershoot(time.Duration(cost) * time.Millisecond / 10)
		}
		if err := e.Prior().Check(); err != nil {
			t.Fatalf("%+v: %v", e.Prior(), err)
		}
	})
}

func TestImpossiblePriorsAreToldApart(t *testing.T) {
	for want, change := range map[string]func(*clock.Prior){
		"mean is -1ns, allowed are 0 to 1m0s":  func(p *clock.Prior) { p.Mean = -1 },
		"dev is 1m0.001s, allowed are 0 to":    func(p *clock.Prior) { p.Dev = time.Minute + time.Millisecond },
		"q50 is -1s, allowed":                  func(p *clock.Prior) { p.Q50 = -time.Second },
		"q90 is 1h0m0s, allowed":               func(p *clock.Prior) { p.Q90 = time.Hour },
		"peak is -1ns":                         func(p *clock.Prior) { p.Peak = -1 },
		"long is 2m0s":                         func(p *clock.Prior) { p.Long = 2 * time.Minute },
		"late is -1ns":                         func(p *clock.Prior) { p.Late = -1 },
		"neither mean nor dev is known":        func(p *clock.Prior) { p.Mean, p.Dev = 0, 0 },
		"q50 is 90ms, more than q90, 75ms":     func(p *clock.Prior) { p.Q50 = 90 * time.Millisecond },
		"long_moves is 257, allowed are 0 to ": func(p *clock.Prior) { p.LongMoves = 257 },
		"long_moves is -1, allowed are 0 to ":  func(p *clock.Prior) { p.LongMoves = -1 },
	} {
		p := clock.Prior{
			Mean: 60 * time.Millisecond, Dev: 10 * time.Millisecond, Q50: 58 * time.Millisecond, Q90: 75 * time.Millisecond,
			Peak: time.Second, Long: 61 * time.Millisecond, LongMoves: 256, Late: time.Minute,
		}
		if err := p.Check(); err != nil {
			t.Fatalf("the prior that is changed: %v", err)
		}
		change(&p)
		if err := p.Check(); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

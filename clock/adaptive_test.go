package clock_test

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"zeitnot/clock"
)

// adaptiveByDefinition is soft, hard and red by the published formula, in ms, for a policy
// that plays over a network. It is written down once more, in the words of the formula.
func adaptiveByDefinition(s clock.State, t clock.AdaptiveTuning) (soft, hard float64, red bool) {
	ms := func(d time.Duration) float64 {
		return float64(min(max(d, 0), clock.MaxTime)) / float64(time.Millisecond)
	}
	clamp := func(x, low, high float64) float64 { return math.Min(math.Max(x, low), high) }
	n := clamp(float64(s.MoveNumber), 0, 1e6)
	r, inc := ms(s.Remaining), ms(s.Increment)
	base := max(ms(s.Base), inc, 3000)
	mean, dev := ms(s.Overhead.Mean), ms(s.Overhead.Dev)
	ov := mean + t.DevShare*dev
	each := mean
	if long := ms(s.Overhead.Long); long > mean {
		each = long - (long-mean)*clamp((long-mean)/max(dev, 1)-2.5, 0, 1)
	} else if long > 0 {
		each = long + (mean-long)*clamp((mean-long)/max(dev, 1)-0.5, 0, 1)
	}
	drain := t.DrainFactor*each + ms(t.Premove) - inc
	length := base + 40*inc
	w, unpaid := 1.0, 0.0
	if drain > 0 {
		unpaid = drain / (drain + inc)
		w = 1 - clamp((ms(t.InsuredLength)-length)/max(1, ms(t.InsuredLength)-ms(t.UninsuredLength)), 0, 1)*unpaid
	}
	guard := max(ms(s.Overhead.Guard), w*min(ms(t.Stall), t.StallShare*length))
	average := meanByDefinition(n)
	insured := (1-w)*t.UninsuredMeans*average + w*max(0, float64(t.InsuredMoves)-n)
	life := 45*math.Pow(1+2*math.Pow(n/45, 5.93), 1/5.93) - n
	h := max(t.MinHorizon, life, n/2-t.LateHorizon)
	if t.EvenHorizon > 0 {
		h = unpaid*t.EvenHorizon + (1-unpaid)*h
	}
	if s.MovesToGo > 0 {
		toGo := clamp(float64(s.MovesToGo), 1, 1e6)
		h, insured = min(h, toGo), toGo
	}
	need := 0.0
	if drain > 0 {
		all := drain * insured
		share := 1 - (1-t.NeedShare)*clamp((all/max(1, base-guard)-0.8)/0.2, 0, 1)
		need = min(share*r, all)
	}
	free := r - guard - need
	premove := clamp((r-guard)/8, 0, ms(t.Premove))
	gain := max(0, inc-ov)
	factor := t.OpeningFactor + (t.MiddleFactor-t.OpeningFactor)*min(1, n/10)
	soft = max(premove, (free/h+t.IncrementShare*gain)*factor)
	hard = max(premove, min(t.HardFactor*soft, t.HardClockShare*free+min(gain, t.HardIncrementShare*(r-guard))))
	limit := max(0, r-guard)
	if n == 0 {
		limit = min(limit, 3000)
	}
	hard = min(hard, limit)
	return min(soft, hard), hard, free <= 0
}

var means = map[float64]float64{}

// meanByDefinition is the mean number of own moves to come after n, by a sum over all lengths.
func meanByDefinition(n float64) float64 {
	if mean, known := means[n]; known {
		return mean
	}
	survival := func(x float64) float64 {
		return 1 / (1 + math.Pow(x/45, 5.93))
	}
	if n >= 300 {
		return 0
	}
	mean := 0.0
	for x := n; x < 300; x++ {
		mean += (survival(x) + survival(x+1)) / 2 / survival(n)
	}
	means[n] = mean
	return mean
}

// measured is a network as it is usual.
var measured = clock.Overhead{
	Mean: 60 * time.Millisecond, Dev: 15 * time.Millisecond, Q90: 85 * time.Millisecond, Guard: 250 * time.Millisecond,
}

func TestAdaptiveEqualsItsDefinition(t *testing.T) {
	for _, p := range []clock.Adaptive{clock.NewAdaptive(), clock.NewStrict()} {
		t.Run(p.Name(), func(t *testing.T) { equalsItsDefinition(t, p) })
	}
}

func equalsItsDefinition(t *testing.T, p clock.Adaptive) {
	networks := []clock.Overhead{
		measured,
		{Guard: 1},
		{Mean: 60e6, Dev: 15e6, Long: 64e6, Guard: 250e6},
		{Mean: 180e6, Dev: 50e6, Long: 64e6, Guard: 900e6},
		{Mean: 60e6, Dev: 40e6, Long: 180e6, Guard: 900e6},
		{Mean: time.Hour, Guard: 1},
		{Mean: -time.Hour, Dev: -1, Guard: -1},
		{Mean: 300 * time.Millisecond, Dev: 80 * time.Millisecond, Guard: 5 * time.Second, Stalled: true},
		{Mean: math.MaxInt64, Dev: math.MaxInt64, Guard: math.MaxInt64},
		{Mean: math.MinInt64, Guard: math.MinInt64},
	}
	for _, ov := range networks {
		for _, base := range []time.Duration{0, time.Minute, 2 * time.Minute, 10 * time.Minute, math.MaxInt64} {
			everyInput(func(s clock.State, overhead time.Duration) {
				if overhead != 0 {
					return // the network is the overhead here
				}
				s.Overhead, s.Base = ov, base
				got := p.Budget(s)
				soft, hard, red := adaptiveByDefinition(s, p.Tuning)
				// A millionth for the different order of operations, and the rounding to ns.
				if near := func(got time.Duration, want float64) bool {
					ms := float64(got) / float64(time.Millisecond)
					return math.Abs(ms-want) <= 2e-6+1e-6*math.Abs(want)
				}; !near(got.Soft, soft) || !near(got.Hard, hard) || got.Red != red {
					t.Fatalf("%s network %+v: got %+v, want soft %v hard %v ms red %v", describe(s, 0), ov, got, soft, hard, red)
				}
				guard := max(0, min(ov.Guard, clock.MaxTime))
				if f := fault(got, s, guard); f != "" {
					t.Fatalf("%s network %+v: got %+v: %s", describe(s, 0), ov, got, f)
				}
			})
		}
	}
}

func drawNetwork(t *rapid.T) clock.Overhead {
	span := rapid.Custom(func(t *rapid.T) time.Duration {
		return time.Duration(rapid.OneOf(rapid.Int64Range(-1e6, 2e9), rapid.Int64()).Draw(t, "ns"))
	})
	return clock.Overhead{
		Mean: span.Draw(t, "mean"), Dev: span.Draw(t, "dev"), Q90: span.Draw(t, "q90"), Long: span.Draw(t, "long"),
		Guard: span.Draw(t, "guard"), Stalled: rapid.Bool().Draw(t, "stalled"),
	}
}

func TestAdaptiveIsContinuousAndMonotone(t *testing.T) {
	p := clock.NewAdaptive()
	rapid.Check(t, func(t *rapid.T) {
		s := drawState(t)
		s.Overhead = drawNetwork(t)
		richer := s
		step := time.Duration(rapid.Int64Range(0, 1e7).Draw(t, "step"))
		if richer.Remaining += step; richer.Remaining < s.Remaining {
			richer.Remaining = math.MaxInt64
		}
		was, is := p.Budget(s), p.Budget(richer)
		if is.Soft < was.Soft || is.Hard < was.Hard || (is.Red && !was.Red) {
			t.Fatalf("%+v: got %+v, but %+v with %v more", s, was, is, step)
		}
		// The steepest part is the hard limit of a game in which a GUI promises a new clock
		// after one move: 4.5 times 1.15 times what is free.
		if steepest := 6*step + 2*time.Microsecond; is.Hard-was.Hard > steepest || is.Soft-was.Soft > steepest {
			t.Fatalf("%+v: got %+v, and %+v with %v more: a jump", s, was, is, step)
		}
		if f := fault(was, s, min(max(0, s.Overhead.Guard), clock.MaxTime)); f != "" {
			t.Fatalf("%+v: got %+v: %s", s, was, f)
		}
	})
}

func TestAdaptiveIsRedWhenNothingIsFree(t *testing.T) {
	p := clock.NewAdaptive()
	s := clock.State{Remaining: time.Minute, Base: time.Minute, MoveNumber: 20, Overhead: measured}
	if b := p.Budget(s); b.Red || b.Soft < 100*time.Millisecond {
		t.Errorf("a full minute: got %+v, want time to think", b)
	}
	s.Remaining = 4500 * time.Millisecond
	if b := clock.NewStrict().Budget(s); !b.Red || b.Soft <= 0 || b.Hard > p.Tuning.Premove {
		t.Errorf("4.5 s of 1+0, strict: got %+v, want red at premove speed", b)
	}
	if b := p.Budget(s); b.Red || b.Soft > 100*time.Millisecond {
		t.Errorf("4.5 s of 1+0: got %+v, want a short think", b)
	}
	s.Remaining = 1500 * time.Millisecond
	if b := p.Budget(s); !b.Red || b.Soft <= 0 || b.Hard > p.Tuning.Premove {
		t.Errorf("1.5 s of 1+0: got %+v, want red at premove speed", b)
	}
	s.Remaining = 100 * time.Millisecond
	if b := p.Budget(s); b != (clock.Budget{Red: true}) {
		t.Errorf("less than the guard: got %+v, want red and nothing", b)
	}
}

func TestAdaptiveFirstMoveIsShort(t *testing.T) {
	p := clock.NewAdaptive()
	s := clock.State{Remaining: 30 * time.Minute, Base: 30 * time.Minute, Overhead: measured}
	if b := p.Budget(s); b.Hard != clock.FirstMoveLimit {
		t.Errorf("first move of 30+0: got %+v, want a hard limit of %v", b, clock.FirstMoveLimit)
	}
	s.MoveNumber = 1
	if b := p.Budget(s); b.Soft < 10*time.Second {
		t.Errorf("second move of 30+0: got %+v, want more than 10 s", b)
	}
}

func TestAdaptiveWithoutSamplesIsCareful(t *testing.T) {
	p := clock.NewAdaptive()
	s := clock.State{Remaining: 510 * time.Millisecond, Base: 3 * time.Second, MoveNumber: 5}
	if b := p.Budget(s); b.Hard > 10*time.Millisecond {
		t.Errorf("510 ms, nothing measured: got %+v, want 500 ms left alone", b)
	}
}

func TestAdaptiveForALocalGUI(t *testing.T) {
	p, err := clock.ByName("adaptive", clock.Tuning{Overhead: new(10 * time.Millisecond)})
	if err != nil {
		t.Fatal(err)
	}
	s := clock.State{Remaining: 10 * time.Minute, Base: 10 * time.Minute, Overhead: clock.Overhead{Mean: time.Second, Dev: time.Second}}
	if b := p.Budget(s); b.Hard <= clock.FirstMoveLimit {
		t.Errorf("first move: got %+v, want it charged and planned like any other", b)
	}
	for ms := int64(0); ms < 3000; ms++ {
		s := clock.State{Remaining: clock.Milliseconds(ms), Base: 10 * time.Minute, MoveNumber: 30, MovesToGo: 1}
		if b := p.Budget(s); b.Hard > max(0, s.Remaining-20*time.Millisecond) {
			t.Fatalf("%d ms: got %+v, want twice the overhead left", ms, b)
		}
	}
	s = clock.State{Remaining: 540 * time.Millisecond, Increment: 2 * time.Second, Base: time.Minute, MoveNumber: 30}
	if b := p.Budget(s); b.Hard < 250*time.Millisecond {
		t.Errorf("540 ms and 2 s a move: got %+v, want a fair part of it", b)
	}
}

func TestAdaptiveMovesToGo(t *testing.T) {
	a := clock.NewAdaptive()
	a.Local = new(10 * time.Millisecond)
	s := clock.State{Remaining: time.Minute, Base: 5 * time.Minute, MoveNumber: 20}
	last := time.Duration(0)
	for _, toGo := range []int{1000, 40, 10, 2, 1} {
		s.MovesToGo = toGo
		b := a.Budget(s)
		if b.Soft < last {
			t.Errorf("%d moves to go: got soft %v, less than %v with more moves to go", toGo, b.Soft, last)
		}
		last = b.Soft
	}
	s.MovesToGo = 2
	if p := a.Plan(s); p.Horizon != 2 || p.Need != 2*(13500*time.Microsecond) {
		t.Errorf("2 moves to go: got %+v, want them to be the horizon and what is insured", p)
	}
}

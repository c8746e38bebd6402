package sandbox

import (
	"testing"
	"time"

	"zeitnot/engine/position"
)

func TestGraceGrowsFromThreeGainsToItsCap(t *testing.T) {
	start := time.Unix(1000, 0)
	for _, c := range []struct {
		limit, increment int
		first, last      centis // grace at the first clocked move and after many
	}{
		{30, 0, 81, 189},
		{0, 1, 93, 200},
		{60, 0, 117, 200},
		{60, 1, 165, 200},
		{180, 0, 200, 200},
		{900, 10, 200, 200},
	} {
		clk := newClock(ClockControl(time.Duration(c.limit)*time.Second, time.Duration(c.increment)*time.Second))
		grace := func() centis { return min(clk.quota[0], maxGrace) }
		if got := grace(); got != c.first {
			t.Errorf("%d+%d: first grace is %d cs, want %d", c.limit, c.increment, got, c.first)
		}
		clk.start(position.White, start)
		for range 10 {
			clk.step(clk.side, start, 0, true)
		}
		if got := grace(); got != c.last {
			t.Errorf("%d+%d: last grace is %d cs, want %d", c.limit, c.increment, got, c.last)
		}
	}
}

func TestClockOfZeroStartsAtTheIncrementOrThreeSeconds(t *testing.T) {
	for increment, want := range map[int]centis{1: 300, 3: 300, 10: 1000} {
		clk := newClock(ClockControl(0, time.Duration(increment)*time.Second))
		if clk.remaining[0] != want || clk.remaining[1] != want {
			t.Errorf("0+%d starts at %v, want %d cs", increment, clk.remaining, want)
		}
	}
}

func TestStepChargesWholeCentisecondsAndAddsTheIncrementOnlyInTime(t *testing.T) {
	start := time.Unix(1000, 0)
	for _, c := range []struct {
		name    string
		took    time.Duration
		extra   time.Duration
		goesOn  bool
		left    centis // of 60 s after the move
		running bool
	}{
		{"half a centisecond counts as one", 5 * time.Millisecond, 0, true, 6000 - 1 + 200, true},
		{"less than half is free", 4 * time.Millisecond, 0, true, 6200, true},
		{"all but a centisecond earns the increment", 59990 * time.Millisecond, 0, true, 1 + 200, true},
		{"all of it does not", 60 * time.Second, 0, true, 0, false},
		{"more than all is nothing left", 61 * time.Second, 0, true, 0, false},
		{"no increment when the move ends the game", time.Second, 0, false, 5900, false},
		{"a charge is time like any other", time.Second, 600 * time.Millisecond, true, 6000 - 160 + 200, true},
	} {
		clk := newClock(ClockControl(time.Minute, 2*time.Second))
		clk.start(position.White, start)
		clk.step(position.White, start.Add(c.took), c.extra, c.goesOn)
		if clk.remaining[0] != c.left || clk.running != c.running {
			t.Errorf("%s: left %d running %v, want %d %v", c.name, clk.remaining[0], clk.running, c.left, c.running)
		}
	}
}

func TestStandingClockChargesNothing(t *testing.T) {
	clk := newClock(ClockControl(time.Minute, time.Second))
	if used := clk.step(position.White, time.Unix(9999, 0), 0, true); used != 0 || clk.remaining[0] != 6000 {
		t.Errorf("used %d left %d, want 0 and 6000", used, clk.remaining[0])
	}
	if clk.flagged(time.Unix(1e9, 0), false) {
		t.Error("a standing clock flagged")
	}
}

func TestFlagWithAndWithoutGrace(t *testing.T) {
	start := time.Unix(1000, 0)
	clk := newClock(ClockControl(30*time.Second, 0)) // grace 81 cs
	clk.start(position.White, start)
	for _, c := range []struct {
		at          time.Duration
		plain, kind bool
	}{
		{29990 * time.Millisecond, false, false},
		{30000 * time.Millisecond, true, false},
		{30800 * time.Millisecond, true, false},
		{30810 * time.Millisecond, true, true},
	} {
		now := start.Add(c.at)
		if got := clk.flagged(now, false); got != c.plain {
			t.Errorf("at %v without grace: %v, want %v", c.at, got, c.plain)
		}
		if got := clk.flagged(now, true); got != c.kind {
			t.Errorf("at %v with grace: %v, want %v", c.at, got, c.kind)
		}
	}
	if wait, ok := clk.flagIn(start, true); !ok || wait != 30810*time.Millisecond {
		t.Errorf("flag in %v %v, want 30.81s", wait, ok)
	}
}

func TestSpeedsByEstimate(t *testing.T) {
	for _, c := range []struct {
		limit, increment int
		speed, show      string
	}{
		{15, 0, "ultraBullet", "¼+0"},
		{30, 0, "bullet", "½+0"},
		{0, 1, "bullet", "0+1"},
		{60, 0, "bullet", "1+0"},
		{45, 0, "bullet", "¾+0"},
		{179, 0, "bullet", ""},
		{180, 0, "blitz", "3+0"},
		{90, 3, "blitz", "1.5+3"},
		{480, 0, "rapid", "8+0"},
		{180, 8, "rapid", "3+8"},
		{1500, 0, "classical", "25+0"},
		{10800, 180, "classical", "180+180"},
		{21600, 0, "correspondence", "360+0"},
	} {
		tc := ClockControl(time.Duration(c.limit)*time.Second, time.Duration(c.increment)*time.Second)
		if got := tc.speed(); got != c.speed {
			t.Errorf("%d+%d is %s, want %s", c.limit, c.increment, got, c.speed)
		}
		if got := tc.show(); c.show != "" && got != c.show {
			t.Errorf("%d+%d shows as %s, want %s", c.limit, c.increment, got, c.show)
		}
	}
}

func TestGlickoAgreesWithItsAuthorsFormula(t *testing.T) {
	// Worked by hand from Glickman's formulas for one game: q = ln10/400,
	// equal ratings of 1500, deviations 200 and 200: g = 0.8722, E = 0.5.
	a, b := perf{rating: 1500, rd: 200}, perf{rating: 1500, rd: 200}
	da, db := rate(&a, &b, 1)
	if da != -db || da < 70 || da > 85 {
		t.Errorf("equal players change by %d and %d, want about +78 and -78", da, db)
	}
	if a.rd >= 200 || a.rd < 150 {
		t.Errorf("deviation after a game is %v, want a bit below 200", a.rd)
	}
	strong, weak := perf{rating: 2400, rd: 50}, perf{rating: 1200, rd: 50}
	if d, _ := rate(&strong, &weak, 1); d != 0 {
		t.Errorf("a sure win gives %d points, want 0", d)
	}
	if d, _ := rate(&strong, &weak, 0); d > -10 {
		t.Errorf("a lost sure win costs %d points, want more than 10", d)
	}
}

func TestChess960StartsAreAllDifferentAndRegular(t *testing.T) {
	seen := map[string]int{}
	for n := range 960 {
		fen := chess960Start(n)
		if m, ok := seen[fen]; ok {
			t.Fatalf("starts %d and %d are both %s", m, n, fen)
		}
		seen[fen] = n
		if _, err := position.ParseFEN(fen); err != nil {
			t.Fatalf("start %d: %v", n, err)
		}
	}
	for n, want := range map[int]string{
		518: "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
		0:   "bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w KQkq - 0 1",
		959: "rkrnnqbb/pppppppp/8/8/8/8/PPPPPPPP/RKRNNQBB w KQkq - 0 1",
	} {
		if got := chess960Start(n); got != want {
			t.Errorf("start %d is %s, want %s", n, got, want)
		}
	}
}

func TestWindowsCountFromTheFirstCost(t *testing.T) {
	var w window
	now := time.Unix(0, 0)
	for i := range 3 {
		if ok, _ := w.spend(now.Add(time.Duration(i)*time.Second), time.Minute, 3, 1); !ok {
			t.Fatalf("cost %d of 3 did not fit", i+1)
		}
	}
	if ok, wait := w.spend(now.Add(10*time.Second), time.Minute, 3, 1); ok || wait != 50*time.Second {
		t.Errorf("fourth cost: %v, wait %v; want refused for 50s", ok, wait)
	}
	if ok, _ := w.spend(now.Add(time.Minute), time.Minute, 3, 1); !ok {
		t.Error("a new window did not begin")
	}
	if ok, _ := w.spend(now.Add(time.Minute), time.Minute, Always, 1000); !ok {
		t.Error("a negative budget has an end")
	}
}

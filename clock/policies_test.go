package clock_test

import (
	"fmt"
	"math"
	"math/big"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"zeitnot/clock"
)

// The inputs that every policy must stand, in milliseconds.
var (
	remainings = []int64{
		math.MinInt64, -5, 0, 1, 19, 20, 99, 100, 299, 300, 301, 320, 540, 2299, 2300, 2301, 15000,
		1e7, math.MaxInt32, 1e10 - 1, 1e10, 1e10 + 1, 1 << 62, math.MaxInt64,
	}
	increments  = []int64{math.MinInt64, 0, 1, 10000, 3e9, 1 << 62}
	movesToGos  = []int{math.MinInt, 0, -5, 1, 2, 40, 1000, math.MaxInt}
	moveNumbers = []int{math.MinInt, -1, 0, 1, 18, 29, 30, 300, math.MaxInt32, math.MaxInt}
	overheads   = []int64{math.MinInt64, -30, 0, 30, 50, 100, 5000, 1e8, 1 << 62}
)

// everyInput calls f for the whole product of the inputs.
func everyInput(f func(s clock.State, overhead time.Duration)) {
	for _, r := range remainings {
		for _, inc := range increments {
			for _, toGo := range movesToGos {
				for _, n := range moveNumbers {
					for _, ov := range overheads {
						f(clock.State{
							Remaining: clock.Milliseconds(r), Increment: clock.Milliseconds(inc),
							MovesToGo: toGo, MoveNumber: n,
						}, clock.Milliseconds(ov))
					}
				}
			}
		}
	}
}

func describe(s clock.State, overhead time.Duration) string {
	return fmt.Sprintf("R %v inc %v moves to go %d move %d overhead %v", s.Remaining, s.Increment, s.MovesToGo, s.MoveNumber, overhead)
}

// rational arithmetic, so that the definitions can be written down as they are published.
func rat(n int64) *big.Rat            { return big.NewRat(n, 1) }
func add(a, b *big.Rat) *big.Rat      { return new(big.Rat).Add(a, b) }
func sub(a, b *big.Rat) *big.Rat      { return new(big.Rat).Sub(a, b) }
func mul(a, b *big.Rat) *big.Rat      { return new(big.Rat).Mul(a, b) }
func quo(a, b *big.Rat) *big.Rat      { return new(big.Rat).Quo(a, b) }
func least(a, b *big.Rat) *big.Rat    { return pick(a, b, -1) }
func greatest(a, b *big.Rat) *big.Rat { return pick(a, b, 1) }
func pick(a, b *big.Rat, sign int) *big.Rat {
	if a.Cmp(b) == sign {
		return a
	}
	return b
}

func floor(a *big.Rat) *big.Rat {
	return new(big.Rat).SetInt(new(big.Int).Div(a.Num(), a.Denom()))
}

func inBounds(d time.Duration) int64 { return min(max(d.Milliseconds(), 0), 10_000_000_000) }

// reserveByDefinition is the budget in ms by the published formula, in exact arithmetic.
func reserveByDefinition(s clock.State, buffer time.Duration) int64 {
	r := rat(inBounds(s.Remaining))
	spendable := greatest(rat(0), sub(r, greatest(rat(300), mul(big.NewRat(5, 100), r))))
	toGo := rat(int64(s.MovesToGo))
	if s.MovesToGo <= 0 {
		toGo = greatest(rat(1), greatest(rat(12), sub(rat(30), rat(int64(s.MoveNumber)))))
	}
	raw := add(rat(inBounds(s.Increment)), floor(quo(spendable, toGo)))
	hardCap := greatest(rat(20), floor(mul(big.NewRat(20, 100), r)))
	target := least(greatest(raw, rat(20)), hardCap)
	if spendable.Cmp(rat(2000)) <= 0 {
		target = least(target, rat(200))
	}
	budget := greatest(rat(0), sub(least(target, hardCap), rat(inBounds(buffer))))
	return budget.Num().Int64()
}

func TestReserveEqualsItsDefinition(t *testing.T) {
	everyInput(func(s clock.State, buffer time.Duration) {
		if s.MoveNumber == math.MinInt || s.MovesToGo == math.MaxInt {
			return // limited to a million moves, beyond any game
		}
		got := clock.Reserve{Buffer: buffer}.Budget(s).Hard.Milliseconds()
		if want := reserveByDefinition(s, buffer); got != want {
			t.Errorf("%s: got %d, want %d ms", describe(s, buffer), got, want)
		}
	})
}

// softHardByDefinition is soft and hard in ns by the published formula, in exact arithmetic.
func softHardByDefinition(s clock.State, overhead time.Duration) (soft, hard int64) {
	ns := func(d time.Duration) *big.Rat { return rat(inBounds(d) * 1_000_000) }
	usable := greatest(rat(0), sub(ns(s.Remaining), ns(overhead)))
	movesLeft := int64(30)
	if s.MovesToGo > 0 {
		movesLeft = min(movesLeft, int64(s.MovesToGo))
	}
	wanted := add(floor(quo(usable, rat(movesLeft))), floor(mul(ns(s.Increment), big.NewRat(75, 100))))
	ceiling := floor(quo(usable, rat(2)))
	return least(wanted, ceiling).Num().Int64(), least(mul(rat(3), wanted), ceiling).Num().Int64()
}

func TestSoftHardEqualsItsDefinition(t *testing.T) {
	everyInput(func(s clock.State, overhead time.Duration) {
		got := clock.SoftHard{MoveOverhead: overhead}.Budget(s)
		soft, hard := softHardByDefinition(s, overhead)
		if int64(got.Soft) != soft || int64(got.Hard) != hard {
			t.Errorf("%s: got %v, want %v and %v", describe(s, overhead), got, time.Duration(soft), time.Duration(hard))
		}
	})
}

func policies(t interface{ Fatal(...any) }, overhead time.Duration) []clock.Policy {
	var all []clock.Policy
	for _, name := range clock.Names() {
		p, err := clock.ByName(name, clock.Tuning{Overhead: &overhead})
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	return all
}

// guardOf is what the policy's cap leaves on the clock.
func guardOf(p clock.Policy) time.Duration { return p.(clock.Capped).Guard }

// fault says which rule a budget breaks, or nothing.
func fault(b clock.Budget, s clock.State, guard time.Duration) string {
	left := min(max(0, s.Remaining), clock.MaxTime)
	switch {
	case b.Soft < 0:
		return "soft below zero"
	case b.Soft > b.Hard:
		return "soft above hard"
	case b.Hard > max(0, left-guard):
		return "hard above what is left without the guard"
	}
	return ""
}

func TestBudgetsUnderTheCapNeverExceedWhatIsLeft(t *testing.T) {
	everyInput(func(s clock.State, overhead time.Duration) {
		for _, p := range policies(t, overhead) {
			if b := p.Budget(s); fault(b, s, guardOf(p)) != "" {
				t.Errorf("%s: %s: got %v: %s", p.Name(), describe(s, overhead), b, fault(b, s, guardOf(p)))
			}
		}
	})
}

func drawState(t *rapid.T) clock.State {
	span := rapid.Custom(func(t *rapid.T) time.Duration {
		if rapid.Bool().Draw(t, "wild") {
			return time.Duration(rapid.Int64().Draw(t, "ns"))
		}
		return time.Duration(rapid.Int64Range(-1e9, 7.2e12).Draw(t, "ns"))
	})
	return clock.State{
		Remaining: span.Draw(t, "remaining"), Increment: span.Draw(t, "increment"), Base: span.Draw(t, "base"),
		MoveNumber: rapid.Int().Draw(t, "move"), MovesToGo: rapid.IntRange(-3, 60).Draw(t, "moves to go"),
		Overhead: clock.Overhead{Guard: span.Draw(t, "guard")},
	}
}

func TestBudgetsHoldForAnyInput(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawState(t)
		overhead := time.Duration(rapid.Int64().Draw(t, "overhead"))
		for _, p := range policies(t, overhead) {
			b := p.Budget(s)
			guard := max(guardOf(p), min(s.Overhead.Guard, clock.MaxTime))
			if f := fault(b, s, guard); f != "" {
				t.Fatalf("%s: %s: got %v: %s", p.Name(), describe(s, overhead), b, f)
			}
			if again := p.Budget(s); again != b {
				t.Fatalf("%s: %s: got %v, then %v", p.Name(), describe(s, overhead), b, again)
			}
		}
	})
}

func TestMoreTimeNeverGivesLess(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawState(t)
		overhead := time.Duration(rapid.Int64Range(-1e9, 1e10).Draw(t, "overhead"))
		richer := s
		gain := rapid.OneOf(rapid.Int64Range(0, 1e7), rapid.Int64Range(0, math.MaxInt64)).Draw(t, "gain")
		if richer.Remaining += time.Duration(gain); richer.Remaining < s.Remaining {
			richer.Remaining = math.MaxInt64
		}
		for _, p := range policies(t, overhead) {
			was, is := p.Budget(s), p.Budget(richer)
			if is.Soft < was.Soft || is.Hard < was.Hard {
				t.Fatalf("%s: %s: got %v, but %v with %v on the clock", p.Name(), describe(s, overhead), was, is, richer.Remaining)
			}
		}
	})
}

// A policy looks at the clock as it is. Whatever happened to it before, a berserk, a gift,
// a takeback, a resume in mid-turn, the same clock gives the same budget.
func TestBudgetDependsOnThePresentClockOnly(t *testing.T) {
	for name, remaining := range map[string][]int64{
		"clock halved":         {60000, 30000, 29000},
		"gift of 15 s":         {3000, 18000, 17500},
		"clock going up":       {1000, 2000, 3000, 4000},
		"resume in mid-turn":   {60000, 60000, 41000},
		"no clock after all":   {math.MaxInt32, math.MaxInt32},
		"correspondence, days": {3 * 86400000, 86400000},
	} {
		t.Run(name, func(t *testing.T) {
			for _, p := range policies(t, clock.DefaultMoveOverhead) {
				for i, r := range remaining {
					s := clock.State{Remaining: clock.Milliseconds(r), MoveNumber: i}
					got := p.Budget(s)
					fresh, err := clock.ByName(p.Name(), clock.Tuning{Overhead: new(clock.DefaultMoveOverhead)})
					if err != nil {
						t.Fatal(err)
					}
					if want := fresh.Budget(s); got != want {
						t.Errorf("%s at %d ms: got %v, want %v", p.Name(), r, got, want)
					}
					if f := fault(got, s, guardOf(p)); f != "" {
						t.Errorf("%s at %d ms: got %v: %s", p.Name(), r, got, f)
					}
				}
			}
		})
	}
}

// The guard of a clock, 100 ms if nothing else is said, is never planned with, millisecond by millisecond.
func TestTheLastMomentsAreLeftAlone(t *testing.T) {
	for _, p := range policies(t, 0) {
		for ms := int64(0); ms <= 3000; ms++ {
			s := clock.State{Remaining: clock.Milliseconds(ms), Increment: 2 * time.Second, MoveNumber: 40}
			if b := p.Budget(s); b.Hard > max(0, s.Remaining-guardOf(p)) {
				t.Errorf("%s at %d ms: got %v", p.Name(), ms, b)
			}
		}
	}
}

func TestTheCapTakesTheLargerGuard(t *testing.T) {
	p, err := clock.ByName("softhard", clock.Tuning{Overhead: new(time.Duration), Guard: new(300 * time.Millisecond)})
	if err != nil {
		t.Fatal(err)
	}
	s := clock.State{Remaining: time.Second, Increment: 10 * time.Second}
	if got, want := p.Budget(s).Hard, 500*time.Millisecond; got != want {
		t.Errorf("guard below the ceiling: got %v, want %v", got, want)
	}
	s.Remaining = 400 * time.Millisecond
	if got, want := p.Budget(s).Hard, 100*time.Millisecond; got != want {
		t.Errorf("fixed guard: got %v, want %v", got, want)
	}
	s.Overhead.Guard = 350 * time.Millisecond
	if got, want := p.Budget(s).Hard, 50*time.Millisecond; got != want {
		t.Errorf("measured guard: got %v, want %v", got, want)
	}
}

func TestByName(t *testing.T) {
	s := clock.State{Remaining: time.Minute, MoveNumber: 1}
	for name, want := range map[string]clock.Budget{
		"softhard": {Soft: 59900 * time.Millisecond / 30, Hard: 3 * (59900 * time.Millisecond / 30)},
		"reserve":  {Soft: 1915 * time.Millisecond, Hard: 1915 * time.Millisecond},
	} {
		p, err := clock.ByName(name, clock.Tuning{})
		if err != nil {
			t.Fatal(err)
		}
		if p.Name() != name {
			t.Errorf("got name %q, want %q", p.Name(), name)
		}
		if got := p.Budget(s); got != want {
			t.Errorf("%s: got %v, want %v", name, got, want)
		}
	}
	_, err := clock.ByName("Softhard", clock.Tuning{})
	if err == nil || !strings.Contains(err.Error(), `"Softhard": want one of adaptive, strict, softhard, reserve`) {
		t.Errorf("unknown name: got %v, want an error that says what there is", err)
	}
}

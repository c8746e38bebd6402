package uci_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"zeitnot/engine"
)

// An engine that obeys a stop gets the hard limit, and our clock's feedback decides from its
// reports when it is told to stop.
func TestReportsMoveTheSoftLimit(t *testing.T) {
	const depth5, other6, same6 = "info depth 5 score cp 30 pv e2e4", "info depth 6 score cp -20 pv d2d4", "info depth 6 score cp 30 pv e2e4"
	for name, c := range map[string]struct {
		obeys bool
		says  []string // one every 300 ms from the go on
		scale func(engine.Feedback) float64
		took  time.Duration
		told  []string
	}{
		"silence is no news":       {true, nil, stableIs(0.5, 2), time.Second, []string{"go movetime 4000", "stop"}},
		"the same move again":      {true, []string{depth5, same6}, stableIs(0.5, 2), 600 * time.Millisecond, []string{"go movetime 4000", "stop"}},
		"another move":             {true, []string{depth5, other6}, stableIs(0.5, 2), 2 * time.Second, []string{"go movetime 4000", "stop"}},
		"another in one depth":     {true, []string{depth5, other6, same6, "info depth 7 score cp 1 pv e2e4"}, stableIs(0.5, 2), 1200 * time.Millisecond, []string{"go movetime 4000", "stop"}},
		"never past the hard one":  {true, []string{depth5, other6}, stableIs(0.5, 9), 4 * time.Second, []string{"go movetime 4000", "stop"}},
		"a fail low":               {true, []string{depth5, "info depth 6 score cp -60 upperbound pv e2e4", other6}, func(f engine.Feedback) float64 { return 1 + float64(f.FailLows) }, 2 * time.Second, []string{"go movetime 4000", "stop"}},
		"a second line":            {true, []string{depth5, "info depth 6 multipv 2 score cp -60 pv d2d4"}, stableIs(0.5, 2), 2 * time.Second, []string{"go movetime 4000", "stop"}},
		"one that may not obey":    {false, []string{depth5, other6}, stableIs(0.5, 2), 4 * time.Second, []string{"go movetime 1000", "stop"}},
		"without feedback":         {true, []string{depth5, other6}, nil, 4 * time.Second, []string{"go movetime 1000", "stop"}},
		"a depth with a late line": {true, []string{depth5, "info depth 6 currmove e2e4", same6}, stableIs(0.5, 2), 900 * time.Millisecond, []string{"go movetime 4000", "stop"}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				told := make(chan struct{})
				f := newFake(func(command string, say func(string)) bool {
					switch {
					case strings.HasPrefix(command, "go"):
						go func() {
							defer close(told)
							for _, line := range c.says {
								time.Sleep(300 * time.Millisecond)
								say(line)
							}
						}()
						return true
					case command == "stop":
						say("bestmove e2e4")
						return true
					}
					return false
				})
				defer f.end()
				client := f.connect(t)
				if c.obeys {
					client.ObeysStop()
				}
				soft, hard := time.Second, 4*time.Second
				start := time.Now()
				if _, err := client.Search(t.Context(), game(t, ""), engine.Limits{Soft: &soft, Hard: &hard, Scale: c.scale}, nil); err != nil {
					t.Fatal(err)
				}
				if took := time.Since(start); took != c.took {
					t.Errorf("took %v, want %v", took, c.took)
				}
				<-told
				if diff := cmp.Diff(append([]string{"position startpos"}, c.told...), goesOf(f)); diff != "" {
					t.Errorf("the engine was told (-want +got):\n%s", diff)
				}
			})
		})
	}
}

// stableIs is a feedback of one factor for a move that has held for a depth or more, and
// another for one that has not.
func stableIs(held, changed float64) func(engine.Feedback) float64 {
	return func(f engine.Feedback) float64 {
		if f.LegalMoves != 20 {
			panic(fmt.Sprintf("%d legal moves", f.LegalMoves))
		}
		if f.BestStableFor > 0 {
			return held
		}
		return changed
	}
}

// What an engine has found while it pondered counts at the hit.
func TestReportsCountAtThePonderHit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(func(command string, say func(string)) bool {
			switch word, _, _ := strings.Cut(command, " "); word {
			case "go":
				say("info depth 5 score cp 30 pv d7d5")
				say("info depth 6 score cp 30 pv d7d5")
				return true
			case "stop":
				say("bestmove d7d5")
			}
			return false
		})
		defer f.end()
		p := f.connect(t).Ponder(t.Context(), game(t, "", "e2e4"), engine.Limits{}, nil)
		time.Sleep(time.Second)
		hit := time.Now()
		soft, hard := 3*time.Second, 9*time.Second
		p.Hit(engine.Limits{Soft: &soft, Hard: &hard, Scale: stableIs(0.5, 2)})
		if _, err := p.Result(); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(hit); took != 500*time.Millisecond {
			t.Errorf("answered %v after the hit, want 0.5 s: half of soft, of which 1 s was pondered", took)
		}
	})
}

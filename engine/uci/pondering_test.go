package uci_test

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"zeitnot/engine"
	"zeitnot/engine/uci"
)

// goesOf are the commands that belong to searches.
func goesOf(f *fake) []string {
	return slices.DeleteFunc(f.commands(), func(c string) bool {
		word, _, _ := strings.Cut(c, " ")
		return !slices.Contains([]string{"position", "go", "stop", "ponderhit"}, word)
	})
}

func TestPonder(t *testing.T) {
	const ponders = "go ponder movetime 36000000"
	position := "position startpos moves e2e4"
	hit := func(soft, hard time.Duration) *engine.Limits { return &engine.Limits{Soft: &soft, Hard: &hard} }
	for name, c := range map[string]struct {
		// The engine answers by itself so long after the hit, or 0 once it is told to stop.
		answers  time.Duration
		pondered time.Duration // before the hit or the stop
		hit      *engine.Limits
		took     time.Duration // from the hit or the stop to the answer
		told     []string
	}{
		"the engine ends the search":          {20 * time.Millisecond, time.Second, hit(3*time.Second, 9*time.Second), 20 * time.Millisecond, []string{position, ponders, "ponderhit"}},
		"soft counts from the ponder's start": {0, time.Second, hit(3*time.Second, 9*time.Second), 2 * time.Second, []string{position, ponders, "ponderhit", "stop"}},
		"soft is used up already":             {0, time.Minute, hit(3*time.Second, 9*time.Second), 0, []string{position, ponders, "ponderhit", "stop"}},
		"hard counts from the hit":            {0, time.Second, hit(time.Minute, 9*time.Second), 9 * time.Second, []string{position, ponders, "ponderhit", "stop"}},
		"the game went elsewhere":             {0, time.Second, nil, 0, []string{position, ponders, "stop"}},
	} {
		synctest.Test(t, func(t *testing.T) {
			f := newFake(func(command string, say func(string)) bool {
				switch word, _, _ := strings.Cut(command, " "); {
				case word == "go":
					return true
				case word == "ponderhit" && c.answers > 0:
					time.Sleep(c.answers)
					say("bestmove d7d5")
				case word == "stop":
					say("bestmove d7d5")
				}
				return false
			})
			defer f.end()
			p := f.connect(t).Ponder(t.Context(), game(t, "", "e2e4"), engine.Limits{}, nil)
			time.Sleep(c.pondered)
			told := time.Now()
			if c.hit != nil {
				p.Hit(*c.hit)
			} else {
				p.Stop()
			}
			r, err := p.Result()
			if err != nil || r.Best.To().String() != "d5" {
				t.Errorf("%s: got %v, %v; want d7d5", name, r.Best, err)
			}
			if took := time.Since(told); took != c.took {
				t.Errorf("%s: took %v, want %v", name, took, c.took)
			}
			if diff := cmp.Diff(c.told, goesOf(f)); diff != "" {
				t.Errorf("%s: the engine was told (-want +got):\n%s", name, diff)
			}
		})
	}
}

func TestAnEagerPonderWaitsForTheHit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(nil) // answers every go at once
		defer f.end()
		p := f.connect(t).Ponder(t.Context(), game(t, ""), engine.Limits{}, nil)
		go func() {
			time.Sleep(time.Second)
			p.Hit(engine.Limits{})
		}()
		began := time.Now()
		r, err := p.Result()
		if err != nil || name(r.Best) != "e2e4" || time.Since(began) != time.Second {
			t.Errorf("got %s, %v after %v; want e2e4 at the hit", name(r.Best), err, time.Since(began))
		}
	})
}

func TestAnEngineThatDiesWhilePonderingIsNotAwaited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var f *fake
		f = newFake(func(command string, _ func(string)) bool {
			if strings.HasPrefix(command, "go") {
				f.out.Close()
				return true
			}
			return false
		})
		defer f.end()
		if _, err := f.connect(t).Ponder(t.Context(), game(t, ""), engine.Limits{}, nil).Result(); kindOf(err) != uci.Died {
			t.Errorf("got %v, want that it died", err)
		}
	})
}

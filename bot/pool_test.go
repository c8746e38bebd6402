package bot

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"zeitnot/engine"
	"zeitnot/engine/instant"
)

func TestWaitingSearchesAreServedByTheirDeadlines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPool([]engine.Searcher{instant.Random{}})
		now := time.Now()
		first, err := p.acquire(t.Context(), &ticket{soft: now.Add(time.Hour), hard: now.Add(time.Hour), stop: func() {}})
		if err != nil {
			t.Fatal(err)
		}
		var mu sync.Mutex
		var order []int
		var wg sync.WaitGroup
		for _, after := range []int{3, 1, 2} {
			wg.Go(func() {
				w, err := p.acquire(t.Context(), &ticket{hard: now.Add(time.Duration(after) * time.Second), stop: func() {}})
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				order = append(order, after)
				mu.Unlock()
				p.release(w.worker)
			})
			synctest.Wait()
		}
		p.release(first.worker)
		wg.Wait()
		if got, want := fmt.Sprint(order), "[1 2 3]"; got != want {
			t.Errorf("order: got %s, want %s", got, want)
		}
		if p.inUse() != 0 || len(p.idle) != 1 {
			t.Errorf("after all: %d in use, %d idle, want 0 and 1", p.inUse(), len(p.idle))
		}
	})
}

func TestSearchPastItsSoftLimitYieldsToAnEarlierDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPool([]engine.Searcher{instant.Random{}})
		start := time.Now()
		stopped := make(chan time.Duration, 1)
		w, err := p.acquire(t.Context(), &ticket{soft: start.Add(time.Second), hard: start.Add(time.Hour), stop: func() { stopped <- time.Since(start) }})
		if err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		wg.Go(func() {
			if w, err := p.acquire(t.Context(), &ticket{hard: start.Add(time.Minute), stop: func() {}}); err == nil {
				p.release(w.worker)
			}
		})
		at := <-stopped
		p.release(w.worker)
		wg.Wait()
		if at < time.Second || at > time.Second+50*time.Millisecond {
			t.Errorf("asked to yield after %v, want just after its soft limit", at)
		}
	})
}

func TestSearchThatDoesNotYieldIsNotTheOnlyOneAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPool([]engine.Searcher{instant.Random{}, instant.Random{}})
		start := time.Now()
		asked := make(chan time.Duration, 1)
		deaf, err := p.acquire(t.Context(), &ticket{soft: start, hard: start.Add(2 * time.Hour), stop: func() {}})
		if err != nil {
			t.Fatal(err)
		}
		defer p.release(deaf.worker)
		other, err := p.acquire(t.Context(), &ticket{soft: start, hard: start.Add(time.Hour), stop: func() { asked <- time.Since(start) }})
		if err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		wg.Go(func() {
			if w, err := p.acquire(t.Context(), &ticket{hard: start.Add(time.Minute), stop: func() {}}); err == nil {
				p.release(w.worker)
			}
		})
		select {
		case at := <-asked:
			if least := shortestSearch + yieldTime; at < least || at > least+50*time.Millisecond {
				t.Errorf("asked to yield after %v, want just after %v", at, least)
			}
		case <-time.After(time.Minute):
			t.Error("the other search was not asked while the first did not yield")
		}
		p.release(other.worker)
		wg.Wait()
	})
}

func TestCancelledWaitLeavesNothingBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPool([]engine.Searcher{instant.Random{}})
		w, err := p.acquire(t.Context(), &ticket{hard: time.Now(), stop: func() {}})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := p.acquire(ctx, &ticket{hard: time.Now(), stop: func() {}}); err == nil {
			t.Error("acquire after the context ended: got no error")
		}
		if p.waiting.Len() != 0 {
			t.Errorf("waiting: got %d, want 0", p.waiting.Len())
		}
		p.release(w.worker)
		if len(p.idle) != 1 {
			t.Errorf("idle: got %d, want 1", len(p.idle))
		}
	})
}

func TestSameSearcherIsPreferredForTheSameGame(t *testing.T) {
	p := newPool([]engine.Searcher{instant.Random{Seed: 1}, instant.Random{Seed: 2}})
	for _, game := range []string{"a", "b"} {
		w, err := p.acquire(t.Context(), &ticket{game: game, stop: func() {}})
		if err != nil {
			t.Fatal(err)
		}
		w.lastGame = game
		if game == "b" {
			p.release(w.worker)
			continue
		}
		defer p.release(w.worker)
	}
	w, err := p.acquire(t.Context(), &ticket{game: "b", stop: func() {}})
	if err != nil {
		t.Fatal(err)
	}
	defer p.release(w.worker)
	if w.lastGame != "b" {
		t.Errorf("searcher: got that of game %q, want of b", w.lastGame)
	}
}

func TestGameWithoutASearcherGetsTheOneIdleForTheLongest(t *testing.T) {
	p := newPool([]engine.Searcher{instant.Random{Seed: 1}, instant.Random{Seed: 2}})
	search := func(game string) (before string) {
		w, err := p.acquire(t.Context(), &ticket{game: game, stop: func() {}})
		if err != nil {
			t.Fatal(err)
		}
		defer p.release(w.worker)
		before, w.lastGame = w.lastGame, game
		return before
	}
	for _, c := range []struct{ game, before string }{{"a", ""}, {"b", ""}, {"a", "a"}, {"c", "b"}, {"a", "a"}} {
		if got := search(c.game); got != c.before {
			t.Errorf("game %s: got the searcher of game %q, want of %q", c.game, got, c.before)
		}
	}
}

// acquainted is a searcher that remembers whom it was told that it plays.
type acquainted struct {
	engine.Searcher
	told []string
}

func (a *acquainted) Introduce(i engine.Introduction) { a.told = append(a.told, i.Opponent.Name) }

func TestASearcherLearnsWhomItPlays(t *testing.T) {
	s := &acquainted{}
	w := &worker{searcher: engine.NewChain(s, engine.ChainOptions{})}
	for _, game := range []string{"one", "one", "two", "one"} {
		w.introduce(game, engine.Introduction{Opponent: engine.Opponent{Name: "opponent of " + game}})
	}
	want := []string{"opponent of one", "opponent of two", "opponent of one"}
	if !slices.Equal(s.told, want) {
		t.Errorf("got %q, want %q", s.told, want)
	}
}

func TestScoresOfAnotherEngineCount(t *testing.T) {
	for source, want := range map[string]bool{"": true, "search": true, "engine": true, "book": false, "best so far": false, "fallback": false} {
		if got := fromSearch(engine.Result{Source: source}, nil); got != want {
			t.Errorf("%q: got %v, want %v", source, got, want)
		}
	}
}

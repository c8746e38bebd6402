package engine_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"zeitnot/engine"
	"zeitnot/engine/position"
)

type yields struct{}

func (yields) YieldNodes() int { return 77 }

type ponders struct{ of *asked }

func (p ponders) Ponder(_ context.Context, _ position.Game, l engine.Limits, _ func(engine.Info)) engine.Pondering {
	p.of.ponders++
	p.of.limits = l
	return nil
}

type tunes struct{}

func (tunes) SetHash(int) error    { return errors.New("77") }
func (tunes) SetThreads(int) error { return nil }
func (tunes) NewGame()             {}

func TestChainCanWhatItsSearcherCan(t *testing.T) {
	a := &asked{}
	p := ponders{a}
	for name, s := range map[string]engine.Searcher{
		"nothing": a,
		"y": struct {
			*asked
			yields
		}{a, yields{}},
		"p": struct {
			*asked
			ponders
		}{a, p},
		"t": struct {
			*asked
			tunes
		}{a, tunes{}},
		"yp": struct {
			*asked
			yields
			ponders
		}{a, yields{}, p},
		"yt": struct {
			*asked
			yields
			tunes
		}{a, yields{}, tunes{}},
		"pt": struct {
			*asked
			ponders
			tunes
		}{a, p, tunes{}},
		"ypt": struct {
			*asked
			yields
			ponders
			tunes
		}{a, yields{}, p, tunes{}},
	} {
		c := engine.NewChain(s, engine.ChainOptions{})
		_, want := s.(engine.Budgeted)
		if b, got := c.(engine.Budgeted); got != want || got && b.YieldNodes() != 77 {
			t.Errorf("%s: Budgeted is %v, want %v, with the searcher's unit", name, got, want)
		}
		_, want = s.(engine.Ponderer)
		before := a.ponders
		b, got := c.(engine.Ponderer)
		if got {
			b.Ponder(t.Context(), start(), engine.Limits{}, nil)
		}
		if got != want || got != (a.ponders == before+1) {
			t.Errorf("%s: Ponderer is %v, want %v, by the searcher", name, got, want)
		}
		_, want = s.(engine.Tunable)
		if b, got := c.(engine.Tunable); got != want || got && b.SetHash(1) == nil {
			t.Errorf("%s: Tunable is %v, want %v, by the searcher", name, got, want)
		}
		before = a.searches
		if search(t, c, start(), engine.Limits{}); a.searches != before+1 {
			t.Errorf("%s: the searcher was not asked", name)
		}
	}
}

func TestPonderingIsWithoutTheBookAndWithTheMovesThatTheTablesLeave(t *testing.T) {
	b, a := &shelf{move: "e3f4"}, &asked{}
	e := &endings{men: 3, outcome: 1, progress: true, best: []string{"e3f4"}, keep: []string{"e3f4", "e3f3"}}
	s := engine.NewChain(struct {
		*asked
		ponders
	}{a, ponders{a}}, engine.ChainOptions{Book: b, Tables: e})
	g := game(t, kpk)
	s.(engine.Ponderer).Ponder(t.Context(), g, engine.Limits{Ponder: true, Infinite: true}, nil)
	if got := names(g.Position(), a.limits.SearchMoves); b.picks != 0 || len(got) != 1 || got[0] != "e3f4" {
		t.Errorf("book asked %d times, moves left %v; want 0 times and e3f4", b.picks, got)
	}
}

func TestPonderingTablesAnswerAtTheHit(t *testing.T) {
	e := &endings{men: 3, outcome: 1, progress: true, best: []string{"e3f4"}, keep: []string{"e3f4", "e3f3"}}
	for name, end := range map[string]func(p engine.Pondering, cancel func()){
		"hit":    func(p engine.Pondering, _ func()) { p.Hit(engine.Limits{}); p.Hit(engine.Limits{}) },
		"stop":   func(p engine.Pondering, _ func()) { p.Stop(); p.Stop() },
		"cancel": func(_ engine.Pondering, cancel func()) { cancel() },
	} {
		synctest.Test(t, func(t *testing.T) {
			a := &asked{}
			s := engine.NewChain(struct {
				*asked
				ponders
			}{a, ponders{a}}, engine.ChainOptions{Tables: e, AtOnce: true})
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			p := s.(engine.Ponderer).Ponder(ctx, game(t, kpk), engine.Limits{Ponder: true}, nil)
			answer := make(chan engine.Result, 1)
			go func() {
				r, _ := p.Result()
				answer <- r
			}()
			time.Sleep(time.Minute)
			synctest.Wait()
			select {
			case <-answer:
				t.Fatalf("%s: an answer before the end of the pondering", name)
			default:
			}
			end(p, cancel)
			if r := <-answer; r.Source != "tablebase" || a.ponders+a.searches != 0 {
				t.Errorf("%s: answer from %q after %d searches, want the tables alone", name, r.Source, a.ponders+a.searches)
			}
		})
	}
}

func TestPonderingDoesNotWaitLongForTables(t *testing.T) {
	c := &clock{step: time.Millisecond}
	a := &asked{}
	e := &endings{men: 3, slow: func(stop func() bool) bool {
		for range 1_000_000 {
			if stop() {
				return false
			}
		}
		return true
	}}
	s := engine.NewChain(struct {
		*asked
		ponders
	}{a, ponders{a}}, engine.ChainOptions{Tables: e, AtOnce: true, Now: c.now})
	s.(engine.Ponderer).Ponder(t.Context(), game(t, kpk), engine.Limits{Ponder: true}, nil)
	if a.ponders != 1 || c.at > 25*time.Millisecond {
		t.Errorf("%d ponder searches, begun after %v; want one after 20 ms", a.ponders, c.at)
	}
}

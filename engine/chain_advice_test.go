package engine_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"zeitnot/engine"
	"zeitnot/engine/position"
	"zeitnot/engine/scripted"
)

// oracle advises after some time, unless nobody listens any more.
type oracle struct {
	takes   time.Duration
	moves   []string
	final   bool
	illegal bool
	asked   int
	limits  engine.Limits
}

func (o *oracle) Advise(ctx context.Context, g position.Game, l engine.Limits) (engine.Advice, bool) {
	o.asked++
	o.limits = l
	select {
	case <-time.After(o.takes):
	case <-ctx.Done():
		return engine.Advice{}, false
	}
	a := engine.Advice{Moves: moves(g.Position(), o.moves), Final: o.final, Source: "oracle", Score: 33}
	if o.illegal {
		a.Moves = append([]position.Move{position.NewMove(0, 63, position.Normal)}, a.Moves...)
	}
	return a, len(a.Moves) > 0
}

func TestAdviceCostsASearchNoTime(t *testing.T) {
	second := func() engine.Limits { return engine.Limits{Soft: new(time.Second), Hard: new(time.Second)} }
	only := func(names ...string) engine.Limits {
		l := second()
		g := start()
		l.SearchMoves = moves(g.Position(), names)
		return l
	}
	for _, c := range []struct {
		name   string
		oracle oracle
		limits engine.Limits
		source string
		best   string // "" is any
		takes  time.Duration
	}{
		{"an answer comes first", oracle{takes: 100 * time.Millisecond, moves: []string{"c2c4"}, final: true}, second(), "oracle", "c2c4", 100 * time.Millisecond},
		{"the search comes first", oracle{takes: time.Hour, moves: []string{"c2c4"}, final: true}, second(), "scripted", "", time.Second},
		{"nothing is known", oracle{takes: 100 * time.Millisecond}, second(), "scripted", "", time.Second},
		{"a move that is not legal", oracle{moves: []string{"c2c4"}, final: true, illegal: true}, second(), "oracle", "c2c4", 0},
		{"only moves that are not legal", oracle{final: true, illegal: true}, second(), "scripted", "", time.Second},
		{"a move that may not be played", oracle{moves: []string{"c2c4"}, final: true}, only("a2a3", "a2a4"), "scripted", "", time.Second},
		{"the search errs", oracle{moves: []string{"f2f3", "g2g4"}}, second(), "oracle", "f2f3", time.Second},
		{"the search agrees", oracle{moves: []string{"c2c4", "a2a3"}}, only("a2a3"), "scripted", "a2a3", time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := engine.NewChain(scripted.Sleeper{Share: 1}, engine.ChainOptions{Adviser: &c.oracle})
			g, began := start(), time.Now()
			r := search(t, s, g, c.limits)
			if r.Source != c.source || time.Since(began) != c.takes {
				t.Errorf("%s: from %q after %v, want %q after %v", c.name, r.Source, time.Since(began), c.source, c.takes)
			}
			if got := g.Position().UCI(r.Best, false); c.best != "" && got != c.best {
				t.Errorf("%s: got %s, want %s", c.name, got, c.best)
			}
			if r.Source == "oracle" && (r.Score != 33 || r.Ponder != position.NoMove) {
				t.Errorf("%s: score %v, ponder move %v; want those of the oracle", c.name, r.Score, r.Ponder)
			}
		})
	}
}

func TestAdviceIsAskedForWhereAMoveIsWantedAndNobodyKnowsOne(t *testing.T) {
	late := time.Duration(0)
	for name, c := range map[string]struct {
		o      engine.ChainOptions
		l      engine.Limits
		wanted bool
	}{
		"a move is wanted":           {l: engine.Limits{Nodes: new(1)}, wanted: true},
		"a book move":                {o: engine.ChainOptions{Book: &shelf{move: "e2e4"}}},
		"a book without a move":      {o: engine.ChainOptions{Book: &shelf{move: "e7e5"}}, wanted: true},
		"tables that know the game":  {o: engine.ChainOptions{Tables: &endings{men: 32}}},
		"tables that do not":         {o: engine.ChainOptions{Tables: &endings{men: 32, slow: func(func() bool) bool { return false }}}, wanted: true},
		"tables of smaller endings":  {o: engine.ChainOptions{Tables: &endings{men: 5}}, wanted: true},
		"analysis":                   {l: engine.Limits{Infinite: true}},
		"the opponent's time":        {l: engine.Limits{Ponder: true}},
		"lines":                      {l: engine.Limits{MultiPV: 2}},
		"a mate":                     {l: engine.Limits{Mate: new(3)}},
		"no time":                    {l: engine.Limits{Hard: &late}},
		"a choice of moves, by time": {l: engine.Limits{Hard: new(time.Hour)}, wanted: true},
	} {
		o := &oracle{}
		c.o.Adviser = o
		search(t, engine.NewChain(&asked{}, c.o), start(), c.l)
		if (o.asked == 1) != c.wanted {
			t.Errorf("%s: asked %d times, wanted: %v", name, o.asked, c.wanted)
		}
	}
}

func TestAdviceWhilePonderingAnswersAtTheHit(t *testing.T) {
	limits := engine.Limits{Soft: new(time.Minute), Hard: new(time.Minute)}
	for _, c := range []struct {
		name       string
		takes      time.Duration
		final      bool
		hit        bool // after a second; else stopped
		source     string
		answeredAt time.Duration
	}{
		{"before the hit", 100 * time.Millisecond, true, true, "oracle", time.Second},
		{"after the hit", 3 * time.Second, true, true, "oracle", 3 * time.Second},
		{"never", time.Hour, true, true, "scripted", time.Minute},
		{"before a stop", 100 * time.Millisecond, true, false, "scripted", time.Second},
		{"only which moves are right", 100 * time.Millisecond, false, true, "oracle", time.Minute},
	} {
		synctest.Test(t, func(t *testing.T) {
			o := &oracle{takes: c.takes, moves: []string{"f2f3"}, final: c.final}
			s := engine.NewChain(scripted.Sleeper{Share: 1}, engine.ChainOptions{Adviser: o})
			began, clock := time.Now(), 42*time.Second
			p := s.(engine.Ponderer).Ponder(t.Context(), start(), engine.Limits{Clock: &clock}, nil)
			go func() {
				time.Sleep(time.Second)
				if c.hit {
					p.Hit(limits)
				} else {
					p.Stop()
				}
			}()
			r, err := p.Result()
			// The sleeper's soft limit counts from the beginning of its pondering.
			if err != nil || r.Source != c.source || time.Since(began) != c.answeredAt {
				t.Errorf("%s: from %q after %v (%v), want %q after %v", c.name, r.Source, time.Since(began), err, c.source, c.answeredAt)
			}
			if o.limits.Clock == nil || *o.limits.Clock != clock {
				t.Errorf("%s: the oracle did not see the clock", c.name)
			}
		})
	}
}

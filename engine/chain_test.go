package engine_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"zeitnot/engine"
	"zeitnot/engine/position"
)

// asked is a searcher that remembers what it was asked and plays the first move allowed.
type asked struct {
	score             engine.Score // of every answer
	searches, ponders int
	limits            engine.Limits
}

func (a *asked) Search(_ context.Context, g position.Game, l engine.Limits, _ func(engine.Info)) (engine.Result, error) {
	a.searches++
	a.limits = l
	r := engine.FirstLegal(g, l.SearchMoves)
	r.Source, r.Score = "search", a.score
	return r, nil
}

// shelf is a book of one move for every position.
type shelf struct {
	move  string
	picks int
}

func (s *shelf) Pick(g position.Game, _ *rand.Rand) (position.Move, bool) {
	s.picks++
	m, err := g.Position().ParseUCI(s.move)
	return m, err == nil
}

// endings say the same about every position of so many men.
type endings struct {
	men        int
	outcome    int
	progress   bool
	best, keep []string
	asked      int
	slow       func(stop func() bool) bool // false: given up
}

func (e *endings) MaxMen() int { return e.men }

func (e *endings) Root(g position.Game, stop func() bool) (engine.TableRoot, bool) {
	e.asked++
	if e.slow != nil && !e.slow(stop) {
		return engine.TableRoot{}, false
	}
	return engine.TableRoot{
		Outcome: e.outcome, Progress: e.progress,
		Best: moves(g.Position(), e.best), Keep: moves(g.Position(), e.keep),
	}, true
}

func moves(p *position.Position, names []string) []position.Move {
	var all []position.Move
	for _, name := range names {
		m, err := p.ParseUCI(name)
		if err != nil {
			panic(err)
		}
		all = append(all, m)
	}
	return all
}

func names(p *position.Position, moves []position.Move) []string {
	var all []string
	for _, m := range moves {
		all = append(all, p.UCI(m, false))
	}
	return all
}

func start() position.Game { return position.NewGame(position.Start()) }

func game(t *testing.T, fen string) position.Game {
	t.Helper()
	g, err := position.ParseGame(fen, false, nil)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func search(t *testing.T, s engine.Searcher, g position.Game, l engine.Limits) engine.Result {
	t.Helper()
	r, err := s.Search(t.Context(), g, l, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// clock is a counted clock that goes on by step at every look.
type clock struct {
	at, step time.Duration
	looks    int
}

func (c *clock) now() time.Duration {
	c.looks++
	c.at += c.step
	return c.at
}

func TestBookAnswersBeforeTheSearcher(t *testing.T) {
	inner, b := &asked{}, &shelf{move: "e2e4"}
	g := start()
	r := search(t, engine.NewChain(inner, engine.ChainOptions{Book: b}), g, engine.Limits{Hard: new(time.Second)})
	if got := g.Position().UCI(r.Best, false); got != "e2e4" || r.Source != "book" || inner.searches != 0 {
		t.Errorf("got %s from %q after %d searches, want e2e4 from the book without any", got, r.Source, inner.searches)
	}
}

func TestBookIsNotAskedWhereMoreOrOtherThanAMoveIsWanted(t *testing.T) {
	g := start()
	for name, l := range map[string]engine.Limits{
		"infinite":     {Infinite: true},
		"ponder":       {Ponder: true},
		"mate":         {Mate: new(3)},
		"search moves": {SearchMoves: moves(g.Position(), []string{"e2e4", "a2a3"})},
		"lines":        {MultiPV: 2},
	} {
		inner, b := &asked{}, &shelf{move: "e2e4"}
		r := search(t, engine.NewChain(inner, engine.ChainOptions{Book: b}), g, l)
		if b.picks != 0 || r.Source != "search" {
			t.Errorf("%s: the book was asked %d times, answer from %q; want a search", name, b.picks, r.Source)
		}
		if diff := cmp.Diff(l, inner.limits); diff != "" {
			t.Errorf("%s: limits (-want +got):\n%s", name, diff)
		}
	}
}

func TestBookOfStandardChessIsNotAskedWithOtherCastlingSquares(t *testing.T) {
	for _, c := range []struct {
		name, fen string
		chess960  bool
		want      int
	}{
		{"kings on g", "bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w KQkq - 0 1", true, 0},
		{"rook on b", "1r2k2r/8/8/8/8/8/8/1R2K2R w KQkq - 0 1", true, 0},
		{"the standard array in Chess960", position.StartFEN, true, 1},
		{"castling is over", "bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w - - 0 1", true, 1},
		{"standard", position.StartFEN, false, 1},
	} {
		g, err := position.ParseGame(c.fen, c.chess960, nil)
		if err != nil {
			t.Fatal(err)
		}
		b := &shelf{move: "e2e4"}
		search(t, engine.NewChain(&asked{}, engine.ChainOptions{Book: b}), g, engine.Limits{})
		if b.picks != c.want {
			t.Errorf("%s: asked %d times, want %d", c.name, b.picks, c.want)
		}
	}
}

func TestSearcherAnswersWhereNeitherBookNorTablesDo(t *testing.T) {
	inner, b, e := &asked{}, &shelf{move: "e7e5"}, &endings{men: 5}
	r := search(t, engine.NewChain(inner, engine.ChainOptions{Book: b, Tables: e, AtOnce: true}), start(), engine.Limits{})
	if r.Source != "search" || b.picks != 1 || e.asked != 0 {
		t.Errorf("answer from %q, book asked %d times, tables %d; want search, 1, 0 (too many men)", r.Source, b.picks, e.asked)
	}
	r = search(t, engine.NewChain(inner, engine.ChainOptions{}), start(), engine.Limits{})
	if r.Source != "search" {
		t.Errorf("answer from %q of a chain of nothing, want search", r.Source)
	}
}

const kpk = "8/8/8/3k4/8/4K3/6P1/8 w - - 0 1"

func TestTablesAnswerAtOnceWhatTheyDecide(t *testing.T) {
	won := endings{men: 3, outcome: 1, progress: true, best: []string{"e3f4"}, keep: []string{"e3f4", "e3f3"}}
	lost := won
	lost.outcome = -1
	drawn := endings{men: 3, progress: true, best: []string{"e3f4", "e3f3"}, keep: []string{"e3f4", "e3f3"}}
	noDistance := won
	noDistance.progress, noDistance.best = false, won.keep
	only := drawn
	only.best, only.keep = []string{"e3d3"}, []string{"e3d3"}
	for _, c := range []struct {
		name   string
		e      endings
		l      engine.Limits
		atOnce bool
		source string
		best   string
		only   []string // for the search
		score  engine.Score
	}{
		{name: "won", e: won, atOnce: true, source: "tablebase", best: "e3f4", score: engine.TableWin},
		{name: "lost", e: lost, atOnce: true, source: "tablebase", best: "e3f4", score: -engine.TableWin},
		{name: "drawn", e: drawn, atOnce: true, source: "search", only: []string{"e3f4", "e3f3"}},
		{name: "drawn by one move", e: only, atOnce: true, source: "tablebase", best: "e3d3"},
		{name: "without distances", e: noDistance, atOnce: true, source: "search", only: []string{"e3f4", "e3f3"}, score: engine.TableWin},
		{name: "infinite", e: won, atOnce: true, l: engine.Limits{Infinite: true}, source: "search", only: won.keep},
		{name: "lines", e: won, atOnce: true, l: engine.Limits{MultiPV: 3}, source: "search", only: won.keep},
		{name: "mate", e: won, atOnce: true, l: engine.Limits{Mate: new(9)}, source: "search"},
		{name: "won, restricting", e: won, source: "search", only: []string{"e3f4"}},
		{name: "drawn, restricting", e: drawn, source: "search", only: drawn.keep},
		{name: "drawn by one move, restricting", e: only, source: "search", only: only.keep},
	} {
		inner, g := &asked{}, game(t, kpk)
		r := search(t, engine.NewChain(inner, engine.ChainOptions{Tables: &c.e, AtOnce: c.atOnce}), g, c.l)
		if r.Source != c.source || r.Score != c.score {
			t.Errorf("%s: %v from %q, want %v from %q", c.name, r.Score, r.Source, c.score, c.source)
		}
		if got := g.Position().UCI(r.Best, false); c.best != "" && got != c.best {
			t.Errorf("%s: got %s, want %s", c.name, got, c.best)
		}
		if diff := cmp.Diff(c.only, names(g.Position(), inner.limits.SearchMoves)); diff != "" {
			t.Errorf("%s: moves left for the search (-want +got):\n%s", c.name, diff)
		}
	}
}

// A searcher that knows nothing of the ending must not make anybody give up what is drawn.
func TestScoreOfASearchAgreesWithTheTables(t *testing.T) {
	drawn := endings{men: 3, progress: true, best: []string{"e3f4", "e3f3"}, keep: []string{"e3f4", "e3f3"}}
	won, lost := drawn, drawn
	won.outcome, won.progress = 1, false
	lost.outcome, lost.progress = -1, false
	elsewhere := won // its right moves may not be played
	for _, c := range []struct {
		name   string
		e      *endings
		only   []string
		atOnce bool
		score  engine.Score
		want   engine.Score
	}{
		{"drawn", &drawn, nil, true, -900, 0},
		{"drawn, and taken for won", &drawn, nil, true, 900, 0},
		{"won", &won, nil, true, -900, engine.TableWin},
		{"won, with a mate", &won, nil, true, engine.MateIn(9), engine.MateIn(9)},
		{"lost", &lost, nil, true, 30, -engine.TableWin},
		{"won, but not by these moves", &elsewhere, []string{"e3e2"}, true, -900, -900},
		{"in a conversation", &drawn, nil, false, -900, -900},
	} {
		inner, g := &asked{score: c.score}, game(t, kpk)
		s := engine.NewChain(inner, engine.ChainOptions{Tables: c.e, AtOnce: c.atOnce})
		if r := search(t, s, g, engine.Limits{SearchMoves: moves(g.Position(), c.only)}); r.Source != "search" || r.Score != c.want {
			t.Errorf("%s: %v from %q, want %v from the search", c.name, r.Score, r.Source, c.want)
		}
	}
}

func TestTablesChooseAmongTheMovesThatMayBePlayed(t *testing.T) {
	won := endings{men: 3, outcome: 1, progress: true, best: []string{"e3f4"}, keep: []string{"e3f4", "e3f3", "e3d3"}}
	for _, c := range []struct {
		name       string
		may        []string
		source     string
		best       string
		leftToFind []string
	}{
		{"the best", []string{"e3f4", "g2g4"}, "tablebase", "e3f4", nil},
		{"good ones", []string{"e3f3", "e3d3", "g2g4"}, "search", "", []string{"e3f3", "e3d3"}},
		{"one that is good", []string{"e3f3", "g2g4"}, "tablebase", "e3f3", nil},
		{"bad ones", []string{"g2g3", "g2g4"}, "search", "", []string{"g2g3", "g2g4"}},
	} {
		inner, g := &asked{}, game(t, kpk)
		p := g.Position()
		r := search(t, engine.NewChain(inner, engine.ChainOptions{Tables: &won, AtOnce: true}), g, engine.Limits{SearchMoves: moves(p, c.may)})
		got := p.UCI(r.Best, false)
		if r.Source != c.source || c.best != "" && got != c.best || !slices.Contains(c.may, got) {
			t.Errorf("%s: %s from %q, want one of %v from %q", c.name, got, r.Source, c.may, c.source)
		}
		if diff := cmp.Diff(c.leftToFind, names(p, inner.limits.SearchMoves)); diff != "" {
			t.Errorf("%s: moves left for the search (-want +got):\n%s", c.name, diff)
		}
	}
}

func TestRootOfEqualMovesIsNotRestricted(t *testing.T) {
	g := game(t, kpk)
	var all position.MoveList
	g.Position().Legal(&all)
	every := names(g.Position(), all.Slice())
	inner := &asked{}
	search(t, engine.NewChain(inner, engine.ChainOptions{Tables: &endings{men: 3, best: every, keep: every}}), g, engine.Limits{})
	if inner.limits.SearchMoves != nil {
		t.Errorf("search restricted to %d moves, want no restriction", len(inner.limits.SearchMoves))
	}
}

func TestDeadlineIsForwardedOnAMiss(t *testing.T) {
	slow := func(took time.Duration, c *clock) *endings {
		return &endings{men: 3, slow: func(func() bool) bool { c.at += took; return false }}
	}
	for _, tt := range []struct {
		name       string
		limits     engine.Limits
		soft, hard *time.Duration
		deadline   *time.Duration
	}{
		{
			name:   "deadline",
			limits: engine.Limits{Soft: new(2 * time.Second), Hard: new(4 * time.Second), Deadline: new(9 * time.Second)},
			soft:   new(2 * time.Second), hard: new(4 * time.Second), deadline: new(9 * time.Second),
		},
		{
			name:   "hard counts from the call",
			limits: engine.Limits{Soft: new(2 * time.Second), Hard: new(4 * time.Second)},
			soft:   new(2 * time.Second), hard: new(4 * time.Second), deadline: new(10 * time.Second),
		},
		{name: "soft counts from the call", limits: engine.Limits{Soft: new(2 * time.Second)}, soft: new(1500 * time.Millisecond)},
		{name: "no limit on time", limits: engine.Limits{Nodes: new(100)}},
	} {
		c := &clock{at: 6 * time.Second}
		inner := &asked{}
		r := search(t, engine.NewChain(inner, engine.ChainOptions{Tables: slow(500*time.Millisecond, c), AtOnce: true, Now: c.now}), game(t, kpk), tt.limits)
		if r.Source != "search" {
			t.Errorf("%s: answer from %q, want search", tt.name, r.Source)
		}
		want := tt.limits
		want.Soft, want.Hard, want.Deadline = tt.soft, tt.hard, tt.deadline
		if diff := cmp.Diff(want, inner.limits); diff != "" {
			t.Errorf("%s: limits (-want +got):\n%s", tt.name, diff)
		}
	}
}

func TestNoClockIsReadWithoutALimitOnTime(t *testing.T) {
	c := &clock{}
	e := &endings{men: 3, slow: func(stop func() bool) bool { return !stop() }, best: []string{"e3f4"}, keep: []string{"e3f4"}}
	s := engine.NewChain(&asked{}, engine.ChainOptions{Book: &shelf{}, Tables: e, Now: c.now})
	for _, l := range []engine.Limits{{}, {Depth: new(3)}, {Nodes: new(9)}, {Infinite: true, Hard: new(time.Second)}} {
		search(t, s, game(t, kpk), l)
	}
	if c.looks != 0 || e.asked != 4 {
		t.Errorf("clock read %d times in %d questions, want 0 in 4", c.looks, e.asked)
	}
}

func TestSlowTablesLeaveTheSearcherMostOfTheTime(t *testing.T) {
	c := &clock{step: time.Millisecond}
	e := &endings{men: 3, slow: func(stop func() bool) bool {
		for range 1_000_000 {
			if stop() {
				return false
			}
		}
		return true
	}}
	inner := &asked{}
	deadline := time.Second
	search(t, engine.NewChain(inner, engine.ChainOptions{Tables: e, AtOnce: true, Now: c.now}), game(t, kpk), engine.Limits{Hard: &deadline, Deadline: &deadline})
	if c.at > deadline/4+2*c.step || inner.searches != 1 {
		t.Errorf("%d searches, the first at %v; want one not after a quarter of %v", inner.searches, c.at, deadline)
	}
}

func TestTablesAreNotAskedOnceTheDeadlineHasPassedButTheBookIs(t *testing.T) {
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for name, c := range map[string]struct {
		ctx context.Context
		l   engine.Limits
	}{
		"deadline":  {t.Context(), engine.Limits{Deadline: new(time.Duration(0))}},
		"hard 0":    {t.Context(), engine.Limits{Hard: new(time.Duration(0))}},
		"cancelled": {cancelled, engine.Limits{}},
	} {
		b, e := &shelf{}, &endings{men: 3}
		s := engine.NewChain(&asked{}, engine.ChainOptions{Book: b, Tables: e, AtOnce: true})
		if r, err := s.Search(c.ctx, game(t, kpk), c.l, nil); err != nil || r.Source != "search" || b.picks != 1 || e.asked != 0 {
			t.Errorf("%s: from %q (%v), book asked %d times, tables %d; want the book once, and the searcher", name, r.Source, err, b.picks, e.asked)
		}
	}
}

func TestBookMoveThatIsNotLegalIsNotPlayed(t *testing.T) {
	inner := &asked{}
	r := search(t, engine.NewChain(inner, engine.ChainOptions{Book: liar{}}), start(), engine.Limits{})
	if r.Source != "search" {
		t.Errorf("answer from %q, want search", r.Source)
	}
}

// liar is a book whose move is not legal.
type liar struct{}

func (liar) Pick(position.Game, *rand.Rand) (position.Move, bool) {
	return position.NewMove(0, 63, position.Normal), true
}

// forgetter is a searcher with something to forget.
type forgetter struct{ engine.Searcher }

func (forgetter) NewGame() {}

func TestFindLooksThroughChains(t *testing.T) {
	inner := forgetter{}
	outer := engine.NewChain(engine.NewChain(inner, engine.ChainOptions{}), engine.ChainOptions{})
	if f, ok := engine.Find[engine.Forgetter](outer); !ok || f != engine.Forgetter(inner) {
		t.Errorf("got %v, %v; want the searcher of the inner chain", f, ok)
	}
	if f, ok := engine.Find[engine.Introduced](outer); ok {
		t.Errorf("got %v, which nobody is", f)
	}
}

// With hardly any time the order is book, tables, and only then the searcher, whose own order
// is its table's move and a single ply.
func TestHardlyAnyTimeAsksBookThenTablesThenTheSearcher(t *testing.T) {
	var order []string
	b := asking{func() { order = append(order, "book") }}
	e := &endings{men: 32, slow: func(func() bool) bool { order = append(order, "tables"); return true }}
	inner := searching{func(l engine.Limits) { order = append(order, "search") }}
	limits := engine.Limits{Soft: new(3 * time.Millisecond), Hard: new(3 * time.Millisecond)}
	o := engine.ChainOptions{Book: b, Tables: e, AtOnce: true, Now: (&clock{}).now} // which stands still
	search(t, engine.NewChain(inner, o), start(), limits)
	if diff := cmp.Diff([]string{"book", "tables", "search"}, order); diff != "" {
		t.Errorf("order (-want +got):\n%s", diff)
	}
	order = nil
	e.outcome, e.progress, e.best, e.keep = 1, true, []string{"e2e4"}, []string{"e2e4"}
	if r := search(t, engine.NewChain(inner, o), start(), limits); r.Source != "tablebase" {
		t.Errorf("answer from %q, want tablebase", r.Source)
	}
	if diff := cmp.Diff([]string{"book", "tables"}, order); diff != "" {
		t.Errorf("order with an answer of the tables (-want +got):\n%s", diff)
	}
}

// asking is a book without moves that tells when it is asked.
type asking struct{ told func() }

func (a asking) Pick(position.Game, *rand.Rand) (position.Move, bool) {
	a.told()
	return position.NoMove, false
}

// searching is a searcher that tells when it is asked.
type searching struct{ told func(engine.Limits) }

func (s searching) Search(_ context.Context, g position.Game, l engine.Limits, _ func(engine.Info)) (engine.Result, error) {
	s.told(l)
	return engine.FirstLegal(g, l.SearchMoves), nil
}

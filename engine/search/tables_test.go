package search_test

import (
	"context"
	"testing"
	"time"

	"zeitnot/engine"
	"zeitnot/engine/position"
	"zeitnot/engine/search"
)

// materialTables call a side with a rook or queen more the winner, everything else drawn,
// and check what they are asked.
type materialTables struct {
	t     *testing.T
	men   int
	asked int
	only  int // value of every position, if not 9
	slow  func()
}

func (m *materialTables) MaxMen() int { return m.men }

func (m *materialTables) ProbeWDL(p *position.Position) (int, bool) {
	m.asked++
	if m.slow != nil {
		m.slow()
	}
	if n := p.Occupied().Count(); n > m.men || p.HalfmoveClock() != 0 {
		m.t.Errorf("asked about %s", p.FEN())
	}
	if m.only != 9 {
		return m.only, true
	}
	us := p.SideToMove()
	heavy := func(c position.Color) int {
		return (p.Pieces(c, position.Rook) | p.Pieces(c, position.Queen)).Count()
	}
	switch d := heavy(us) - heavy(us.Other()); {
	case d > 0:
		return 2, true
	case d < 0:
		return -2, true
	}
	return 0, true
}

func TestTablesAreAskedAfterCapturesAndPawnMovesOnly(t *testing.T) {
	// White takes the rook and is in the tables then; the other way round it is not.
	g := game(t, "3r3k/8/8/8/8/8/3R4/K2R4 w - - 0 1")
	m := &materialTables{t: t, men: 4, only: 9}
	var hits uint64
	r, err := search.New(search.Options{Tables: m}).Search(context.Background(), g, engine.Limits{Depth: new(6)}, func(i engine.Info) { hits = max(hits, i.TBHits) })
	if err != nil || hits == 0 || int(hits) > m.asked {
		t.Errorf("%d hits reported (%v), %d looks; want some, and no more than looks", hits, err, m.asked)
	}
	if r.Score < engine.TableWin-engine.MaxPly || r.Score.IsMate() && r.Score < 0 {
		t.Errorf("score %v, want a won game", r.Score)
	}
}

func TestTablesThatAreTooSmallAreNotAsked(t *testing.T) {
	g := game(t, "3r3k/8/8/8/8/8/3R4/K2R4 w - - 0 1")
	m := &materialTables{t: t, men: 2, only: 9}
	find(t, search.New(search.Options{Tables: m}), g, engine.Limits{Depth: new(5)})
	if m.asked != 0 {
		t.Errorf("asked %d times, want never: no line leads to two men that are no draw", m.asked)
	}
}

func TestTablesWithoutMenChangeNothing(t *testing.T) {
	g := game(t, "8/5pk1/6p1/8/3R4/6P1/1r3PK1/8 w - - 0 1")
	none := find(t, search.New(search.Options{}), g, engine.Limits{Depth: new(10)})
	empty := find(t, search.New(search.Options{Tables: &materialTables{t: t}}), g, engine.Limits{Depth: new(10)})
	if none.Nodes != empty.Nodes || none.Best != empty.Best {
		t.Errorf("%d nodes with empty tables, %d without any; want the same", empty.Nodes, none.Nodes)
	}
}

func TestClassesOfTheTablesOrderTheScores(t *testing.T) {
	// The pawn can only move into the tables: g2g3 and g2g4, or the king walks.
	g := game(t, "8/8/8/3k4/8/4K3/6P1/8 w - - 0 1")
	for _, c := range []struct {
		wdl       int // after our move, for the other side
		low, high engine.Score
	}{
		{-2, engine.TableWin - engine.MaxPly, engine.Infinite},
		{-1, 1, 1},
		{0, 0, 0},
		{1, -1, -1},
		{2, -engine.Infinite, engine.MaxPly - engine.TableWin},
	} {
		only := []position.Move{}
		m, err := g.Position().ParseUCI("g2g4")
		if err != nil {
			t.Fatal(err)
		}
		only = append(only, m)
		r := find(t, search.New(search.Options{Tables: &materialTables{t: t, men: 3, only: c.wdl}}), g, engine.Limits{Depth: new(4), SearchMoves: only})
		if r.Score < c.low || r.Score > c.high {
			t.Errorf("value %d for them: score %v, want %v to %v", c.wdl, r.Score, c.low, c.high)
		}
	}
}

func TestClockIsLookedAtAfterEachLookIntoTheTables(t *testing.T) {
	var at time.Duration
	m := &materialTables{t: t, men: 5, only: 9}
	late := 0
	deadline := time.Second
	m.slow = func() {
		if at > deadline {
			late++
		}
		at += 100 * time.Millisecond // a disk that wakes up
	}
	s := search.New(search.Options{Tables: m, Now: func() time.Duration { return at }})
	find(t, s, game(t, "3r3k/8/8/8/8/8/3R4/K2R4 w - - 0 1"), engine.Limits{Hard: &deadline, Deadline: &deadline})
	if m.asked < 5 || late > 0 {
		t.Errorf("%d looks, %d of them after the deadline; want several, none after", m.asked, late)
	}
}

package search

import (
	"context"
	"fmt"
	"time"

	"zeitnot/engine"
	"zeitnot/engine/position"
)

// Options are what a searcher is made with.
type Options struct {
	// HashMB is the size of the transposition table in MiB; 0 means 16.
	HashMB int
	// Tables are asked within the search, after captures and pawn moves; nil are none.
	Tables Tables
	// Now is the polled clock; nil means engine.Now.
	Now func() time.Duration
}

const (
	defaultHashMB = 16
	maxHashMB     = 1 << 20
)

// Searcher is the engine's own searcher. It honours deadlines (engine.Budgeted), ponders
// (engine.Ponderer) and lets its owner set it (engine.Tunable). One search at a time.
type Searcher struct {
	now    func() time.Duration
	tables Tables
	tt     table
	main   *thread

	// last is what the previous search found, for the score at the previous move.
	last struct {
		valid bool
		key   uint64 // of the root
		ply   int    // moves played in the game
		score int
	}
}

var (
	_ engine.Budgeted = (*Searcher)(nil)
	_ engine.Ponderer = (*Searcher)(nil)
	_ engine.Tunable  = (*Searcher)(nil)
)

// New makes a searcher. It starts nothing.
func New(o Options) *Searcher {
	s := &Searcher{now: o.Now, tables: o.Tables}
	if s.now == nil {
		s.now = engine.Now
	}
	if o.HashMB <= 0 {
		o.HashMB = defaultHashMB
	}
	s.tt.resize(o.HashMB)
	s.main = newThread(&s.tt)
	return s
}

// YieldNodes is the most nodes between two looks at the clock.
func (s *Searcher) YieldNodes() int { return yieldNodes }

// SetHash gives the transposition table mb MiB (1 to 1048576) and empties it.
func (s *Searcher) SetHash(mb int) error {
	if mb < 1 || mb > maxHashMB {
		return fmt.Errorf("hash %d MiB: not within 1-%d", mb, maxHashMB)
	}
	s.tt.resize(mb)
	return nil
}

// SetThreads accepts one thread, which is what this searcher has.
func (s *Searcher) SetThreads(n int) error {
	if n != 1 {
		return fmt.Errorf("threads %d: not within 1-1", n)
	}
	return nil
}

// NewGame forgets all that earlier searches have learned.
func (s *Searcher) NewGame() {
	s.tt.clear()
	s.main.hist.clear()
	s.main.ev.Clear()
	s.last.valid = false
}

// Search finds a move within the limits. With Infinite or Ponder it answers only when ctx
// is cancelled; whoever wants a ponder hit calls Ponder instead.
func (s *Searcher) Search(ctx context.Context, g position.Game, l engine.Limits, onInfo func(engine.Info)) (engine.Result, error) {
	c := &control{now: s.now}
	var called time.Duration
	if timeLimited(l) && !l.Ponder {
		called = s.now()
	}
	c.setLimits(l, called, called)
	if l.Ponder {
		c.held, c.timed, c.hasSoft, c.hasDeadline = true, false, false, false
	}
	return s.run(ctx, c, g, l, onInfo), nil
}

// run is a search under control c, which has read its limits.
func (s *Searcher) run(ctx context.Context, c *control, g position.Game, l engine.Limits, onInfo func(engine.Info)) engine.Result {
	if ctx.Err() != nil {
		c.stop.Store(true)
	}
	defer context.AfterFunc(ctx, func() { c.stop.Store(true) })()

	t := s.main
	t.ctl = c
	s.tt.newSearch()
	t.nodes, t.pollAt, t.stopped, t.nullMinPly = 0, 0, false, 0
	t.tablesFor(s.tables)
	t.setRoot(g, l.SearchMoves)

	d := &deepening{Searcher: s, t: t, c: c, g: g, onInfo: onInfo, lines: min(max(l.MultiPV, 1), t.rootN)}
	if t.rootN == 0 {
		res := engine.Result{Source: "search"}
		if g.Position().InCheck() && len(l.SearchMoves) == 0 {
			res.Score = -engine.Mate
		}
		c.wait(ctx)
		return res
	}
	res := d.run()
	c.wait(ctx)
	res.Ponder = t.ponderMove(g, res)
	s.last.valid = true
	s.last.key, s.last.ply, s.last.score = t.frame(0).pos.Key(), g.Len(), int(res.Score)
	return res
}

// wait holds the answer back while the search is infinite or pondering.
func (c *control) wait(ctx context.Context) {
	if c.held {
		<-ctx.Done()
		return
	}
	if c.pondering && c.hit.Load() == nil {
		select {
		case <-ctx.Done():
		case <-c.hitCh:
		}
	}
}

// ponderMove is the answer that the search expects to its own move: the second of the PV,
// else the table's move in the position after it.
func (t *thread) ponderMove(g position.Game, r engine.Result) position.Move {
	if r.Best == position.NoMove {
		return position.NoMove
	}
	var next position.Position
	g.Position().Make(r.Best, &next)
	if pv := &t.root[0].pv; t.root[0].move == r.Best && pv.n > 1 && next.IsLegal(pv.moves[1]) {
		return pv.moves[1]
	}
	if e, ok := t.tt.probe(next.Key(), 1); ok && e.move != position.NoMove && next.IsLegal(e.move) {
		return e.move
	}
	return position.NoMove
}

// prevScore is the score at the end of the previous search, if that was of an earlier
// position of the same game.
func (s *Searcher) prevScore(g position.Game) *int {
	keys := g.Keys()
	if !s.last.valid || s.last.ply >= g.Len() || keys[s.last.ply] != s.last.key {
		return nil
	}
	score := s.last.score
	return &score
}

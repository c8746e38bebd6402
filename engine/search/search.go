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
	// Threads is how many threads a search has, from 1 to 256; 0 means 1.
	Threads int
	// Tables are asked within the search, after captures and pawn moves; nil are none.
	Tables Tables
	// Now is the polled clock; nil means engine.Now.
	Now func() time.Duration
	// NodesPerMS, if above 0, replaces Now by a clock that the searcher's own nodes move:
	// so many are a millisecond, each search begins at zero, and every node is a look at the
	// clock. What a search finds under limits of time is then the same everywhere. There is
	// one thread then, whatever Threads says. Not for Ponder, whose clock goes on without
	// nodes.
	NodesPerMS int
}

const (
	defaultHashMB = 16
	maxHashMB     = 1 << 20
)

// Searcher is the engine's own searcher. It honours deadlines (engine.Budgeted), ponders
// (engine.Ponderer) and lets its owner set it (engine.Tunable). One search at a time. With
// one thread the same search gives the same answer; with several it need not.
type Searcher struct {
	now    func() time.Duration
	yield  uint64 // the most nodes between two looks at the clock
	tables Tables
	tt     table
	main   *thread
	team

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
	s := &Searcher{now: o.Now, yield: yieldNodes, tables: o.Tables}
	if s.now == nil {
		s.now = engine.Now
	}
	if o.HashMB <= 0 {
		o.HashMB = defaultHashMB
	}
	s.main = newThread(&s.tt)
	threads := min(max(o.Threads, 1), MaxThreads)
	if rate := time.Duration(o.NodesPerMS); rate > 0 {
		s.now = func() time.Duration { return time.Duration(s.main.nodes) * time.Millisecond / rate }
		s.yield, s.alone = 1, true
		threads = 1
	}
	s.crew(threads)
	s.tt.resize(o.HashMB, threads)
	return s
}

// YieldNodes is the most nodes between two looks at the clock.
func (s *Searcher) YieldNodes() int { return int(s.yield) }

// SetHash gives the transposition table mb MiB (1 to 1048576) and empties it.
func (s *Searcher) SetHash(mb int) error {
	if mb < 1 || mb > maxHashMB {
		return fmt.Errorf("hash %d MiB: not within 1-%d", mb, maxHashMB)
	}
	s.Wait()
	s.tt.resize(mb, len(s.all()))
	return nil
}

// NewGame forgets all that earlier searches have learned.
func (s *Searcher) NewGame() {
	s.Wait()
	s.tt.clear(len(s.all()))
	for _, t := range s.all() {
		t.hist.clear()
		t.ev.Clear()
	}
	s.last.valid = false
}

// Search finds a move within the limits. With Infinite or Ponder it answers only when ctx
// is cancelled; whoever wants a ponder hit calls Ponder instead.
func (s *Searcher) Search(ctx context.Context, g position.Game, l engine.Limits, onInfo func(engine.Info)) (engine.Result, error) {
	c := &control{orders: new(orders), now: s.now, yield: s.yield}
	s.main.nodes = 0 // the clock may count them
	var called time.Duration
	if l.Timed() {
		called = s.now()
	}
	c.setLimits(l, called, called)
	if l.Ponder {
		c.held, c.timed, c.hasSoft, c.hasDeadline = true, false, false, false
	}
	return s.run(ctx, c, g, l, onInfo)
}

// run is a search under control c, which has read its limits.
func (s *Searcher) run(ctx context.Context, c *control, g position.Game, l engine.Limits, onInfo func(engine.Info)) (engine.Result, error) {
	if ctx.Err() != nil {
		c.stop.Store(true)
	}
	defer context.AfterFunc(ctx, func() { c.stop.Store(true) })()

	s.Wait()
	s.tt.newSearch()
	for _, t := range s.all() {
		t.forget()
	}
	t := s.main
	t.begin(c, s.tables, g, l.SearchMoves)

	d := &deepening{Searcher: s, t: t, c: c, g: g, only: l.SearchMoves, onInfo: onInfo, lines: min(max(l.MultiPV, 1), t.rootN)}
	if t.rootN == 0 {
		c.wait(ctx)
		return engine.Over(g, "search"), nil
	}
	res := d.run()
	c.wait(ctx)
	res.Ponder = t.ponderMove(g, res.Best, d.pv())
	s.last.valid = true
	s.last.key, s.last.ply, s.last.score = t.frame(0).pos.Key(), g.Len(), int(res.Score)
	return res, s.takeFault()
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
func (t *thread) ponderMove(g position.Game, best position.Move, pv []position.Move) position.Move {
	if best == position.NoMove {
		return position.NoMove
	}
	var next position.Position
	g.Position().Make(best, &next)
	if len(pv) > 1 && next.IsLegal(pv[1]) {
		return pv[1]
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
	return new(s.last.score)
}

package bot

import (
	"context"
	"fmt"
	"runtime/debug"
	"slices"
	"time"

	"zeitnot/engine"
	"zeitnot/engine/position"
)

// ponder is a search on the opponent's time, of the position after the reply that our own
// search expects. It has a slot as long as nobody needs that for a move.
type ponder struct {
	root   position.Game // after the expected reply
	clock  time.Duration // what ours shows
	worker *worker
	best   *progress
	cancel context.CancelFunc // ends it

	ready  chan struct{} // closed once search is set, or when it could not start
	search engine.Pondering
	over   chan struct{} // closed once result and err are set
	result engine.Result
	err    error
}

// ponder starts a ponder search on a free slot while our clock shows so much; nil when there is
// none. Its goroutine is counted in th.searches and gives the slot back, unless a turn takes it.
func (th *thinker) ponder(ctx context.Context, game string, about engine.Introduction, root position.Game, clock time.Duration) *ponder {
	ctx, cancel := context.WithCancel(ctx)
	w := th.pool.lend(game, cancel)
	if w == nil {
		cancel()
		return nil
	}
	w.introduce(game, about)
	p := &ponder{
		root: root, clock: clock, worker: w, best: &progress{}, cancel: cancel,
		ready: make(chan struct{}), over: make(chan struct{}),
	}
	th.searches.Add(1)
	go func() {
		defer th.searches.Done()
		defer th.pool.giveBack(w)
		defer close(p.over)
		defer cancel()
		p.run(ctx)
	}()
	return p
}

// run searches until it is told. A panic of the searcher is an error of this search.
func (p *ponder) run(ctx context.Context) {
	started := false
	defer func() {
		if r := recover(); r != nil {
			p.err = fmt.Errorf("ponder search panic: %v\n%s", r, debug.Stack())
		}
		if !started {
			close(p.ready)
		}
	}()
	search := p.worker.searcher.(engine.Ponderer).Ponder(ctx, p.root, engine.Limits{Clock: &p.clock}, p.best.note)
	p.search, started = search, true
	close(p.ready)
	defer context.AfterFunc(ctx, search.Stop)()
	p.result, p.err = search.Result()
}

// hit makes the ponder search answer for the turn, whose move it expected, and leaves it the
// slot. It reports nil when the slot is needed elsewhere or nothing was pondered after all: the
// turn then needs a search like any other.
func (th *thinker) hit(ctx context.Context, t *turn, asked *ticket) (decision, *worker) {
	p := t.pondered
	select {
	case <-p.ready:
	case <-ctx.Done():
		th.pool.end(p.worker)
		return decision{}, nil
	}
	if p.search == nil || !th.pool.convert(p.worker, asked) {
		return decision{}, nil
	}
	close(t.begun)
	p.search.Hit(t.limits(t.arrival, t.budget.Soft))
	stop := context.AfterFunc(ctx, p.cancel)
	defer stop()
	<-p.over
	d := decision{Result: p.result, scored: fromSearch(p.result, p.err), err: p.err}
	return d, p.worker
}

// fromSearch tells whether a search, of our own or of another engine, stands behind the score of an answer.
func fromSearch(r engine.Result, err error) bool {
	return err == nil && (r.Source == "" || r.Source == "search" || r.Source == "engine")
}

// expect remembers the reply that the search behind a move of ours expects.
func (g *game) expect(p *pendingMove) {
	g.expected = position.NoMove
	if g.root.Len() == p.plies+1 {
		g.expected = p.Ponder
	}
}

// ponderOn begins to ponder, once after each move of ours, where that is wanted and possible.
// A game without a clock has time enough, and would keep a slot for days.
func (g *game) ponderOn() {
	reply := g.expected
	g.expected = position.NoMove
	if !g.options.Ponder || g.pondering != nil || reply == position.NoMove || !g.hasClock() || !g.root.Position().IsLegal(reply) {
		return
	}
	if root := g.root.Play(reply); root.Position().HasLegalMove() {
		g.pondering = g.thinker.ponder(g.ctx, g.id, g.introduction(), root, g.state.Time(g.me).Duration())
	}
}

// ponderHit takes the ponder search of the present position, and ends one of another.
func (g *game) ponderHit() *ponder {
	p := g.pondering
	g.pondering = nil
	switch {
	case p == nil:
		return nil
	case len(g.refused) > 0 || !slices.Equal(p.root.Moves(), g.root.Moves()):
		g.thinker.pool.end(p.worker)
		return nil
	}
	return p
}

// ponderMissed ends the ponder search when the game has gone elsewhere.
func (g *game) ponderMissed() {
	p := g.pondering
	if p == nil || slices.Equal(p.root.Moves(), g.root.Moves()) {
		return
	}
	g.pondering = nil
	g.thinker.pool.end(p.worker)
}

package engine

import (
	"context"
	"slices"
	"sync"

	"zeitnot/engine/position"
)

// Adviser knows moves as books and tables do, but may have to wait for what it knows: it is
// asked while the searcher works.
type Adviser interface {
	// Advise looks for moves in the game's current position until it has some, gives up, or ctx
	// ends; then it returns at once. It may be asked by many at once.
	Advise(ctx context.Context, g position.Game, l Limits) (Advice, bool)
}

// Advice is what an Adviser says about a position.
type Advice struct {
	// Moves are those to play, best first; never empty.
	Moves []position.Move
	// Final advice takes the place of the search. Other advice only says which moves are right:
	// the search goes on, and is overruled if its move is not one of them.
	Final bool
	// Score of the first move; 0 if none is known.
	Score  Score
	Source string
}

// among is the advice without moves that cannot or may not be played.
func (a Advice) among(g position.Game, only []position.Move) (Advice, bool) {
	a.Moves = slices.DeleteFunc(slices.Clone(a.Moves), func(m position.Move) bool {
		return !g.Position().IsLegal(m) || len(only) > 0 && !slices.Contains(only, m)
	})
	return a, len(a.Moves) > 0
}

// over is what becomes of the result of a search.
func (a Advice) over(r Result) Result {
	if !a.Final && slices.Contains(a.Moves, r.Best) {
		return r
	}
	return Result{Best: a.Moves[0], Score: a.Score, Source: a.Source, Nodes: r.Nodes}
}

// wantsAdvice tells whether advice is of use: a move is wanted, and a search stands behind it.
func (c *chain) wantsAdvice(l Limits) bool {
	return c.adviser != nil && !l.Infinite && l.Mate == nil && l.MultiPV <= 1
}

// advised searches and asks the adviser meanwhile.
func (c *chain) advised(ctx context.Context, g position.Game, l Limits, onInfo func(Info)) (Result, error) {
	searching, stop := context.WithCancel(ctx)
	defer stop()
	q := c.ask(ctx, g, l, stop)
	r, err := c.inner.Search(searching, g, l, onInfo)
	if a, ok := q.answer(); ok {
		return a.over(r), nil
	}
	return r, err
}

// question is one that the adviser is asked.
type question struct {
	giveUp context.CancelFunc
	done   chan struct{} // closed once what follows is set
	advice Advice
	ok     bool
}

// ask asks the adviser, and calls final when it has final advice.
func (c *chain) ask(ctx context.Context, g position.Game, l Limits, final func()) *question {
	ctx, cancel := context.WithCancel(ctx)
	q := &question{giveUp: cancel, done: make(chan struct{})}
	go func() { // answer waits for it
		defer cancel()
		defer close(q.done)
		if q.advice, q.ok = c.adviser.Advise(ctx, g, l); q.ok {
			q.advice, q.ok = q.advice.among(g, l.SearchMoves)
		}
		if q.ok && q.advice.Final {
			final()
		}
	}()
	return q
}

// answer is what there is by now; nobody waits for more.
func (q *question) answer() (Advice, bool) {
	q.giveUp()
	<-q.done
	return q.advice, q.ok
}

// advisedPondering is a ponder search beside which the adviser is asked.
type advisedPondering struct {
	Pondering
	question *question

	mu    sync.Mutex // guards what follows
	hit   bool
	final bool // there is final advice
}

// ponderAdvised ponders and asks the adviser meanwhile. The question ends with the pondering.
func (a chainPonderer) ponderAdvised(ctx context.Context, g position.Game, l Limits, onInfo func(Info)) Pondering {
	p := &advisedPondering{Pondering: a.inner.Ponder(ctx, g, l, onInfo)}
	p.question = a.before.ask(ctx, g, l, p.settle)
	return p
}

// settle notes that there is final advice; once the move is wanted, the search need not go on.
func (p *advisedPondering) settle() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.final = true; p.hit {
		p.Pondering.Stop()
	}
}

// Hit implements Pondering.
func (p *advisedPondering) Hit(l Limits) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.hit = true; p.final {
		p.Pondering.Stop()
		return
	}
	p.Pondering.Hit(l)
}

// Result implements Pondering.
func (p *advisedPondering) Result() (Result, error) {
	r, err := p.Pondering.Result()
	a, ok := p.question.answer()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.hit && ok {
		return a.over(r), nil
	}
	return r, err
}

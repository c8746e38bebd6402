package bot

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"zeitnot/clock"
	"zeitnot/engine"
	"zeitnot/engine/position"
)

const (
	// watchdogSlack is how long after the hard limit a search may still answer for itself.
	watchdogSlack = 10 * time.Millisecond
	// resortTime is when a last resort that does not answer at once is stopped.
	resortTime = 5 * time.Millisecond
	// partingTime is how long at the most a search slot is kept for a move that is on its way.
	partingTime = 5 * time.Millisecond
)

// turn is the finding of one own move: a search under a deadline and a watchdog beside
// it. Whoever claims the turn first delivers its decision; there is exactly one.
type turn struct {
	game    string
	root    position.Game
	arrival time.Time // of the state that is answered; budgets count from here
	budget  clock.Budget
	// patience is how long a game without a clock may wait for a search slot: its budget
	// counts from the search's start. 0 in games with a clock, where all time counts.
	patience     time.Duration
	clock        *time.Duration // what ours showed; nil without one
	resumed      bool           // the turn had begun before we saw it
	begun        chan struct{}  // closed when the search starts
	queued       bool           // the search had to wait for its slot; to be read when begun is closed
	slotWait     time.Duration  // how long; likewise
	scale        func(clock.Report) float64
	fresh        bool // first search of this game: forget other games
	introduction engine.Introduction
	refused      []position.Move // the server would not have these here
	claimed      atomic.Bool
	// parted gives the slot back; to be called when the move has been written to a connection,
	// so that whoever sees it played finds the slot free. Set before the search's decision is
	// delivered, else nil.
	parted func()

	// pondered is the search that was begun on the opponent's time, nil when there was none.
	pondered *ponder

	*progress
	stale context.CancelFunc // ends the search: the position is no longer the game's
}

// progress is what a running search has reported.
type progress struct {
	mu   sync.Mutex // guards best
	best candidate
}

// candidate is the best line that the running search has reported.
type candidate struct {
	move, ponder position.Move
	score        engine.Score
	depth        int
	nodes        uint64
}

// decision is the move of a turn.
type decision struct {
	turn *turn
	engine.Result
	// scored: a search of ours stands behind the score.
	scored   bool
	pondered bool          // it was begun on the opponent's time
	err      error         // why the search itself did not answer, if it did not
	used     time.Duration // from the arrival to the decision
}

// hard is the instant at which the search must have answered, start that from which it
// counts: the arrival of the state or, without a clock, the start of the search.
func (t *turn) hard(start time.Time) time.Time { return start.Add(t.budget.Hard) }

// mustStart is the instant until which the turn may wait for a search slot.
func (t *turn) mustStart() time.Time { return t.hard(t.arrival).Add(t.patience) }

// atOnce are limits that leave no time to search; the little that they leave is for looks
// into books and tables.
func (t *turn) atOnce() engine.Limits {
	l := engine.Limits{Soft: new(time.Duration(0)), Hard: new(resortTime)}
	l.SearchMoves = t.allowed()
	return l
}

// moves are the legal ones that the server has not refused, or all if it has refused every
// one.
func (t *turn) moves() []position.Move {
	var all position.MoveList
	t.root.Position().Legal(&all)
	left := slices.DeleteFunc(slices.Clone(all.Slice()), func(m position.Move) bool {
		return slices.Contains(t.refused, m)
	})
	if len(left) == 0 {
		return all.Slice()
	}
	return left
}

// allowed are the moves that a search has to choose from; nil is all of them.
func (t *turn) allowed() []position.Move {
	if len(t.refused) == 0 {
		return nil
	}
	return t.moves()
}

// forced is the decision where there is nothing to decide: a single move is left, so that no
// search and no slot is needed. A search that was begun on the opponent's time may go on, as
// it knows the reply to expect.
func (t *turn) forced() (decision, bool) {
	if t.pondered != nil {
		return decision{}, false
	}
	moves := t.moves()
	if len(moves) != 1 {
		return decision{}, false
	}
	t.begun = make(chan struct{})
	close(t.begun)
	return decision{turn: t, Result: engine.Result{Best: moves[0], Source: "forced"}, used: time.Since(t.arrival)}, true
}

// started tells whether the search has begun.
func (t *turn) started() bool {
	select {
	case <-t.begun:
		return true
	default:
		return false
	}
}

// waited tells whether the search had to wait for a slot, or still does.
func (t *turn) waited() bool { return !t.started() || t.queued }

// claim reports true to exactly one caller.
func (t *turn) claim() bool { return t.claimed.CompareAndSwap(false, true) }

// note keeps what the search reported; it runs on the searching goroutine.
func (p *progress) note(i engine.Info) {
	if len(i.PV) == 0 || i.MultiPV > 1 || i.Bound == engine.BoundUpper {
		return
	}
	c := candidate{move: i.PV[0], score: i.Score, depth: i.Depth, nodes: i.Nodes}
	if len(i.PV) > 1 {
		c.ponder = i.PV[1]
	}
	p.mu.Lock()
	p.best = c
	p.mu.Unlock()
}

// soFar is the best line reported so far; its move is NoMove when there is none.
func (p *progress) soFar() candidate {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.best
}

// limits are the turn's limits as a searcher takes them, counted from start.
func (t *turn) limits(start time.Time, soft time.Duration) engine.Limits {
	hard, deadline := t.budget.Hard, engine.Instant(t.hard(start))
	l := engine.Limits{Soft: &soft, Hard: &hard, Deadline: &deadline, Clock: t.clock}
	if scale := t.scale; scale != nil {
		l.Scale = func(f engine.Feedback) float64 { return scale(clock.Report(f)) }
	}
	l.SearchMoves = t.allowed()
	return l
}

// thinker finds moves for all games: a pool of searchers, and a last resort that answers
// at once.
type thinker struct {
	pool     *pool
	resortMu sync.Mutex      // the last resort does one search at a time
	resort   engine.Searcher // may be nil
	searches sync.WaitGroup  // searches that run, stale ones included
}

// prepare makes a free searcher forget the games before a new one, which takes long with a
// large table, while nobody waits for a move yet. A game that finds none does it by its first
// search.
func (th *thinker) prepare(game string) {
	w := th.pool.takeUsed(game)
	if w == nil {
		return
	}
	th.searches.Go(func() {
		defer th.pool.release(w)
		defer func() { recover() }() // the first search will fail by the same, and say so
		w.ready(game)
	})
}

// think delivers the decision of the turn: from the search, or from the watchdog once the
// hard limit has passed by watchdogSlack. It starts two goroutines and returns at once.
// The watchdog is started by spawn, whose owner waits for it; the search is counted in
// th.searches, since a searcher that ignores its context may outlive its game. A turn that
// went stale delivers nothing.
func (th *thinker) think(ctx context.Context, spawn func(func()), t *turn, deliver func(decision)) {
	ctx, t.stale = context.WithCancel(ctx)
	t.begun = make(chan struct{})
	answered := make(chan struct{}) // closed by the search when it is over
	th.searches.Add(1)
	go func() {
		defer th.searches.Done()
		d, slot := th.search(ctx, t)
		release := func() {}
		if slot != nil {
			release = sync.OnceFunc(func() { th.pool.release(slot) })
		}
		ours := ctx.Err() == nil && t.claim()
		if ours {
			if d.err != nil || !t.root.Position().IsLegal(d.Best) || slices.Contains(t.refused, d.Best) {
				d = th.lastResort(t, d)
			}
			d.turn, d.used = t, time.Since(t.arrival)
			t.parted = release
			deliver(d)
		}
		close(answered)
		if ours && slot != nil {
			// The next search would take the processor from those who send the move.
			time.AfterFunc(partingTime, release)
			return
		}
		release()
	}()
	spawn(func() {
		defer t.stale()
		watchdog := time.NewTimer(time.Until(t.mustStart()) + watchdogSlack)
		defer watchdog.Stop()
		begun := t.begun
		for {
			select {
			case <-answered:
				return
			case <-ctx.Done():
				return
			case <-begun:
				begun = nil
				if t.patience > 0 {
					watchdog.Reset(t.budget.Hard + watchdogSlack)
				}
			case <-watchdog.C:
				if ctx.Err() == nil && t.claim() {
					d := th.lastResort(t, decision{err: errLate})
					d.turn, d.used = t, time.Since(t.arrival)
					deliver(d)
				}
				return
			}
		}
	})
}

var (
	errLate   = errors.New("no answer by the hard limit")
	errNoSlot = errors.New("all search slots are busy")
)

// search runs the search on a search slot, which is to be given back; nil when it got none.
// A panic of the searcher is an error of this search and of nothing else.
func (th *thinker) search(ctx context.Context, t *turn) (d decision, slot *worker) {
	// The search may also be asked to answer early for a game that waits; that is no
	// staleness, so it has a context of its own.
	searching, yield := context.WithCancel(ctx)
	defer yield()
	asked := &ticket{game: t.game, soft: t.arrival.Add(t.budget.Soft), hard: t.mustStart(), think: t.budget.Soft, now: t.budget.Red, stop: yield}
	if t.pondered != nil {
		if d, slot := th.hit(searching, t, asked); slot != nil {
			d.pondered = true
			return d, slot
		}
	}
	wanted := time.Now()
	w, err := th.pool.acquire(ctx, asked)
	if err != nil {
		return decision{err: fmt.Errorf("wait for a search slot: %w", err)}, nil
	}
	defer func() {
		if r := recover(); r != nil {
			d, slot = decision{err: fmt.Errorf("search panic: %v\n%s", r, debug.Stack())}, w.worker
		}
	}()
	if t.fresh {
		w.ready(t.game)
	}
	w.introduce(t.game, t.introduction)
	w.lastGame = t.game
	start, soft := t.arrival, t.budget.Soft
	if t.patience > 0 {
		start = time.Now()
	}
	if asked.queued {
		soft = min(w.soft.Sub(start), t.budget.Hard)
	}
	if t.queued = asked.queued; t.queued {
		t.slotWait = time.Since(wanted)
	}
	close(t.begun)
	result, err := w.searcher.Search(searching, t.root, t.limits(start, soft), t.note)
	return decision{Result: result, scored: fromSearch(result, err), err: err}, w.worker
}

// lastResort answers without a finished search: the best line reported so far, else the
// instant searcher's move, else the first legal one. d says what went wrong.
func (th *thinker) lastResort(t *turn, d decision) decision {
	if d.err == nil {
		d.err = fmt.Errorf("move %s is not legal here", t.root.Position().UCI(d.Best, true))
	}
	d.scored = false
	pos := t.root.Position()
	if c := t.soFar(); pos.IsLegal(c.move) && !slices.Contains(t.refused, c.move) {
		d.Result = engine.Result{Best: c.move, Ponder: c.ponder, Score: c.score, Depth: c.depth, Nodes: c.nodes, Source: "best so far"}
		return d
	}
	if m, ok := th.instant(t); ok {
		d.Result = engine.Result{Best: m, Source: "last resort"}
		return d
	}
	d.Result = engine.Result{}
	if moves := t.moves(); len(moves) > 0 {
		d.Result = engine.Result{Best: moves[0], Source: "first legal"}
	}
	return d
}

// instant asks the last-resort searcher, trusting it as little as any other.
func (th *thinker) instant(t *turn) (m position.Move, ok bool) {
	if th.resort == nil {
		return position.NoMove, false
	}
	defer func() {
		if recover() != nil {
			m, ok = position.NoMove, false
		}
	}()
	th.resortMu.Lock()
	defer th.resortMu.Unlock()
	// A soft limit of zero asks for an answer at once; one that works on all the same is stopped.
	ctx, cancel := context.WithTimeout(context.Background(), resortTime)
	defer cancel()
	result, err := th.resort.Search(ctx, t.root, t.atOnce(), nil)
	ok = err == nil && t.root.Position().IsLegal(result.Best) && !slices.Contains(t.refused, result.Best)
	return result.Best, ok
}

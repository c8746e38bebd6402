package engine

import (
	"context"
	"math/rand/v2"
	"slices"
	"time"

	"zeitnot/engine/position"
)

// Book knows moves that need no search.
type Book interface {
	// Pick chooses a move for the game's current position; rng decides between several.
	Pick(g position.Game, rng *rand.Rand) (m position.Move, ok bool)
}

// Tables know endings perfectly.
type Tables interface {
	// MaxMen is the most men, kings included, of a position that is worth asking about; 0
	// if there is none.
	MaxMen() int
	// Root judges the moves of the game's current position. stop is asked before each look
	// into a table, which may wait for a disk; ok is false if it said true, or if the tables
	// do not have the position.
	Root(g position.Game, stop func() bool) (r TableRoot, ok bool)
}

// TableRoot is what tables say about the moves of a position.
type TableRoot struct {
	// Outcome of the game for the side to move, with the fifty-move counter and repetitions
	// taken into account: positive is won, negative lost, 0 drawn.
	Outcome int
	// Keep are the moves that keep the outcome, Best those of them that make the most of it.
	Best, Keep []position.Move
	// Progress tells that always playing one of Best wins what is won. Without it nothing is
	// known but who wins.
	Progress bool
}

// ChainOptions say who answers before a searcher. Each of Book, Tables and Adviser may be nil.
type ChainOptions struct {
	Book   Book
	Tables Tables
	// Adviser is asked where neither knows the position, while the searcher works.
	Adviser Adviser
	// AtOnce lets the tables answer for a position that they decide; otherwise they only
	// leave the searcher the moves that are right.
	AtOnce bool
	// Rand decides between book moves; nil is one of its own, seeded at random.
	Rand *rand.Rand
	// Now is the clock of Limits.Deadline; nil means engine.Now.
	Now func() time.Duration
}

// tableShare is the part of the time left until the deadline that the tables may take, as
// a divisor: tables in memory need a thousandth of it, and a disk that is asleep must leave
// the searcher enough.
const tableShare = 4

// chain asks book and tables, and then the searcher.
type chain struct {
	inner  Searcher
	book   Book
	tables Tables
	// adviser is asked while inner searches.
	adviser Adviser
	atOnce  bool
	rng     *rand.Rand
	now     func() time.Duration
}

// NewChain puts book and tables before a searcher. What it returns is Budgeted, a Ponderer
// and Tunable exactly if the searcher is; one search at a time, as with any searcher.
//
// The book is asked when one move is wanted and nothing is said about which: not under
// Infinite, Ponder, Mate, SearchMoves or several lines. The tables are not asked for a Mate,
// since their moves are not the shortest way to one, nor once the deadline has passed; the
// book, which takes no longer than the least that a searcher can do, still is. The adviser is
// asked where the book would be and neither knows a move, and nobody waits for it. A miss costs
// the searcher nothing but the time it took: Soft, Hard and Deadline go on counting from
// where they did.
func NewChain(s Searcher, o ChainOptions) Searcher {
	c := &chain{inner: s, book: o.Book, tables: o.Tables, adviser: o.Adviser, atOnce: o.AtOnce, rng: o.Rand, now: o.Now}
	if c.rng == nil {
		c.rng = rand.New(rand.NewPCG(rand.Uint64(), rand.Uint64()))
	}
	if c.now == nil {
		c.now = Now
	}
	return c.keeping(s)
}

// Unwrap is the searcher, for Find.
func (c *chain) Unwrap() Searcher { return c.inner }

// Search implements Searcher.
func (c *chain) Search(ctx context.Context, g position.Game, l Limits, onInfo func(Info)) (Result, error) {
	var called time.Duration
	limited := l.Timed()
	if limited {
		called = c.now()
	}
	if limited && l.Deadline == nil && l.Hard != nil {
		l.Deadline = new(called + *l.Hard)
	}
	if m, ok := c.bookMove(g, l); ok {
		return Result{Best: m, Source: "book"}, nil
	}
	late := limited && l.Deadline != nil && called >= *l.Deadline
	if late || ctx.Err() != nil {
		return c.inner.Search(ctx, g, l, onInfo)
	}
	if !c.inTables(g, l) {
		return c.search(ctx, g, l, onInfo, false)
	}

	stop := func() bool { return ctx.Err() != nil }
	if limited && l.Deadline != nil {
		until := called + (*l.Deadline-called)/tableShare
		stop = func() bool { return ctx.Err() != nil || c.now() >= until }
	}
	r, only, said := c.askTables(g, l, stop)
	if r.Best != position.NoMove {
		return r, nil
	}
	l.SearchMoves = only
	if limited && l.Deadline == nil {
		l.Soft = new(*l.Soft - (c.now() - called))
	}
	r, err := c.search(ctx, g, l, onInfo, said.known)
	r.Score = said.correct(r.Score)
	return r, err
}

// search asks the searcher, with advice unless the tables know the position.
func (c *chain) search(ctx context.Context, g position.Game, l Limits, onInfo func(Info), known bool) (Result, error) {
	if !known && !l.Ponder && c.wantsAdvice(l) {
		return c.advised(ctx, g, l, onInfo)
	}
	return c.inner.Search(ctx, g, l, onInfo)
}

// bookMove asks the book, if it is for this position and these limits, and trusts it no
// more than anybody.
func (c *chain) bookMove(g position.Game, l Limits) (position.Move, bool) {
	if c.book == nil || l.Held() || l.Mate != nil || l.MultiPV > 1 || len(l.SearchMoves) > 0 {
		return position.NoMove, false
	}
	if !bookFits(g.Position()) {
		return position.NoMove, false
	}
	m, ok := c.book.Pick(g, c.rng)
	return m, ok && g.Position().IsLegal(m)
}

// bookFits tells whether the keys of books mean this position: they say who may castle on
// which side, but not where king and rook stand, which for them are their squares in
// standard chess.
func bookFits(p *position.Position) bool {
	for c := position.White; c <= position.Black; c++ {
		for side, file := range [2]int{7, 0} {
			rook := p.CastlingRook(c, side)
			if rook != position.NoSquare && (rook.File() != file || p.KingSquare(c).File() != 4) {
				return false
			}
		}
	}
	return true
}

// inTables tells whether the tables can have the position and may say so.
func (c *chain) inTables(g position.Game, l Limits) bool {
	return c.tables != nil && l.Mate == nil && g.Position().Occupied().Count() <= c.tables.MaxMen()
}

// verdict is what the tables say of the moves that are left for a search.
type verdict struct {
	known   bool // the tables have the position
	decides bool // its outcome is that of the game, whatever the search thinks
	outcome int
}

// correct makes a score agree with the outcome: whoever judges by scores must not give up
// what is drawn, nor take a draw for what is won.
func (v verdict) correct(s Score) Score {
	switch {
	case !v.decides:
		return s
	case v.outcome > 0:
		return max(s, TableWin)
	case v.outcome < 0:
		return min(s, -TableWin)
	}
	return 0
}

// askTables is either a result that needs no search, or the root moves that are left for
// it (empty is all of them) with what the tables say of those.
func (c *chain) askTables(g position.Game, l Limits, stop func() bool) (r Result, only []position.Move, said verdict) {
	root, ok := c.tables.Root(g, stop)
	if !ok {
		return Result{}, l.SearchMoves, verdict{}
	}
	best, keep := among(root.Best, l.SearchMoves), among(root.Keep, l.SearchMoves)
	decided := root.Outcome != 0 && root.Progress && len(best) > 0
	analysis := l.Infinite || l.MultiPV > 1
	// In an analysis, and in a conversation with a GUI, the search speaks for itself.
	said = verdict{known: true, decides: c.atOnce && !analysis, outcome: root.Outcome}
	if decided && !analysis {
		keep = best
	}
	if len(keep) == 0 {
		// The right moves are not among those that may be played.
		return Result{}, l.SearchMoves, verdict{known: true}
	}
	if c.atOnce && !analysis && (decided || len(keep) == 1) && g.Position().IsLegal(keep[0]) {
		return Result{Best: keep[0], Source: "tablebase", Score: tableScore(root.Outcome)}, nil, said
	}
	var legal position.MoveList
	if g.Position().Legal(&legal); len(keep) == legal.Len() {
		return Result{}, nil, said
	}
	return Result{}, keep, said
}

// among leaves of some moves those that only allows; empty allows all.
func among(moves, only []position.Move) []position.Move {
	if len(only) == 0 {
		return moves
	}
	return slices.DeleteFunc(slices.Clone(moves), func(m position.Move) bool { return !slices.Contains(only, m) })
}

// tableScore is the score of an outcome.
func tableScore(outcome int) Score {
	switch {
	case outcome > 0:
		return TableWin
	case outcome < 0:
		return -TableWin
	}
	return 0
}

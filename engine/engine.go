// Package engine says what a searcher is: the limits it is given, what it reports while
// it works and what it answers. It knows nothing of games on a server and nothing of
// time policies: whoever calls a searcher has already turned the clock into limits.
package engine

import (
	"context"
	"time"

	"zeitnot/engine/position"
)

// Limits bound one search. Absent is not zero: a nil pointer means "not limited in this
// way", a given zero is a limit of zero. Without any limit the search runs until its
// context is cancelled or its depth is exhausted.
type Limits struct {
	// Soft and Hard are counted from the arrival of the state that is answered. Soft is what
	// the search should take on average: a depth that would end farther beyond it than it
	// begins before it is not begun. At Hard the search stops at once. A given 0 means: answer
	// at once.
	Soft, Hard *time.Duration
	// Deadline is Hard as an absolute instant, a value of the searcher's own clock (see
	// Instant). Arrival is then Deadline - Hard. Without it both count from the call.
	Deadline *time.Duration

	// Clock is what the own clock shows, for whoever must not take more than a part of it; nil:
	// there is none, or it is not known. It limits no search.
	Clock *time.Duration

	Nodes, Depth *int
	// Mate asks for a mate in at most so many moves; the search ends when it has one.
	Mate *int
	// MultiPV is the number of lines wanted; 0 counts as 1.
	MultiPV int
	// SearchMoves restricts the root; empty means every legal move.
	SearchMoves []position.Move
	// Ponder and Infinite keep the search going, and its answer back, until it is told.
	Ponder, Infinite bool

	// Scale is the clock's feedback factor on Soft; nil is 1. It is called after each
	// finished depth, from the searching goroutine.
	Scale func(Feedback) float64
}

// Held tells whether the answer is to be kept back.
func (l *Limits) Held() bool { return l.Ponder || l.Infinite }

// Timed tells whether the search needs a clock: not if its answer is held.
func (l *Limits) Timed() bool {
	return !l.Held() && (l.Soft != nil || l.Hard != nil || l.Deadline != nil)
}

// Feedback is what a search knows about its own progress after a finished depth.
type Feedback struct {
	Depth int
	// Score in centipawns for the side to move; a mate is what type Score says.
	Score int
	// BestStableFor is the number of finished depths for which the best move has not changed.
	BestStableFor int
	// FailLows is how often the last depth's score fell below its window.
	FailLows   int
	LegalMoves int
	// PrevMoveScore is the score this searcher had at the end of its previous move in the
	// same game; nil when there is none.
	PrevMoveScore *int
	// BestMoveNodes are those of Nodes that lie under the best move. With several threads
	// both are those of the thread that reports.
	BestMoveNodes, Nodes uint64
	// ClearBy is by how many centipawns, at the least, a verification search found the best
	// move ahead of all others; 0 when none was made, or when it found nothing of note.
	ClearBy int
}

// Bound says how a score is to be read.
type Bound uint8

// The bounds of a score. BoundNone: no score was found.
const (
	BoundNone Bound = iota
	BoundUpper
	BoundLower
	BoundExact
)

// Info is one report of a running search. It carries no times: the receiver stamps it.
type Info struct {
	Depth, SelDepth int
	// MultiPV is the rank of this line, from 1.
	MultiPV       int
	Score         Score
	Bound         Bound
	Nodes, TBHits uint64
	HashFull      int // per mille
	PV            []position.Move
	// CurrMove is the root move being searched and CurrMoveNumber its place, from 1; an info
	// that reports them carries nothing else but Depth.
	CurrMove       position.Move
	CurrMoveNumber int
}

// Result is the answer of a search. Best is NoMove only when the root has no move.
type Result struct {
	Best, Ponder position.Move
	Score        Score
	Depth        int
	// Source names who answered: "search", "book", "tablebase", "forced", "fallback", ….
	Source string
	Nodes  uint64
}

// Searcher finds a move. Search blocks until it has an answer; a cancelled context makes
// it answer at once with the best move so far, which is no error. onInfo may be nil; it
// is called from the searching goroutine and must not block. One search at a time.
type Searcher interface {
	Search(ctx context.Context, g position.Game, l Limits, onInfo func(Info)) (Result, error)
}

// Budgeted is a Searcher that honours Deadline, Soft and Hard: it looks at the clock at
// least every YieldNodes units of work (nodes, rollouts, …) and never works longer than
// one such unit past its deadline.
type Budgeted interface {
	Searcher
	YieldNodes() int
}

// Ponderer is a Searcher that can think on the opponent's time.
type Ponderer interface {
	Searcher
	// Ponder starts a search that answers only after Hit or Stop. It does not block.
	Ponder(ctx context.Context, g position.Game, l Limits, onInfo func(Info)) Pondering
}

// Pondering is a running ponder search.
type Pondering interface {
	// Hit turns it into a normal search under the limits given; time already spent counts
	// against Soft from the ponder's start, Hard counts from the hit.
	Hit(Limits)
	// Stop makes it answer at once.
	Stop()
	// Result blocks until the answer is there; it may be called once.
	Result() (Result, error)
}

// Tunable is what an embedded searcher lets its owner set between searches.
type Tunable interface {
	// SetHash resizes the transposition table to mb MiB and empties it.
	SetHash(mb int) error
	SetThreads(n int) error
	Forgetter
}

// ClockState is what a time policy is asked about.
type ClockState struct {
	Remaining, Increment, Base time.Duration
	// MoveNumber is the number of own completed moves.
	MoveNumber int
	// MovesToGo until the next time control; 0 or less means unknown.
	MovesToGo int
	// HasClock is false in games without a clock; the caller then decides by itself.
	HasClock bool
}

// Package clock decides how much time a move deserves. Its policies are pure arithmetic:
// they read no clock, remember nothing between moves and know nothing of searchers or
// servers. Whoever asks turns the answer into a deadline and sees that it is kept.
package clock

import "time"

// State is what a policy is asked about, taken when it becomes our turn. No value is
// invalid: negative times count as none, and times beyond MaxTime count as MaxTime.
// Games without a clock never come here; their thinking time is the caller's decision.
type State struct {
	// Remaining is what our clock shows; Increment is added after each of our moves.
	Remaining, Increment time.Duration
	// Base is the initial time of the game; 0 when it is not known.
	Base time.Duration
	// MoveNumber is the number of our own completed moves in this game.
	MoveNumber int
	// MovesToGo is the number of moves until the next time control; 0 or less: unknown.
	MovesToGo int
	// Overhead is what was measured in this game and before it; zero: nothing yet.
	Overhead Overhead
}

// Overhead describes the time a move loses outside the search, as it was measured.
type Overhead struct {
	// Mean and Dev are the running average and its mean deviation, Q90 is the value that
	// nine of ten moves stay under.
	Mean, Dev, Q90 time.Duration
	// Long is a slow average over the last few hundred moves: what many moves to come will
	// cost together. Zero: not known, Mean stands for it.
	Long time.Duration
	// Guard is what must be left on the clock so that one bad move cannot lose on time.
	Guard time.Duration
	// Stalled tells that a move was held up far beyond the ordinary a short while ago.
	Stalled bool
}

// Budget is the time one move may take, counted from the arrival of the state:
// 0 <= Soft <= Hard.
type Budget struct {
	// Soft: once it has passed no further depth is started.
	Soft time.Duration
	// Hard: the search stops at once.
	Hard time.Duration
	// Red: there is no time to think. The move is to be answered at premove speed, from
	// whatever is at hand.
	Red bool
}

// Policy turns a clock into a budget. The same state always gives the same budget.
type Policy interface {
	// Name is the name the policy is chosen by.
	Name() string
	Budget(State) Budget
}

// MaxTime is the longest time that takes part in the arithmetic: 10^10 ms, about 115
// days. It is beyond any clock and small enough that no product here can overflow.
const MaxTime = 10_000_000_000 * time.Millisecond

// Milliseconds is a clock value as servers and GUIs give it, for any int64.
func Milliseconds(ms int64) time.Duration {
	const limit = int64(MaxTime / time.Millisecond)
	return time.Duration(min(max(ms, -limit), limit)) * time.Millisecond
}

// span limits a time to what takes part in the arithmetic.
func span(d time.Duration) time.Duration { return min(max(d, 0), MaxTime) }

// count limits a number of moves to what takes part in the arithmetic. A million is
// beyond any game.
func count(n int) int64 { return int64(min(max(n, -1_000_000), 1_000_000)) }

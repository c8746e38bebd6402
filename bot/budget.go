package bot

import (
	"time"

	"zeitnot/clock"
)

// freePlyThink is the longest think on a game's first two plies. The clock stands still
// there, but an opponent waits, and a server may not wait for ever.
const freePlyThink = 3 * time.Second

// turnClock is what is known of the time at the start of one own turn.
type turnClock struct {
	hasClock        bool
	remaining       time.Duration // ours; without a clock the days left, 0 when unlimited
	increment, base time.Duration
	ownMoves        int // own moves completed
	plies           int // moves on the board
	overhead        clock.Overhead
	// toMove is the time left to make a first move before the server ends the game; 0 when
	// there is no such limit.
	toMove time.Duration
}

// noClockShare is the part of a correspondence turn's time that one think may take at
// most: a guess that leaves room for a hundred waiting games and a day without network.
const noClockShare = 200

// patience is how long a game without a clock waits for a search slot while others search;
// left is the time for the turn, 0 when there is no end of it.
func patience(left time.Duration) time.Duration {
	const longest = time.Hour
	if left <= 0 {
		return longest
	}
	return min(longest, left/4)
}

// budget asks the policy, or decides by itself where there is no clock to ask about.
func budget(p clock.Policy, t turnClock, noClockThink time.Duration) clock.Budget {
	var b clock.Budget
	switch {
	case !t.hasClock:
		think := noClockThink
		if t.remaining > 0 {
			think = min(think, t.remaining/noClockShare)
		}
		b = clock.Budget{Soft: think, Hard: think}
	default:
		b = p.Budget(clock.State{
			Remaining:  t.remaining,
			Increment:  t.increment,
			Base:       t.base,
			MoveNumber: t.ownMoves,
			Overhead:   t.overhead,
		})
	}
	if t.plies < 2 {
		b.Hard = min(b.Hard, freePlyThink)
		if t.toMove > 0 {
			b.Hard = min(b.Hard, t.toMove/2)
		}
	}
	b.Soft = min(b.Soft, b.Hard)
	return b
}

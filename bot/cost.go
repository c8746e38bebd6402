package bot

import (
	"time"

	"zeitnot/clock"
)

// paid is our clock as it stood still: what a state showed while the opponent was to move.
// The difference of two such clocks is what the server charged for the move between them.
type paid struct {
	known bool
	clock time.Duration
	plies int // on the board
	// undone: moves were taken back since our move before.
	undone bool
}

// notePaid keeps our clock from a state in which it does not run.
func (g *game) notePaid() {
	if g.root.Position().SideToMove() == g.us {
		return
	}
	g.paid = paid{known: g.hasClock(), clock: g.state.Time(g.me).Duration(), plies: g.root.Len()}
}

// cost is what a move of ours was seen to cost. The zero value: nothing can be told.
type cost struct {
	known    bool
	overhead time.Duration   // charged beyond the time up to the writing of the move
	rejected clock.Rejection // not to be learnt from
	estimate clock.Overhead  // after it
}

// learn takes what the move that the latest state shows has cost.
func (g *game) learn(p *pendingMove) cost {
	after := g.root.Len() == p.plies+1
	if !p.hasClock || !after || g.root.Position().SideToMove() == g.us {
		return cost{}
	}
	g.overshot(p)
	s := clock.Sample{
		Remaining: g.state.Time(g.me).Duration(),
		OwnMoves:  g.ownMoves() - 1,
		Resumed:   p.turn.resumed,
		Takeback:  g.paid.undone,
		Final:     g.state.Status.Over(),
	}
	// The free first moves need no clock before them to be told apart.
	if !s.Resumed && !s.Takeback && !s.Final && s.OwnMoves > 0 && (!g.paid.known || g.paid.plies != p.plies-1) {
		return cost{}
	}
	if p.paused {
		return cost{} // the server asked for a pause: no matter of the way to it
	}
	s.Charged = g.paid.clock - s.Remaining + g.state.Inc(g.me).Duration()
	s.Own = p.firstWritten().Sub(p.turn.arrival)
	c := cost{known: true, overhead: s.Charged - s.Own}
	c.estimate, c.rejected = g.way.observe(s)
	return c
}

// overshot tells the network how late the move left our side. Waiting for a search slot is
// no lateness: the absolute deadline has paid for it.
func (g *game) overshot(p *pendingMove) {
	if !p.excused {
		g.way.overshot(p.firstWritten().Sub(p.turn.hard(p.turn.arrival)))
	}
}

// undone notes that the clocks of the states before belong to moves that are gone.
func (g *game) undone() { g.paid = paid{undone: true} }

package bot

import (
	"errors"
	"sync/atomic"
	"time"

	"zeitnot/bot/flight"
	"zeitnot/engine/position"
	"zeitnot/lichess"
)

// pendingMove is a move on its way. It is pending until the stream shows a longer list:
// an answer of the server alone proves nothing, and a lost one disproves nothing.
type pendingMove struct {
	decision
	plies    int // on the board before the move
	uci      string
	offer    bool // offers a draw
	clock    time.Duration
	hasClock bool
	delivery
	doubted bool // the stream was asked to explain
	// excused: it left late for a reason that is no lateness of ours.
	excused  bool
	searched bool                      // its search had begun
	paused   bool                      // the server asked for a pause
	written  atomic.Pointer[time.Time] // of the first attempt; nil as long as it is not
	sent     time.Time                 // start of the first attempt
}

// departed tells that the pending move is on its way. Nothing that it looks at changes once
// the move is being sent.
func (g *game) departed(p *pendingMove, written time.Time) {
	if g.options.Departed == nil || !p.hasClock {
		return
	}
	t := p.turn
	d := flight.Departure{
		Game: g.id, Move: p.uci, Ply: p.plies + 1,
		Arrived: t.arrival, Deadline: t.hard(t.arrival), Decided: t.arrival.Add(p.used), Sent: p.sent, Written: written,
		NoSlot: !p.searched, Searching: p.searched && errors.Is(p.err, errLate),
	}
	if p.searched {
		d.SlotWait = t.slotWait
	}
	g.options.Departed(d)
}

// firstWritten is when the move had first been written to a connection, or given to one.
func (p *pendingMove) firstWritten() time.Time {
	if at := p.written.Load(); at != nil {
		return *at
	}
	return p.sent
}

// decided takes the answer of a search. It is sent unless the position has changed since.
func (g *game) decided(d decision) {
	if d.turn != g.turn {
		return
	}
	g.turn = nil
	if d.err != nil {
		g.log.Warn().Err(d.err).Str("source", d.Source).Msg("move without a finished search")
	}
	switch {
	case d.scored:
		g.book.searched(d.Score, g.options.Draw, g.options.Resign)
	case d.err != nil:
		g.book.failed()
	}
	if d.Best == position.NoMove {
		return // no legal move: the server will say so
	}
	p := &pendingMove{decision: d, plies: g.root.Len()}
	p.uci = g.root.Position().UCI(d.Best, g.kingTakesRook())
	p.clock, p.hasClock = g.state.Time(g.me).Duration(), g.hasClock()
	p.excused, p.searched = d.turn.waited(), d.turn.started()
	g.pending = p
	if d.scored && g.options.Resign.hopeless(&g.book) && g.root.Len() >= 2 {
		p.excused = true
		g.resign(p)
		return
	}
	p.offer = g.wantsDraw()
	if wait := g.leisure(p); wait > 0 {
		p.status = waiting
		g.retry.set(wait)
		return
	}
	g.attempt()
}

// leisure is how long the move waits before it is sent: not at all, unless moves that took
// no time, from a book or against an opponent who answers at once, have run us into debt. A
// move that has thought for its soft limit is not held up.
func (g *game) leisure(p *pendingMove) time.Duration {
	debt := g.client.Debt()
	if debt <= 0 {
		return 0
	}
	return min(debt, time.Until(p.turn.arrival.Add(p.turn.budget.Soft)))
}

// kingTakesRook tells how castling is written in this game: standard games take both
// notations, the others only king takes rook.
func (g *game) kingTakesRook() bool { return g.full.Variant.Key != lichess.Standard }

// unexplained doubts the stream: it should have shown by now what became of the pending
// move. A new stream starts with the whole truth. When none comes the move is sent again:
// if it has been played after all, it cannot be played a second time.
func (g *game) unexplained() {
	switch p := g.pending; {
	case p == nil:
	case p.doubted:
		p.doubted = false
		g.log.Info().Str("move", p.uci).Msg("no stream shows the move, sending it again")
		g.attempt()
	default:
		p.doubted = true
		g.log.Info().Str("move", p.uci).Msg("stream does not show the move, reopening it")
		g.follow.reopen()
		g.check.set(explainMost)
	}
}

// settle decides on a pending move when a new stream shows that it has not been played
// although the server had answered.
func (g *game) settle(fresh bool) {
	p := g.pending
	if p == nil || !fresh || !p.doubted {
		return
	}
	p.doubted = false
	switch p.status {
	case accepted:
		g.log.Warn().Str("move", p.uci).Msg("accepted move was not played, sending it again")
		p.status = waiting
		g.retry.set(retryDelay(p.attempts))
	case refused:
		g.reconsider(p)
	}
}

// reconsider deals with a move that the server refuses although it is our turn: once more
// the same, in case the refusal was about a passing state, then another move.
func (g *game) reconsider(p *pendingMove) {
	const same = 2
	g.log.Warn().Str("move", p.uci).Str("fen", g.root.Position().FEN()).Int("attempts", p.attempts).Msg("refused move while it is our turn")
	if p.attempts < same {
		p.status = waiting
		g.retry.set(retryDelay(p.attempts))
		return
	}
	g.refused = append(g.refused, p.Best)
	var all position.MoveList
	g.root.Position().Legal(&all)
	if len(g.refused) >= all.Len() {
		g.refused = nil // nothing else is left: begin again, at leisure
		p.status = waiting
		g.retry.set(retryDelay(10))
		return
	}
	g.pending = nil // play starts a search for another move
}

// confirm resolves the pending move when the list has changed: the new list shows it, or
// something else has happened. Either way nothing is pending any more.
func (g *game) confirm() {
	p := g.pending
	if p == nil {
		return
	}
	g.pending = nil
	g.retry.clear()
	g.hedge.clear()
	g.check.clear()
	p.settled()
	moves := g.root.Moves()
	if len(moves) <= p.plies || moves[p.plies] != p.Best {
		g.log.Info().Str("move", p.uci).Msg("move overtaken by another state")
		return
	}
	if p.offer {
		g.courtesy.lastOffer = p.plies
	}
	g.noteOrigin(p)
	g.expect(p)
	c := g.learn(p)
	g.logMove(p, c)
	g.recordMove(p, c)
}

// logMove writes the one line that a move gets.
func (g *game) logMove(p *pendingMove, c cost) {
	e := g.log.Info().Int("ply", p.plies+1).Str("move", p.uci)
	if p.hasClock {
		e = e.Dur("clock", p.clock)
	}
	e = e.Dur("soft", brief(p.turn.budget.Soft)).Dur("hard", brief(p.turn.budget.Hard)).Dur("used", brief(p.used))
	if p.pondered {
		e = e.Bool("ponder_hit", true)
	}
	if p.turn.budget.Red {
		e = e.Bool("red", true)
	}
	if c.known {
		// What is not counted as overhead is not shown as one either.
		if c.rejected == "" {
			e = e.Dur("overhead", brief(c.overhead))
		}
		e = e.Dur("overhead_mean", brief(c.estimate.Mean)).Dur("overhead_q90", brief(c.estimate.Q90)).
			Dur("guard", brief(c.estimate.Guard))
	}
	if c.rejected != "" {
		e = e.Str("overhead_unused", string(c.rejected))
	}
	if c.estimate.Stalled {
		e = e.Bool("stalled", true)
	}
	e = e.Int("depth", p.Depth).Uint64("nodes", p.Nodes)
	if p.scored {
		e = e.Str("score", p.Score.String())
	}
	e.Str("source", p.Source).Int("attempts", p.attempts).Bool("hedged", p.hedgedIn > 0).Msg("move")
}

// brief is a duration as the log shows it, to a tenth of a millisecond.
func brief(d time.Duration) time.Duration { return d.Round(100 * time.Microsecond) }

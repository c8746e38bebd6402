package bot

import (
	"slices"
	"time"

	"zeitnot/clock"
	"zeitnot/engine/position"
	"zeitnot/lichess"
)

// begin takes a gameFull: the first line of every stream, so also a fresh start after a
// lost one. It carries the whole truth; whatever was known before only tells what changed.
func (g *game) begin(full *lichess.GameFull, arrived time.Time) {
	first := g.full == nil
	me, ok := full.ColorOf(g.account)
	if !ok {
		// An AI or anonymous opponent has no id, but we do.
		g.log.Error().Str("account", g.account).Msg("game of somebody else")
		g.over = &ending{lost: true}
		return
	}
	g.full, g.me, g.us = full, me, position.White
	if me == lichess.Black {
		g.us = position.Black
	}
	if first {
		g.introduce(full)
		g.recordStart()
	}
	g.update(&full.State, arrived, true)
}

// introduce logs the game and greets, once and not in games that are taken up again.
func (g *game) introduce(full *lichess.GameFull) {
	opponent := full.Player(g.me.Other())
	plies := len(full.State.MoveList())
	ownMoves := (plies + 1) / 2
	if g.me == lichess.Black {
		ownMoves = plies / 2
	}
	e := g.log.Info().Str("opponent", opponent.Name).Str("title", opponent.Title).Int("rating", opponent.Rating).
		Str("color", string(g.me)).Str("variant", string(full.Variant.Key)).Str("speed", string(full.Speed)).
		Bool("rated", full.Rated).Int("plies", plies)
	if c := full.Clock; c != nil {
		e = e.Dur("initial", c.Initial.Duration()).Dur("increment", c.Increment.Duration())
	}
	e.Msg("game")
	if plies < 2 && ownMoves == 0 && !full.State.Status.Over() && opponent.AILevel == 0 {
		g.chat.greet(full.Player(g.me).Name, opponent.Name, g.courtesy.again)
	}
}

// update takes a state: the whole move list, both clocks and the flags. fresh marks the
// state of a gameFull, which is younger than every answer received before its stream.
func (g *game) update(s *lichess.GameState, arrived time.Time, fresh bool) {
	if !fresh && g.doubtful(s) {
		g.log.Info().Int("from", g.root.Len()).Int("to", len(s.MoveList())).Msg("moves are missing that nobody took back, reopening the stream")
		g.follow.reopen()
		return
	}
	before := g.root.Moves()
	known := g.began || g.root.Len() > 0
	changed, ok := g.replay(s)
	if !ok && !s.Status.Over() {
		return
	}
	g.state, g.arrived = *s, arrived
	if changed {
		g.moved(before, known)
	}
	if g.hasClock() {
		g.follow.hurry(s.Time(g.me).Duration())
	}
	g.notePaid()
	if s.Status.Over() {
		g.over = &ending{status: s.Status, winner: s.Winner}
		return
	}
	g.answerOffers()
	g.settle(fresh)
	g.play(arrived, fresh)
}

// doubtful tells whether a state is an old one that comes late: it has fewer moves than we
// know, and we have granted no takeback. Only a new stream tells then what is true.
func (g *game) doubtful(s *lichess.GameState) bool {
	return len(s.MoveList()) < len(g.state.MoveList()) && !g.courtesy.granting && !s.Status.Over()
}

// replay brings the game to the state's move list. It reports whether the moves differ
// from those known, and false when they cannot be replayed.
func (g *game) replay(s *lichess.GameState) (changed, ok bool) {
	moves := s.MoveList()
	if g.state.Status != "" && s.Moves == g.state.Moves && g.root.Len() == len(moves) {
		return false, true
	}
	next, err := g.follows(moves)
	if err != nil {
		next, err = position.ParseGame(g.full.InitialFEN, g.full.Variant.Key == lichess.Chess960, moves)
	}
	if err != nil {
		g.cannotReplay(s.Moves, err)
		return false, false
	}
	g.puzzled = 0
	// The same moves may come back in the other castling notation.
	changed = g.state.Status == "" || !slices.Equal(g.root.Moves(), next.Moves())
	g.root = next
	return changed, true
}

// follows extends the known game by what the list has more, the usual case.
func (g *game) follows(moves []string) (position.Game, error) {
	known := g.state.MoveList()
	if g.state.Status == "" || len(moves) < len(known) || !slices.Equal(known, moves[:len(known)]) {
		return position.ParseGame(g.full.InitialFEN, g.full.Variant.Key == lichess.Chess960, moves)
	}
	next := g.root
	for _, m := range moves[len(known):] {
		var err error
		if next, err = next.PlayUCI(m); err != nil {
			return next, err
		}
	}
	return next, nil
}

// cannotReplay is a game that our rules do not understand: a variant that was never ours
// to play, or moves that make no sense. The first is left at once, the second when new
// streams tell the same: it would hold its slot, and be lost on time in the end.
func (g *game) cannotReplay(moves string, err error) {
	g.puzzled++
	if !slices.Contains(playable[:], g.full.Variant.Key) {
		g.leaveUnplayable()
		return
	}
	g.log.Error().Err(err).Str("initial_fen", g.full.InitialFEN).Str("moves", moves).Msg("moves cannot be replayed")
	if g.puzzled > enoughPuzzles {
		g.leaveUnplayable()
		return
	}
	g.follow.reopen()
}

// enoughPuzzles is how many states in a row may make no sense before the game is left.
const enoughPuzzles = 3

// moved tells everybody that the position is another one: longer is play going on,
// shorter a takeback, and anything else means that we had missed something. All end what
// was under way for the old position.
func (g *game) moved(before []position.Move, known bool) {
	after := g.root.Moves()
	shared := 0
	for shared < min(len(before), len(after)) && before[shared] == after[shared] {
		shared++
	}
	switch {
	case !known:
	case shared == len(before):
	case shared == len(after):
		g.log.Info().Int("from", len(before)).Int("to", len(after)).Msg("takeback")
		g.book.failed()
		g.undone()
	default:
		g.log.Warn().Int("shared", shared).Int("from", len(before)).Int("to", len(after)).Msg("other moves than those known, resynchronised")
		g.book.failed()
		g.undone()
	}
	if t := g.turn; t != nil {
		t.stale()
		g.turn = nil
	}
	g.refused = nil
	g.ponderMissed()
	g.noteClock()
	g.confirm()
	g.absence.reset()
}

// play starts what the position asks for: a search when it is our turn and none is under
// way, else the waiting for the opponent.
func (g *game) play(arrived time.Time, fresh bool) {
	pos := g.root.Position()
	if pos.SideToMove() != g.us {
		g.awaitOpponent()
		g.ponderOn()
		return
	}
	if g.turn != nil || g.pending != nil {
		return // the same position again: flags only
	}
	if !pos.HasLegalMove() {
		return // mate or stalemate: the server will say so
	}
	if !slices.Contains(playable[:], g.full.Variant.Key) {
		g.leaveUnplayable()
		return
	}
	g.think(arrived, fresh)
}

// think starts a search for the present position. resumed: the turn may have begun before
// the state that told us of it.
func (g *game) think(arrived time.Time, resumed bool) {
	now := g.turnClock()
	t := &turn{
		game:         g.id,
		root:         g.root,
		arrival:      arrived,
		budget:       budget(g.options.Clock, now, g.options.NoClockThink),
		resumed:      resumed,
		scale:        clock.Follow(g.options.Clock),
		fresh:        !g.began,
		introduction: g.introduction(),
		refused:      g.refused,

		pondered: g.ponderHit(),
		progress: &progress{},
	}
	if t.pondered != nil {
		t.progress = t.pondered.best
	}
	if now.hasClock {
		t.clock = &now.remaining
	} else {
		t.patience = patience(now.remaining)
	}
	g.turn = t
	g.client.PrepareMove()
	if d, ok := t.forced(); ok {
		g.decided(d)
		return
	}
	g.began = true
	g.thinker.think(g.ctx, g.spawn, t, func(d decision) {
		select {
		case g.decisions <- d:
		case <-g.ctx.Done():
		}
	})
}

// turnClock is what the latest state says of our time.
func (g *game) turnClock() turnClock {
	plies := g.root.Len()
	t := turnClock{
		hasClock: g.hasClock(),
		ownMoves: g.ownMoves(),
		plies:    plies,
	}
	if left := g.state.Time(g.me); left != lichess.UnlimitedMillis {
		t.remaining = left.Duration()
	}
	if t.hasClock {
		t.increment = g.state.Inc(g.me).Duration()
		t.base = g.full.Clock.Initial.Duration()
		t.overhead = g.way.overhead(t.remaining)
	}
	if e := g.state.Expiration; e != nil {
		t.toMove = max(time.Millisecond, (e.ToMove - e.Idle).Duration())
	}
	return t
}

// hasClock tells whether the game is played on a real-time clock.
func (g *game) hasClock() bool {
	return g.full.Clock != nil && g.state.Time(g.me) != lichess.UnlimitedMillis
}

// ownMoves counts the moves that we have made.
func (g *game) ownMoves() int {
	plies := g.root.Len()
	if g.root.Initial().SideToMove() == g.us {
		return (plies + 1) / 2
	}
	return plies / 2
}

// clockLeft is our clock now, as far as we can know it; false when nothing is running out.
func (g *game) clockLeft() (time.Duration, bool) {
	if !g.hasClock() || g.root.Len() < 2 {
		return 0, false
	}
	left := g.state.Time(g.me).Duration()
	if g.root.Position().SideToMove() == g.us {
		left -= time.Since(g.arrived)
	}
	return max(0, left), true
}

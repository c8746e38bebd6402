package bot

import (
	"context"
	"time"

	"zeitnot/lichess"
)

// absence is the opponent who does not come, or left.
type absence struct {
	abort   *alarm // the first move is overdue
	aborted bool   // asked for once, never again

	claim  *alarm // the win may be claimed
	tries  int    // claims made since the opponent left
	notYet time.Time
}

const (
	// claimMargin is added to the server's countdown, which is in whole seconds.
	claimMargin = 500 * time.Millisecond
	// claimGap is the wait after a claim that was refused.
	claimGap   = 10 * time.Second
	claimTries = 3
)

func newAbsence() absence { return absence{abort: newAlarm(), claim: newAlarm()} }

// reset forgets an absence: the position changed.
func (a *absence) reset() {
	a.abort.clear()
	a.claim.clear()
	a.tries = 0
}

// awaitOpponent starts the wait for the opponent's first move. A game without a clock
// waits for days, and the server itself ends tournament games.
func (g *game) awaitOpponent() {
	if g.root.Len() < 2 && g.options.AbortAfter > 0 && g.hasClock() && g.full.TournamentID == "" && !g.absence.aborted {
		g.absence.abort.setOnce(g.options.AbortAfter)
	}
}

// abortNoShow asks once to abort a game whose opponent has not made the first move.
func (g *game) abortNoShow() {
	if g.absence.aborted || g.root.Len() >= 2 || g.root.Position().SideToMove() == g.us {
		return
	}
	g.absence.aborted = true
	g.log.Info().Msg("opponent does not make the first move, aborting")
	g.request(
		func(ctx context.Context) error { return g.client.Abort(ctx, g.id) },
		func(err error) { g.note(err, "abort") })
}

// opponentGone arms the claim for when the server's countdown is over, and disarms it when
// the opponent is back.
func (g *game) opponentGone(line *lichess.OpponentGone) {
	a := &g.absence
	switch {
	case !line.Gone:
		a.claim.clear()
		a.tries = 0
	case line.ClaimWinIn == nil || g.full == nil || !g.hasClock():
	case g.root.Position().SideToMove() == g.us || a.tries >= claimTries:
		// On our turn we move; the server will say again that the opponent is gone.
	default:
		a.claim.set(max(*line.ClaimWinIn+claimMargin, time.Until(a.notYet)))
	}
}

// claim claims the win of a game whose opponent is gone, or the draw when our material
// cannot win any more.
func (g *game) claim() {
	a := &g.absence
	pos := g.root.Position()
	if a.tries >= claimTries || pos.SideToMove() == g.us {
		return
	}
	a.tries++
	a.notYet = time.Now().Add(claimGap)
	claim, what := g.client.ClaimVictory, "claim victory"
	if !pos.CanMate(g.us) {
		claim, what = g.client.ClaimDraw, "claim draw"
	}
	g.log.Info().Int("try", a.tries).Msg(what)
	g.spawn(func() {
		ctx, cancel := context.WithTimeout(g.ctx, requestDeadline)
		defer cancel()
		err := claim(ctx, g.id)
		g.post(func() {
			g.note(err, what)
			// Not yet: the next try, unless the opponent is back by then.
			if a.tries > 0 && a.tries < claimTries {
				a.claim.set(claimGap)
			}
		})
	})
}

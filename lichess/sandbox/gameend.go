package sandbox

import (
	"time"

	"zeitnot/engine/position"
)

// flag ends the game because the side to move is out of time.
func (g *game) flag(now time.Time) {
	loser := g.turn()
	if booted := g.s.bootTime(); !booted.IsZero() && now.Sub(booted) < 2*time.Minute && g.moved.Before(booted) {
		g.finish(Aborted, "")
		return
	}
	g.finishFlag(loser)
}

func (g *game) finishFlag(loser position.Color) {
	winner := g.seats[loser.Other()]
	g.clock.remaining[loser] = 0
	g.clock.running = false
	switch {
	case winner.drawOffer:
		g.finish(Draw, "")
	case !g.play.Position().CanMate(winner.color):
		g.finish(OutOfTime, "")
	default:
		g.finish(OutOfTime, winner.color.String())
	}
}

// checkFlag ends the game if the side to move is out of time. Only streams' ticks, moves,
// web clients and the clean-up ask; there is no timer.
func (g *game) checkFlag(grace bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := time.Now()
	if g.status.Over() {
		return
	}
	if g.clock != nil && g.clock.flagged(now, grace) {
		g.flag(now)
		return
	}
	if g.control.Days > 0 && g.ply() >= 2 && now.Sub(g.moved) > time.Duration(g.control.Days)*24*time.Hour {
		loser := g.turn()
		winner := loser.Other()
		if g.play.Position().CanMate(winner) {
			g.finish(OutOfTime, winner.String())
		} else {
			g.finish(OutOfTime, "")
		}
	}
}

// checkUnwatched is the clean-up job for games whose streams do not tick: because there
// are none, or because their clients do not read.
func (g *game) checkUnwatched() {
	g.mu.Lock()
	ticking := len(g.streams) > 0
	if g.clock != nil {
		wait, ok := g.clock.flagIn(time.Now(), true)
		ticking = ticking && ok && wait > -2*g.s.opts.KeepAlive
	}
	g.mu.Unlock()
	if !ticking {
		g.checkFlag(true)
	}
}

// finish ends the game: final line, ratings, events. The caller holds mu.
func (g *game) finish(status Status, winner string) {
	if g.status.Over() {
		return
	}
	now := time.Now()
	if g.clock != nil {
		g.clock.stop(now)
	}
	g.status, g.winner, g.endedAt = status, winner, now
	for _, st := range g.seats {
		st.drawOffer, st.takeback = false, false
	}
	g.s.settle(g)
	if g.endsTwice {
		g.push(encode(g.stateJSON(now)), g.ply(), false, nil)
	}
	g.push(encode(g.stateJSON(now)), g.ply(), true, nil)
	close(g.over)
	g.wake()
	record := g.record()
	if g.s.opts.OnFinish != nil {
		g.s.opts.OnFinish(record)
	}
	g.s.announceEnd(g)
}

// settle counts the finished game and moves the ratings. It takes the server's mutex.
func (s *Server) settle(g *game) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.live, g)
	if g.status == Aborted {
		return
	}
	for _, st := range g.seats {
		if st.account == nil {
			continue
		}
		c := &st.account.counts
		c.all++
		if g.rated {
			c.rated++
		}
		switch g.winner {
		case "":
			c.draw++
		case st.color.String():
			c.win++
		default:
			c.loss++
		}
	}
	white, black := g.seats[0], g.seats[1]
	if !g.rated || white.account == nil || black.account == nil {
		return
	}
	score := 0.5
	switch g.winner {
	case "white":
		score = 1
	case "black":
		score = 0
	}
	dw, db := rate(white.account.perf(g.perfKey), black.account.perf(g.perfKey), score)
	white.diff, black.diff = &dw, &db
}

// Forget makes the server lose a running game without a word, as it deletes unplayed ones
// after a day: nobody finds it any more, and its streams stay open and say nothing.
func (s *Server) Forget(gameID string) {
	g := s.game(gameID)
	if g == nil {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.status.Over() {
		return
	}
	if g.clock != nil {
		g.clock.stop(time.Now())
	}
	g.status, g.endedAt = Aborted, time.Now()
	close(g.over)
	g.wake()
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.live, g)
	delete(s.games, g.id)
	s.finished++
	s.notify()
}

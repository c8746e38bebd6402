package bot

import (
	"context"
	"time"

	"zeitnot/lichess"
)

const (
	// askEvery is the time between two comparisons with the server's list of our games; a
	// quarter more or less is drawn.
	askEvery = 45 * time.Second
	// askDraining is the same while somebody waits for the last games to end.
	askDraining = 10 * time.Second
	// askLimit is the longest list that the server gives.
	askLimit = 50
)

// ask compares our games with the server's list, beside the loop and one at a time. An
// answer, and a stream that is open, show that our token is good.
func (d *Daemon) ask(ctx context.Context) {
	if d.asking {
		return
	}
	d.asking, d.askAnother = true, false
	asked := time.Now()
	every := askEvery
	if d.draining {
		every = askDraining
	}
	d.nextAsk = asked.Add(every*3/4 + time.Duration(d.options.Random()*float64(every/2)))
	if d.unauthorized {
		d.nextAsk = asked.Add(authPause)
	}
	d.beside.Go(func() {
		asking, cancel := context.WithTimeout(ctx, requestDeadline)
		defer cancel()
		playing, err := d.client.Playing(asking)
		d.post(ctx, func() {
			d.asking = false
			if err != nil {
				d.log.Debug().Err(err).Msg("list of running games")
				d.askAgain(err)
				return
			}
			d.unasked = 0
			if d.streamOpen.Load() {
				d.setUnauthorized(false)
			}
			d.compare(ctx, playing, asked)
			if d.askAnother {
				d.ask(ctx)
			}
		})
	})
}

// askAfresh is ask where a list that is under way already may have been made too early.
func (d *Daemon) askAfresh(ctx context.Context) {
	d.askAnother = d.asking
	d.ask(ctx)
}

// askAgain sees to it that a list that did not come is asked for again soon: games may wait
// to be found in it. A pause that the server asks for is kept.
func (d *Daemon) askAgain(err error) {
	const first, longest = 2 * time.Second, 10 * time.Second
	if d.unauthorized || lichess.IsAuth(err) {
		return
	}
	d.unasked++
	soon := max(min(longest, first<<min(d.unasked-1, 5)), lichess.RetryAfterOf(err))
	if at := time.Now().Add(soon); at.Before(d.nextAsk) {
		d.nextAsk = at
	}
}

// askSoon asks for a comparison from outside the loop.
func (d *Daemon) askSoon() {
	select {
	case d.nudge <- struct{}{}:
	default:
	}
}

// compare adopts games that nobody plays and has games looked at that the server no
// longer lists.
func (d *Daemon) compare(ctx context.Context, list []lichess.GameInfo, asked time.Time) {
	listed := map[string]bool{}
	for i := range list {
		info := &list[i]
		id := gameID(info)
		listed[id] = true
		if r := d.games[id]; r != nil {
			r.game.tellListed(listing{asked: asked, ours: info.IsMyTurn})
		}
		if !info.Status.Over() && d.games[id] == nil && !d.ended.has(id) && !time.Now().Before(d.crashed[id].until) {
			d.log.Info().Str("game", id).Msg("taking up a running game")
			d.startGame(ctx, info)
		}
	}
	if len(list) >= askLimit {
		return // there may be more
	}
	for id, r := range d.games {
		if !listed[id] && r.since.Before(asked) {
			r.game.tellListed(listing{asked: asked, absent: true})
		}
	}
	for id := range d.crashed {
		if !listed[id] {
			delete(d.crashed, id)
		}
	}
}

package bot

import (
	"context"
	"math/rand/v2"
	"time"

	"zeitnot/lichess"
)

const (
	// askEvery is the time between two comparisons with the server's list of our games; a
	// quarter more or less is drawn.
	askEvery = 45 * time.Second
	// askLimit is the longest list that the server gives.
	askLimit = 50
)

// ask compares our games with the server's list, beside the loop and one at a time.
func (d *Daemon) ask(ctx context.Context) {
	if d.asking {
		return
	}
	d.asking = true
	d.nextAsk = time.Now().Add(askEvery*3/4 + rand.N(askEvery/2))
	asked := time.Now()
	d.beside.Go(func() {
		asking, cancel := context.WithTimeout(ctx, requestDeadline)
		defer cancel()
		playing, err := d.client.Playing(asking)
		d.post(ctx, func() { d.asking = false })
		if err != nil {
			d.log.Debug().Err(err).Msg("list of running games")
			return
		}
		d.post(ctx, func() { d.compare(ctx, playing, asked) })
	})
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
			d.log.Debug().Str("game", id).Msg("not among the running games, looking at it")
			r.game.lookAgain()
		}
	}
	for id := range d.crashed {
		if !listed[id] {
			delete(d.crashed, id)
		}
	}
}

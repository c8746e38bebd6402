package bot

import (
	"context"
	"time"

	"zeitnot/lichess"
)

// readEvents keeps the event stream open until the context ends. Whatever ends it -
// silence, reset, a clean end, a refusal - it is opened again, 1 to 60 s later, for ever.
// The server repeats all running games and open challenges at each opening.
func (d *Daemon) readEvents(ctx context.Context) {
	wait := lichess.ReconnectBackoff(d.options.Random)
	for ctx.Err() == nil {
		d.eventPulse.beat()
		err := d.readEventStream(ctx, wait)
		d.streamOpen.Store(false)
		if ctx.Err() != nil {
			return
		}
		pause := wait.Next(err)
		if lichess.IsAuth(err) {
			pause = max(pause, authPause)
			d.post(ctx, func() { d.setUnauthorized(true) })
		}
		d.log.Warn().Err(err).Dur("pause", pause).Msg("event stream ended, opening it again")
		d.eventPulse.rest(pause)
		if lichess.IsAuth(err) || lichess.IsRateLimited(err) {
			if lichess.Sleep(ctx, pause) != nil {
				return
			}
			continue
		}
		d.sleepWhileAway(ctx, pause)
	}
}

// sleepWhileAway waits for so long, or until a game's stream shows that the server is back.
func (d *Daemon) sleepWhileAway(ctx context.Context, pause time.Duration) {
	select {
	case <-d.back: // from before
	default:
	}
	t := time.NewTimer(pause)
	defer t.Stop()
	select {
	case <-t.C:
	case <-d.back:
	case <-ctx.Done():
	}
}

// serverAnswers is called when a game's stream opens.
func (d *Daemon) serverAnswers() {
	select {
	case d.back <- struct{}{}:
	default:
	}
}

// readEventStream reads one stream to its end.
func (d *Daemon) readEventStream(ctx context.Context, wait *lichess.Backoff) error {
	var opened time.Time
	return d.client.StreamEvents(ctx, func(line lichess.EventLine) {
		d.eventPulse.beat()
		if opened.IsZero() {
			opened = time.Now()
			d.eventStreamOpen(ctx)
		}
		// A stream that holds makes the next failure a first one. The replay at the opening
		// proves little: two programs on one token would end each other's streams at full speed.
		if time.Since(opened) >= steadyAfter {
			wait.Reset()
		}
		if line.Event != nil {
			select {
			case d.events <- *line.Event:
			case <-ctx.Done():
			}
		}
	})
}

func (d *Daemon) eventStreamOpen(ctx context.Context) {
	d.streamOpen.Store(true)
	d.readyOnce.Do(func() { close(d.ready) })
	d.log.Info().Msg("event stream open")
	d.post(ctx, func() { d.setUnauthorized(false) })
	d.askSoon()
}

// setUnauthorized stops or resumes new work.
func (d *Daemon) setUnauthorized(yes bool) {
	if yes && !d.unauthorized {
		d.log.Error().Msg("the server refuses the token: no new games until it is accepted again")
	}
	d.unauthorized = yes
}

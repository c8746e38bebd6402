package bot

import (
	"context"

	"zeitnot/lichess"
)

// ownChallenge notes a challenge that the account itself made, by whatever means.
func (d *Daemon) ownChallenge(ctx context.Context, c *lichess.Challenge) {
	if len(d.outgoing) < 100 { // more than anybody can have open
		d.outgoing[c.ID] = true
	}
	if d.draining {
		d.cancelOwn(ctx, c.ID)
	}
}

// cancelOwn withdraws an own challenge.
func (d *Daemon) cancelOwn(ctx context.Context, id string) {
	delete(d.outgoing, id)
	d.lastWords.Add(1)
	d.beside.Go(func() {
		defer d.lastWords.Add(-1)
		ctx, cancel := context.WithTimeout(ctx, requestDeadline)
		defer cancel()
		if err := persist(ctx, d.options.Random, func(ctx context.Context) error { return d.client.CancelChallenge(ctx, id) }); err != nil {
			d.log.Info().Err(err).Str("challenge", id).Msg("cancel own challenge")
		}
	})
}

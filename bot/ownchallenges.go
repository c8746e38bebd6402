package bot

import (
	"context"
	"strings"

	"zeitnot/lichess"
)

// fits tells whether a challenge of ours is the proposal. The server may have made it a casual
// one.
func (p *proposal) fits(c *lichess.Challenge) bool {
	variant := p.wish.Variant
	if variant == "" {
		variant = lichess.Standard
	}
	return c.DestUser != nil && strings.EqualFold(c.DestUser.ID, p.wish.User) && c.Variant.Key == variant &&
		c.TimeControl.HasClock() && c.TimeControl.Limit == p.wish.Time.Limit && c.TimeControl.Increment == p.wish.Time.Increment
}

// ours tells whether the account itself made the challenge, by whatever means.
func (d *Daemon) ours(c *lichess.Challenge) bool {
	return c.Challenger != nil && strings.EqualFold(c.Challenger.ID, d.account.ID)
}

// recognize tells whether a challenge of the account is or was a proposal of ours.
func (d *Daemon) recognize(ctx context.Context, c *lichess.Challenge) bool {
	if p := d.proposal; p != nil && p.id == "" && c.ID != "" && !d.settled.has(c.ID) && !d.outgoing[c.ID] && p.fits(c) {
		d.identify(ctx, p, c.ID)
	}
	return d.settled.has(c.ID)
}

// ownChallenge takes the event of a challenge that the account made. Those that the owner made
// by other means are noted, and withdrawn by a drain.
func (d *Daemon) ownChallenge(ctx context.Context, c *lichess.Challenge) {
	if d.recognize(ctx, c) {
		return
	}
	if len(d.outgoing) < 100 { // more than anybody can have open
		d.outgoing[c.ID] = true
	}
	if d.draining {
		d.cancelOwn(ctx, c.ID)
	}
}

// challengeDeclined takes the event that a challenge was declined, by us or by the other.
func (d *Daemon) challengeDeclined(ctx context.Context, c *lichess.Challenge) {
	delete(d.outgoing, c.ID)
	if !d.ours(c) || !d.recognize(ctx, c) {
		return
	}
	why := c.DeclineReason
	if why == "" {
		why = c.DeclineReasonKey
	}
	d.proposalOver(ctx, c.ID, ProposalEnd{Outcome: Declined, Why: why})
}

// proposalStarted tells whoever asked that the game is there. A game that begins after its
// challenge was withdrawn is played like any other.
func (d *Daemon) proposalStarted(ctx context.Context, id string) {
	if d.withdrawn.has(id) {
		d.log.Warn().Str("game", id).Int("used", d.slots.used()).Int("slots", d.slots.capacity).
			Msg("a challenge that we withdrew has become a game, playing it all the same")
	}
	d.proposalOver(ctx, id, ProposalEnd{Outcome: Accepted, Game: d.options.SiteURL + "/" + id})
}

// proposalOver ends the proposal of this id. A withdrawal that is on its way comes too late, and
// is not sent again: the server would abort a game that has begun.
func (d *Daemon) proposalOver(ctx context.Context, id string, end ProposalEnd) {
	p := d.proposal
	if p == nil || p.id != id {
		return
	}
	d.tell(p, end)
	if p.cancelling != nil {
		p.over = true
		p.cancelling()
		return
	}
	d.endProposal(ctx)
}

// proposalGone takes the event that the proposal was withdrawn, by us or by other means.
func (d *Daemon) proposalGone(ctx context.Context, id string) {
	p := d.proposal
	switch {
	case p == nil || p.id != id || p.cancelling != nil:
	case p.unwanted:
		d.proposalOver(ctx, id, p.end)
	default:
		d.proposalOver(ctx, id, ProposalEnd{Outcome: Withdrawn, Why: "by somebody else with this account"})
	}
}

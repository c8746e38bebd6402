package bot

import (
	"context"
	"fmt"
	"time"

	"zeitnot/lichess"
)

// cancelAgain is the wait before a withdrawal that was not answered is sent again.
const cancelAgain = 10 * time.Second

// watchProposal does what only time makes due.
func (d *Daemon) watchProposal(ctx context.Context, now time.Time) {
	p := d.proposal
	switch {
	case p == nil || p.cancelling != nil:
	case p.id == "":
		switch {
		case !d.streamOpen.Load():
			p.asked = now // it can only show when the stream is open again
		case now.After(p.asked.Add(lostTime)):
			d.endProposal(ctx) // it was never made
		}
	case p.unwanted:
		if now.After(p.retry) {
			d.cancelProposal(ctx, p)
		}
	case now.After(p.expires):
		d.withdraw(ctx, p, ProposalEnd{Outcome: Unanswered, Why: fmt.Sprintf("no answer within %v", proposalPatience)})
	}
}

// withdraw takes a proposal back, as soon as its id is known.
func (d *Daemon) withdraw(ctx context.Context, p *proposal, end ProposalEnd) {
	p.asker = nil
	if p.unwanted {
		return
	}
	p.unwanted, p.end = true, end
	if p.id != "" {
		d.cancelProposal(ctx, p)
	}
}

// drainProposal takes the proposal back without waiting for anything.
func (d *Daemon) drainProposal(ctx context.Context) {
	p := d.proposal
	if p == nil {
		return
	}
	end := ProposalEnd{Outcome: Withdrawn, Why: "the bot is being stopped"}
	d.tell(p, end)
	d.slots.giveUp(p.slot())
	d.withdraw(ctx, p, end)
}

// cancelProposal asks the server to withdraw the proposal.
func (d *Daemon) cancelProposal(ctx context.Context, p *proposal) {
	cancelling, stop := context.WithCancel(ctx)
	p.cancelling = stop
	d.withdrawn.add(p.id)
	id := p.id
	d.beside.Go(func() {
		defer stop()
		err := d.cancel(cancelling, id)
		d.post(ctx, func() {
			if d.proposal == p && p.id == id {
				d.cancelAnswered(ctx, p, err)
			}
		})
	})
}

// cancelAnswered ends the proposal if the server has said anything to the withdrawal: a refusal
// means that there is nothing left to withdraw.
func (d *Daemon) cancelAnswered(ctx context.Context, p *proposal, err error) {
	p.cancelling = nil
	end := p.end
	switch {
	case err == nil, p.over:
	case certain(err) && !lichess.IsRateLimited(err) && !lichess.IsAuth(err):
		d.log.Info().Err(err).Str("challenge", p.id).Msg("withdrawal refused")
		end.Why += "; the server had nothing to withdraw any more, it may have become a game"
		d.askAfresh(ctx) // it may be a game whose start was lost
	default:
		d.log.Warn().Err(err).Str("challenge", p.id).Msg("withdrawal not answered, will be sent again")
		pause := max(cancelAgain, lichess.RetryAfterOf(err))
		if lichess.IsAuth(err) {
			pause = authPause
		}
		p.retry = time.Now().Add(pause)
		end.Why += "; the server has not confirmed the withdrawal yet, it is sent again"
		d.tell(p, end)
		return
	}
	d.tell(p, end)
	d.endProposal(ctx)
}

// cancelOwn withdraws a challenge that the owner made by other means.
func (d *Daemon) cancelOwn(ctx context.Context, id string) {
	delete(d.outgoing, id)
	d.lastWords.Add(1)
	d.beside.Go(func() {
		defer d.lastWords.Add(-1)
		if err := d.cancel(ctx, id); err != nil {
			d.log.Info().Err(err).Str("challenge", id).Msg("cancel own challenge")
		}
	})
}

// cancel asks the server to withdraw a challenge, a few times if need be.
func (d *Daemon) cancel(ctx context.Context, id string) error {
	ctx, cancel := context.WithTimeout(ctx, requestDeadline)
	defer cancel()
	return persist(ctx, d.options.Random, func(ctx context.Context) error { return d.client.CancelChallenge(ctx, id) })
}

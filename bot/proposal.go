package bot

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"zeitnot/lichess"
)

// Proposal is a challenge that we are asked to make.
type Proposal struct {
	User string `json:"user"`
	// Time is a clock; games without one are not proposed.
	Time    lichess.TimeControl `json:"time"`
	Rated   bool                `json:"rated,omitempty"`
	Color   lichess.Color       `json:"color,omitempty"`   // ours; "" is random
	Variant lichess.VariantKey  `json:"variant,omitempty"` // "" is standard
}

// Outcome is how a proposal ended.
type Outcome string

// The outcomes.
const (
	Accepted     Outcome = "accepted"
	Declined     Outcome = "declined"
	Unanswered   Outcome = "unanswered" // and withdrawn therefore
	Withdrawn    Outcome = "withdrawn"  // for another reason
	Refused      Outcome = "refused"    // by the server, or by ourselves
	Unauthorized Outcome = "unauthorized"
	Unreachable  Outcome = "unreachable" // the server did not answer
)

// ProposalEnd is how a proposal ended, for whoever asked for it.
type ProposalEnd struct {
	Outcome Outcome `json:"outcome"`
	Game    string  `json:"game,omitempty"` // the address of the game, when accepted
	Why     string  `json:"why,omitempty"`
}

// proposal is the one challenge of ours that is under way: from the request to the server's
// word that it is over, one way or another. Only then may the next one be sent.
type proposal struct {
	wish   Proposal
	asker  <-chan struct{}  // closed when whoever asked has left; nil when it does not matter
	answer chan ProposalEnd // takes one
	told   bool

	id      string    // empty until the server has told it
	asked   time.Time // when the request went out, or the event stream was last seen closed
	expires time.Time // when the other has had his time; zero without an id

	unwanted   bool               // to be withdrawn as soon as its id is known
	end        ProposalEnd        // what the withdrawal ends it with
	cancelling context.CancelFunc // ends the withdrawal that is on its way; nil without one
	over       bool               // the event stream has said so meanwhile
	retry      time.Time          // when to withdraw again
}

const (
	// proposalPatience is how long the other may take to answer.
	proposalPatience = 30 * time.Second
	// lostTime is how long a challenge may take to show in the event stream when the reply to
	// its request did not come. By then the watchdog has ended a stream that stalls.
	lostTime = time.Minute
	// proposalHold bounds the reservation of a slot, whatever happens: well above the time of a
	// proposal and its withdrawal.
	proposalHold = 2 * time.Minute
	// proposalSlot is what the reservation is held under before there is an id.
	proposalSlot = "own challenge"
)

// Propose challenges a user and waits how it ends. It may be called from anywhere. When the
// context ends before, the challenge is withdrawn; it must end when Run has returned.
func (d *Daemon) Propose(ctx context.Context, wish Proposal) (ProposalEnd, error) {
	select {
	case <-d.ready:
	default:
		return ProposalEnd{Outcome: Unreachable, Why: "the bot has not reached the server yet"}, nil
	}
	p := &proposal{wish: wish, asker: ctx.Done(), answer: make(chan ProposalEnd, 1)}
	select {
	case d.wishes <- p:
	case <-ctx.Done():
		return ProposalEnd{}, ctx.Err()
	}
	select {
	case end := <-p.answer:
		return end, nil
	case <-ctx.Done():
	}
	select {
	case end := <-p.answer: // in the same moment
		return end, nil
	default:
		return ProposalEnd{}, ctx.Err()
	}
}

// propose sends a challenge if that is possible now.
func (d *Daemon) propose(ctx context.Context, p *proposal) {
	if end, ok := d.mayPropose(p); !ok {
		d.tell(p, end)
		return
	}
	d.proposal, p.asked = p, time.Now()
	d.lastWords.Add(1)
	d.log.Info().Str("user", p.wish.User).Str("clock", p.wish.Time.Show).Bool("rated", p.wish.Rated).Msg("challenging")
	d.beside.Go(func() {
		asking, cancel := context.WithTimeout(ctx, requestDeadline)
		defer cancel()
		made, err := d.client.CreateChallenge(asking, p.wish.User, lichess.ChallengeRequest{
			Rated: p.wish.Rated, Time: p.wish.Time, Color: p.wish.Color, Variant: p.wish.Variant,
		})
		d.post(ctx, func() { d.proposed(ctx, p, made, err) })
	})
}

// mayPropose reserves a slot, or says why there is nothing to be proposed now.
func (d *Daemon) mayPropose(p *proposal) (ProposalEnd, bool) {
	refuse := func(format string, args ...any) (ProposalEnd, bool) {
		return ProposalEnd{Outcome: Refused, Why: fmt.Sprintf(format, args...)}, false
	}
	other := d.proposal
	switch {
	case !p.wish.Time.HasClock():
		return refuse("the bot proposes games on a clock only")
	case !slices.Contains([]lichess.VariantKey{"", lichess.Standard, lichess.Chess960}, p.wish.Variant):
		return refuse("the bot proposes standard chess and chess960 only")
	case d.draining:
		return refuse("the bot is being stopped and begins no new games")
	case d.unauthorized:
		return ProposalEnd{Outcome: Unauthorized, Why: "the server refuses the bot's token"}, false
	case other != nil && other.told:
		return refuse("the challenge to %s before is not over for certain, try again in a minute", other.wish.User)
	case other != nil:
		return refuse("a challenge to %s waits for its answer, and there is one at a time", other.wish.User)
	}
	h := holder{user: strings.ToLower(p.wish.User)}
	if !d.slots.reserve(proposalSlot, h, time.Now().Add(proposalHold)) {
		return refuse("no game slot is free, %d of %d are taken: try again when a game has ended", d.slots.used(), d.slots.capacity)
	}
	return ProposalEnd{}, true
}

// proposed takes the reply to the request.
func (d *Daemon) proposed(ctx context.Context, p *proposal, made *lichess.Challenge, err error) {
	switch {
	case d.proposal != p: // the event stream was faster, also with the end
		if err == nil && made.ID != p.id && d.games[made.ID] == nil && !d.ended.has(made.ID) {
			d.settled.add(made.ID)
			d.cancelOwn(ctx, made.ID) // that was the end of another one
		}
	case err == nil:
		d.identify(ctx, p, made.ID)
	case certain(err):
		d.notProposed(ctx, p, err)
	case p.id != "":
		d.log.Info().Err(err).Str("challenge", p.id).Msg("reply lost, the event stream shows the challenge")
	default:
		// It may have been made. Nobody waits for it any more, and when it shows it is withdrawn.
		d.tell(p, ProposalEnd{Outcome: Unreachable, Why: p.reason(err) + "; if the server has the challenge, the bot withdraws it as soon as it sees it"})
		d.withdraw(ctx, p, ProposalEnd{Outcome: Unreachable})
	}
}

// certain tells whether an error leaves no doubt: the server has read the request and did not
// do it.
func certain(err error) bool {
	return lichess.IsRateLimited(err) || lichess.StatusOf(err) != 0 && !lichess.Retryable(err)
}

// notProposed ends a proposal that the server refused.
func (d *Daemon) notProposed(ctx context.Context, p *proposal, err error) {
	end := ProposalEnd{Outcome: Refused, Why: p.reason(err)}
	if lichess.IsAuth(err) {
		end.Outcome = Unauthorized
		if !lichess.IsMissingScope(err) { // without this scope a token may still play
			d.setUnauthorized(true)
		}
	}
	if lichess.IsBotLimit(err) && lichess.IsRateLimited(err) {
		d.botsPaused = time.Now().Add(lichess.RetryAfterOf(err))
	}
	d.disown(p)
	d.tell(p, end)
	d.endProposal(ctx)
}

// reason is why the request failed, without what it was.
func (p *proposal) reason(err error) string {
	return strings.TrimPrefix(err.Error(), "challenge "+p.wish.User+": ")
}

// identify notes the id of the proposal, which reply and event stream tell in any order. What
// the event stream shows may be another one to the same user, as from before a restart: the
// reply knows better.
func (d *Daemon) identify(ctx context.Context, p *proposal, id string) {
	if p.id == id {
		return
	}
	d.disown(p)
	delete(d.outgoing, id)
	d.settled.add(id)
	d.slots.rename(p.slot(), id)
	p.id, p.expires = id, time.Now().Add(proposalPatience)
	switch {
	case d.games[id] != nil || d.ended.has(id):
		d.proposalStarted(ctx, id)
	case p.unwanted:
		d.cancelProposal(ctx, p)
	}
}

// disown makes the challenge that the event stream has shown, if any, the owner's again.
func (d *Daemon) disown(p *proposal) {
	switch {
	case p.cancelling != nil:
		p.cancelling, p.over = nil, false // whatever comes of it
	case p.id != "":
		d.outgoing[p.id] = true
	}
}

// slot is what the reservation is held under.
func (p *proposal) slot() string {
	if p.id == "" {
		return proposalSlot
	}
	return p.id
}

// left is closed when whoever asked for the proposal has left.
func (p *proposal) left() <-chan struct{} {
	if p == nil {
		return nil
	}
	return p.asker
}

// tell answers whoever asked for the proposal, once.
func (d *Daemon) tell(p *proposal, end ProposalEnd) {
	if p.told {
		return
	}
	p.told, p.asker = true, nil
	p.answer <- end
	d.log.Info().Str("challenge", p.id).Str("user", p.wish.User).Str("outcome", string(end.Outcome)).Str("why", end.Why).Msg("own challenge")
}

// endProposal makes room for the next one. A slot that a game has taken over stays with it.
func (d *Daemon) endProposal(ctx context.Context) {
	p := d.proposal
	d.proposal = nil
	d.slots.giveUp(p.slot())
	d.lastWords.Add(-1)
	d.pump(ctx)
}

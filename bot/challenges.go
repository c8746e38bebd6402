package bot

import (
	"context"
	"strings"
	"time"

	"zeitnot/lichess"
)

// waitingChallenge is an acceptable challenge that waits for a slot.
type waitingChallenge struct {
	challenge *lichess.Challenge
	holder    // the user is empty for an anonymous challenger
	expires   time.Time
}

const (
	// queueTime is how long a challenger waits for a game on a clock before being told that
	// it will not be now; the server itself gives up on absent challengers after 20 s.
	queueTime = 20 * time.Second
	// queueTimeNoClock is the same for games over days.
	queueTimeNoClock = time.Hour
	// queuedPerUser keeps one user from filling the queue.
	queuedPerUser = 1
)

// challenged decides about a challenge: declined by rule, or accepted as soon as a slot
// is free.
func (d *Daemon) challenged(ctx context.Context, c *lichess.Challenge) {
	if d.ours(c) {
		d.ownChallenge(ctx, c)
		return
	}
	if c.ID == "" || c.Status != "" && c.Status != lichess.ChallengeCreated || d.known(c.ID) {
		return
	}
	if d.unauthorized {
		return // the replay of the next good stream brings it again
	}
	verdict := d.options.Policy.Judge(c)
	w := waitingChallenge{challenge: c, expires: time.Now().Add(queueTime)}
	if c.Challenger != nil {
		w.user = strings.ToLower(c.Challenger.ID)
	}
	if w.days = !c.TimeControl.HasClock(); w.days {
		w.expires = time.Now().Add(queueTimeNoClock)
	}
	if verdict.Accept {
		verdict = d.admit(&w)
	}
	log := d.log.Info().Str("challenge", c.ID).Str("user", w.user).Str("variant", string(c.Variant.Key)).
		Str("clock", c.TimeControl.Show).Str("speed", string(c.Speed)).Bool("rated", c.Rated)
	if !verdict.Accept {
		log.Str("reason", string(verdict.Reason)).Str("why", verdict.Why).Msg("challenge declined")
		d.decline(c.ID, verdict.Reason)
		return
	}
	d.queue = append(d.queue, w)
	log.Int("queued", len(d.queue)).Msg("challenge")
	d.pump(ctx)
}

// admit says whether an acceptable challenge may wait for a slot now.
func (d *Daemon) admit(w *waitingChallenge) Verdict {
	queued := 0
	for _, other := range d.queue {
		if other.user == w.user {
			queued++
		}
	}
	switch {
	case d.draining:
		return decline(lichess.DeclineLater, "draining")
	case w.challenge.Challenger.IsBot() && time.Now().Before(d.botsPaused):
		return decline(lichess.DeclineLater, "daily number of games with bots is used up")
	case queued >= queuedPerUser:
		return decline(lichess.DeclineLater, "user has a challenge waiting")
	case len(d.queue) >= d.options.QueueSize:
		return decline(lichess.DeclineLater, "queue is full")
	}
	return Verdict{Accept: true}
}

// known tells whether the challenge is being dealt with or has been.
func (d *Daemon) known(id string) bool {
	if _, held := d.slots.held[id]; held || d.games[id] != nil || d.settled.has(id) {
		return true
	}
	for _, w := range d.queue {
		if w.challenge.ID == id {
			return true
		}
	}
	return false
}

// pump accepts waiting challenges, oldest first, while slots are free.
func (d *Daemon) pump(ctx context.Context) {
	for i := 0; i < len(d.queue) && !d.unauthorized; {
		w := d.queue[i]
		if !d.slots.free(w.days) || w.user != "" && d.slots.same(w.holder) >= d.options.PerUser {
			i++ // waits for a slot, or for the user's other game
			continue
		}
		d.queue = append(d.queue[:i], d.queue[i+1:]...)
		if d.slots.reserve(w.challenge.ID, w.holder, time.Now().Add(reservationTime)) {
			d.accept(ctx, w)
		}
	}
}

// accept asks for the game, holding a slot. The game then starts by its own event.
func (d *Daemon) accept(ctx context.Context, w waitingChallenge) {
	id := w.challenge.ID
	d.settled.add(id)
	d.beside.Go(func() {
		asking, cancel := context.WithTimeout(ctx, reservationTime)
		defer cancel()
		unsure := false // an attempt ended without an answer: it may have succeeded
		err := persist(asking, d.options.Random, func(ctx context.Context) error {
			err := d.client.AcceptChallenge(ctx, id)
			unsure = unsure || err != nil && lichess.StatusOf(err) == 0
			return err
		})
		d.post(ctx, func() { d.acceptAnswered(ctx, w, unsure, err) })
	})
}

// acceptAnswered releases the slot of a challenge that will not become a game.
func (d *Daemon) acceptAnswered(ctx context.Context, w waitingChallenge, unsure bool, err error) {
	id := w.challenge.ID
	if err == nil {
		return // the slot waits for the game
	}
	d.log.Info().Err(err).Str("challenge", id).Msg("challenge not accepted")
	if lichess.IsBotLimit(err) {
		if lichess.IsRateLimited(err) {
			d.botsPaused = time.Now().Add(lichess.RetryAfterOf(err))
		}
		d.decline(id, lichess.DeclineLater)
	} else if lichess.IsRateLimited(err) {
		d.decline(id, lichess.DeclineLater)
	}
	if lichess.IsAuth(err) {
		d.setUnauthorized(true)
	}
	if unsure && d.slots.reserved(id) {
		return // a game may come of it: the reservation ends by itself
	}
	d.slots.giveUp(id)
	d.pump(ctx)
}

// challengeGone forgets a challenge that was withdrawn.
func (d *Daemon) challengeGone(ctx context.Context, id string) {
	delete(d.outgoing, id)
	d.proposalGone(ctx, id)
	d.dequeue(id)
	d.slots.giveUp(id)
	d.pump(ctx)
}

// dequeue takes a challenge out of the queue, if it is there.
func (d *Daemon) dequeue(id string) {
	for i, w := range d.queue {
		if w.challenge.ID == id {
			d.queue = append(d.queue[:i], d.queue[i+1:]...)
			return
		}
	}
}

// expireQueue tells those who waited too long.
func (d *Daemon) expireQueue(now time.Time) {
	kept := d.queue[:0]
	for _, w := range d.queue {
		if now.After(w.expires) {
			d.log.Info().Str("challenge", w.challenge.ID).Msg("no slot came free in time")
			d.decline(w.challenge.ID, lichess.DeclineLater)
			continue
		}
		kept = append(kept, w)
	}
	clear(d.queue[len(kept):])
	d.queue = kept
}

// declineJob is a decline to send.
type declineJob struct {
	id     string
	reason lichess.DeclineReason
}

// decline sends a decline at leisure. When very many wait it is dropped: the challenge
// then dies by itself.
func (d *Daemon) decline(id string, reason lichess.DeclineReason) {
	d.settled.add(id)
	select {
	case d.declines <- declineJob{id, reason}:
		d.lastWords.Add(1)
	default:
	}
}

// sendDeclines sends them one after the other; a refusal means that there is nothing left
// to decline.
func (d *Daemon) sendDeclines(ctx context.Context) {
	for {
		select {
		case job := <-d.declines:
			ctx, cancel := context.WithTimeout(ctx, requestDeadline)
			if err := d.client.DeclineChallenge(ctx, job.id, job.reason); err != nil {
				d.log.Debug().Err(err).Str("challenge", job.id).Msg("decline")
			}
			cancel()
			d.lastWords.Add(-1)
		case <-ctx.Done():
			return
		}
	}
}

// recent remembers the last ids that were added, as many as a burst of challenges can
// bring.
type recent struct {
	ids  map[string]bool
	ring [512]string
	next int
}

func (r *recent) has(id string) bool { return r.ids[id] }

func (r *recent) add(id string) {
	if r.ids == nil {
		r.ids = map[string]bool{}
	}
	if r.ids[id] {
		return
	}
	delete(r.ids, r.ring[r.next])
	r.ring[r.next] = id
	r.ids[id] = true
	r.next = (r.next + 1) % len(r.ring)
}

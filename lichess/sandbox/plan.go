package sandbox

import (
	"context"
	"time"
)

// Plan is a series of challenges that an opponent makes.
type Plan struct {
	Challenge               // From is the opponent's name; To must be given
	Count     int           // games or challenges; 0 = 1, Always for no end
	Start     time.Duration // before the first; it counts from when To is online
	// Every is the time between two challenges. With Overlap it is from one to the next,
	// else from the end of a game (or the refusal) to the next challenge. After a refusal
	// it is at least a second.
	Every   time.Duration
	Overlap bool
	// Patience is how long a challenge waits for its answer before it is withdrawn and
	// counts as refused; 0 = 20 s.
	Patience time.Duration
	// Persist makes only finished games count, so that refusals are tried again.
	Persist bool
	// Swap makes the colour change with each challenge.
	Swap bool
}

// refusedWait is the least time between a refusal and the next challenge: a full bot or a
// daily limit would be asked a thousand times a second.
const refusedWait = time.Second

// runPlans sets an account's plans going.
func (s *Server) runPlans(a *account) {
	for _, p := range a.opponent.Plans {
		p.From = a.name
		s.spawn(func(ctx context.Context) { s.runPlan(ctx, p) })
	}
}

func (s *Server) runPlan(ctx context.Context, p Plan) {
	count := p.Count
	if count == 0 {
		count = 1
	}
	if p.Patience == 0 {
		p.Patience = offlineAfter
	}
	if s.WaitOnline(ctx, p.To) != nil || !sleep(ctx, p.Start) {
		return
	}
	for n := 0; count == Always || n < count; {
		if s.WaitOnline(ctx, p.To) != nil || !s.waitUp(ctx) {
			return
		}
		c := p.Challenge
		if p.Swap && n%2 == 1 {
			c.Color = map[string]string{"white": "black", "black": "white"}[c.Color]
		}
		played := true
		if p.Overlap {
			_, err := s.Challenge(c)
			played = err == nil
		} else {
			played = s.playOut(ctx, c, p.Patience)
		}
		if played || !p.Persist {
			n++
		}
		wait := max(p.Every, time.Millisecond)
		if !played {
			wait = max(wait, refusedWait)
		}
		if !sleep(ctx, wait) {
			return
		}
	}
}

// playOut makes a challenge and waits for the end of the game; false when there was none.
func (s *Server) playOut(ctx context.Context, c Challenge, patience time.Duration) bool {
	id, err := s.Challenge(c)
	if err != nil {
		return false
	}
	waiting, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	r, err := s.WaitChallenge(waiting, id)
	if err != nil && ctx.Err() == nil {
		if s.CancelChallenge(id) == nil {
			return false
		}
		r, err = s.WaitChallenge(ctx, id) // it was answered in that moment
	}
	if err != nil || r.State != string(challengeAccepted) {
		return false
	}
	_, err = s.WaitFinished(ctx, id)
	return err == nil
}

// answerChallenge lets an account that the server plays accept or decline.
func (s *Server) answerChallenge(ctx context.Context, a *account, ch *challenge) {
	if !sleep(ctx, a.opponent.AnswerDelay) || !s.waitUp(ctx) {
		return
	}
	reason := ""
	if a.opponent.Answer != nil {
		s.mu.Lock()
		record := ch.record(time.Now())
		s.mu.Unlock()
		reason = a.opponent.Answer(record)
	}
	var refused *apiError
	if reason == "" {
		refused = s.accept(ch.id, a)
	} else {
		refused = s.decline(ch.id, a, reason)
	}
	_ = refused // the challenge was withdrawn meanwhile, or a daily cap stands against it
}

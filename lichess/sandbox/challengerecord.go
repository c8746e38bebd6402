package sandbox

import (
	"context"
	"fmt"
	"time"
)

// Challenge makes a challenge as if its sender had used the web page, and returns its id,
// which will be the game's.
func (s *Server) Challenge(c Challenge) (id string, err error) {
	ch, refused := s.makeChallenge(c, false)
	if refused != nil {
		return "", fmt.Errorf("challenge %s by %s: %w", c.To, c.From, refused)
	}
	return ch.id, nil
}

// CancelChallenge withdraws a challenge for whoever made it.
func (s *Server) CancelChallenge(id string) error {
	s.mu.Lock()
	ch := s.challenges[id]
	s.mu.Unlock()
	if ch == nil {
		return fmt.Errorf("cancel challenge %s: there is none", id)
	}
	if refused := s.cancel(id, ch.challenger); refused != nil {
		return fmt.Errorf("cancel challenge %s: %w", id, refused)
	}
	return nil
}

// ChallengeRecord is a challenge as it stands.
type ChallengeRecord struct {
	Challenge
	ID     string
	State  string // created, offline, canceled, declined, accepted
	Reason string // of a decline, as the form spells it
	Made   time.Time
}

func (ch *challenge) record(now time.Time) ChallengeRecord {
	return ChallengeRecord{Challenge: ch.Challenge, ID: ch.id, State: string(ch.state(now)), Reason: ch.reason, Made: ch.made}
}

// Challenges lists all challenges in the order in which they were made.
func (s *Server) Challenges() []ChallengeRecord {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	list := make([]ChallengeRecord, len(s.challengeIn))
	for i, ch := range s.challengeIn {
		list[i] = ch.record(now)
	}
	return list
}

// WaitChallenge waits until a challenge is accepted, declined or cancelled.
func (s *Server) WaitChallenge(ctx context.Context, id string) (ChallengeRecord, error) {
	s.mu.Lock()
	ch := s.challenges[id]
	s.mu.Unlock()
	if ch == nil {
		return ChallengeRecord{}, fmt.Errorf("wait for challenge %s: there is none", id)
	}
	select {
	case <-ch.done:
	case <-ctx.Done():
		return ChallengeRecord{}, ctx.Err()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return ch.record(time.Now()), nil
}

package sandbox

import (
	"context"
	"fmt"
	"net/http"
	"time"
)

// accept turns a challenge into a game.
func (s *Server) accept(id string, by *account) *apiError {
	s.mu.Lock()
	ch := s.challenges[id]
	now := time.Now()
	refused := func() *apiError {
		switch {
		case ch == nil || ch.dest != by:
			return refuse(http.StatusNotFound, "Not found")
		case ch.decided == challengeCanceled:
			return refuse(http.StatusBadRequest, "The challenge has been canceled.")
		case ch.decided == challengeDeclined:
			return refuse(http.StatusBadRequest, "The challenge has been declined.")
		case ch.decided == challengeAccepted:
			return refuse(http.StatusBadRequest, "The challenge has already been accepted")
		case !ch.active(now):
			return refuse(http.StatusNotFound, "Not found")
		case !ch.Variant.playable():
			return refuse(http.StatusBadRequest, "Game incompatible with a BOT account")
		}
		return s.botCap(by, ch.challenger, now)
	}()
	if refused == nil {
		ch.decide(challengeAccepted)
		s.notify()
	}
	s.mu.Unlock()
	if refused != nil {
		return refused
	}
	delay := s.opts.StartDelay
	if ch.RematchOf != "" {
		delay = max(delay, 100*time.Millisecond)
	}
	if f, hit := s.faults.happens(StartLate, by.id, ch.id); hit {
		delay = max(delay, f.For)
	}
	if delay == 0 {
		s.startChallenge(ch)
		return nil
	}
	s.spawn(func(ctx context.Context) {
		if sleep(ctx, delay) {
			s.startChallenge(ch)
		}
	})
	return nil
}

// startChallenge makes the game of an accepted challenge.
func (s *Server) startChallenge(ch *challenge) {
	players := [2]*account{}
	players[ch.finalColor] = ch.challenger
	players[ch.finalColor.Other()] = ch.dest
	_, err := s.newGame(gameSpec{
		id: ch.id, white: players[0], black: players[1], variant: ch.Variant, fen: ch.FEN, control: ch.Control,
		rated: ch.Rated, source: "friend", rules: ch.Rules, rematchOf: ch.RematchOf,
	})
	if err != nil {
		panic(fmt.Sprintf("sandbox: game of checked challenge %s: %v", ch.id, err))
	}
}

// decline refuses a challenge for its destination.
func (s *Server) decline(id string, by *account, reason string) *apiError {
	s.mu.Lock()
	defer s.mu.Unlock()
	ch, now := s.challenges[id], time.Now()
	if ch == nil || ch.dest != by || !ch.active(now) {
		return refuse(http.StatusNotFound, "Not found")
	}
	ch.reason = declineReason(reason)
	ch.decide(challengeDeclined)
	s.publishChallenge("challengeDeclined", ch, now)
	s.notify()
	return nil
}

// cancel withdraws a challenge for its challenger, or declines it for its destination; a
// game that has just started from it is aborted.
func (s *Server) cancel(id string, by *account) *apiError {
	s.mu.Lock()
	ch, now := s.challenges[id], time.Now()
	switch {
	case ch != nil && ch.dest == by && ch.active(now):
		s.mu.Unlock()
		return s.decline(id, by, "generic")
	case ch != nil && ch.challenger == by && ch.active(now):
		ch.decide(challengeCanceled)
		s.publishChallenge("challengeCanceled", ch, now)
		s.notify()
		s.mu.Unlock()
		return nil
	}
	g := s.games[id]
	s.mu.Unlock()
	if g == nil || g.seatOf(by) == nil {
		return refuse(http.StatusNotFound, "Not found")
	}
	if refused := g.abort(nil); refused != nil {
		return refuse(http.StatusBadRequest, "Missing opponentToken")
	}
	return nil
}

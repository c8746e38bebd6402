package sandbox

import (
	"context"
	"time"
)

// What a restart gives to the side to move and to the other in every game with a clock.
const (
	restartGiftMover = 20 * time.Second
	restartGiftOther = 10 * time.Second
)

// Restart takes the server down for a while: running clock games get their gifts, every
// stream breaks (one by a clean end, the next by a reset, in turn), every request is
// answered 502 by the proxy, and afterwards all goes on.
func (s *Server) Restart(down time.Duration) {
	now := time.Now()
	for _, g := range s.runningGames() {
		g.mu.Lock()
		if g.clock != nil && !g.status.Over() {
			g.clock.give(g.turn(), restartGiftMover)
			g.clock.give(g.turn().Other(), restartGiftOther)
		}
		g.mu.Unlock()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if until := now.Add(down); until.After(s.downUntil) { // not sooner than after another restart
		s.downUntil = until
	}
	s.booted = s.downUntil
	n := 0
	for _, st := range s.faults.inOrder() {
		how := endClean
		if n%2 == 1 {
			how = endReset
		}
		st.finish(how)
		n++
	}
}

func (s *Server) isDown(now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return now.Before(s.downUntil)
}

func (s *Server) bootTime() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.booted
}

// waitUp waits while the server is down.
func (s *Server) waitUp(ctx context.Context) bool {
	for {
		s.mu.Lock()
		wait := time.Until(s.downUntil)
		s.mu.Unlock()
		if wait <= 0 {
			return ctx.Err() == nil
		}
		if !sleep(ctx, wait) {
			return false
		}
	}
}

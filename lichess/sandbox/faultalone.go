package sandbox

import (
	"context"
	"fmt"
	"time"
)

// schedule lets a fault happen that waits for no call, stream or line.
func (s *Server) schedule(f Fault) (remove func()) {
	ctx, cancel := context.WithCancel(context.Background())
	s.spawn(func(run context.Context) {
		defer context.AfterFunc(run, cancel)()
		if !sleep(ctx, f.After) {
			return
		}
		for n := 1; ; n++ {
			began := time.Now()
			s.happen(ctx, f)
			if f.Every == 0 || f.Times > 0 && n == f.Times || !sleep(ctx, f.Every-time.Since(began)) {
				return
			}
		}
	})
	return cancel
}

func (s *Server) happen(ctx context.Context, f Fault) {
	switch f.Kind {
	case RestartAt:
		s.Restart(f.Down)
	case Blackhole:
		s.wires.blackhole()
	case Offline:
		s.wires.takeOffline(ctx, f.Down)
	case Burst, Surplus:
		s.crowd(ctx, f)
	}
}

// crowd sends strangers to an account: with challenges, or into games at once. Without an
// account to send them to nothing happens.
func (s *Server) crowd(ctx context.Context, f Fault) {
	to := s.crowded(f.Account)
	if to == nil {
		return
	}
	count := f.Count
	if count == 0 {
		count = 5
	}
	control := ClockControl(time.Minute, 0)
	for range count {
		name, err := s.stranger()
		if err != nil {
			return // the name is taken by somebody else
		}
		switch {
		case f.Kind == Burst:
			_, _ = s.Challenge(Challenge{From: name, To: to.name, Control: control, Deserted: true}) // refused: so be it
		case s.coin():
			_, _ = s.StartGame(GameSpec{White: name, Black: to.name, Control: control})
		default:
			_, _ = s.StartGame(GameSpec{White: to.name, Black: name, Control: control})
		}
		if f.Gap > 0 && !sleep(ctx, f.Gap) {
			return
		}
	}
}

// crowded finds the account by its name, or the first bot that the server does not play.
func (s *Server) crowded(name string) (found *account) {
	if name != "" {
		return s.account(name)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, a := range s.accounts {
		if a.bot() && a.opponent == nil && (found == nil || a.id < found.id) {
			found = a
		}
	}
	return found
}

// stranger makes an account whose player moves at random, a second a move, and gives up
// at his twentieth.
func (s *Server) stranger() (name string, err error) {
	s.mu.Lock()
	s.strangers++
	name = fmt.Sprintf("Stranger%d", s.strangers)
	s.mu.Unlock()
	spec := OpponentSpec{Name: name, New: Script{Think: time.Second, ResignAt: 20}.Player}
	return name, s.addAccount(spec.account(), &spec)
}

func (s *Server) coin() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.rng.IntN(2) == 0
}

package main

import (
	"context"
	"fmt"
	"os"
	"syscall"
	"time"

	"github.com/rs/zerolog"
	"golang.org/x/sync/errgroup"

	"zeitnot/bot"
	"zeitnot/bot/page"
	"zeitnot/systemd"
)

// service is the daemon with what stands around it: signals, the service manager and the
// local page.
type service struct {
	daemon  *bot.Daemon
	close   func() // what the daemon leaves open
	notify  systemd.Notifier
	listen  string // of the page; empty is none
	log     zerolog.Logger
	signals <-chan os.Signal
}

// run lasts until the daemon has ended and everything around it as well.
func (s *service) run(ctx context.Context) error {
	defer s.close()
	g, around := errgroup.WithContext(ctx)
	// The daemon's end ends the rest, and a second signal ends the daemon.
	around, ended := context.WithCancel(around)
	defer ended()
	playing, leave := context.WithCancel(around)
	defer leave()

	g.Go(func() error {
		defer ended()
		err := s.daemon.Run(playing)
		s.log.Info().AnErr("reason", err).Msg("zeitnot ends")
		return err
	})
	if s.listen != "" {
		g.Go(func() error {
			err := page.Serve(around, s.listen, s.daemon.Health)
			if around.Err() != nil {
				return nil
			}
			return err
		})
	}
	g.Go(func() error { s.watchSignals(around, leave); return nil })
	g.Go(func() error { s.report(around); return nil })
	return g.Wait()
}

// watchSignals drains at the first signal and leaves at the second.
func (s *service) watchSignals(ctx context.Context, leave func()) {
	draining := false
	for {
		var sig os.Signal
		select {
		case <-ctx.Done():
			return
		case sig = <-s.signals:
		}
		switch {
		case sig == syscall.SIGHUP:
			s.log.Warn().Msg("signal to read the settings anew: not done, a restart does it")
		case !draining:
			draining = true
			s.log.Info().Stringer("signal", sig).Msg("no new games; a second signal leaves at once")
			s.tell(s.notify.Stopping())
			s.daemon.Drain()
		default:
			s.log.Warn().Stringer("signal", sig).Msg("leaving at once")
			leave()
		}
	}
}

// statusInterval is how often people who ask the service manager get news.
const statusInterval = 10 * time.Second

// report keeps the service manager informed: when we are ready, that we make progress,
// and what we do.
func (s *service) report(ctx context.Context) {
	interval := systemd.WatchdogInterval()
	watched := interval > 0
	if !watched || interval > statusInterval {
		interval = statusInterval
	}
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	ready := s.daemon.Ready()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ready:
			ready = nil // once
			s.tell(s.notify.Ready())
		case <-ticker.C:
		}
		h := s.daemon.Health()
		if watched && h.Healthy {
			s.tell(s.notify.Watchdog())
		}
		s.tell(s.notify.Status(statusLine(h)))
	}
}

// statusLine is the daemon's health in one line for people.
func statusLine(h bot.Health) string {
	state := "event stream " + h.Stream
	switch {
	case !h.Healthy:
		state = "no progress, " + state
	case h.Unauthorized:
		state = "the token is refused"
	case h.Draining:
		state = "draining"
	}
	return fmt.Sprintf("%s; %d games running, %d finished", state, len(h.Games), h.GamesFinished)
}

// tell notes that the service manager does not listen. Nothing else follows from it.
func (s *service) tell(err error) {
	if err != nil {
		s.log.Debug().Err(err).Msg("service manager")
	}
}

package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/rs/zerolog"
	"golang.org/x/sync/errgroup"

	"zeitnot/bot"
	"zeitnot/bot/control"
	"zeitnot/bot/flight"
	"zeitnot/bot/page"
	"zeitnot/config"
	"zeitnot/systemd"
)

// service is the daemon with what stands around it: signals, the service manager, the local page
// and the control socket.
type service struct {
	daemon   *bot.Daemon
	recorder *flight.Recorder
	opened   closers // what the daemon leaves open
	notify   notifier
	listen   string // of the page; empty is none
	state    string // the folder with the control socket; empty is none
	log      zerolog.Logger
	signals  <-chan os.Signal
	leaving  atomic.Bool // a second signal came
}

// notifier is a service manager, as systemd.Notifier speaks to it.
type notifier interface {
	Ready() error
	Watchdog() error
	Stopping() error
	Status(text string) error
}

// run lasts until the daemon has ended and everything around it as well.
func (s *service) run(ctx context.Context) error {
	defer s.opened.close()
	// Whoever sees the bot ready can ask it.
	asked, err := s.openPage(ctx)
	if err != nil {
		return err
	}
	orders := s.openControl(ctx)
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
	if asked != nil {
		g.Go(func() error {
			err := page.Serve(around, asked, s.daemon.Health)
			if around.Err() != nil {
				return nil
			}
			return err
		})
	}
	if orders != nil {
		g.Go(func() error { s.takeOrders(around, orders); return nil })
	}
	g.Go(func() error { s.recorder.Run(around); return nil })
	g.Go(func() error { s.watchSignals(around, leave); return nil })
	g.Go(func() error { s.report(around); return nil })
	return g.Wait()
}

// openPage listens for those who look at the local page; nil is no page.
func (s *service) openPage(ctx context.Context) (net.Listener, error) {
	if s.listen == "" {
		return nil, nil
	}
	listener, err := page.Listen(ctx, s.listen)
	if err != nil {
		return nil, fmt.Errorf("%w (%s_LISTEN says where; empty is nowhere)", err, config.Prefix)
	}
	return listener, nil
}

// openControl listens on the control socket; nil is none. Without one the bot plays all the same.
func (s *service) openControl(ctx context.Context) *control.Socket {
	if s.state == "" {
		return nil
	}
	socket, err := control.Listen(ctx, s.state)
	if err != nil {
		s.noControl(err)
		return nil
	}
	return socket
}

// takeOrders serves the control socket.
func (s *service) takeOrders(ctx context.Context, socket *control.Socket) {
	if err := socket.Serve(ctx, s.daemon); err != nil {
		s.noControl(err)
	}
}

func (s *service) noControl(err error) {
	s.log.Warn().Err(err).Msg("no control socket, zeitnot challenge finds nobody; playing all the same")
}

// signalGap is the least time between two signals: whoever signals a process group and the
// process, or two supervisors that stop at once, mean one.
const signalGap = time.Second

// watchSignals drains at the first signal and leaves at the second.
func (s *service) watchSignals(ctx context.Context, leave func()) {
	var first time.Time // zero is not yet
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
		case first.IsZero():
			first = time.Now()
			s.log.Info().Stringer("signal", sig).Msg("no new games; another signal, after at least 1 s, leaves at once")
			s.tell(s.notify.Stopping())
			s.daemon.Drain()
		case time.Since(first) < signalGap:
			s.log.Info().Stringer("signal", sig).Msg("signal so soon after the first: taken for the same")
		default:
			s.log.Warn().Stringer("signal", sig).Msg("leaving at once")
			s.leaving.Store(true)
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

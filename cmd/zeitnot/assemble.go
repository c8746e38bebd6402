package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/rs/zerolog"

	"zeitnot/bot"
	"zeitnot/bot/flight"
	"zeitnot/clock"
	"zeitnot/config"
	"zeitnot/lichess"
	"zeitnot/systemd"
)

// newService wires the daemon as the settings say. A positive most is the longest that it may
// think about a move, and goes with a server that counts no requests: a sandbox. After an error
// nothing is left open.
func (a *app) newService(ctx context.Context, settings *config.Config, most time.Duration) (*service, error) {
	b := &assembly{
		settings: settings, most: most, options: botOptions(settings),
		log:     newLogger(a.err, settings.LogLevel, settings.LogFormat, errIsTerminal()),
		service: &service{notify: systemd.FromEnvironment(), listen: settings.Listen, state: settings.StateDir},
	}
	for _, step := range []func(context.Context) error{
		b.openState, b.openClient, b.chooseClock, b.prepareRuntime, b.openRecord, b.openKnowledge, b.openPlayers,
	} {
		if err := step(ctx); err != nil {
			b.service.opened.close()
			return nil, err
		}
	}
	b.log.Info().Str("version", versionText()).Str("url", settings.URL).Int("cores", b.cores).Msg("zeitnot starts")
	b.options.Log, b.service.log = b.log, b.log
	b.service.daemon = bot.New(b.options)
	return b.service, nil
}

// closers close what has been opened so far.
type closers []func()

// add takes what closes the thing that was opened just now.
func (c *closers) add(f func()) { *c = append(*c, f) }

// close closes all, the last opened first.
func (c closers) close() {
	for _, f := range slices.Backward(c) {
		f()
	}
}

// assembly is a service that is being put together. Its methods are the steps, in their order:
// each makes one part, and says how it is closed as soon as it is open.
type assembly struct {
	settings *config.Config
	most     time.Duration // as for newService
	log      zerolog.Logger
	service  *service
	options  bot.Options

	client *lichess.Client
	cores  int // that searches may use
	known  *knowledge
}

// openState makes the state folder and keeps others out of it.
func (b *assembly) openState(context.Context) error {
	if err := os.MkdirAll(b.settings.StateDir, 0o700); err != nil {
		return &exitError{exitConfig, fmt.Errorf("state folder: %w", err)}
	}
	lock, err := lockState(b.settings.StateDir)
	if errors.Is(err, errStateInUse) {
		return &exitError{exitFault, fmt.Errorf("state folder %s: %w", b.settings.StateDir, err)}
	}
	if err != nil {
		b.log.Warn().Err(err).Msg("state folder cannot be locked, playing all the same")
	}
	b.service.opened.add(func() { lock.Close() }) // nothing was written to it
	recorder := flight.New(b.settings.StateDir, b.log)
	b.service.recorder, b.options.Departed = recorder, recorder.Departed
	return nil
}

// openClient makes the client of the server.
func (b *assembly) openClient(context.Context) (err error) {
	var changes []func(*lichess.Options)
	if b.most > 0 {
		changes = append(changes, unlimited)
	}
	if b.client, err = newClient(b.settings, b.log, changes...); err != nil {
		return err
	}
	b.service.opened.add(b.client.Close)
	b.options.Client = b.client
	return nil
}

// chooseClock takes the policy that the settings name.
func (b *assembly) chooseClock(context.Context) error {
	policy, err := clock.ByName(b.settings.ClockPolicy, clock.Tuning{})
	if err != nil {
		return &exitError{exitConfig, err}
	}
	if b.most > 0 {
		policy = quick{policy, b.most}
	}
	b.options.Clock = policy
	return nil
}

// prepareRuntime shares out memory and cores.
func (b *assembly) prepareRuntime(context.Context) error {
	err := hashFits(b.settings.HashMB)
	if err == nil {
		b.cores, err = prepareRuntime(b.settings.Concurrency, b.settings.Threads, b.settings.HashMB)
	}
	if err != nil {
		return &exitError{exitConfig, err}
	}
	// On a single core pondering would take the time of the network; to a limited strength it
	// is of no use.
	b.options.Ponder = b.cores > 1 && b.settings.LimitElo == ""
	return nil
}

// openRecord opens the record.
func (b *assembly) openRecord(context.Context) error {
	store, err := openRecord(b.settings, b.log)
	if err != nil {
		return &exitError{exitConfig, err}
	}
	b.service.opened.add(func() { closeRecord(store, b.log) })
	b.options.Record = store
	return nil
}

// openKnowledge opens books, tables and databases. A search that has not ended may still read
// in them: then they stay open, and the process ends anyway.
func (b *assembly) openKnowledge(context.Context) error {
	b.known = logKnowledge(b.settings, b.log)
	b.service.opened.add(func() {
		if d := b.service.daemon; d == nil || !d.SearchLeft() {
			b.known.close()
		}
	})
	if err := b.known.goOnline(b.settings, b.client, b.log); err != nil {
		return &exitError{exitConfig, err}
	}
	b.options.BookPlayed = b.known.learn(b.settings, b.log)
	return nil
}

// openPlayers makes the search slots, and starts what thinks in them.
func (b *assembly) openPlayers(ctx context.Context) error {
	players, err := newPlayers(ctx, b.settings, b.known, seats{b.settings.Concurrency, b.cores, b.options.Ponder}, b.log)
	if err != nil {
		return &exitError{exitConfig, err}
	}
	b.service.opened.add(func() { players.close(b.service.leaving.Load()) })
	b.options.Searchers, b.options.LastResort = players.searchers, players.lastResort
	if players.engine != "" {
		b.options.Chat.Name += " with " + players.engine
	}
	return nil
}

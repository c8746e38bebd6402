package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"zeitnot/bot"
	"zeitnot/clock"
	"zeitnot/config"
	"zeitnot/systemd"
)

func (a *app) runCommand() *cobra.Command {
	var envFile string
	c := &cobra.Command{
		Use:   "run",
		Short: "Play on Lichess until told to stop",
		Long: `Play on Lichess until told to stop. The first signal (SIGINT or SIGTERM) accepts nothing
new and lets running games end, ZEITNOT_DRAIN_TIMEOUT at the longest; a second one leaves
at once.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			settings, err := a.loadConfig(envFile, config.NeedToken, config.NeedStateDir)
			if err != nil {
				return err
			}
			// From here on a signal is ours to handle.
			signals := make(chan os.Signal, 8)
			signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
			defer signal.Stop(signals)

			s, err := a.newService(settings)
			if err != nil {
				return err
			}
			s.signals = signals
			return exitOf(s.run(c.Context()))
		},
	}
	envFileFlag(c, &envFile)
	return c
}

// newService wires the daemon as the settings say.
func (a *app) newService(settings *config.Config) (*service, error) {
	if err := os.MkdirAll(settings.StateDir, 0o700); err != nil {
		return nil, &exitError{exitConfig, fmt.Errorf("state folder: %w", err)}
	}
	if err := hashFits(settings.HashMB); err != nil {
		return nil, &exitError{exitConfig, err}
	}
	log := newLogger(a.err, settings.LogLevel, settings.LogFormat, errIsTerminal())
	lock, err := lockState(settings.StateDir)
	if errors.Is(err, errStateInUse) {
		return nil, &exitError{exitFault, fmt.Errorf("state folder %s: %w", settings.StateDir, err)}
	}
	if err != nil {
		log.Warn().Err(err).Msg("state folder cannot be locked, playing all the same")
	}
	client, err := newClient(settings, log)
	if err != nil {
		return nil, err
	}
	policy, err := clock.ByName(settings.ClockPolicy, clock.Tuning{})
	if err != nil {
		return nil, &exitError{exitConfig, err}
	}
	cores := prepareRuntime(settings.Concurrency, settings.HashMB)

	options := botOptions(settings)
	options.Client = client
	options.Searchers = newSearchers(settings.Concurrency, cores, settings.HashMB, logKnowledge(settings, log))
	options.LastResort = newLastResort()
	options.Clock = policy
	options.Ponder = cores > 1 // on a single core it would take the time of the network
	options.Log = log
	log.Info().Str("version", versionText()).Str("url", settings.URL).Int("cores", cores).Msg("zeitnot starts")
	return &service{
		daemon: bot.New(options),
		close:  func() { client.Close(); lock.Close() },
		notify: systemd.FromEnvironment(),
		listen: settings.Listen,
		log:    log,
	}, nil
}

// exitOf is the exit code for the way a service ended.
func exitOf(err error) error {
	var access *bot.AccessError
	switch {
	case err == nil || errors.Is(err, context.Canceled):
		return nil
	case errors.As(err, &access) && access.Reason == bot.NotBot:
		return &exitError{exitAccess, fmt.Errorf("%w: zeitnot upgrade makes it one", err)}
	case errors.As(err, &access):
		return &exitError{exitAccess, err}
	}
	return &exitError{exitFault, err}
}

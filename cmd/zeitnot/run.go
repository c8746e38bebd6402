package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"zeitnot/bot"
	"zeitnot/config"
)

func (a *app) runCommand() *cobra.Command {
	var envFile string
	c := &cobra.Command{
		Use:   "run",
		Short: "Play on Lichess until told to stop",
		Long: `Play on Lichess until told to stop. The first signal (SIGINT or SIGTERM) accepts nothing
new and lets running games end, ZEITNOT_DRAIN_TIMEOUT at the longest; another one, after
at least 1 s, leaves at once. What comes sooner counts as the first.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			settings, err := a.loadConfig(envFile, config.NeedToken, config.NeedStateDir)
			if err != nil {
				return err
			}
			return a.serve(c.Context(), settings, 0)
		},
	}
	envFileFlag(c, &envFile)
	return c
}

// serve plays until it is told to stop. most is as for newService.
func (a *app) serve(ctx context.Context, settings *config.Config, most time.Duration) error {
	// From here on a signal is ours to handle.
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer signal.Stop(signals)

	s, err := a.newService(ctx, settings, most)
	if err != nil {
		return err
	}
	s.signals = signals
	return exitOf(s.run(ctx), settings.URL)
}

// exitOf is the exit code for the way a service ended, and what its owner has to do; url is
// the server's.
func exitOf(err error, url string) error {
	var access *bot.AccessError
	switch {
	case err == nil || errors.Is(err, context.Canceled):
		return nil
	case errors.As(err, &access) && access.Reason == bot.NotBot:
		return &exitError{exitAccess, fmt.Errorf("%w: zeitnot upgrade makes it one", err)}
	case errors.As(err, &access):
		return &exitError{exitAccess, fmt.Errorf("%w: %s", err, makeNewToken(url))}
	}
	return &exitError{exitFault, err}
}

package main

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"net/url"
	"os"
	"time"

	"github.com/spf13/cobra"

	"zeitnot/config"
	"zeitnot/lichess/sandbox/measure"
)

func (a *app) sandboxSoakCommand() *cobra.Command {
	var o measure.SoakOptions
	var minutes float64
	var log, plotFile string
	var asJSON bool
	c := &cobra.Command{
		Use:   "soak [--bot 'COMMAND']",
		Short: "Play thousands of games and watch what the bot takes",
		Long: `Play very many short games against a bot, several at a time, and look now and then, when
nothing is going on, at what all its processes take: memory, goroutines if it tells,
descriptors, threads, processes, zombies. What is the same after 100 and after 2,000 games
will be the same after a month. The last line is the change from the first look after 100
games and a minute to the last.

Games are rated 1+0 against bots, who give up after ten moves. This program, when there is
no --bot, thinks for 2 ms a move at the most, does not limit its requests, and has 16 MiB of
hash unless that is set; else it is as 'zeitnot run'.

` + guestHelp,
		Example: `  zeitnot sandbox soak --plot soak.svg
  zeitnot sandbox soak --minutes 60 --at-once 4`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			o.Time = time.Duration(minutes * float64(time.Minute))
			if err := checkSoak(o); err != nil {
				return usage(err)
			}
			if plotFile != "" {
				if err := writable(plotFile); err != nil {
					return err
				}
			}
			if o.Bot == "" {
				if err := soakOurselves(&o); err != nil {
					return err
				}
			}
			var r measure.SoakReport
			err := a.withGuest(c.Context(), &o.Guest, log, func(ctx context.Context) (err error) {
				r, err = measure.Soak(ctx, o)
				return err
			})
			if err != nil {
				return err
			}
			if plotFile != "" {
				if err := writeFile(plotFile, r.WriteSVG); err != nil {
					return err
				}
			}
			if asJSON {
				return r.WriteJSON(a.out)
			}
			return r.WriteText(a.out)
		},
	}
	f := c.Flags()
	f.StringVar(&o.Bot, "bot", "", "`command` that starts the bot")
	f.StringVar(&o.Listen, "listen", "127.0.0.1:0", "`address` of the sandbox; port 0 is any free one")
	f.IntVar(&o.Games, "games", 0, "games to play (default 2000, or as many as --minutes allow)")
	f.Float64Var(&minutes, "minutes", 0, "end after so long; 0 is never")
	f.IntVar(&o.AtOnce, "at-once", 10, "games at the same time")
	f.StringVar(&o.Status, "status", "", "`URL` of the bot that answers with JSON, of which the number \"goroutines\" is read")
	f.DurationVar(&o.Patience, "patience", 90*time.Second, "how long the bot may take to connect, and for a game")
	f.StringVar(&log, "log", "", "`file` for what the bot writes")
	f.StringVar(&plotFile, "plot", "", "`file` to draw what it took into, as SVG")
	f.BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

func checkSoak(o measure.SoakOptions) error {
	switch {
	case o.Games < 0 || o.Games > 10_000_000:
		return fmt.Errorf("--games %d: want up to 10000000 games", o.Games)
	case o.Time < 0 || o.Time > 365*24*time.Hour:
		return fmt.Errorf("--minutes %g: want 0 to 525600, a year", o.Time.Minutes())
	case o.AtOnce < 1 || o.AtOnce > 100:
		return fmt.Errorf("--at-once %d: want 1 to 100 games at the same time", o.AtOnce)
	case o.Patience < time.Second || o.Patience > time.Hour:
		return fmt.Errorf("--patience %v: want 1s to 1h", o.Patience)
	}
	if u, err := url.Parse(o.Status); err != nil || o.Status != "" && u.Host == "" {
		return fmt.Errorf("status %q: want a URL such as http://127.0.0.1:8090/healthz", o.Status)
	}
	if _, err := net.ResolveTCPAddr("tcp", o.Listen); err != nil {
		return fmt.Errorf("listen address %q: %w", o.Listen, err)
	}
	return nil
}

// soakOurselves makes this program the bot, with its page at a free port.
func soakOurselves(o *measure.SoakOptions) error {
	command, err := ownCommand("sandbox player")
	if err != nil {
		return err
	}
	page, err := freeAddress()
	if err != nil {
		return err
	}
	o.Bot, o.Status = command, "http://"+page+"/healthz"
	o.Env = []string{
		config.Prefix + "_LISTEN=" + page, fmt.Sprintf("%s_CONCURRENCY=%d", config.Prefix, o.AtOnce),
		config.Prefix + "_HASH_MB=" + cmp.Or(os.Getenv(config.Prefix+"_HASH_MB"), "16"),
	}
	return nil
}

// soakThink is the longest that we think about a move in a soak.
const soakThink = 2 * time.Millisecond

// sandboxPlayerCommand is 'run' for a soak. People have no use for it.
func (a *app) sandboxPlayerCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "player",
		Short:  "Play as 'run' does, as fast as a sandbox allows",
		Hidden: true,
		Args:   cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			settings, err := a.loadConfig("", config.NeedToken, config.NeedStateDir)
			if err != nil {
				return err
			}
			// A server that is asked so often has to be our own.
			u, err := url.Parse(settings.URL)
			if err != nil || u.Hostname() == "" || !net.ParseIP(u.Hostname()).IsLoopback() {
				return &exitError{exitConfig, fmt.Errorf("%s_URL=%q: want a sandbox on the loopback", config.Prefix, settings.URL)}
			}
			return a.serve(c.Context(), settings, soakThink)
		},
	}
}

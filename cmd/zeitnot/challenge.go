package main

import (
	"context"
	"errors"
	"fmt"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"zeitnot/bot"
	"zeitnot/bot/control"
	"zeitnot/config"
	"zeitnot/lichess"
)

func (a *app) challengeCommand() *cobra.Command {
	var envFile, clock, color, variant string
	var rated bool
	c := &cobra.Command{
		Use:   "challenge USER --time 3+2",
		Short: "Have the running bot challenge somebody",
		Long: `Have the running bot challenge somebody, and wait how it ends. Without an answer for
30 s the challenge is withdrawn; Ctrl-C withdraws it before. The bot is asked by the
socket in its state folder, so that the command must run on the same machine, for the same
user, and with the same ZEITNOT_STATE_DIR.

An accepted challenge prints the address of the game, and the exit code is 0. It is 1 when
the challenge was declined, withdrawn or refused, be it by the server or by the bot, which
makes one challenge at a time and needs a free slot for it; 69 when no bot is running or
the server does not answer; 77 when the server refuses the token.`,
		Args: oneArgument("USER"),
		RunE: func(c *cobra.Command, args []string) error {
			p, err := newProposal(args[0], clock, color, variant)
			if err != nil {
				return usage(err)
			}
			p.Rated = rated
			settings, err := a.loadConfig(envFile, config.NeedStateDir)
			if err != nil {
				return err
			}
			ctx, stop := signal.NotifyContext(c.Context(), syscall.SIGINT, syscall.SIGTERM)
			defer stop()
			return a.challenge(ctx, settings.StateDir, p)
		},
	}
	c.Flags().StringVar(&clock, "time", "", "`time` control, minutes+seconds: 3+2, 1/2+0")
	c.Flags().BoolVar(&rated, "rated", false, "for rating points")
	c.Flags().StringVar(&color, "color", "random", "of the bot: white, black or random")
	c.Flags().StringVar(&variant, "variant", "standard", "standard or chess960")
	envFileFlag(c, &envFile)
	return c
}

// newProposal checks what can be checked without the server.
func newProposal(user, clock, color, variant string) (bot.Proposal, error) {
	p := bot.Proposal{User: user, Color: lichess.Color(color), Variant: lichess.VariantKey(variant)}
	switch {
	case !config.IsUser(user):
		return p, fmt.Errorf("user %q: want a name of 2 to 30 letters, digits, _ or -", user)
	case !slices.Contains([]lichess.Color{lichess.White, lichess.Black, lichess.ColorRandom}, p.Color):
		return p, fmt.Errorf("color %q: want white, black or random", color)
	case !slices.Contains([]lichess.VariantKey{lichess.Standard, lichess.Chess960}, p.Variant):
		return p, fmt.Errorf("variant %q: want standard or chess960", variant)
	case clock == "":
		return p, errors.New("no time control: want --time, such as --time 3+2")
	}
	var err error
	p.Time, err = challengeClock(clock)
	return p, err
}

// challengeClock reads a clock that a bot may challenge to by the API.
func challengeClock(text string) (lichess.TimeControl, error) {
	tc, err := config.ParseTimeControl(text)
	if err != nil {
		return lichess.TimeControl{}, err
	}
	limit, increment := int(tc.Initial/time.Second), int(tc.Increment/time.Second)
	whole := limit%60 == 0 && limit <= 180*60
	if !whole && !slices.Contains([]int{15, 30, 45, 90}, limit) || increment > 60 {
		return lichess.TimeControl{}, fmt.Errorf("time control %q: Lichess has 1/4, 1/2, 3/4, 1.5 or 0 to 180 whole minutes, and 0 to 60 seconds of increment", text)
	}
	if _, err := botControl(text); err != nil {
		return lichess.TimeControl{}, err
	}
	return lichess.ClockControl(limit, increment), nil
}

// challenge asks the bot that uses the state folder, and tells how it ends.
func (a *app) challenge(ctx context.Context, dir string, p bot.Proposal) error {
	mode := "casual"
	if p.Rated {
		mode = "rated"
	}
	fmt.Fprintf(a.err, "Challenging %s to %s, %s, %s. Ctrl-C withdraws the challenge.\n", p.User, p.Time.Show, mode, p.Variant)
	end, err := control.Challenge(ctx, dir, p)
	switch {
	case errors.Is(err, context.Canceled):
		return errors.New("interrupted: the bot withdraws the challenge")
	case errors.Is(err, control.ErrNoDaemon):
		return &exitError{exitUnreachable, fmt.Errorf("%w with the state folder %s: start it with zeitnot run, or name the folder of the one that runs with %s_STATE_DIR or --env-file",
			err, dir, config.Prefix)}
	case err != nil:
		return err
	}
	failed := func(code int, what string) error {
		return &exitError{code, errors.New(strings.TrimSuffix(fmt.Sprintf("challenge to %s %s: %s", p.User, what, end.Why), ": "))}
	}
	switch end.Outcome {
	case bot.Accepted:
		_, err := fmt.Fprintln(a.out, end.Game)
		return err
	case bot.Declined:
		return failed(exitFault, "declined")
	case bot.Unanswered, bot.Withdrawn:
		return failed(exitFault, "withdrawn")
	case bot.Unauthorized:
		return failed(exitAccess, "failed")
	case bot.Unreachable:
		return failed(exitUnreachable, "failed")
	}
	return failed(exitFault, "failed")
}

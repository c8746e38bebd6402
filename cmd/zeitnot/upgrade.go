package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/rs/zerolog"
	"github.com/spf13/cobra"

	"zeitnot/config"
	"zeitnot/lichess"
)

func (a *app) upgradeCommand() *cobra.Command {
	var envFile string
	var yes bool
	c := &cobra.Command{
		Use:   "upgrade",
		Short: "Make the account of the token a bot account, for good",
		Long: `Make the account of the token a bot account. This cannot be undone, and only works for
an account that has not played a game; it asks first.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			settings, err := a.loadConfig(envFile, config.NeedToken)
			if err != nil {
				return err
			}
			ctx, cancel := context.WithTimeout(c.Context(), checkTimeout)
			defer cancel()
			client, err := newClient(settings, zerolog.Nop())
			if err != nil {
				return err
			}
			defer client.Close()
			account, err := upgradable(ctx, client, settings.URL)
			if err != nil {
				return err
			}
			if account.IsBot() {
				fmt.Fprintf(a.err, "%s is a bot account already.\n", account.Username)
				return nil
			}
			if !yes {
				if err := a.confirm(account.Username); err != nil {
					return err
				}
			}
			// The answer may have taken its time.
			ctx, cancel = context.WithTimeout(c.Context(), checkTimeout)
			defer cancel()
			if err := client.Upgrade(ctx); err != nil {
				code := serverCode(err)
				if code == exitFault {
					code = exitAccess // the server says why this account cannot be a bot
				}
				return &exitError{code, err}
			}
			fmt.Fprintf(a.err, "%s is a bot account now.\n", account.Username)
			return nil
		},
	}
	c.Flags().BoolVar(&yes, "yes", false, "do not ask")
	envFileFlag(c, &envFile)
	return c
}

// upgradable is the account that the token belongs to, provided that it could be asked to
// become a bot; url is the server's.
func upgradable(ctx context.Context, client *lichess.Client, url string) (*lichess.Account, error) {
	token, err := client.TestToken(ctx)
	switch {
	case err != nil:
		return nil, &exitError{serverCode(err), err}
	case token == nil:
		return nil, &exitError{exitAccess, fmt.Errorf("the server does not know the token: %s", makeNewToken(url))}
	case !token.HasScope(lichess.ScopeBotPlay):
		return nil, &exitError{exitAccess, fmt.Errorf("the token lacks the scope %s: %s", lichess.ScopeBotPlay, makeNewToken(url))}
	}
	account, err := client.Account(ctx)
	if err != nil {
		return nil, &exitError{serverCode(err), err}
	}
	if !account.IsBot() && account.Count != nil && account.Count.All > 0 {
		return nil, &exitError{exitAccess, fmt.Errorf(
			"%s has played %d games: only an account without games can become a bot", account.Username, account.Count.All)}
	}
	return account, nil
}

// confirm asks for the account's name, which nobody types by accident.
func (a *app) confirm(username string) error {
	fmt.Fprintf(a.err, "%s becomes a bot account for good: it plays through the API only and never again by hand.\n"+
		"Type the name of the account to go on: ", username)
	answer, err := bufio.NewReader(a.in).ReadString('\n')
	if err != nil && err != io.EOF {
		return fmt.Errorf("read the answer: %w", err)
	}
	if err == io.EOF {
		fmt.Fprintln(a.err) // nobody has ended the line of the question
	}
	if !strings.EqualFold(strings.TrimSpace(answer), username) {
		return fmt.Errorf("not confirmed, nothing was changed")
	}
	return nil
}

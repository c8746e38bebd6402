package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"zeitnot/config"
	"zeitnot/lichess"
)

// The exit codes. Scripts and the unit file depend on them; the numbers above 1 are those
// of sysexits.h.
const (
	exitDone        = 0  // done, or drained
	exitFault       = 1  // a fault at run time
	exitUsage       = 64 // wrong command, flag or argument
	exitUnreachable = 69 // the server cannot be reached, or no bot is running to be asked
	exitAccess      = 77 // token wrong or without the scope, or not a bot account
	exitConfig      = 78 // settings wrong, or the token missing
)

// exitError is an error with the code to exit with. Without an error inside there is
// nothing more to say.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string {
	if e.err == nil {
		return ""
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

// usage marks an error as a wrong argument.
func usage(err error) error { return &exitError{exitUsage, err} }

// oneArgument is for commands that take exactly one argument.
func oneArgument(what string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) != 1 {
			return fmt.Errorf("%d arguments: want one %s", len(args), what)
		}
		return nil
	}
}

// serverCode is the exit code for a request that failed.
func serverCode(err error) int {
	var refusal *lichess.Error
	switch {
	case lichess.IsAuth(err):
		return exitAccess
	case errors.As(err, &refusal) && (refusal.Status == 0 || refusal.Retryable()):
		return exitUnreachable
	}
	return exitFault
}

// loadConfig reads the settings for a command and keeps the token out of its outputs.
func (a *app) loadConfig(envFile string, needs ...config.Need) (*config.Config, error) {
	c, err := config.Load(envFile, needs...)
	if err != nil {
		return nil, &exitError{exitConfig, err}
	}
	a.hide(c.Token)
	a.hide(c.OnlineToken)
	return c, nil
}

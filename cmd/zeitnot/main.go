// Command zeitnot is a Lichess bot: the daemon, its engine, and the tools around them.
// This package reads flags, wires the parts together, handles signals and sets exit
// codes; what the parts do is theirs. One file holds one subcommand.
//
// Standard output is for machines and for what was asked for, standard error for people.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"zeitnot/config"
)

func main() { os.Exit(run()) }

// withoutArguments is the command that runs when none is named; without it the help is
// shown. The linker sets it for programs that start engines and know of no commands.
var withoutArguments string

// run is main with its deferred work done before the exit.
func run() int {
	a := newApp(os.Stdin, os.Stdout, os.Stderr)
	args := os.Args[1:]
	if len(args) == 0 && withoutArguments != "" {
		args = []string{withoutArguments}
	}
	return a.execute(context.Background(), args)
}

// app is what all commands share.
type app struct {
	in       io.Reader
	out, err *redactor
	// started tells that a command's own work has begun; an error before it is wrong usage.
	started bool
}

func newApp(in io.Reader, out, err io.Writer) *app {
	a := &app{in: in, out: &redactor{to: out}, err: &redactor{to: err}}
	// Hidden from the start, whatever goes wrong before the settings are read.
	for _, name := range []string{config.Prefix + "_TOKEN", config.Prefix + "_ONLINE_TOKEN", "LICHESS_BOT_TOKEN"} {
		a.hide(config.NewSecret(os.Getenv(name)))
	}
	return a
}

// hide keeps a secret out of both outputs from now on.
func (a *app) hide(s config.Secret) {
	a.out.hide(s)
	a.err.hide(s)
}

// execute runs the command that the arguments name and returns the exit code.
func (a *app) execute(ctx context.Context, args []string) int {
	root := a.root()
	root.SetArgs(args)
	cmd, err := root.ExecuteContextC(ctx)
	if err == nil {
		// Half of what was asked for must not pass for all of it, as on a full disk.
		if err = a.out.lost(); err == nil {
			return exitDone
		}
		a.complain(err)
		return exitFault
	}
	var coded *exitError
	if !errors.As(err, &coded) {
		coded = &exitError{code: exitFault, err: err}
		if !a.started {
			coded.code = exitUsage
		}
	}
	a.complain(coded)
	if !a.started {
		fmt.Fprintf(a.err, "See '%s --help'.\n", cmd.CommandPath())
	}
	return coded.code
}

// complain says what went wrong, with our name on every line.
func (a *app) complain(err error) {
	var faults config.Faults
	switch {
	case errors.As(err, &faults):
		for _, f := range faults {
			fmt.Fprintf(a.err, "zeitnot: %s\n", f)
		}
	case err.Error() != "":
		fmt.Fprintf(a.err, "zeitnot: %s\n", strings.ReplaceAll(err.Error(), "\n", "\nzeitnot: "))
	}
}

// root is the command without a name: it holds all others.
func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:           "zeitnot",
		Short:         "A Lichess bot that is never in time trouble",
		Args:          cobra.NoArgs,
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE: func(c *cobra.Command, _ []string) error {
			c.SetOut(a.err)
			c.Help() // it can only fail to write
			return &exitError{code: exitUsage}
		},
		PersistentPreRun:  func(*cobra.Command, []string) { a.started = true },
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
	}
	root.SetIn(a.in)
	root.SetOut(a.out)
	root.SetErr(a.err)
	root.SetHelpCommand(helpCommand())
	root.AddCommand(
		a.arenaCommand(),
		a.benchCommand(),
		a.bookCommand(),
		a.challengeCommand(),
		a.checkCommand(),
		a.clockCommand(),
		a.completionCommand(),
		a.configCommand(),
		a.demoCommand(),
		a.healthcheckCommand(),
		a.perftCommand(),
		a.runCommand(),
		a.sandboxCommand(),
		a.shellCommand(),
		a.suiteCommand(),
		a.tbCommand(),
		a.uciCommand(),
		a.upgradeCommand(),
		a.versionCommand(),
	)
	return root
}

// helpCommand is cobra's, except that an unknown topic is wrong usage.
func helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Help about any command",
		RunE: func(c *cobra.Command, args []string) error {
			about, rest, err := c.Root().Find(args)
			if err == nil && len(rest) > 0 {
				err = fmt.Errorf("unknown command %q for %q", rest[0], about.CommandPath())
			}
			if err != nil {
				return usage(err)
			}
			return about.Help()
		},
	}
}

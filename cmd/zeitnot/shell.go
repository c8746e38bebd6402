package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"zeitnot/config"
	"zeitnot/engine/search"
	"zeitnot/engine/shell"
)

// maxShellHashMB is the most that may be asked for; what the machine has is asked too.
const maxShellHashMB = 65536

func (a *app) shellCommand() *cobra.Command {
	var envFile string
	c := &cobra.Command{
		Use:   "shell",
		Short: "The engine for people: positions, moves, thinking with a line per depth",
		Long: `The engine for people. The command help lists what can be entered; moves can stand alone.

On a terminal lines can be edited, the arrow keys bring back those of earlier times, the tab
key completes commands and legal moves, and Ctrl-C ends a search with the best move so far.
Otherwise lines are read as they come; errors are told on standard error and the next line
is read. Hash, threads and tablebases are those of the settings; the strength is always full.`,
		Example: `  zeitnot shell
  printf 'e4 e5 Nf3\ngo depth 12\n' | zeitnot shell`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			settings, err := a.loadConfig(envFile)
			if err != nil {
				return err
			}
			return a.shell(c.Context(), settings)
		},
	}
	envFileFlag(c, &envFile)
	return c
}

// shell holds the conversation until it ends or a signal ends it.
func (a *app) shell(ctx context.Context, settings *config.Config) error {
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	if err := hashFits(settings.HashMB); err != nil {
		return &exitError{exitConfig, err}
	}
	e := newUCIEngine(settings.HashMB, a.complain)
	if err := e.SetThreads(settings.Threads); err != nil {
		return &exitError{exitConfig, err}
	}
	// As the bot, it works on without.
	if err := e.SetSyzygyPath(settings.SyzygyPath); err != nil {
		a.complain(fmt.Errorf("left out: %w", err))
	}
	cfg := shell.Config{
		Engine: e, HashMB: settings.HashMB, MaxHashMB: maxShellHashMB,
		Threads: settings.Threads, MaxThreads: search.MaxThreads,
		Out: a.out, Err: a.err,
		Interrupt: func(ctx context.Context) (context.Context, context.CancelFunc) {
			return signal.NotifyContext(ctx, os.Interrupt)
		},
	}
	terminal := a.terminal()
	if terminal != nil {
		cfg.Interactive, cfg.Color = true, os.Getenv("NO_COLOR") == ""
		cfg.Width = func() int { width, _ := terminal.Size(); return width }
	}
	s := shell.New(cfg)
	var lines shell.Lines = shell.NewPipe(a.in)
	if terminal != nil {
		terminal.Prompt, terminal.Complete = "zeitnot> ", s.Complete
		terminal.History = shell.OpenHistory(historyFile(settings.StateDir), func(err error) {
			fmt.Fprintf(a.err, "history is not kept: %v\r\n", err)
		})
		fmt.Fprintln(a.out, "zeitnot "+versionText()+", help lists the commands")
		lines = shell.NewEditor(*terminal)
		// Between a thought and the next line Ctrl-C must not end the program.
		ignored := make(chan os.Signal, 1)
		signal.Notify(ignored, os.Interrupt)
		defer signal.Stop(ignored)
		// A signal comes while a line is edited: leave the terminal as it was.
		state, err := term.GetState(int(os.Stdin.Fd()))
		if err != nil {
			return fmt.Errorf("terminal: %w", err)
		}
		defer term.Restore(int(os.Stdin.Fd()), state)
	}
	if err := s.Run(ctx, lines); !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}

// terminal is the one that a person sits at, nil if input or output is something else or
// cannot move its cursor.
func (a *app) terminal() *shell.EditorConfig {
	in, isFile := a.in.(*os.File)
	out, alsoFile := a.out.to.(*os.File)
	if !isFile || !alsoFile || os.Getenv("TERM") == "dumb" {
		return nil
	}
	fd := int(in.Fd())
	if !term.IsTerminal(fd) || !term.IsTerminal(int(out.Fd())) {
		return nil
	}
	return &shell.EditorConfig{
		In: in, Out: a.out,
		Raw: func() (func(), error) {
			state, err := term.MakeRaw(fd)
			if err != nil {
				return nil, fmt.Errorf("terminal: %w", err)
			}
			return func() { term.Restore(fd, state) }, nil
		},
		Size: func() (int, int) {
			width, height, err := term.GetSize(int(out.Fd()))
			if err != nil {
				return 0, 0
			}
			return width, height
		},
	}
}

// historyFile lies in the state folder; "" without one.
func historyFile(stateDir string) string {
	if stateDir == "" {
		return ""
	}
	return filepath.Join(stateDir, "shell_history")
}

package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"zeitnot/config"
	"zeitnot/lichess/sandbox/measure"
)

// guestHelp tells how any bot is started against a sandbox.
const guestHelp = `COMMAND is run by sh. The bot is told where to play by placeholders in it, each one word,

  {url}    base URL of the sandbox     LICHESS_URL, ZEITNOT_URL
  {token}  its token                   LICHESS_BOT_TOKEN, LICHESS_TOKEN, ZEITNOT_TOKEN
  {dir}    an empty folder for it      STATE_DIRECTORY

and by these variables of its environment; it can see no other variable with TOKEN in its
name. A bot that wants the URL in a file of its own needs a fixed --listen. It must take
rated and casual bullet and blitz games. Without --bot this program is run, with the
settings of the environment but for those that say where to play, and asks no databases on
the network.`

func (a *app) sandboxMeasureCommand() *cobra.Command {
	var o measure.Options
	var faults, log string
	var asJSON bool
	c := &cobra.Command{
		Use:   "measure [--bot 'COMMAND']",
		Short: "Measure any bot against the sandbox",
		Long: `Start a bot against a sandbox of its own and measure it from outside: how long it takes to
start; how fast it moves in a game in which it has a single legal move each time; whether
its game goes on when something goes wrong, and how slow its slowest move then is; what
memory all its processes take.

Times are of this machine, so each run has its own control: an empty POST of a plain
client over the same loopback, between the moves.

` + guestHelp + `

Faults, by the names that --faults takes:
` + strings.Join(measure.FaultNames(), ", ") + `.
A bot that waits out a 429 as asked takes a minute for that one.`,
		Example: `  zeitnot sandbox measure
  zeitnot sandbox measure --bot 'python3 lichess-bot.py' --listen 127.0.0.1:9663`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := checkMeasure(o); err != nil {
				return usage(err)
			}
			var err error
			if o.Faults, err = faultNames(faults); err != nil {
				return usage(err)
			}
			if o.Bot == "" {
				if o.Bot, err = ownCommand("run"); err != nil {
					return err
				}
				o.Env = []string{config.Prefix + "_LISTEN="} // a running daemon may have its port
			}
			var r measure.Report
			err = a.withGuest(c.Context(), &o.Guest, log, func(ctx context.Context) (err error) {
				r, err = measure.Run(ctx, o)
				return err
			})
			switch {
			case err != nil:
				return err
			case asJSON:
				return r.WriteJSON(a.out)
			}
			return r.WriteText(a.out)
		},
	}
	f := c.Flags()
	f.StringVar(&o.Bot, "bot", "", "`command` that starts the bot")
	f.StringVar(&o.Listen, "listen", "127.0.0.1:0", "`address` of the sandbox; port 0 is any free one")
	f.IntVar(&o.Moves, "moves", 200, "answers to measure")
	f.DurationVar(&o.Think, "think", 380*time.Millisecond, "what the opponent takes for a move; bots limit their requests a second")
	f.IntVar(&o.Starts, "starts", 5, "starts to measure")
	f.StringVar(&faults, "faults", "all", "`names` of faults, separated by commas; all or none")
	f.DurationVar(&o.Patience, "patience", 90*time.Second, "how long the bot may take to connect, to move, and to get over a fault")
	f.StringVar(&log, "log", "", "`file` for what the bot writes")
	f.BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

func checkMeasure(o measure.Options) error {
	switch {
	case o.Moves < 1 || o.Moves > 100_000:
		return fmt.Errorf("--moves %d: want 1 to 100000 moves", o.Moves)
	case o.Starts < 1 || o.Starts > 1000:
		return fmt.Errorf("--starts %d: want 1 to 1000 starts", o.Starts)
	case o.Think < time.Millisecond || o.Think > time.Minute:
		return fmt.Errorf("--think %v: want an opponent that thinks for 1ms to 1m", o.Think)
	case o.Patience < time.Second || o.Patience > time.Hour:
		return fmt.Errorf("--patience %v: want 1s to 1h", o.Patience)
	}
	if _, err := net.ResolveTCPAddr("tcp", o.Listen); err != nil {
		return fmt.Errorf("listen address %q: %w", o.Listen, err)
	}
	return nil
}

// faultNames reads the list of faults.
func faultNames(text string) ([]string, error) {
	switch text {
	case "all":
		return nil, nil
	case "none":
		return []string{}, nil
	}
	names := strings.Split(text, ",")
	for i, name := range names {
		names[i] = strings.TrimSpace(name)
	}
	return names, measure.CheckFaultNames(names)
}

// ownCommand starts this program as a bot in the folder that it is given. It asks nothing of
// databases on the network, whatever the settings say: games here are as many as one likes.
func ownCommand(words string) (string, error) {
	program, err := os.Executable()
	if err != nil {
		return "", err
	}
	return config.Prefix + "_STATE_DIR={dir} " + config.Prefix + "_ONLINE= exec '" + strings.ReplaceAll(program, "'", `'\''`) + "' " + words, nil
}

// withGuest runs what measures a bot until it ends or a signal comes. What the bot writes goes
// to the file log, if that is not "".
func (a *app) withGuest(ctx context.Context, g *measure.Guest, log string, run func(context.Context) error) error {
	if log != "" {
		f, err := os.OpenFile(log, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
		if err != nil {
			return usage(err)
		}
		defer f.Close()
		g.Log = f
	}
	g.Progress = a.steps()
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := run(ctx)
	g.Progress("")
	if ctx.Err() != nil {
		return errors.New("interrupted")
	}
	return err
}

// steps tells people what is being done: on a terminal in one line, which "" takes away,
// elsewhere not at all.
func (a *app) steps() func(what string) {
	if !errIsTerminal() {
		return func(string) {}
	}
	last := ""
	return func(what string) {
		if what != last {
			fmt.Fprintf(a.err, "\r%-*s\r%s", len(last), "", what)
			last = what
		}
	}
}

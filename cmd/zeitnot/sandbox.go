package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"zeitnot/lichess/sandbox"
)

// sandboxBot is the account that the sandbox's players challenge; sandboxHuman is there
// to be upgraded.
const (
	sandboxBot   = "SandboxBot"
	sandboxHuman = "SandboxHuman"
)

func (a *app) sandboxCommand() *cobra.Command {
	o := sandboxFlags{}
	c := &cobra.Command{
		Use:   "sandbox",
		Short: "A stand-in for Lichess, for any bot to play against",
		Long: `A stand-in for Lichess on the loopback, for any bot to play against. It prints its base
URL and a token for each account, one a line, and lasts until SIGINT or SIGTERM. Its
players challenge ` + sandboxBot + `, one game at a time each.

Opponents are LEVEL or LEVEL@TIME, separated by commas; levels, from weak to strong:
` + levelNames() + `.

Faults are KIND [ENDPOINT] [key=value ...], separated by semicolons, such as

  latency in=40ms out=20ms jitter=10ms; status move code=429 times=1; cut game ply=11;
  lost move as=reset from=3; restart after=30s down=5s

or @FILE with such a text, which may have a fault a line and # before a comment.

ENDPOINT is game or event, the streams, or a call such as move, account or accept; a wrong
one is answered with the names of all. The whole language is explained in
docs/reliability.md. The kinds and their keys:

` + sandbox.FaultKinds(),
		Example: `  zeitnot sandbox &
  ZEITNOT_URL=http://127.0.0.1:9663 ZEITNOT_TOKEN=TOKEN zeitnot run`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			ctx, stop := signal.NotifyContext(c.Context(), syscall.SIGINT, syscall.SIGTERM)
			defer stop()
			return a.sandbox(ctx, o)
		},
	}
	c.Flags().StringVar(&o.listen, "listen", "127.0.0.1:9663", "`address` to listen on")
	c.Flags().StringVar(&o.faults, "faults", "", "what goes wrong, and when: faults, or @FILE")
	c.Flags().StringVar(&o.opponents, "opponents", "novice@1+0,club@3+2", "who challenges the bot; empty is nobody")
	c.Flags().IntVar(&o.games, "games", 0, "games that each opponent plays; 0 is no end")
	c.Flags().BoolVar(&o.casual, "casual", false, "play casual games instead of rated ones")
	c.Flags().Uint64Var(&o.seed, "seed", 1, "number that decides everything random")
	c.AddCommand(a.sandboxMeasureCommand(), a.sandboxSoakCommand(), a.sandboxPlayerCommand())
	return c
}

type sandboxFlags struct {
	listen, faults, opponents string
	games                     int
	casual                    bool
	seed                      uint64
}

func (a *app) sandbox(ctx context.Context, f sandboxFlags) error {
	faults, err := readFaults(f.faults)
	if err != nil {
		return usage(err)
	}
	opponents, err := f.players()
	if err != nil {
		return usage(err)
	}
	if _, err := net.ResolveTCPAddr("tcp", f.listen); err != nil {
		return usage(fmt.Errorf("listen address %q: %w", f.listen, err))
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", f.listen)
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	url := "http://" + listener.Addr().String()
	ended := newFeed[sandbox.GameRecord]()
	server, err := sandbox.New(sandbox.Options{
		Seed: f.seed, URL: url, Faults: faults, Opponents: opponents,
		Accounts: []sandbox.AccountSpec{{Name: sandboxBot, Title: "BOT"}, {Name: sandboxHuman}},
		OnFinish: ended.put,
	})
	if err != nil {
		listener.Close()
		return usage(err)
	}
	// These tokens are no secrets: they are all that this command is asked for.
	fmt.Fprintf(a.out.to, "url\t%s\n", url)
	for _, account := range server.Accounts() {
		if account.Token != "" {
			fmt.Fprintf(a.out.to, "token\t%s\t%s\t%s\n", account.Name, account.Title, account.Token)
		}
	}
	around, done := context.WithCancel(context.WithoutCancel(ctx))
	printed := make(chan struct{})
	go func() {
		defer close(printed)
		ended.each(around, func(g sandbox.GameRecord) { fmt.Fprintln(a.err, gameLine(g)) })
	}()
	err = server.Run(ctx, listener)
	done()
	<-printed
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// readFaults reads faults from the flag, or from the file that it names.
func readFaults(flag string) ([]sandbox.Fault, error) {
	file, isFile := strings.CutPrefix(flag, "@")
	if !isFile {
		return sandbox.ParseFaults(flag)
	}
	text, err := readAtMost(file, maxFaults)
	if err != nil {
		return nil, fmt.Errorf("faults: %w", err)
	}
	faults, err := sandbox.ParseFaults(string(text))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return faults, nil
}

// maxFaults is far beyond any list of faults, in bytes.
const maxFaults = 1 << 20

// readAtMost reads a whole file, which may be a pipe, or a device without end.
func readAtMost(name string, limit int64) ([]byte, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, limit+1))
	if err == nil && int64(len(text)) > limit {
		err = fmt.Errorf("%s is larger than %d bytes", name, limit)
	}
	return text, err
}

// players reads the list of opponents.
func (f sandboxFlags) players() ([]sandbox.OpponentSpec, error) {
	if f.games < 0 {
		return nil, fmt.Errorf("--games %d: want 0, which is no end, or more", f.games)
	}
	var specs []sandbox.OpponentSpec
	for item := range strings.SplitSeq(f.opponents, ",") {
		if item = strings.TrimSpace(item); item == "" {
			continue
		}
		name, control, timed := strings.Cut(item, "@")
		if !timed {
			control = "3+2"
		}
		l, err := levelByName(name)
		if err != nil {
			return nil, err
		}
		tc, err := botControl(control)
		if err != nil {
			return nil, err
		}
		plan := sandbox.Plan{
			Challenge: sandbox.Challenge{To: sandboxBot, Control: sandbox.ClockControl(tc.Initial, tc.Increment), Rated: !f.casual},
			Count:     f.games, Every: time.Second, Persist: true, Swap: true,
		}
		if f.games == 0 {
			plan.Count = sandbox.Always
		}
		specs = append(specs, l.opponent(fmt.Sprintf("%s%d", l.name, len(specs)+1), 0, plan))
	}
	return specs, nil
}

// opponent is an account of the level that challenges by a plan.
func (l strength) opponent(name string, cap time.Duration, plan sandbox.Plan) sandbox.OpponentSpec {
	plan.From = name
	return sandbox.OpponentSpec{
		Name: name, Title: l.title, Rating: l.rating, New: l.player(cap), Plans: []sandbox.Plan{plan},
	}
}

// gameLine tells of a finished game.
func gameLine(g sandbox.GameRecord) string {
	return fmt.Sprintf("%s  %s - %s  %s by %s, %d plies", g.ID, g.White, g.Black, g.Result(), g.Status, len(g.Moves))
}

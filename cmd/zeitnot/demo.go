package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"

	"github.com/rs/zerolog"
	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"
	"golang.org/x/term"

	"zeitnot/bot"
	"zeitnot/clock"
	"zeitnot/config"
	"zeitnot/lichess"
	"zeitnot/lichess/sandbox"
)

const (
	demoName = "zeitnot"
	// demoAtOnce is how many games of a demo run at the same time.
	demoAtOnce = 2
	// fastMove is what either side takes for a move at the most with --fast.
	fastMove = 20 * time.Millisecond
)

func (a *app) demoCommand() *cobra.Command {
	var d demo
	var control string
	c := &cobra.Command{
		Use:   "demo",
		Short: "Play rated games against a Lichess of its own, without token or network",
		Long: `Play rated games against a Lichess of its own on the loopback: without token, without
network. The server, some opponents of different strength and the daemon run in this one
process and talk HTTP. By default it plays a 1+0 and a 3+2 game at the same time; on a
terminal boards and clocks are shown, elsewhere, and where a terminal is too small for a
board, a line for each move. The exit code is 0 only if every game ended by a result, and
not by our own flag.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if d.games < 1 || d.games > 1000 {
				return usage(fmt.Errorf("want 1 to 1000 games"))
			}
			d.controls = []config.TimeControl{
				{Initial: time.Minute}, {Initial: 3 * time.Minute, Increment: 2 * time.Second},
			}
			if control != "" {
				tc, err := botControl(control)
				if err != nil {
					return usage(err)
				}
				d.controls = []config.TimeControl{tc}
			}
			settings, err := a.demoSettings()
			if err != nil {
				return err
			}
			d.settings = settings
			d.log = newLogger(a.err, settings.LogLevel, settings.LogFormat, errIsTerminal())
			ctx, stop := signal.NotifyContext(c.Context(), syscall.SIGINT, syscall.SIGTERM)
			defer stop()
			return a.demo(ctx, &d)
		},
	}
	c.Flags().IntVar(&d.games, "games", 2, "number of games")
	c.Flags().StringVar(&control, "time", "", "`time` control of all games, such as 1+0 (default 1+0 and 3+2 in turn)")
	c.Flags().BoolVar(&d.fast, "fast", false, "take at most 20 ms for a move, on both sides")
	return c
}

// demo is what is to be played.
type demo struct {
	games    int
	controls []config.TimeControl // taken in turn
	fast     bool
	settings *config.Config
	log      zerolog.Logger
}

// demoSettings are the owner's, as far as they say how to play; those that say where are
// not even read.
func (a *app) demoSettings() (*config.Config, error) {
	for _, name := range []string{"URL", "TOKEN", "TOKEN_FILE", "STATE_DIR", "LISTEN", "ONLINE"} {
		os.Unsetenv(config.Prefix + "_" + name)
	}
	os.Unsetenv("LICHESS_BOT_TOKEN")
	os.Unsetenv("CREDENTIALS_DIRECTORY")
	settings, err := a.loadConfig("")
	if err != nil {
		return nil, err
	}
	if os.Getenv(config.Prefix+"_LOG_LEVEL") == "" {
		settings.LogLevel = "error" // the games are what is shown
	}
	return settings, nil
}

// opponents play the games in turn; the same one again only when all have played.
func (d *demo) opponents() []sandbox.OpponentSpec {
	strength := []string{"novice", "club", "mater", "expert", "mcts", "aggressive"}
	var specs []sandbox.OpponentSpec
	for i := range d.games {
		l, err := levelByName(strength[i%len(strength)])
		if err != nil {
			panic(err) // the names above are ours
		}
		tc := d.controls[i%len(d.controls)]
		color := "white"
		if i%2 == 1 {
			color = "black"
		}
		specs = append(specs, l.opponent(fmt.Sprintf("%s%d", l.name, i+1), d.cap(), sandbox.Plan{
			Challenge: sandbox.Challenge{
				To: demoName, Control: sandbox.ClockControl(tc.Initial, tc.Increment), Rated: true, Color: color,
			},
			Every: time.Second, Persist: true,
		}))
	}
	return specs
}

func (d *demo) cap() time.Duration {
	if d.fast {
		return fastMove
	}
	return 0
}

// demo plays the games and returns once all parts have ended.
func (a *app) demo(ctx context.Context, d *demo) error {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	url := "http://" + listener.Addr().String()
	moves := newFeed[sandbox.MoveRecord]()
	server, err := sandbox.New(sandbox.Options{
		Seed: uint64(time.Now().UnixNano()), URL: url, OnMove: moves.put, Opponents: d.opponents(),
		Accounts: []sandbox.AccountSpec{{Name: demoName, Title: "BOT"}},
	})
	if err != nil {
		listener.Close()
		return err
	}
	daemon, leave, err := d.daemon(ctx, url, server.Accounts()[0].Token)
	if err != nil {
		listener.Close()
		return err
	}
	defer leave()

	g, running := errgroup.WithContext(ctx)
	serving, stopServer := context.WithCancel(running)
	showing, stopShow := context.WithCancel(running)
	defer stopServer()
	defer stopShow()
	g.Go(func() error { return server.Run(serving, listener) })
	g.Go(func() error {
		defer stopServer()
		return daemon.Run(running)
	})
	g.Go(func() error {
		a.show(showing, server, moves)
		return nil
	})
	var games []sandbox.GameRecord
	g.Go(func() error {
		// The daemon's end, which an error or a signal may bring early, ends all.
		defer stopShow()
		defer daemon.Drain()
		all, err := server.WaitGames(serving, d.games)
		games = all
		return err
	})
	err = g.Wait()
	unfinished := func(g sandbox.GameRecord) bool { return !g.Over() }
	if len(games) < d.games || slices.ContainsFunc(games, unfinished) {
		return fmt.Errorf("stopped before all games had ended: %w", cause(ctx, err))
	}
	return a.demoResult(games)
}

// cause is why a demo ended early.
func cause(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return errors.New("interrupted")
	}
	return err
}

// daemon is the bot as it is run, apart from what it accepts: every game of the demo. close
// ends what it leaves open.
func (d *demo) daemon(ctx context.Context, url, token string) (daemon *bot.Daemon, close func(), err error) {
	var opened closers
	defer func() {
		if err != nil {
			opened.close()
		}
	}()
	secret, err := lichess.NewSecret(token)
	if err != nil {
		return nil, nil, err
	}
	client, err := lichess.New(lichess.Options{URL: url, Token: secret, Version: versionText(), Logger: d.log})
	if err != nil {
		return nil, nil, err
	}
	opened.add(client.Close)
	policy, err := clock.ByName(d.settings.ClockPolicy, clock.Tuning{})
	if err != nil {
		return nil, nil, err
	}
	if d.fast {
		policy = quick{policy, fastMove}
	}
	atOnce := min(d.games, demoAtOnce)
	cores, err := prepareRuntime(atOnce, d.settings.Threads, d.settings.HashMB)
	if err != nil {
		return nil, nil, &exitError{exitConfig, err}
	}

	options := botOptions(d.settings)
	accept := bot.Rules{
		Speeds:   []string{"ultraBullet", "bullet", "blitz", "rapid", "classical"},
		Variants: []lichess.VariantKey{lichess.Standard}, Rated: true,
	}
	options.Policy = bot.ChallengePolicy{Human: accept, Bot: accept}
	options.Client = client
	options.Concurrency = atOnce
	known := logKnowledge(d.settings, d.log)
	opened.add(func() {
		if daemon == nil || !daemon.SearchLeft() {
			known.close()
		}
	})
	players, err := newPlayers(ctx, d.settings, known, seats{atOnce, cores, options.Ponder}, d.log)
	if err != nil {
		return nil, nil, &exitError{exitConfig, err}
	}
	opened.add(func() { players.close(false) })
	options.Searchers, options.LastResort = players.searchers, players.lastResort
	options.Clock = policy
	options.DrainTimeout = time.Minute
	options.StateDir = ""
	options.SiteURL = url
	options.Log = d.log
	return bot.New(options), opened.close, nil
}

// quick keeps another policy from taking longer than most for a move.
type quick struct {
	clock.Policy
	most time.Duration
}

// Budget implements clock.Policy.
func (q quick) Budget(s clock.State) clock.Budget {
	b := q.Policy.Budget(s)
	b.Soft, b.Hard = min(b.Soft, q.most), min(b.Hard, q.most)
	return b
}

// show shows the games as they go until all is shown.
func (a *app) show(ctx context.Context, server *sandbox.Server, moves *feed[sandbox.MoveRecord]) {
	if out, ok := a.out.to.(*os.File); ok && term.IsTerminal(int(out.Fd())) {
		room := func() int {
			width, height, err := term.GetSize(int(out.Fd()))
			if err != nil {
				width, height = 0, 0
			}
			return boardsThatFit(width, height)
		}
		if room() > 0 {
			a.showBoards(ctx, server, moves, room)
			return
		}
	}
	moves.each(ctx, func(m sandbox.MoveRecord) {
		if g, ok := server.Game(m.GameID); ok {
			fmt.Fprintln(a.out, moveLine(g, m))
		}
	})
}

// demoResult prints the table and says whether the demo was a success.
func (a *app) demoResult(games []sandbox.GameRecord) error {
	slices.SortStableFunc(games, func(x, y sandbox.GameRecord) int { return x.Created.Compare(y.Created) })
	var failed []error
	for _, g := range games {
		switch {
		case g.FlagFallen() == demoName:
			failed = append(failed, fmt.Errorf("game %s was lost on time", g.ID))
		case g.Result() == "*":
			failed = append(failed, fmt.Errorf("game %s ended without a result: %s", g.ID, g.Status))
		}
	}
	if err := a.printResults(games); err != nil {
		return err
	}
	return errors.Join(failed...)
}

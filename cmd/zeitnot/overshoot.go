package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"net"
	"os"
	"os/signal"
	"runtime"
	"sync"
	"syscall"
	"time"

	"github.com/rs/zerolog"
	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"zeitnot/bot"
	"zeitnot/bot/flight"
	"zeitnot/clock"
	"zeitnot/config"
	"zeitnot/lichess"
	"zeitnot/lichess/sandbox"
)

const (
	// The budgets of the moves.
	leastOvershootBudget, mostOvershootBudget = 5 * time.Millisecond, 100 * time.Millisecond
	// hostTick and hostStall are how often a thread wakes up, and by how much too late is a
	// stall of the host; keptStalls is all there may be.
	hostTick, hostStall = time.Millisecond, time.Millisecond
	keptStalls          = 1 << 24
	// overshootOpponent moves within a fraction of a millisecond and loses slowly.
	overshootOpponent = "novice"
)

// overshootBench measures how late after their deadlines moves are written.
type overshootBench struct {
	moves, games int
	seed         uint64
	asJSON       bool
	settings     *config.Config
}

func (a *app) clockOvershootCommand() *cobra.Command {
	var b overshootBench
	c := &cobra.Command{
		Use:   "overshoot",
		Short: "Measure how late after its deadline a move is on its way",
		Long: `Play games on the loopback by the embedded search and measure how long after its hard
deadline each move is written to the connection. Soft and hard limit are the same, drawn
from 5 to 100 ms, equally often in each doubling. Threads and hash are as set for the
daemon; there is no book, no tablebase and no pondering.

Apart from the others are moves during which the machine did not run a thread that did
nothing but wake up every millisecond, and moves whose search got no slot before the
deadline, since others had all of them. Moves that were found before their deadline, such
as a mate, count for nothing.

The output is for 'zeitnot clock sim --overshoot FILE'. The times are of this machine,
and say something only if nothing else keeps it busy.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if b.moves < 1 || b.moves > 10_000_000 || b.games < 1 || b.games > 100 {
				return usage(errors.New("want 1 to 10000000 moves, and 1 to 100 games"))
			}
			settings, err := a.demoSettings()
			if err != nil {
				return err
			}
			b.settings = settings
			ctx, stop := signal.NotifyContext(c.Context(), os.Interrupt, syscall.SIGTERM)
			defer stop()
			all, err := b.run(ctx, a.progress("overshoot"))
			if err != nil {
				return err
			}
			r := b.report(all)
			if b.asJSON {
				return a.printJSON(r)
			}
			return r.print(a.out)
		},
	}
	c.Flags().IntVar(&b.moves, "moves", 20_000, "moves to measure")
	c.Flags().IntVar(&b.games, "games", 1, "games at a time")
	c.Flags().Uint64Var(&b.seed, "seed", 1, "where chance begins")
	c.Flags().BoolVar(&b.asJSON, "json", false, "print JSON")
	return c
}

// run plays until enough moves are measured.
func (b *overshootBench) run(ctx context.Context, progress func(moves, all int)) (*overshoots, error) {
	all := newOvershoots(b.moves, progress)
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen: %w", err)
	}
	url := "http://" + listener.Addr().String()
	server, err := sandbox.New(b.sandbox(url))
	if err != nil {
		listener.Close()
		return nil, err
	}
	daemon, client, err := b.daemon(url, server.Accounts()[0].Token, all)
	if err != nil {
		listener.Close()
		return nil, err
	}
	defer client.Close()

	g, running := errgroup.WithContext(ctx)
	running, stop := context.WithCancel(running)
	defer stop()
	// Whoever ends before all are told to ends all; told to, they leave games running.
	part := func(run func() error) {
		g.Go(func() error {
			defer stop()
			if err := run(); running.Err() == nil {
				return err
			}
			return nil
		})
	}
	part(func() error { return server.Run(running, listener) })
	part(func() error { return daemon.Run(running) })
	// It runs beside the daemon's games.
	g.Go(func() error { flight.New("", zerolog.Nop()).Run(running); return nil })
	g.Go(func() error {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		all.canary.Run(running)
		return nil
	})
	g.Go(func() error {
		defer stop()
		select {
		case <-all.enough:
		case <-running.Done():
		}
		return nil
	})
	if err := g.Wait(); err != nil {
		return nil, err
	}
	if n := len(all.late); n < b.moves {
		return nil, fmt.Errorf("interrupted after %d of %d moves", n, b.moves)
	}
	return all, nil
}

// sandbox is the server with an opponent for each of the games, who begins the next game
// when one is over.
func (b *overshootBench) sandbox(url string) sandbox.Options {
	o := sandbox.Options{
		Seed: b.seed, URL: url,
		Accounts: []sandbox.AccountSpec{{Name: demoName, Title: "BOT"}},
		Limits:   sandbox.Limits{ChallengesPerMinute: -1, ChallengesPerDay: -1, BotGamesPerDay: -1},
	}
	level, err := levelByName(overshootOpponent)
	if err != nil {
		panic(err) // the name is ours
	}
	for i := range b.games {
		o.Opponents = append(o.Opponents, level.opponent(fmt.Sprintf("%s%d", level.name, i+1), 0, sandbox.Plan{
			Challenge: sandbox.Challenge{To: demoName, Control: sandbox.ClockControl(3*time.Hour, 0), Rated: true},
			Count:     sandbox.Always, Every: time.Millisecond, Persist: true, Swap: true,
		}))
	}
	return o
}

// daemon is the bot as it is run, but for what it knows and how long it thinks.
func (b *overshootBench) daemon(url, token string, all *overshoots) (*bot.Daemon, *lichess.Client, error) {
	secret, err := lichess.NewSecret(token)
	if err != nil {
		return nil, nil, err
	}
	// One address with so many moves a second is not what the limiter is made for.
	client, err := lichess.New(lichess.Options{URL: url, Token: secret, Version: versionText(), Burst: 10_000, Refill: 10_000})
	if err != nil {
		return nil, nil, err
	}
	cores, err := prepareRuntime(b.games, b.settings.Threads, b.settings.HashMB)
	if err != nil {
		return nil, nil, &exitError{exitConfig, err}
	}
	runtime.GOMAXPROCS(runtime.GOMAXPROCS(0) + 1) // the canary's, which would take one from the games

	options := botOptions(b.settings)
	accept := bot.Rules{Speeds: []string{"classical"}, Variants: []lichess.VariantKey{lichess.Standard}, Rated: true}
	options.Policy = bot.ChallengePolicy{Human: accept, Bot: accept}
	options.Client = client
	options.Concurrency = b.games
	options.Searchers = newSearchers(b.games, cores, b.settings.Threads, b.settings.HashMB, &knowledge{})
	options.LastResort = newLastResort()
	options.Clock = newDrawnBudgets(b.seed)
	options.Departed = all.add
	options.StateDir = ""
	options.SiteURL = url
	options.Log = zerolog.Nop()
	return bot.New(options), client, nil
}

// drawnBudgets is no policy to win games by: it draws its budgets by lot.
type drawnBudgets struct {
	mu  sync.Mutex // guards rng
	rng *rand.Rand
}

func newDrawnBudgets(seed uint64) *drawnBudgets {
	return &drawnBudgets{rng: rand.New(rand.NewPCG(seed, 0))}
}

// Name implements clock.Policy.
func (*drawnBudgets) Name() string { return "drawn" }

// Budget implements clock.Policy.
func (d *drawnBudgets) Budget(clock.State) clock.Budget {
	d.mu.Lock()
	defer d.mu.Unlock()
	ratio := float64(mostOvershootBudget) / float64(leastOvershootBudget)
	t := time.Duration(float64(leastOvershootBudget) * math.Pow(ratio, d.rng.Float64()))
	return clock.Budget{Soft: t, Hard: t}
}

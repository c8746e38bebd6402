package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"zeitnot/clock"
	"zeitnot/engine"
	"zeitnot/engine/arena"
	"zeitnot/engine/instant"
	"zeitnot/engine/pgn"
	"zeitnot/engine/search"
	"zeitnot/engine/uci"
)

// arenaOverhead is what a move costs outside the search when both players sit in one
// program or on one machine.
const arenaOverhead = 10 * time.Millisecond

// arenaFlags are the flags of zeitnot arena.
type arenaFlags struct {
	engines            []string
	openings, pgn      string
	games, concurrency int
	seed               uint64
	sprt               string
	resign, draw       bool
	maxPlies           int
}

func (a *app) arenaCommand() *cobra.Command {
	var f arenaFlags
	c := &cobra.Command{
		Use:   "arena --engine SPEC --engine SPEC",
		Short: "Play a match between two engines",
		Long: `Play a match between two engines and tell which is stronger.

An engine is given in words, key=value, with quotes around blanks:

  cmd=PROGRAM or an embedded one: search, random, greedy, mater
  name=NAME         in the results
  arg=TEXT, dir=DIR for a program
  tc=3+0.05         seconds for the game and seconds a move
  movetime=0.1      seconds for each move
  nodes=N, depth=N  limits of each search
  margin=0.01       seconds below zero without loss
  option.NAME=VALUE options of a program; option.Hash (MiB), option.Policy and
                    option.Overhead (such as 10ms) of the embedded search

Each opening is played twice with colours swapped; without --openings all pairs begin alike,
and engines that do not vary repeat the same two games. With nodes or depth alone for embedded
engines the match is the same whenever it is played with the same seed. With times its
numbers hold for this machine only, and only if nothing else keeps it busy.

Standard output has the result at the end; each game is told on standard error.`,
		Example: `  zeitnot arena --engine "cmd=search name=zeitnot tc=3+0.05 option.Hash=64" \
    --engine "cmd=/usr/games/stockfish name=sf nodes=2500" --openings 8moves_v3.pgn.zip --games 100`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			m, err := f.match()
			if err != nil {
				return usage(err)
			}
			return a.playMatch(c.Context(), m, f.pgn)
		},
	}
	flags := c.Flags()
	flags.StringArrayVar(&f.engines, "engine", nil, "one of the two engines, as `SPEC`")
	flags.StringVar(&f.openings, "openings", "", "`FILE` of openings, .epd or .pgn, also zipped (default the initial position)")
	flags.IntVar(&f.games, "games", 100, "games to play")
	flags.IntVar(&f.concurrency, "concurrency", 1, "games at a time")
	flags.StringVar(&f.pgn, "pgn", "", "`FILE` that the games are appended to")
	flags.Uint64Var(&f.seed, "seed", 1, "choice of the openings, and lots of engines that draw them")
	flags.StringVar(&f.sprt, "sprt", "", "`ELO0,ELO1`: end as soon as the first engine is known to be that much stronger or not")
	flags.BoolVar(&f.resign, "resign", true, "end games that both see decided: 10 pawns for 4 moves")
	flags.BoolVar(&f.draw, "draw", true, "end games that both see level: 0.1 pawns for 8 moves, from move 40")
	flags.IntVar(&f.maxPlies, "max-plies", 600, "draw what is longer")
	return c
}

// match builds the match; every error is one of usage.
func (f *arenaFlags) match() (arena.Match, error) {
	m := arena.Match{Games: f.games, Concurrency: f.concurrency, Seed: f.seed, Event: "arena"}
	if len(f.engines) != 2 {
		return m, fmt.Errorf("%d engines: want two --engine", len(f.engines))
	}
	if f.games < 1 || f.concurrency < 1 || f.maxPlies < 1 {
		return m, errors.New("want at least one game, one at a time, and one ply")
	}
	for i, text := range f.engines {
		spec, err := arena.ParsePlayer(text)
		if err != nil {
			return m, err
		}
		if m.Players[i], err = arenaPlayer(spec); err != nil {
			return m, fmt.Errorf("player %q: %w", text, err)
		}
	}
	if m.Players[0].Name == m.Players[1].Name {
		m.Players[1].Name += " 2"
	}
	if f.sprt != "" {
		low, high, _ := strings.Cut(f.sprt, ",")
		elo0, err0 := strconv.ParseFloat(low, 64)
		elo1, err1 := strconv.ParseFloat(high, 64)
		if err0 != nil || err1 != nil || !(elo0 < elo1) || elo0 < -1000 || elo1 > 1000 {
			return m, fmt.Errorf("--sprt %q: want two Elo differences, the lower first, like 0,5", f.sprt)
		}
		m.SPRT = &arena.SPRT{Elo0: elo0, Elo1: elo1}
	}
	m.Adjudicate.MaxPlies = f.maxPlies
	if f.resign {
		m.Adjudicate.ResignScore, m.Adjudicate.ResignMoves = 1000, 4
	}
	if f.draw {
		m.Adjudicate.DrawScore, m.Adjudicate.DrawMoves, m.Adjudicate.DrawFrom = 10, 8, 40
	}
	book := arena.StandardStart()
	if f.openings != "" {
		var err error
		if book, err = arena.OpenBook(f.openings); err != nil {
			return m, err
		}
	}
	var err error
	if m.Openings, err = book.Pick((f.games+1)/2, f.seed); err != nil {
		return m, err
	}
	return m, m.Check()
}

// arenaPlayer finds an embedded searcher of that name, else takes it for a program.
func arenaPlayer(spec arena.Spec) (arena.Player, error) {
	p := arena.Player{Name: spec.Name, Limits: spec.Limits}
	simple := func(make func(seed uint64) engine.Searcher) (arena.Player, error) {
		if len(spec.Options) > 0 {
			return p, fmt.Errorf("%s has no options", spec.Cmd)
		}
		p.Limits.Nodes = max(1, p.Limits.Nodes) // it answers at once; any limit will do
		p.Make = arena.Embedded(func(seed uint64) (engine.Searcher, error) { return make(seed), nil }, noBudget)
		return p, nil
	}
	switch spec.Cmd {
	case "random":
		return simple(func(seed uint64) engine.Searcher { return instant.Random{Seed: seed} })
	case "greedy":
		return simple(func(seed uint64) engine.Searcher { return instant.Greedy{Seed: seed} })
	case "mater":
		return simple(func(seed uint64) engine.Searcher { return instant.Mater{Seed: seed} })
	case "search":
		hash, policy, overhead := uciHashMB, clock.DefaultPolicy, arenaOverhead
		for _, o := range spec.Options {
			var err error
			switch strings.ToLower(o.Name) {
			case "hash":
				if hash, err = strconv.Atoi(o.Value); err != nil || hash < 1 || hash > 1<<20 {
					err = fmt.Errorf("option Hash %q: want MiB from 1", o.Value)
				} else {
					err = hashFits(hash)
				}
			case "policy":
				policy = o.Value
			case "overhead":
				overhead, err = time.ParseDuration(o.Value)
			default:
				err = fmt.Errorf("option %s: there are Hash, Policy, Overhead", o.Name)
			}
			if err != nil {
				return p, err
			}
		}
		budget, err := newBudgeter(policy, overhead)
		if err != nil {
			return p, err
		}
		p.Make = arena.Embedded(func(uint64) (engine.Searcher, error) {
			return search.New(search.Options{HashMB: hash}), nil
		}, budget.limits)
		return p, nil
	}
	return spec.External(uci.Patience{}), nil
}

// noBudget is for searchers that take no time.
func noBudget(engine.ClockState) engine.Limits { return engine.Limits{} }

// playMatch plays the match and prints its result, also when it was interrupted.
func (a *app) playMatch(ctx context.Context, m arena.Match, pgnFile string) (err error) {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	timed := m.Players[0].Limits.Timed() || m.Players[1].Limits.Timed()
	if timed {
		m.Date = time.Now()
	}
	if pgnFile != "" {
		file, openErr := os.OpenFile(pgnFile, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
		if openErr != nil {
			return openErr
		}
		defer func() { err = errors.Join(err, file.Close()) }()
		m.PGN = file
	}
	m.OnGame = func(r arena.Record, sofar arena.Result) { a.tellGame(m, r, sofar) }
	result, err := arena.Run(ctx, m)
	if result.Games() > 0 {
		io.WriteString(a.out, result.String())
	}
	return err
}

// tellGame prints a line for a finished game.
func (a *app) tellGame(m arena.Match, r arena.Record, sofar arena.Result) {
	white, black := m.Players[r.White].Name, m.Players[1-r.White].Name
	symbol := r.Result
	if symbol == pgn.Draw {
		symbol = "1/2"
	}
	fmt.Fprintf(a.err, "%d/%d %s %s %s, %d plies, %s; +%d =%d -%d, Elo %s\n", r.Number, m.Games, white, symbol, black,
		r.Plies, r.Reason, sofar.Wins, sofar.Draws, sofar.Losses, sofar.Difference())
}

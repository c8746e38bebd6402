// Command tune fits the weights of the evaluation. `tune label` takes quiet positions from
// recorded games, other people's or its own, and lets a UCI engine score them; `tune fit`
// moves the weights towards those scores by gradient descent and writes them as Go source:
//
//	go run ./engine/eval/tune label -games games.txt.gz -engine stockfish -n 1200000 -out labels.txt
//	go run ./engine/eval/tune fit -labels labels.txt -out engine/eval/weights.go
//
// `tune wdl` fits the model by which scores are shares of games won, drawn and lost, to games
// with evaluations as an arena writes them:
//
//	go run ./engine/eval/tune wdl games.pgn
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "tune:", err)
		os.Exit(1)
	}
}

var errUsage = errors.New("usage: tune label|fit [flags] or tune wdl FILE...; -h shows the flags")

func run(ctx context.Context, args []string) error {
	if len(args) == 0 {
		return errUsage
	}
	flags := flag.NewFlagSet("tune "+args[0], flag.ContinueOnError)
	switch args[0] {
	case "label":
		var o labelOptions
		flags.Func("games", "`file` of games, PGN or gzipped lines of result (1, 0, =) and UCI moves; may be given several times", func(name string) error {
			o.games = append(o.games, name)
			return nil
		})
		flags.StringVar(&o.engine, "engine", "stockfish", "UCI engine that scores the positions")
		flags.StringVar(&o.out, "out", "labels.txt", "`file` to write")
		flags.IntVar(&o.count, "n", 1_200_000, "positions wanted")
		flags.IntVar(&o.nodes, "nodes", 400, "nodes of each scoring search")
		flags.Uint64Var(&o.seed, "seed", 1, "seed of the choice of positions")
		if err := flags.Parse(args[1:]); err != nil {
			return err
		}
		return label(ctx, o)
	case "fit":
		var o fitOptions
		flags.StringVar(&o.labels, "labels", "labels.txt", "`file` that label has written")
		flags.StringVar(&o.out, "out", "weights.go", "`file` to write")
		flags.IntVar(&o.limit, "limit", 3_000_000, "positions used at most")
		flags.IntVar(&o.rounds, "rounds", 1, "rounds: terms that are not linear are linearised anew in each")
		flags.IntVar(&o.epochs, "epochs", 60, "passes over the positions per round")
		if err := flags.Parse(args[1:]); err != nil {
			return err
		}
		return fit(ctx, o)
	case "wdl":
		if err := flags.Parse(args[1:]); err != nil {
			return err
		}
		return wdl(flags.Args())
	}
	return errUsage
}

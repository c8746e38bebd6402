// Command tune fits the weights of the evaluation. `tune label` takes quiet positions from
// recorded games and lets a UCI engine score them; `tune fit` moves the weights towards
// those scores by gradient descent and writes them as Go source:
//
//	go run ./engine/eval/tune label -games games.txt.gz -engine stockfish -n 300000 -out labels.txt
//	go run ./engine/eval/tune fit -labels labels.txt -out engine/eval/weights.go
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

var errUsage = errors.New("usage: tune label|fit [flags]; -h shows them")

func run(ctx context.Context, args []string) error {
	if len(args) == 0 {
		return errUsage
	}
	flags := flag.NewFlagSet("tune "+args[0], flag.ContinueOnError)
	switch args[0] {
	case "label":
		var o labelOptions
		flags.StringVar(&o.games, "games", "", "gzipped `file` of games: result (1, 0, =) and UCI moves from the initial position, one game a line")
		flags.StringVar(&o.engine, "engine", "stockfish", "UCI engine that scores the positions")
		flags.StringVar(&o.out, "out", "labels.txt", "`file` to write")
		flags.IntVar(&o.count, "n", 300_000, "positions wanted")
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
		flags.IntVar(&o.limit, "limit", 330_000, "positions used at most")
		flags.IntVar(&o.rounds, "rounds", 2, "rounds: terms that are not linear are linearised anew in each")
		flags.IntVar(&o.epochs, "epochs", 100, "passes over the positions per round")
		if err := flags.Parse(args[1:]); err != nil {
			return err
		}
		return fit(ctx, o)
	}
	return errUsage
}

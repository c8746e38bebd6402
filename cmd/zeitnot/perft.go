package main

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"zeitnot/engine/position"
)

// maxPerft is a depth that no machine finishes; it keeps typing errors from running for
// ever without a word.
const maxPerft = 30

func (a *app) perftCommand() *cobra.Command {
	var fen string
	var divide, chess960 bool
	c := &cobra.Command{
		Use:   "perft DEPTH",
		Short: "Count the leaves of the tree of legal moves",
		Args:  oneArgument("DEPTH"),
		RunE: func(_ *cobra.Command, args []string) error {
			depth, err := strconv.Atoi(args[0])
			if err != nil || depth < 0 || depth > maxPerft {
				return usage(fmt.Errorf("perft depth %q: want a number from 0 to %d", args[0], maxPerft))
			}
			p, err := position.ParseFEN(fen)
			if err != nil {
				return usage(err)
			}
			if chess960 {
				p = p.WithChess960(true)
			}
			nodes := uint64(0)
			if divide && depth > 0 {
				nodes = a.divide(&p, depth)
			} else {
				nodes = p.Perft(depth)
			}
			_, err = fmt.Fprintf(a.out, "Nodes searched: %d\n", nodes)
			return err
		},
	}
	c.Flags().StringVar(&fen, "fen", position.StartFEN, "position to start from, X-FEN or Shredder-`FEN`")
	c.Flags().BoolVar(&divide, "divide", false, "print the count of each root move")
	c.Flags().BoolVar(&chess960, "chess960", false, "write castling as the king taking its rook")
	return c
}

// divide prints the count of each move, by the moves' names, and returns the sum.
func (a *app) divide(p *position.Position, depth int) (total uint64) {
	var lines [][]byte
	// Never cancelled, so it cannot fail.
	total, _ = p.Divide(context.Background(), depth, func(m position.Move, n uint64) {
		lines = append(lines, fmt.Appendf(nil, "%s: %d\n", p.UCI(m, p.Chess960()), n))
	})
	slices.SortFunc(lines, bytes.Compare)
	fmt.Fprintf(a.out, "%s\n", bytes.Join(lines, nil))
	return total
}

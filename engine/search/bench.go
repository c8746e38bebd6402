package search

import (
	"context"
	"fmt"

	"zeitnot/engine"
	"zeitnot/engine/position"
)

const (
	// BenchDepth is the depth of the default bench: some seconds on one core.
	BenchDepth = 13
	// benchHashMB is fixed, because the table's size changes the node count.
	benchHashMB = 16
)

// Bench searches fixed positions to the given depth (0 means BenchDepth) with one thread
// and a fresh table each, and returns the nodes searched. The number is the signature of
// search and evaluation: it changes exactly when they decide something differently.
func Bench(ctx context.Context, depth int) (uint64, error) {
	if depth <= 0 {
		depth = BenchDepth
	}
	s := New(Options{HashMB: benchHashMB})
	nodes := uint64(0)
	for _, fen := range benchFENs {
		p, err := position.ParseFEN(fen)
		if err != nil {
			return 0, fmt.Errorf("bench position %q: %w", fen, err)
		}
		s.NewGame()
		r, err := s.Search(ctx, position.NewGame(p), engine.Limits{Depth: &depth}, nil)
		if err != nil {
			return 0, fmt.Errorf("bench position %q: %w", fen, err)
		}
		nodes += r.Nodes
	}
	return nodes, ctx.Err()
}

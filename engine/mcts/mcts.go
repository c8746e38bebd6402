// Package mcts is a searcher of another kind than package search, to play against it: a
// Monte Carlo tree search. Each rollout walks down the tree by PUCT, adds the moves of one
// position to it and takes back up what that position is worth: its static evaluation
// after the captures have been played out, squashed to between -1 and 1. (Playouts of
// captures and chance moves, of 6 and of 80 plies, lost 37 of 37 games to it at 30 ms a
// move.) Mates are proven: a position with a move into a lost one is won, one with moves
// into won ones only is lost, and what is proven is never averaged. It uses one thread and
// keeps nothing between moves.
//
// Where its budget is known - by nodes, which count rollouts, or by time - the root moves
// compete by sequential halving (Karnin, Koren and Somekh 2013): the phases have equal
// slices of the budget, in each of them all moves left have equally many rollouts, and the
// worse half is out. Without a budget PUCT rules at the root as well.
package mcts

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"time"
	"unsafe"

	"zeitnot/engine"
	"zeitnot/engine/eval"
	"zeitnot/engine/position"
)

// Options are what a searcher is made with.
type Options struct {
	// HashMB is the memory of the tree in MiB, at most 65535; 0 means 16. When it is full the
	// tree grows no more, but its leaves are still visited and compared.
	HashMB int
	// Seed varies the play: it decides between root moves that look alike. Searches with the
	// same seed, position, limit of nodes and HashMB are the same.
	Seed uint64
	// Now is the polled clock; nil means engine.Now.
	Now func() time.Duration
}

const (
	defaultHashMB = 16
	nodeBytes     = int(unsafe.Sizeof(node{}))
	// maxHashMB is what nodes of the pool can be numbered for, by an int32.
	maxHashMB = math.MaxInt32 / (1 << 20 / nodeBytes)
)

// Searcher searches by rollouts, which is what its nodes are. Of the limits, Depth ends the
// search when the rollouts' mean depth has reached it, or when the tree is full and can grow
// no deeper; Mate when a mate is proven, as every proven result does; Scale is not asked,
// since the slices of Soft are dealt out at the start. One search at a time.
type Searcher struct {
	seed uint64
	now  func() time.Duration
	ev   *eval.Evaluator

	pool []node // of the tree; the root is the first
	used int    // of pool
	full bool   // a position had no room for its moves

	rollouts uint64
	tree     tree
	leaf     leaf
}

var (
	_ engine.Budgeted = (*Searcher)(nil)
	_ engine.Tunable  = (*Searcher)(nil)
)

// New makes a searcher. It starts nothing.
func New(o Options) *Searcher {
	s := &Searcher{seed: o.Seed, now: o.Now, ev: eval.New()}
	if s.now == nil {
		s.now = engine.Now
	}
	if o.HashMB <= 0 {
		o.HashMB = defaultHashMB
	}
	s.resize(min(o.HashMB, maxHashMB))
	return s
}

func (s *Searcher) resize(mb int) {
	s.pool = nil // lets the old one be collected before the new one is made
	s.pool = make([]node, mb<<20/nodeBytes)
}

// YieldNodes is one rollout.
func (s *Searcher) YieldNodes() int { return 1 }

// SetHash gives the tree mb MiB (1 to 65535).
func (s *Searcher) SetHash(mb int) error {
	if mb < 1 || mb > maxHashMB {
		return fmt.Errorf("hash %d MiB: not within 1-%d", mb, maxHashMB)
	}
	s.resize(mb)
	return nil
}

// SetThreads accepts one thread, which is what this searcher has.
func (s *Searcher) SetThreads(n int) error {
	if n != 1 {
		return fmt.Errorf("threads %d: not within 1-1", n)
	}
	return nil
}

// NewGame forgets nothing, since nothing is kept but what is true of any position.
func (s *Searcher) NewGame() {}

// Search finds a move within the limits. With Infinite or Ponder it answers only when ctx
// is cancelled.
func (s *Searcher) Search(ctx context.Context, g position.Game, l engine.Limits, onInfo func(engine.Info)) (engine.Result, error) {
	b := s.newBudget(ctx, l)
	s.rollouts = 0
	// The first rollout is the root's own. It is made even if there is no time at all, for it
	// finds the moves.
	b.out()
	s.plant(g, l.SearchMoves)
	root := &s.pool[0]
	if root.children == 0 {
		b.wait()
		return engine.Over(g, "mcts"), nil
	}
	r := &running{Searcher: s, budget: b, g: g, onInfo: onInfo, lines: min(max(l.MultiPV, 1), int(root.children))}
	r.ranked = make([]int32, root.children)
	for i := range r.ranked {
		r.ranked[i] = root.first + int32(i)
	}
	r.drawLots(rand.New(rand.NewPCG(s.seed, g.Position().Key()^uint64(g.Len()))))
	r.byPrior()
	switch {
	case b.timed && root.children == 1 && len(l.SearchMoves) == 0:
		// There is nothing to choose.
	case b.known():
		r.halve()
	default:
		r.explore()
	}
	res := r.answer()
	b.wait()
	return res, nil
}

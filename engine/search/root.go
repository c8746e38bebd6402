package search

import (
	"slices"

	"zeitnot/engine"
	"zeitnot/engine/position"
)

const (
	// aspirationFrom is the first depth with a window around the last score, of
	// aspirationWidth centipawns to each side. Starting values, as usual in the field.
	aspirationFrom  = 4
	aspirationWidth = 14
	// currMoveNodes is when the running root move begins to be reported. Without a clock
	// read it stands for about three seconds.
	currMoveNodes = 3_000_000
)

// rootMove is a move of the root with what the search knows of it.
type rootMove struct {
	move position.Move
	// score of the running depth; -infinite if the move did not beat the best one. prev is
	// that of the last finished depth.
	score, prev int
	bound       engine.Bound
	selDepth    int
	nodes       uint64
	pv          line
}

// setRoot prepares the root: the position, the keys of the game and the root moves, the TT
// move first, then captures by worth, then the rest by history.
func (t *thread) setRoot(g position.Game, only []position.Move) {
	f := t.frame(0)
	f.pos = *g.Position()
	f.sinceNull = 1 << 20
	f.doubles, f.cutoffs = 0, 0
	f.killer, f.excluded = position.NoMove, position.NoMove
	t.frame(2).cutoffs = 0 // further down the search does it, two plies ahead
	for i := range behind {
		b := &t.stack[i]
		b.eval, b.cont, b.move = evalNone, noCont, position.NoMove
	}
	keys := g.Keys()
	keys = keys[:len(keys)-1]
	keys = keys[max(0, len(keys)-keyHistory):]
	t.base = copy(t.keys[:], keys)
	t.keys[t.base] = f.pos.Key()

	e, _ := t.tt.probe(f.pos.Key(), 0)
	t.rootN, t.restricted = 0, false
	k := &f.pick[0]
	k.start(&f.pos, e.move, position.NoMove, false, 0)
	for m := t.next(0, k); m != position.NoMove; m = t.next(0, k) {
		if len(only) > 0 && !slices.Contains(only, m) {
			t.restricted = true
			continue
		}
		r := t.root[t.rootN]
		r.move, r.score, r.prev, r.bound, r.nodes = m, -infinite, -infinite, engine.BoundNone, 0
		r.pv.moves[0], r.pv.n = m, 1
		t.rootN++
	}
}

// searchRoot searches the root moves from the rank-th on within the window. On a stop,
// moves that were finished keep their scores; the one that was running has none.
func (t *thread) searchRoot(alpha, beta, depth, rank int, report func(m position.Move, number int)) int {
	best := -infinite
	f := t.frame(0)
	f.eval = evalNone
	if !f.pos.InCheck() {
		f.eval = t.corrected(0, t.ev.Evaluate(&f.pos))
	}
	t.frame(1).killer, t.frame(1).excluded = position.NoMove, position.NoMove
	for i := rank; i < t.rootN; i++ {
		t.root[i].score = -infinite
	}
	bound := engine.BoundUpper
	bestMove := position.NoMove
	for i := rank; i < t.rootN; i++ {
		r := t.root[i]
		t.poll()
		if t.stopped {
			return best
		}
		if report != nil && t.nodes >= currMoveNodes {
			report(r.move, i+1)
		}
		before := t.nodes
		noisy := f.pos.IsNoisy(r.move)
		hist := 0
		if !noisy {
			hist = t.quietScore(0, r.move)
		}
		t.selDepth = 0
		t.makeMove(0, r.move)
		newDepth := depth - 1
		first := i == rank
		s := 0
		if !first {
			red := 0
			if depth >= 3 && i >= rank+2 && !noisy {
				red = t.reductions[min(depth, 63)][min(i-rank+1, 63)] - 1000 - hist/10
				if t.frame(1).pos.InCheck() {
					red -= 800
				}
				red = min(max(red/1024, 0), newDepth-1)
			}
			f.reduction = red
			s = -t.search(1, -alpha-1, -alpha, newDepth-red, true)
			f.reduction = 0
			if s > alpha && red > 0 && !t.stopped {
				s = -t.search(1, -alpha-1, -alpha, newDepth, false)
			}
		}
		if first || s > alpha && !t.stopped {
			s = -t.search(1, -beta, -alpha, newDepth, false)
		}
		r.nodes += t.nodes - before
		if t.stopped {
			return best
		}
		if s > best {
			best = s
		}
		// The first move always counts. Others only if they beat it: below alpha their
		// scores are mere bounds, and sorting by them would shuffle the list.
		if first || s > alpha {
			r.score, r.selDepth = s, t.selDepth
			r.bound = engine.BoundExact
			if s <= alpha {
				r.bound = engine.BoundUpper
			} else {
				bestMove, bound = r.move, engine.BoundExact
				r.pv.set(r.move, &t.pv[1])
				if s >= beta {
					r.bound, bound = engine.BoundLower, engine.BoundLower
				}
			}
			alpha = max(alpha, s)
			if s >= beta {
				break
			}
		}
	}
	if rank == 0 && !t.restricted {
		raw := evalNone
		if f.eval != evalNone {
			raw = t.ev.Evaluate(&f.pos)
		}
		t.tt.store(f.pos.Key(), 0, ttEntry{move: bestMove, score: best, eval: raw, depth: depth, bound: bound, pv: true})
	}
	return best
}

// sortRoot puts the root moves from the rank-th on in order of their scores; those without
// one keep their order, which is that of the last depth.
func (t *thread) sortRoot(rank, end int) {
	// An insertion sort is stable, allocates nothing and is fast on lists nearly in order.
	for i := rank + 1; i < end; i++ {
		for j := i; j > rank && t.root[j].score > t.root[j-1].score; j-- {
			t.root[j], t.root[j-1] = t.root[j-1], t.root[j]
		}
	}
}

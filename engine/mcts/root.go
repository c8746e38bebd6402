package mcts

import (
	"cmp"
	"math/bits"
	"math/rand/v2"
	"slices"

	"zeitnot/engine"
	"zeitnot/engine/position"
)

// running is one search from its root to its answer.
type running struct {
	*Searcher
	budget *budget
	g      position.Game
	onInfo func(engine.Info)
	lines  int
	// ranked are the root's children, the best first; those that are out of the competition
	// stay where they were when they left.
	ranked []int32
	// lots are what chance adds to the value of each child, in the order of the pool.
	lots []float64
}

// lotWorth is the most that chance adds to a move: about five centipawns of a level game.
const lotWorth = 0.016

// drawLots lets chance have its say, here and in what PUCT looks at first.
func (r *running) drawLots(rng *rand.Rand) {
	children := r.pool[r.pool[0].first:][:len(r.ranked)]
	r.lots = make([]float64, len(children))
	for i := range children {
		lot := rng.Float64()
		r.lots[i] = float64(lotWorth * lot)
		children[i].prior *= float32(1 + lot/8)
	}
}

// byPrior ranks by what is known before the first rollout.
func (r *running) byPrior() {
	slices.SortStableFunc(r.ranked, func(a, b int32) int { return cmp.Compare(r.pool[b].prior, r.pool[a].prior) })
}

// byValue ranks the first n by what the rollouts say.
func (r *running) byValue(n int) {
	slices.SortStableFunc(r.ranked[:n], func(a, b int32) int { return cmp.Compare(r.worth(b), r.worth(a)) })
}

// worth of a root move: chance decides between those that look alike.
func (r *running) worth(child int32) float64 {
	n := &r.pool[child]
	if n.proof == open && n.visits > 0 {
		return rank(n) + r.lots[child-r.pool[0].first]
	}
	return rank(n)
}

// rank orders moves by what they lead to: proven mates by their distance, all others by
// their mean; what was never visited counts least but for being mated.
func rank(n *node) float64 {
	switch {
	case n.proof == lost:
		return 3 - float64(n.distance)/1024
	case n.proof == won:
		return -3 + float64(n.distance)/1024
	case n.visits == 0:
		return -2
	}
	return -n.value()
}

// halve spends a known budget: in each phase the moves left take turns, then the worse half
// of them leaves. The last phase is between the last two, or as many as lines are wanted.
func (r *running) halve() {
	left := len(r.ranked)
	phases := max(1, bits.Len(uint(max(0, (left-1)/r.lines))))
	for phase := 1; phase <= phases; phase++ {
		share := float64(phase) / float64(phases)
		for turn := 0; ; turn++ {
			if r.budget.out() {
				r.byValue(left)
				return
			}
			// In whole rounds, so that all have equally many.
			if turn%left == 0 && phase < phases && r.budget.spent() >= share {
				break
			}
			r.rollout(r.ranked[turn%left])
		}
		r.byValue(left)
		r.report()
		left = max(r.lines, 1, (left+1)/2)
		for left > r.lines && r.pool[r.ranked[left-1]].proof == won {
			left-- // known to lose
		}
	}
}

// explore goes on until it is told to stop. What it has found is reported whenever the
// rollouts have doubled.
func (r *running) explore() {
	next := uint64(64)
	for !r.budget.out() {
		r.rollout(0)
		if r.rollouts >= next {
			next *= 2
			r.byVisits()
			r.report()
		}
	}
	r.byVisits()
}

// byVisits ranks by where PUCT has spent its rollouts, which is less shaken by chance than
// the means. Proven mates count for what they are; a proven draw has its visits as well.
func (r *running) byVisits() {
	mate := func(n *node) float64 {
		if n.proof == won || n.proof == lost {
			return rank(n)
		}
		return 0
	}
	slices.SortStableFunc(r.ranked, func(a, b int32) int {
		x, y := &r.pool[a], &r.pool[b]
		return cmp.Or(cmp.Compare(mate(y), mate(x)), cmp.Compare(y.visits, x.visits))
	})
}

// answer reports the final ranking and is the result.
func (r *running) answer() engine.Result {
	r.report()
	best := &r.pool[r.ranked[0]]
	res := engine.Result{
		Best: best.move, Source: "mcts", Nodes: r.rollouts, Depth: max(1, r.meanDepth()), Score: r.score(best),
	}
	if pv := r.pv(r.ranked[0]); len(pv) > 1 {
		res.Ponder = pv[1]
	}
	return res
}

// score of a move, for the side to move at the root.
func (r *running) score(n *node) engine.Score {
	switch {
	case n.proof == lost:
		return engine.MateIn(int(n.distance) + 1)
	case n.proof == won:
		return engine.MatedIn(int(n.distance) + 1)
	case n.visits == 0:
		return engine.Score(centipawns(r.pool[0].value()))
	}
	return engine.Score(centipawns(-n.value()))
}

// pv is the move and what is thought best after it.
func (r *running) pv(child int32) []position.Move {
	var line []position.Move
	for {
		n := &r.pool[child]
		if line = append(line, n.move); n.children == 0 {
			return line
		}
		child = n.first
		for i := range int32(n.children) {
			c, best := &r.pool[n.first+i], &r.pool[child]
			proven := n.proof != open && rank(c) > rank(best)
			if proven || n.proof == open && c.visits > best.visits {
				child = n.first + i
			}
		}
		if r.pool[child].visits == 0 {
			return line
		}
	}
}

// report tells the lines wanted.
func (r *running) report() {
	if r.onInfo == nil {
		return
	}
	depth := max(1, r.meanDepth())
	for i := range r.lines {
		r.onInfo(engine.Info{
			Depth: depth, SelDepth: max(depth, r.tree.deep), MultiPV: i + 1,
			Score: r.score(&r.pool[r.ranked[i]]), Bound: engine.BoundExact, Nodes: r.rollouts,
			HashFull: r.used * 1000 / len(r.pool), PV: r.pv(r.ranked[i]),
		})
	}
}

package search

import (
	"slices"

	"zeitnot/engine"
	"zeitnot/engine/position"
)

// finding is what a thread has found out about a root move. It is never changed once it
// is made, so that other threads may read it.
type finding struct {
	move                   position.Move
	score, depth, selDepth int
	pv                     []position.Move
}

// finding is the root move of the given rank as the thread has found it at a depth.
func (t *thread) finding(rank, depth int) *finding {
	r := t.root[rank]
	return &finding{r.move, r.score, depth, r.selDepth, slices.Clone(r.pv.slice())}
}

// voteBase is the weight in centipawns, per ply of depth, of a vote for the move with the
// lowest score. The form of the weights and the number are those of Stockfish.
const voteBase = 14

// elect chooses between the findings of several threads and returns the index of one; the
// first, which is the main thread's, stands unless another move is better. The shortest mate
// wins. Without one each thread votes for its move, with more weight the higher its score
// and the greater its depth; of the move with most weight the deepest finding counts.
// Findings two plies behind the first have no vote: what they say may be refuted since.
func elect(all []finding) int {
	lowest, mating := all[0].score, 0
	for i, f := range all {
		lowest = min(lowest, f.score)
		if f.score >= mateInMax && f.score > all[mating].score {
			mating = i
		}
	}
	if all[mating].score >= mateInMax {
		return mating
	}
	votes := make(map[position.Move]int, len(all))
	entitled := func(f finding) bool { return f.depth >= all[0].depth-1 }
	for _, f := range all {
		if entitled(f) {
			votes[f.move] += (f.score - lowest + voteBase) * f.depth
		}
	}
	best := 0
	for i, f := range all {
		more := votes[f.move] - votes[all[best].move]
		deeper := f.move == all[best].move && f.depth > all[best].depth
		if entitled(f) && (more > 0 || deeper) {
			best = i
		}
	}
	if all[best].move == all[0].move {
		return 0
	}
	return best
}

// vote lets the helpers change the answer, and reports their line if they do.
func (d *deepening) vote() {
	all := []finding{{move: d.best.Best, score: int(d.best.Score), depth: d.best.Depth}}
	for _, h := range d.t.helpers {
		if f := h.found.Load(); f != nil {
			all = append(all, *f)
		}
	}
	i := elect(all)
	if i == 0 {
		return
	}
	f := all[i]
	d.elected = &f
	d.best.Best, d.best.Score, d.best.Depth = f.move, engine.Score(f.score), f.depth
	if d.onInfo != nil {
		d.tell(&f, 0, engine.BoundExact)
	}
}

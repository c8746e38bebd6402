package search

import "zeitnot/engine/position"

// When the other root moves are worth a search of their own, to learn whether the best move
// stands alone: starting values, after what ends the search early in other engines. The
// clock makes nothing of less than clearMargin.
const (
	clearFrom   = 8   // depth
	clearStable = 4   // depths with the same best move
	clearShare  = 60  // per cent of the nodes under it
	clearMargin = 170 // centipawns
)

// clearBy is by how many centipawns, at the least, the best move of the depth just finished
// is ahead of all others when those are searched half as deep; 0 if it is less than
// clearMargin, or if nobody wants to know. Only a clock does, so that a search without one
// is not changed by it.
func (d *deepening) clearBy(depth int) int {
	t, c := d.t, d.c
	switch {
	case !c.timed || c.pondering || c.scale == nil || d.lines > 1 || t.rootN == 1:
		return 0
	case depth < clearFrom || d.stableFor < clearStable || d.bestNodes*100 < t.nodes*clearShare:
		return 0
	}
	score := int(d.best.Score)
	if fromRoot(score) {
		return 0
	}
	others := t.searchOthers(d.best.Best, score-clearMargin+1, depth/2)
	if t.stopped || others > score-clearMargin {
		return 0
	}
	return score - others
}

// searchOthers searches all root moves but one in the empty window below beta and returns
// a bound of the best score among them.
func (t *thread) searchOthers(but position.Move, beta, depth int) int {
	best := -infinite
	for _, r := range t.root[:t.rootN] {
		if r.move == but {
			continue
		}
		if t.poll(); t.stopped {
			break
		}
		t.makeMove(0, r.move)
		s := -t.search(1, -beta, -beta+1, depth-1, true)
		if best = max(best, s); t.stopped || best >= beta {
			break
		}
	}
	return best
}

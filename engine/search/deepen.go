package search

import (
	"zeitnot/engine"
	"zeitnot/engine/position"
)

// deepening is one search from its first depth to its answer.
type deepening struct {
	*Searcher
	t      *thread
	c      *control
	g      position.Game
	onInfo func(engine.Info)
	lines  int

	best      engine.Result
	bestNodes uint64 // nodes under the best move so far, in all depths
	stableFor int
	failLows  int
	// raised: the last window of the running depth was left at its upper end, so that the
	// first root move is worth playing though the next window has not confirmed it yet.
	raised      bool
	raisedScore int
	report      func(position.Move, int)
	depthNow    int
	prevMove    *int
}

// run deepens until a limit, an order or a proven mate ends it. The answer is always legal:
// it exists before the first node.
func (d *deepening) run() engine.Result {
	t, c := d.t, d.c
	d.best = engine.Result{Best: t.root[0].move, Source: "search"}
	if e, ok := t.tt.probe(t.frame(0).pos.Key(), 0); ok && e.bound == engine.BoundExact {
		d.best.Score = engine.Score(e.score)
	}
	if c.timed && !c.pondering && t.rootN == 1 && !t.restricted {
		d.best.Source = "forced"
		return d.best
	}
	if c.atOnce() {
		d.glance()
		return d.best
	}
	d.prevMove = d.prevScore(d.g)
	if d.onInfo != nil {
		d.report = func(m position.Move, number int) {
			d.onInfo(engine.Info{Depth: d.depthNow, CurrMove: m, CurrMoveNumber: number})
		}
	}

	for depth := 1; depth <= c.depthLimit; depth++ {
		t.rootDepth = depth
		if c.timed || c.pondering {
			c.depthStart = c.now()
		}
		before := t.root[0].move
		d.depth(depth)
		if t.stopped {
			d.cutShort(depth)
			break
		}
		d.finished(depth, before)
		if d.provenMate(depth) || c.softReached(d.feedback(depth)) {
			break
		}
	}
	d.best.Nodes = t.nodes
	return d.best
}

// glance is all that can be done without time: the table's move stands, and without one a
// single ply with quiescence decides, in no more nodes than lie between two looks at the
// clock.
func (d *deepening) glance() {
	t, c := d.t, d.c
	if e, ok := t.tt.probe(t.frame(0).pos.Key(), 0); ok && e.move == d.best.Best && e.depth > 0 {
		return
	}
	c.timed, c.hasSoft, c.hasDeadline = false, false, false
	if c.nodeLimit == 0 || c.nodeLimit > yieldNodes-1 {
		c.nodeLimit = yieldNodes - 1
	}
	t.rootDepth = 1
	d.lines = 1
	if d.depth(1); t.stopped {
		d.cutShort(1)
	} else {
		d.finished(1, t.root[0].move)
	}
	d.best.Nodes = t.nodes
}

// depth searches every wanted line at this depth, each in a window around its last score.
func (d *deepening) depth(depth int) {
	t := d.t
	d.failLows, d.depthNow = 0, depth
	for rank := 0; rank < d.lines; rank++ {
		alpha, beta, width := -infinite, infinite, aspirationWidth
		if prev := t.root[rank].prev; depth >= aspirationFrom && abs(prev) < mateInMax {
			width += prev * prev / 16000
			alpha, beta = max(prev-width, -infinite), min(prev+width, infinite)
		}
		reduce := 0
		d.raised = false
		for {
			s := t.searchRoot(alpha, beta, max(depth-reduce, 1), rank, d.report)
			t.sortRoot(rank, t.rootN)
			if t.stopped {
				return
			}
			switch {
			case s <= alpha && alpha > -infinite:
				// Failing low: the move thought best is worse. Look lower.
				beta = (alpha + beta) / 2
				alpha = max(s-width, -infinite)
				reduce = 0
				d.raised = false
				if rank == 0 {
					d.failLows++
				}
			case s >= beta && beta < infinite:
				beta = min(s+width, infinite)
				reduce = min(reduce+1, 3)
				d.raised, d.raisedScore = rank == 0, s
			default:
				width = 0
			}
			if width == 0 {
				break
			}
			width += width / 2
			if width > 600 {
				alpha, beta = widen(alpha, beta, s)
			}
		}
	}
	t.sortRoot(0, d.lines)
}

// widen opens the window on the side that the score fell out of.
func widen(alpha, beta, s int) (int, int) {
	if s <= alpha+600 {
		alpha = -infinite
	}
	if s >= beta-600 {
		beta = infinite
	}
	return alpha, beta
}

// finished takes the result of a depth that was searched to its end.
func (d *deepening) finished(depth int, before position.Move) {
	t := d.t
	r := t.root[0]
	if r.move == before && depth > 1 {
		d.stableFor++
	} else {
		d.stableFor = 0
	}
	d.best.Best, d.best.Score, d.best.Depth = r.move, engine.Score(r.score), depth
	d.bestNodes = r.nodes
	for i := range d.lines {
		d.info(depth, i)
	}
	for i := range t.rootN {
		t.root[i].prev = t.root[i].score
	}
}

// cutShort takes what an unfinished depth has found: the best of its finished root moves
// counts if it was found worth playing, which a first move that failed low was not.
func (d *deepening) cutShort(depth int) {
	r := d.t.root[0]
	if r.score == -infinite && d.raised {
		r.score, r.bound = d.raisedScore, engine.BoundLower
	}
	if r.score == -infinite || r.bound == engine.BoundUpper || r.bound == engine.BoundNone {
		return
	}
	d.best.Best, d.best.Score, d.best.Depth = r.move, engine.Score(r.score), depth
	d.info(depth, 0)
}

// provenMate tells whether the search may end: a mate was found and the depth is enough to
// know that there is none much shorter. Never while the answer is held back.
func (d *deepening) provenMate(depth int) bool {
	if d.c.held || d.c.pondering || d.lines > 1 {
		return false
	}
	s := d.best.Score
	if !s.IsMate() {
		return false
	}
	if limit := d.c.mateLimit; limit > 0 && s > 0 {
		return s.MateMoves() <= limit
	}
	return depth > 2*int(engine.Mate-engine.Score(abs(int(s))))
}

func (d *deepening) feedback(depth int) engine.Feedback {
	score := int(d.best.Score)
	if d.best.Score.IsMate() {
		// A mate counts as its distance from 30000, whatever the search calls it inside.
		if score > 0 {
			score -= mate - 30000
		} else {
			score += mate - 30000
		}
	}
	return engine.Feedback{
		Depth:         depth,
		Score:         score,
		BestStableFor: d.stableFor,
		FailLows:      d.failLows,
		LegalMoves:    d.t.rootN,
		PrevMoveScore: d.prevMove,
		BestMoveNodes: d.bestNodes,
		Nodes:         d.t.nodes,
	}
}

// info reports the line of the given rank.
func (d *deepening) info(depth, rank int) {
	if d.onInfo == nil {
		return
	}
	r := d.t.root[rank]
	if r.score == -infinite {
		return
	}
	d.onInfo(engine.Info{
		Depth:    depth,
		SelDepth: max(r.selDepth, depth),
		MultiPV:  rank + 1,
		Score:    engine.Score(r.score),
		Bound:    r.bound,
		Nodes:    d.t.nodes,
		TBHits:   d.t.tbHits,
		HashFull: d.tt.full(),
		PV:       append([]position.Move(nil), r.pv.slice()...),
	})
}

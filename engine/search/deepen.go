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
	only   []position.Move // the root moves allowed; empty is all
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
	// elected is the finding of a helper that is the answer; nil if it is the main thread's.
	elected *finding
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
	d.start(c, d.g, d.only, d.lines)
	defer c.stop.Store(true) // the helpers end by themselves; nobody waits for them here
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
		if d.provenMate(depth) || c.softReached(d.feedback(depth)) || t.stopped {
			break
		}
	}
	if d.lines == 1 {
		d.vote()
	}
	d.best.Nodes = t.allNodes()
	return d.best
}

// pv is the line of the answer; it may be empty.
func (d *deepening) pv() []position.Move {
	switch r := d.t.root[0]; {
	case d.elected != nil:
		return d.elected.pv
	case r.move == d.best.Best:
		return r.pv.slice()
	}
	return nil
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
	if most := max(1, c.yield-1); c.nodeLimit == 0 || c.nodeLimit > most {
		c.nodeLimit = most
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
					d.c.settled = false // not so decided after all
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
	clearBy := d.clearBy(depth) // first: its nodes are among those of the search
	return engine.Feedback{
		Depth:         depth,
		Score:         int(d.best.Score),
		BestStableFor: d.stableFor,
		FailLows:      d.failLows,
		LegalMoves:    d.t.rootN,
		PrevMoveScore: d.prevMove,
		BestMoveNodes: d.bestNodes,
		Nodes:         d.t.nodes,
		ClearBy:       clearBy,
	}
}

// info reports the line of the given rank.
func (d *deepening) info(depth, rank int) {
	if r := d.t.root[rank]; d.onInfo != nil && r.score != -infinite {
		d.tell(d.t.finding(rank, depth), rank, r.bound)
	}
}

// tell reports a finding as the line of the given rank.
func (d *deepening) tell(f *finding, rank int, bound engine.Bound) {
	d.onInfo(engine.Info{
		Depth:    f.depth,
		SelDepth: max(f.selDepth, f.depth),
		MultiPV:  rank + 1,
		Score:    engine.Score(f.score),
		Bound:    bound,
		Nodes:    d.t.allNodes(),
		TBHits:   d.t.allTBHits(),
		HashFull: d.tt.full(),
		PV:       f.pv,
	})
}

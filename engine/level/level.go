// Package level lets a searcher play weaker than it can, as a partner for people: fewer
// nodes, a choice among several moves that are nearly as good as the best, and now and then
// a look that is too short. It never touches an analysis, and never loses on purpose: no
// move is chosen that it thinks worse than its margin allows.
package level

import (
	"context"
	"math/rand/v2"
	"time"

	"zeitnot/engine"
	"zeitnot/engine/position"
)

// Params make a strength.
type Params struct {
	// Nodes is the most that a search may take; a smaller limit of the caller counts.
	Nodes int
	// Candidates are the lines among which the move is chosen; 1 always plays the best.
	Candidates int
	// Margin is by how many centipawns the chosen move may be worse than the best one.
	Margin int
	// Shallow is the share of moves, 0 to 1, that are searched only Horizon plies deep.
	Shallow float64
	Horizon int
}

// Full is the searcher whose strength is limited.
type Full interface {
	engine.Budgeted
	engine.Ponderer
	engine.Tunable
}

// Weak is the searcher that plays under a limit.
type Weak interface {
	engine.Budgeted
	NewGame()
}

// Options are what a Searcher is made with.
type Options struct {
	// Full plays without a limit and does all analysis. Required.
	Full Full
	// Weak plays under a limit; nil is Full. One of its own, on a single thread, keeps what
	// an analysis or a ponder search has learned out of weaker moves.
	Weak Weak
	// Seed decides, with the number of the game, all that is left to chance.
	Seed uint64
	// Now is the clock of Limits.Deadline; nil means engine.Now.
	Now func() time.Duration
}

// Searcher plays with a strength that can be set. It is at full strength at first. One
// search at a time; settings hold from the next one on.
type Searcher struct {
	full      Full
	weak      Weak
	now       func() time.Duration
	limit     *Params // nil is full strength
	analysing bool
	seed      uint64
	games     uint64
	rng       *rand.Rand
}

var _ Full = (*Searcher)(nil)

// New makes a searcher at full strength. It starts nothing.
func New(o Options) *Searcher {
	s := &Searcher{full: o.Full, weak: o.Weak, seed: o.Seed, now: o.Now}
	if s.weak == nil {
		s.weak = o.Full
	}
	if s.now == nil {
		s.now = engine.Now
	}
	s.rng = rand.New(rand.NewPCG(s.seed, s.games))
	return s
}

// SetParams limits the strength; nil is full strength.
func (s *Searcher) SetParams(p *Params) { s.limit = p }

// SetAnalyseMode says whether all searches are analysis, to which no limit applies.
func (s *Searcher) SetAnalyseMode(on bool) { s.analysing = on }

// YieldNodes is the larger granularity of both searchers.
func (s *Searcher) YieldNodes() int { return max(s.full.YieldNodes(), s.weak.YieldNodes()) }

// SetHash resizes the table of the full strength.
func (s *Searcher) SetHash(mb int) error { return s.full.SetHash(mb) }

// SetThreads sets the threads of the full strength.
func (s *Searcher) SetThreads(n int) error { return s.full.SetThreads(n) }

// NewGame forgets what was learned and draws new lots.
func (s *Searcher) NewGame() {
	s.full.NewGame()
	s.weak.NewGame()
	s.games++
	s.rng = rand.New(rand.NewPCG(s.seed, s.games))
}

// limited tells whether the limit applies to a search: not to one whose answer is held back.
func (s *Searcher) limited(l engine.Limits) bool {
	return s.limit != nil && !s.analysing && !l.Held()
}

// Search finds a move, at the strength that is set unless it is an analysis.
func (s *Searcher) Search(ctx context.Context, g position.Game, l engine.Limits, onInfo func(engine.Info)) (engine.Result, error) {
	if !s.limited(l) {
		return s.full.Search(ctx, g, l, onInfo)
	}
	p := s.limit
	if l.Nodes == nil || *l.Nodes > p.Nodes {
		l.Nodes = &p.Nodes
	}
	if s.rng.Float64() < p.Shallow && (l.Depth == nil || *l.Depth > p.Horizon) {
		l.Depth = &p.Horizon
	}
	asked := max(l.MultiPV, 1)
	l.MultiPV = max(asked, p.Candidates)
	c := candidates{lines: min(l.MultiPV, rootMoves(g, l))}
	r, err := s.weak.Search(ctx, g, l, func(i engine.Info) {
		c.add(i)
		if onInfo != nil && i.MultiPV <= asked {
			onInfo(i)
		}
	})
	if err != nil {
		return r, err
	}
	if line, ok := c.choose(p, s.rng); ok && line.PV[0] != r.Best {
		r.Best, r.Score, r.Ponder = line.PV[0], line.Score, position.NoMove
		if len(line.PV) > 1 {
			r.Ponder = line.PV[1]
		}
	}
	return r, nil
}

// rootMoves is how many moves the search may choose from.
func rootMoves(g position.Game, l engine.Limits) int {
	if len(l.SearchMoves) > 0 {
		return len(l.SearchMoves)
	}
	var list position.MoveList
	g.Position().Legal(&list)
	return list.Len()
}

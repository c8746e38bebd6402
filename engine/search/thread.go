package search

import (
	"math"
	"sync/atomic"

	"zeitnot/engine"
	"zeitnot/engine/eval"
	"zeitnot/engine/position"
)

const (
	mate      = int(engine.Mate)
	infinite  = int(engine.Infinite)
	maxPly    = engine.MaxPly
	mateInMax = mate - maxPly // the smallest score that is a mate

	// behind is how many frames lie before the root, so that every ply may look back.
	behind = 4
	// yieldNodes is the most nodes between two looks at the clock and the stop flag, where
	// the clock is not moved by the nodes themselves.
	yieldNodes = 256
	// keyHistory is how many keys of the game's past are kept: a repetition reaches back a
	// hundred half-moves at most.
	keyHistory = 128
)

// frame is what the search knows at one distance from the root.
type frame struct {
	pos  position.Position
	move position.Move // being searched from here; NoMove for a null move
	cont int           // continuation row of that move
	// reduction is by how many plies the search of that move is reduced.
	reduction int
	eval      int // corrected static evaluation, evalNone in check
	// threats are the squares that the enemy attacks in the position with the key threatsOf.
	threats   position.Bitboard
	threatsOf uint64
	// killer is the last quiet move that cut at this ply.
	killer position.Move
	// excluded is the move that a singular search leaves out.
	excluded position.Move
	// sinceNull counts plies since the last null move; repetitions do not reach past it.
	sinceNull int
	doubles   int // double extensions on the way here
	cutoffs   int // cutoffs of the children, a hint for reductions
	// picker and the moves tried; a singular search at the same ply has its own set.
	pick           [2]picker
	quiets, noises [2][64]position.Move
}

// thread is one searching goroutine with everything it needs, so that the search itself
// never allocates.
type thread struct {
	tt   *table
	ev   *eval.Evaluator
	hist *history
	ctl  *control

	tables Tables // nil without any
	tbMen  int    // the most men that they are asked about, 0 for never
	tbHits uint64

	nodes    uint64
	selDepth int
	// shown are the counts as of the last poll, for other threads to read.
	shown struct{ nodes, tbHits atomic.Uint64 }
	// helpers are the threads whose nodes count with those of this one; nil for a helper.
	helpers []*thread
	// found is what a helper has found at its last finished depth; nil before.
	found atomic.Pointer[finding]

	stopped bool
	// pollAt is the node count at which control is looked at next.
	pollAt    uint64
	rootDepth int
	// nullMinPly: below this ply the verification search makes no null move.
	nullMinPly int

	list position.MoveList
	// keys[:base] are those of the game before the root, keys[base+ply] those of the line.
	keys  [keyHistory + maxPly + 8]uint64
	base  int
	stack [behind + maxPly + 4]frame
	pv    [maxPly + 2]line

	// root[:rootN] are the root moves in the order of search; they lie in rootStore.
	root       [256]*rootMove
	rootN      int
	rootStore  [256]rootMove
	restricted bool        // not all root moves are searched
	reductions [64][64]int // in 1024ths of a ply, by depth and move number
}

// line is a principal variation from some ply.
type line struct {
	moves [maxPly + 2]position.Move
	n     int
}

func (l *line) set(m position.Move, rest *line) {
	l.moves[0] = m
	n := copy(l.moves[1:], rest.moves[:rest.n])
	l.n = n + 1
}

func (l *line) slice() []position.Move { return l.moves[:l.n] }

func newThread(tt *table) *thread {
	t := &thread{tt: tt, ev: eval.New(), hist: new(history)}
	for i := range t.root {
		t.root[i] = &t.rootStore[i]
	}
	for d := 1; d < 64; d++ {
		for n := 1; n < 64; n++ {
			// The explicit conversions keep the compiler from fusing the operations, so
			// that every platform rounds alike and the bench signature is the same.
			l := float64(math.Log(float64(d)) * math.Log(float64(n)))
			t.reductions[d][n] = int(float64(l*1024/2.3)) + 700
		}
	}
	return t
}

// forget drops what the last search has shown to other threads.
func (t *thread) forget() {
	t.shown.nodes.Store(0)
	t.shown.tbHits.Store(0)
	t.found.Store(nil)
}

// begin readies the thread for a search.
func (t *thread) begin(c *control, tables Tables, g position.Game, only []position.Move) {
	t.ctl = c
	t.nodes, t.pollAt, t.stopped, t.nullMinPly = 0, 0, false, 0
	t.tablesFor(tables)
	t.setRoot(g, only)
}

func (t *thread) frame(ply int) *frame { return &t.stack[ply+behind] }

// makeMove plays m at ply: the child's frame is filled and the node counted.
func (t *thread) makeMove(ply int, m position.Move) {
	f, child := t.frame(ply), t.frame(ply+1)
	f.move = m
	f.cont = contIndex(&f.pos, m)
	f.reduction = 0
	f.pos.Make(m, &child.pos)
	child.sinceNull, child.doubles = f.sinceNull+1, f.doubles
	t.keys[t.base+ply+1] = child.pos.Key()
	t.nodes++
}

func (t *thread) makeNull(ply int) {
	f, child := t.frame(ply), t.frame(ply+1)
	f.move, f.cont = position.NoMove, noCont
	f.reduction = 0
	f.pos.MakeNull(&child.pos)
	child.sinceNull, child.doubles = 0, f.doubles
	t.keys[t.base+ply+1] = child.pos.Key()
	t.nodes++
}

// repeated tells whether the position at ply is to be scored as a repetition: once before
// within the searched line, or twice before when the game is counted in.
func (t *thread) repeated(ply int) bool {
	f := t.frame(ply)
	back := min(f.pos.HalfmoveClock(), f.sinceNull, t.base+ply)
	key := f.pos.Key()
	at := t.base + ply
	seen := false
	for d := 4; d <= back; d += 2 {
		if t.keys[at-d] == key {
			if d < ply || seen {
				return true
			}
			seen = true
		}
	}
	return false
}

// canRepeat tells whether the side to move at ply has a move after which repeated holds, so
// that it has a draw at least.
func (t *thread) canRepeat(ply int) bool {
	f := t.frame(ply)
	back := min(f.pos.HalfmoveClock(), f.sinceNull, t.base+ply)
	at := t.base + ply
	for d := 3; d <= back; d += 2 {
		key := t.keys[at-d]
		if !f.pos.Restores(key) {
			continue
		}
		if d < ply {
			return true
		}
		// Met in the game alone, it must have been met twice.
		for before := d + 2; before <= back; before += 2 {
			if t.keys[at-before] == key {
				return true
			}
		}
	}
	return false
}

// drawn tells whether the position at ply is a draw by rule. Fifty moves without progress
// are one only if the last of them did not mate.
func (t *thread) drawn(ply int) bool {
	p := &t.frame(ply).pos
	if p.HalfmoveClock() >= 100 && (!p.InCheck() || p.HasLegalMove()) {
		return true
	}
	if p.Occupied().Count() <= 4 && p.InsufficientMaterial() {
		return true
	}
	return t.repeated(ply)
}

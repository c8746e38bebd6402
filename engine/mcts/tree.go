package mcts

import (
	"math"
	"slices"

	"zeitnot/engine"
	"zeitnot/engine/position"
)

// proof is what is known for certain about a position, for the side to move.
type proof uint8

const (
	open proof = iota
	won
	drawn
	lost
)

// node is a position of the tree, reached by its move. The tree has no transpositions: each
// node stands for one way to it, so that what is proven of it holds with repetitions and
// the fifty-move rule.
type node struct {
	// sum of the values of its visits, for the side to move.
	sum    float64
	visits uint64
	prior  float32 // share of the parent's attention, all children together 1
	first  int32   // of its children in the pool, which lie side by side; 0 before expansion
	move   position.Move
	// distance is the number of plies to the mate that is proven.
	distance uint16
	children uint8
	proof    proof
}

// value is the mean for the side to move.
func (n *node) value() float64 {
	switch n.proof {
	case won:
		return 1
	case lost:
		return -1
	case drawn:
		return 0
	}
	if n.visits == 0 {
		return 0
	}
	return n.sum / float64(n.visits)
}

// maxPath is the most plies below the root.
const maxPath = engine.MaxPly

// tree is the way from the root to the node that is being looked at.
type tree struct {
	pos   [maxPath + 1]position.Position
	path  [maxPath + 1]int32
	keys  []uint64 // of the game, then of the path; the root's is at base
	base  int
	depth uint64 // of all rollouts together
	deep  int    // of the deepest rollout
}

const (
	// exploration is the constant of PUCT; the worth of an unvisited move is its parent's less
	// firstPlay. Usual in the field, not tuned.
	exploration = 1.6
	firstPlay   = 0.2
)

// plant makes the root, the only rollout that the tree is not walked in.
func (s *Searcher) plant(g position.Game, only []position.Move) {
	t := &s.tree
	t.pos[0], t.path[0] = *g.Position(), 0
	t.keys = append(t.keys[:0], g.Keys()...)
	t.base = len(t.keys) - 1
	t.depth, t.deep = 0, 0
	s.pool[0] = node{}
	s.used, s.full = 1, false
	s.rollouts = 1
	root := &s.pool[0]
	s.expand(root, &t.pos[0], only)
	if root.children == 0 {
		return
	}
	root.visits, root.sum = 1, s.leaf.value(s.ev, &t.pos[0])
}

// expand gives n its children; it stays a leaf if there is no room or no move.
func (s *Searcher) expand(n *node, p *position.Position, only []position.Move) {
	var l position.MoveList
	p.Legal(&l)
	moves := l.Slice()
	if len(only) > 0 {
		moves = slices.DeleteFunc(moves, func(m position.Move) bool { return !slices.Contains(only, m) })
	}
	if s.used+len(moves) > len(s.pool) {
		s.full = true
		return
	}
	if len(moves) == 0 {
		return
	}
	n.first, n.children = int32(s.used), uint8(len(moves))
	s.used += len(moves)
	children := s.pool[n.first:s.used]
	total := float32(0)
	for i, m := range moves {
		w := promise(p, m)
		children[i] = node{move: m, prior: w}
		total += w
	}
	for i := range children {
		children[i].prior /= total
	}
}

// rollout walks from a root child, or from the root itself if from is 0, to a leaf, adds
// to the tree there and carries the leaf's value back.
func (s *Searcher) rollout(from int32) {
	s.rollouts++
	t := &s.tree
	ply := 0
	for {
		n := &s.pool[t.path[ply]]
		if n.proof != open && ply > 0 || n.children == 0 || ply == maxPath {
			break
		}
		next := from
		if ply > 0 || from == 0 {
			next = s.selectChild(n)
		}
		p := &t.pos[ply]
		p.Make(s.pool[next].move, &t.pos[ply+1])
		ply++
		t.path[ply] = next
		t.keys = append(t.keys[:t.base+ply], t.pos[ply].Key())
		if s.pool[next].visits == 0 {
			break
		}
	}
	t.depth += uint64(ply)
	t.deep = max(t.deep, ply)

	n := &s.pool[t.path[ply]]
	v := 0.0
	if n.visits == 0 {
		s.judge(n, ply)
	}
	switch {
	case n.proof != open:
		v = n.value()
	default:
		v = s.leaf.value(s.ev, &t.pos[ply])
	}
	for ; ply >= 0; ply-- {
		n := &s.pool[t.path[ply]]
		if n.children > 0 && n.proof == open {
			s.prove(n)
		}
		if n.proof != open {
			v = n.value()
		}
		n.visits++
		n.sum += v
		v = -v
	}
}

// judge looks at a position for the first time: it ends the game, or has moves.
func (s *Searcher) judge(n *node, ply int) {
	t := &s.tree
	p := &t.pos[ply]
	switch {
	case !p.HasLegalMove():
		n.proof = drawn
		if p.InCheck() {
			n.proof, n.distance = lost, 0
		}
	case p.HalfmoveClock() >= 100 || p.InsufficientMaterial() || t.repeated(ply):
		n.proof = drawn
	default:
		s.expand(n, p, nil)
	}
}

// repeated tells a third occurrence in the game, or a second within the tree: whoever could
// avoid the third could have avoided that.
func (t *tree) repeated(ply int) bool {
	last := t.base + ply
	first := max(0, last-t.pos[ply].HalfmoveClock())
	seen := 0
	for i := last - 2; i >= first; i -= 2 {
		if t.keys[i] == t.keys[last] {
			if seen++; seen == 2 || i >= t.base {
				return true
			}
		}
	}
	return false
}

// prove draws the conclusion from the children: the shortest win, else a draw, else the
// longest loss, once there is no better that is open.
func (s *Searcher) prove(n *node) {
	anyOpen, anyDraw := false, false
	shortest, longest := uint16(math.MaxUint16), uint16(0)
	for i := range int32(n.children) {
		c := &s.pool[n.first+i]
		switch c.proof {
		case open:
			anyOpen = true
		case drawn:
			anyDraw = true
		case lost:
			shortest = min(shortest, c.distance)
		case won:
			longest = max(longest, c.distance)
		}
	}
	switch {
	case shortest < math.MaxUint16:
		n.proof, n.distance = won, shortest+1
	case anyOpen:
	case anyDraw:
		n.proof = drawn
	default:
		n.proof, n.distance = lost, longest+1
	}
}

// selectChild is PUCT among the moves that are not known to lose.
func (s *Searcher) selectChild(n *node) int32 {
	spread := float64(exploration * math.Sqrt(float64(n.visits)))
	unvisited := n.value() - firstPlay
	best, bestWorth := n.first, math.Inf(-1)
	for i := range int32(n.children) {
		c := &s.pool[n.first+i]
		if c.proof == won {
			continue
		}
		q := unvisited
		if c.visits > 0 {
			q = -c.value()
		}
		bonus := float64(spread * float64(c.prior) / float64(1+c.visits))
		if worth := q + bonus; worth > bestWorth {
			best, bestWorth = n.first+i, worth
		}
	}
	return best
}

// meanDepth of the rollouts in plies.
func (s *Searcher) meanDepth() int {
	if s.rollouts == 0 {
		return 0
	}
	return int(s.tree.depth / s.rollouts)
}

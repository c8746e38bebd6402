package book

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"

	"zeitnot/engine/position"
)

// Mode is how one of several book moves is chosen.
type Mode uint8

// The modes.
const (
	// Weighted draws by weight: a move of twice the weight is played twice as often.
	Weighted Mode = iota
	// Best takes the heaviest, and draws among equals.
	Best
	// Uniform draws without regard to weight.
	Uniform
)

var modeNames = [...]string{"weighted", "best", "uniform"}

// ParseMode reads the name of a mode.
func ParseMode(s string) (Mode, error) {
	i := slices.Index(modeNames[:], s)
	if i < 0 {
		return 0, fmt.Errorf("book mode %q: want weighted, best or uniform", s)
	}
	return Mode(i), nil
}

func (m Mode) String() string { return modeNames[m] }

// Source is a book and how it is used. The zero values of all but Book set no limit.
type Source struct {
	Book *Book
	Mode Mode
	// MaxPly is the last half-move of the game, from 1, that the book is asked for.
	MaxPly int
	// MinWeight leaves out lighter moves. A weight of 0 is never played.
	MinWeight int
	// MinShare leaves out moves with a smaller share of the position's weight, from 0 to 1.
	MinShare float64
	// Only is the side that the book is for; nil is both.
	Only *position.Color
}

// Choice is a book move that was chosen.
type Choice struct {
	Move position.Move
	// Weight and Share are those of the move, Share of all that the book has here.
	Weight int
	Share  float64
	// Book is the name of the book.
	Book string
}

// Library is books in order of priority. The zero value has none. It may be asked by many at
// once.
type Library struct {
	sources []Source
	report  func(error)
	learned *Learned // nil: the books' weights count as they are

	mu   sync.Mutex // guards dead
	dead []bool
}

// NewLibrary is a library of these books, the first asked first. report, if not nil, is told
// once of each book that could not be read; such a book is not asked again.
func NewLibrary(sources []Source, report func(error)) *Library {
	return &Library{sources: slices.Clone(sources), report: report, dead: make([]bool, len(sources))}
}

// Learn makes the moves' weights follow what is learned, which may grow. It comes before the
// first question.
func (l *Library) Learn(learned *Learned) { l.learned = learned }

// Pick chooses a move for a game's current position from the first book that has one.
// Moves that go back to a position of this game are not taken. rng is the caller's and
// decides between moves.
func (l *Library) Pick(g position.Game, rng *rand.Rand) (Choice, bool) {
	key := Key(g)
	for i := range l.sources {
		s := &l.sources[i]
		if !s.isFor(g.Position()) || l.isDead(i) {
			continue
		}
		moves, err := s.Book.MovesAt(key, g.Position())
		if err != nil {
			l.bury(i, err)
			continue
		}
		if m, ok := s.choose(g, moves, l.weighing(key), rng); ok {
			return m, true
		}
	}
	return Choice{}, false
}

func (l *Library) isDead(i int) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.dead[i]
}

func (l *Library) bury(i int, err error) {
	l.mu.Lock()
	known := l.dead[i]
	l.dead[i] = true
	l.mu.Unlock()
	if !known && l.report != nil {
		l.report(err)
	}
}

// isFor tells whether the source may be asked about a position.
func (s *Source) isFor(p *position.Position) bool {
	ply := 2*(p.FullmoveNumber()-1) + int(p.SideToMove()) + 1
	return (s.MaxPly == 0 || ply <= s.MaxPly) && (s.Only == nil || *s.Only == p.SideToMove())
}

// fine is by how much weights are made finer, so that a small one can change a little.
const fine = 64

// weighing gives the weights by which moves of a position are drawn.
func (l *Library) weighing(key uint64) func(Move) int {
	return func(m Move) int {
		if l.learned == nil {
			return m.Weight
		}
		return int(fine * float64(m.Weight) * l.learned.Factor(key, Code(m.Move)))
	}
}

// choose takes one of the moves a book has, drawn by other weights than the book's.
func (s *Source) choose(g position.Game, moves []Move, weigh func(Move) int, rng *rand.Rand) (Choice, bool) {
	total := 0
	for _, m := range moves {
		total += m.Weight
	}
	share := func(m Move) float64 { return float64(m.Weight) / float64(total) }
	moves = slices.DeleteFunc(slices.Clone(moves), func(m Move) bool {
		return m.Weight < max(s.MinWeight, 1) || share(m) < s.MinShare || repeats(g, m.Move)
	})
	if len(moves) == 0 {
		return Choice{}, false
	}
	drawn := slices.Clone(moves)
	for i := range drawn {
		drawn[i].Weight = weigh(drawn[i])
	}
	slices.SortStableFunc(drawn, func(x, y Move) int { return cmp.Compare(y.Weight, x.Weight) })
	best := s.Mode.draw(drawn, rng)
	m := moves[slices.IndexFunc(moves, func(m Move) bool { return m.Move == best.Move })]
	return Choice{Move: m.Move, Weight: m.Weight, Share: share(m), Book: s.Book.name}, true
}

// draw takes one of some moves, heaviest first.
func (m Mode) draw(moves []Move, rng *rand.Rand) Move {
	switch m {
	case Best:
		n := 1
		for n < len(moves) && moves[n].Weight == moves[0].Weight {
			n++
		}
		return moves[rng.IntN(n)]
	case Uniform:
		return moves[rng.IntN(len(moves))]
	}
	total := 0
	for _, x := range moves {
		total += x.Weight
	}
	n := rng.IntN(total)
	for _, x := range moves {
		if n -= x.Weight; n < 0 {
			return x
		}
	}
	panic("book: the weights do not sum up")
}

// repeats tells whether a move leads to a position that the game has had.
func repeats(g position.Game, m position.Move) bool {
	var child position.Position
	g.Position().Make(m, &child)
	return slices.Contains(g.Keys(), child.Key())
}

package book

import (
	"bufio"
	"cmp"
	"io"
	"math"
	"slices"

	"zeitnot/engine/position"
)

// BuildOptions say which games and moves come into a book. Zero values set no limit.
type BuildOptions struct {
	// MaxPly is the number of half-moves of a game that count.
	MaxPly int
	// MinGames leaves out moves that fewer games have.
	MinGames int
	// MinScore leaves out moves that did worse for their side: 0 all lost, 1 all won.
	MinScore float64
	// MinShare leaves out moves with a smaller share of the games of their position.
	MinShare float64
	// MinRating leaves out games unless both sides are rated so high.
	MinRating int
}

// Played is a game for a book.
type Played struct {
	Start position.Position
	Moves []position.Move
	// Points are White's: 1, 0.5 or 0.
	Points float64
	// WhiteRating and BlackRating are 0 if unknown.
	WhiteRating, BlackRating int
}

// Builder makes a book out of games. What it makes depends on the games alone, not on their
// order.
type Builder struct {
	options BuildOptions
	moves   map[edge]tally
	games   int
}

// edge is a move in a position.
type edge struct {
	key  uint64
	move code
}

// tally counts the games that went along an edge.
type tally struct {
	games uint32
	// points of the side that moves, a half each: 2 for a win, 1 for a draw.
	points uint32
}

// NewBuilder is a builder without games.
func NewBuilder(o BuildOptions) *Builder {
	return &Builder{options: o, moves: make(map[edge]tally)}
}

// Add counts a game and tells whether the options let it.
func (b *Builder) Add(g Played) bool {
	if min(g.WhiteRating, g.BlackRating) < b.options.MinRating {
		return false
	}
	b.games++
	moves := g.Moves
	if b.options.MaxPly > 0 && len(moves) > b.options.MaxPly {
		moves = moves[:b.options.MaxPly]
	}
	white := uint32(math.Round(2 * g.Points))
	p := g.Start
	key := keyWith(&p, p.EnPassant())
	for _, m := range moves {
		e := edge{key, encode(m)}
		t := b.moves[e]
		t.games++
		if p.SideToMove() == position.White {
			t.points += white
		} else {
			t.points += 2 - white
		}
		b.moves[e] = t
		var next position.Position
		p.Make(m, &next)
		p = next
		key = keyAfter(&p, m)
	}
	return true
}

// Stats are the sizes of a book.
type Stats struct {
	Games     int `json:"games"`
	Positions int `json:"positions"`
	Entries   int `json:"entries"`
}

// Write writes the book. The weight of a move is the points it scored, two for a win and one
// for a draw, so that both success and popularity count; where they do not fit into 16 bits
// all of the position are made smaller in proportion.
func (b *Builder) Write(w io.Writer) (Stats, error) {
	s := Stats{Games: b.games}
	out := bufio.NewWriter(w)
	for rest := b.sorted(); len(rest) > 0; {
		n := 1
		for n < len(rest) && rest[n].key == rest[0].key {
			n++
		}
		kept := b.weigh(rest[:n])
		rest = rest[n:]
		if len(kept) > 0 {
			s.Positions++
			s.Entries += len(kept)
		}
		for _, e := range kept {
			if _, err := out.Write(e.append(nil)); err != nil {
				return s, err
			}
		}
	}
	return s, out.Flush()
}

func (b *Builder) sorted() []edge {
	edges := make([]edge, 0, len(b.moves))
	for e := range b.moves {
		edges = append(edges, e)
	}
	slices.SortFunc(edges, func(x, y edge) int {
		return cmp.Or(cmp.Compare(x.key, y.key), cmp.Compare(x.move, y.move))
	})
	return edges
}

// weigh makes entries of the moves of one position, heaviest first.
func (b *Builder) weigh(edges []edge) []entry {
	games, most := uint32(0), uint32(0)
	for _, e := range edges {
		games += b.moves[e].games
		most = max(most, b.moves[e].points)
	}
	scale := 1.0
	if most > math.MaxUint16 {
		scale = math.MaxUint16 / float64(most)
	}
	var kept []entry
	for _, e := range edges {
		t := b.moves[e]
		o := &b.options
		if int(t.games) < o.MinGames || t.points == 0 ||
			float64(t.points) < o.MinScore*2*float64(t.games) ||
			float64(t.games) < o.MinShare*float64(games) {
			continue
		}
		weight := max(1, uint16(float64(t.points)*scale))
		kept = append(kept, entry{key: e.key, move: e.move, weight: weight})
	}
	slices.SortFunc(kept, func(x, y entry) int {
		return cmp.Or(cmp.Compare(y.weight, x.weight), cmp.Compare(x.move, y.move))
	})
	return kept
}

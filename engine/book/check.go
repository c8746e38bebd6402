package book

import (
	"cmp"
	"context"
	"errors"
	"io"
	"math"
	"slices"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"zeitnot/engine/position"
)

// Judge values a position in centipawns for the side to move, which has a legal move. Its
// answers must depend on the position alone, or the same check gives another book.
type Judge func(ctx context.Context, p *position.Position) (int, error)

// CheckOptions say how a book is checked.
type CheckOptions struct {
	// Judges work side by side, one goroutine each; at least one.
	Judges []Judge
	// Margin is by how many centipawns a move may be worse than the best one.
	Margin int
	// Progress, if not nil, is called for each position judged, by many at once.
	Progress func()
}

// CheckStats are what a check found.
type CheckStats struct {
	// Positions and Entries of the book as written.
	Positions int `json:"positions"`
	Entries   int `json:"entries"`
	// Judged is the number of positions searched, Dropped that of moves found too bad.
	Judged  int `json:"judged"`
	Dropped int `json:"dropped"`
}

// Check walks through a book from the start of the game, once for White and once for Black, and
// writes what is left of it for the two: in each position where the side has the move, the moves
// that lose no more than the margin against the best. Only these lead on there, while the
// opponent may play whatever the book has, good or bad. The value of a position is the better of
// what the judge says of it and of what he says after each book move; he is asked once.
func Check(ctx context.Context, b *Book, w io.Writer, o CheckOptions) (CheckStats, error) {
	if len(o.Judges) == 0 {
		return CheckStats{}, errors.New("check a book: no judge")
	}
	c := checker{book: b, options: o, values: make(map[uint64]int)}
	for _, us := range []position.Color{position.White, position.Black} {
		if err := c.walk(ctx, us); err != nil {
			return c.stats, err
		}
	}
	slices.SortFunc(c.kept, func(x, y entry) int {
		return cmp.Or(cmp.Compare(x.key, y.key), cmp.Compare(y.weight, x.weight), cmp.Compare(x.move, y.move))
	})
	c.stats.Entries = len(c.kept)
	var out []byte
	for _, e := range c.kept {
		out = e.append(out)
	}
	_, err := w.Write(out)
	return c.stats, err
}

// place is a position in the walk, with the book's moves.
type place struct {
	key      uint64
	position position.Position
	moves    []Move
	children []place
}

type checker struct {
	book    *Book
	options CheckOptions
	values  map[uint64]int // by key, for the side to move
	kept    []entry
	stats   CheckStats
}

// walk checks the positions that come about when one side plays good moves and the other any.
func (c *checker) walk(ctx context.Context, us position.Color) error {
	start := position.Start()
	layer := []place{{key: keyWith(&start, position.NoSquare), position: start}}
	seen := map[uint64]bool{layer[0].key: true}
	for ours := us == start.SideToMove(); len(layer) > 0; ours = !ours {
		if err := c.expand(layer); err != nil {
			return err
		}
		if ours {
			if err := c.judge(ctx, layer); err != nil {
				return err
			}
			c.sift(layer)
		}
		var next []place
		for _, at := range layer {
			for _, child := range at.children {
				if !seen[child.key] {
					seen[child.key] = true
					next = append(next, child)
				}
			}
		}
		layer = next
	}
	return nil
}

// expand looks the places of a layer up in the book.
func (c *checker) expand(layer []place) error {
	for i := range layer {
		at := &layer[i]
		var err error
		if at.moves, err = c.book.MovesAt(at.key, &at.position); err != nil {
			return err
		}
		for _, m := range at.moves {
			var child place
			at.position.Make(m.Move, &child.position)
			child.key = keyAfter(&child.position, m.Move)
			at.children = append(at.children, child)
		}
	}
	return nil
}

// judge values all positions of a layer that have moves, and those behind the moves.
func (c *checker) judge(ctx context.Context, layer []place) error {
	var todo []*place
	want := func(p *place) {
		if _, known := c.values[p.key]; !known {
			c.values[p.key] = 0
			todo = append(todo, p)
		}
	}
	for i := range layer {
		if len(layer[i].moves) == 0 {
			continue
		}
		want(&layer[i])
		for j := range layer[i].children {
			want(&layer[i].children[j])
		}
	}
	values := make([]int, len(todo))
	var next atomic.Int64
	group, ctx := errgroup.WithContext(ctx)
	for _, judge := range c.options.Judges {
		group.Go(func() error {
			for {
				i := int(next.Add(1)) - 1
				if i >= len(todo) {
					return nil
				}
				var err error
				if values[i], err = valueOf(ctx, &todo[i].position, judge); err != nil {
					return err
				}
				if c.options.Progress != nil {
					c.options.Progress()
				}
			}
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	for i, p := range todo {
		c.values[p.key] = values[i]
	}
	c.stats.Judged += len(todo)
	return nil
}

// lost is the value of being mated; nothing is worth less.
const lost = -30000

// valueOf asks the judge unless the game is over.
func valueOf(ctx context.Context, p *position.Position, judge Judge) (int, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	switch {
	case p.HasLegalMove():
		return judge(ctx, p)
	case p.InCheck():
		return lost, nil
	}
	return 0, nil
}

// sift keeps the good moves of a layer, and leaves only these to go on with.
func (c *checker) sift(layer []place) {
	for i := range layer {
		at := &layer[i]
		best := c.values[at.key]
		for _, child := range at.children {
			best = max(best, -c.values[child.key])
		}
		var good []place
		for j, child := range at.children {
			if best+c.values[child.key] > c.options.Margin {
				c.stats.Dropped++
				continue
			}
			good = append(good, child)
			weight := uint16(min(at.moves[j].Weight, math.MaxUint16))
			c.kept = append(c.kept, entry{key: at.key, move: encode(at.moves[j].Move), weight: weight})
		}
		if len(good) > 0 {
			c.stats.Positions++
		}
		at.children = good
	}
}

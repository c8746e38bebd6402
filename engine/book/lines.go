package book

import (
	"cmp"
	"container/heap"
	"context"
	"errors"
	"slices"

	"zeitnot/engine/position"
)

// Line is a way through a book from the start of the game.
type Line struct {
	// Share is how often it comes about when both sides play by the weights, from 0 to 1.
	Share float64
	Moves []LineMove
}

// LineMove is a move of a line.
type LineMove struct {
	Move position.Move
	// Value of the position after it, in centipawns from White's point of view.
	Value int
	// Loss is by how many centipawns it is worse than the best that the judge or the book have
	// in its position; never negative.
	Loss int
}

// MainLines are the n most frequent ways of so many half-moves through a book; a way that ends
// before is one as well. The judges value every move of them: what they say decides, with the
// book, all that is returned. progress, if not nil, is called for each position judged, by many
// at once.
func MainLines(ctx context.Context, b *Book, n, plies int, judges []Judge, progress func()) ([]Line, error) {
	if len(judges) == 0 {
		return nil, errors.New("value the lines of a book: no judge")
	}
	ways, err := frequent(b, n, plies)
	if err != nil {
		return nil, err
	}
	c := checker{book: b, options: CheckOptions{Judges: judges, Progress: progress}, values: make(map[uint64]int)}
	// Most ways have their first moves in common.
	layer := []place{}
	for _, w := range ways {
		for _, p := range w.places {
			if !slices.ContainsFunc(layer, func(x place) bool { return x.key == p.key }) {
				layer = append(layer, p)
			}
		}
	}
	if err := c.expand(layer); err != nil {
		return nil, err
	}
	if err := c.judge(ctx, layer); err != nil {
		return nil, err
	}
	var lines []Line
	for _, w := range ways {
		lines = append(lines, c.line(w, layer))
	}
	return lines, nil
}

// way is a beginning of a line.
type way struct {
	share  float64
	moves  []position.Move
	places []place // before each move, and after the last
}

// frequent finds the ways: the most frequent beginning is followed first, and nothing that goes
// on is more frequent than its beginning.
func frequent(b *Book, n, plies int) ([]way, error) {
	start := position.Start()
	open := ways{{share: 1, places: []place{{key: keyWith(&start, position.NoSquare), position: start}}}}
	var found []way
	for len(open) > 0 && len(found) < n {
		w := heap.Pop(&open).(way)
		at := w.places[len(w.places)-1]
		var moves []Move
		var err error
		if len(w.moves) < plies {
			if moves, err = b.MovesAt(at.key, &at.position); err != nil {
				return nil, err
			}
		}
		total := 0
		for _, m := range moves {
			total += m.Weight
		}
		if total == 0 {
			if len(w.moves) > 0 {
				found = append(found, w)
			}
			continue
		}
		for _, m := range moves {
			if m.Weight == 0 {
				continue
			}
			var next place
			at.position.Make(m.Move, &next.position)
			next.key = keyAfter(&next.position, m.Move)
			heap.Push(&open, way{
				share:  w.share * float64(m.Weight) / float64(total),
				moves:  append(slices.Clone(w.moves), m.Move),
				places: append(slices.Clone(w.places), next),
			})
		}
	}
	return found, nil
}

// line is the way with the values of its moves.
func (c *checker) line(w way, layer []place) Line {
	l := Line{Share: w.share}
	for i, m := range w.moves {
		here, next := &w.places[i], &w.places[i+1]
		best := max(c.values[here.key], -c.values[next.key])
		known := layer[slices.IndexFunc(layer, func(x place) bool { return x.key == here.key })]
		for _, child := range known.children {
			best = max(best, -c.values[child.key])
		}
		value := c.values[next.key] // for the side to move
		if next.position.SideToMove() == position.Black {
			value = -value
		}
		l.Moves = append(l.Moves, LineMove{Move: m, Value: value, Loss: best + c.values[next.key]})
	}
	return l
}

// ways is a heap of beginnings: the most frequent first, and of equals one that does not depend
// on the order in which they came.
type ways []way

func (h ways) Len() int { return len(h) }

func (h ways) Less(i, j int) bool {
	return cmp.Or(cmp.Compare(h[j].share, h[i].share), slices.Compare(h[i].moves, h[j].moves)) < 0
}

func (h ways) Swap(i, j int) { h[i], h[j] = h[j], h[i] }

// Push is heap.Interface's.
func (h *ways) Push(x any) { *h = append(*h, x.(way)) }

// Pop is heap.Interface's.
func (h *ways) Pop() any {
	last := len(*h) - 1
	w := (*h)[last]
	*h = (*h)[:last]
	return w
}

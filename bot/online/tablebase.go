package online

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"zeitnot/engine"
	"zeitnot/engine/position"
	"zeitnot/lichess"
)

const (
	// maxMen is the most men of a position that the tablebase has.
	maxMen = 7
	// maxDTZ is beyond every distance in it.
	maxDTZ = 1 << 16
)

// Tablebase asks the tablebase. What is won or lost is played as it says; where the game is
// drawn it only keeps the search from losing it.
type Tablebase struct{ Client *lichess.Client }

// tableValue is the value of a move for the side that plays it.
type tableValue struct {
	class int // see classes
	// distance is how many half-moves the next capture, pawn move or mate is away, this move
	// included.
	distance int
	mates    bool
}

// classes are the categories of the position after a move, from the best for whoever made it.
// A draw is in the middle.
var classes = [...]lichess.Category{
	lichess.CategoryLoss, lichess.CategorySyzygyLoss, lichess.CategoryMaybeLoss, lichess.CategoryBlessedLoss,
	lichess.CategoryDraw,
	lichess.CategoryCursedWin, lichess.CategoryMaybeWin, lichess.CategorySyzygyWin, lichess.CategoryWin,
}

const (
	classWon   = 0
	classDrawn = len(classes) / 2
	classLost  = len(classes) - 1
)

func (Tablebase) name() string { return "online tablebase" }

func (Tablebase) misses() int { return 0 }

func (Tablebase) fits(g position.Game) bool {
	p := g.Position()
	return p.Occupied().Count() <= maxMen && !p.HasCastlingRights()
}

func (Tablebase) key(p *position.Position) key { return key{p.Key(), p.HalfmoveClock()} }

func (t Tablebase) ask(ctx context.Context, p *position.Position) ([]candidate, error) {
	a, err := t.Client.Tablebase(ctx, p.FEN())
	if err != nil || a.Category == lichess.CategoryUnknown {
		return nil, err
	}
	var known []candidate
	for _, m := range a.Moves {
		move, err := legal(p, m.UCI)
		if err != nil {
			return nil, err
		}
		class := slices.Index(classes[:], m.Category)
		if class < 0 && m.Category != lichess.CategoryUnknown {
			return nil, fmt.Errorf("tablebase: category %q of move %s", m.Category, m.UCI)
		}
		if slices.ContainsFunc(known, func(c candidate) bool { return c.move == move }) {
			return nil, fmt.Errorf("tablebase: move %s twice", m.UCI)
		}
		v := tableValue{class: class, mates: m.Checkmate, distance: 1}
		if m.DTZ != nil && !m.Zeroing {
			if *m.DTZ < -maxDTZ || *m.DTZ > maxDTZ {
				return nil, fmt.Errorf("tablebase: distance %d with move %s that cannot be", *m.DTZ, m.UCI)
			}
			v.distance = max(*m.DTZ, -*m.DTZ) + 1
		}
		known = append(known, candidate{move: move, tableValue: v})
	}
	var all position.MoveList
	if p.Legal(&all); len(known) != all.Len() {
		return nil, fmt.Errorf("tablebase: %d moves where %d are legal", len(known), all.Len())
	}
	return known, nil
}

// choose takes the best class first, so that nothing throws away what is won or drawn, and only
// then looks at the distance. What is won must not go back to where the game has been.
func (Tablebase) choose(g position.Game, known []candidate) (engine.Advice, bool) {
	best := classLost
	for _, c := range known {
		if c.class < 0 {
			return engine.Advice{}, false // it might be the best of all
		}
		best = min(best, c.class)
	}
	moves := slices.DeleteFunc(slices.Clone(known), func(c candidate) bool {
		return c.class != best || best < classDrawn && repeats(g, c.move)
	})
	if len(moves) == 0 {
		return engine.Advice{}, false
	}
	if best != classDrawn {
		slices.SortStableFunc(moves, func(x, y candidate) int {
			switch {
			case best > classDrawn:
				return cmp.Compare(y.distance, x.distance) // the loser wants it long
			case x.mates != y.mates && x.mates:
				return -1
			case x.mates != y.mates:
				return 1
			}
			return cmp.Compare(x.distance, y.distance)
		})
	}
	var a engine.Advice
	switch best {
	case classWon:
		a.Final, a.Score = true, engine.TableWin
	case classLost:
		a.Final, a.Score = true, -engine.TableWin
	}
	for _, c := range moves {
		a.Moves = append(a.Moves, c.move)
	}
	return a, true
}

// repeats tells whether a move leads to a position that the game has had.
func repeats(g position.Game, m position.Move) bool {
	var child position.Position
	g.Position().Make(m, &child)
	return slices.Contains(g.Keys(), child.Key())
}

// legal reads a move that must be one.
func legal(p *position.Position, uci string) (position.Move, error) {
	m, err := p.ParseUCI(uci)
	if err == nil && !p.IsLegal(m) {
		err = fmt.Errorf("move %q is not legal", uci)
	}
	return m, err
}

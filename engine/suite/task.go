// Package suite asks a searcher for moves in positions whose answers are known, and counts
// how many it finds: best moves, moves to avoid, mates, and moves that are worth points. It
// says how well a searcher solves such positions, which is not how well it plays.
package suite

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"zeitnot/engine"
	"zeitnot/engine/pgn"
	"zeitnot/engine/position"
)

// Task is a position and what is wanted there.
type Task struct {
	ID       string
	Position position.Position
	// Best are the moves of which one is wanted, Avoid those of which none is; either may be
	// empty.
	Best, Avoid []position.Move
	// Mate asks for a mate in at most so many moves, whichever move it begins with; 0 for
	// none.
	Mate int
	// Points are what moves are worth; nil if only right and wrong are told apart.
	Points map[position.Move]int
}

// Parse reads a line of EPD: bm and am, dm or "ce +M3" for mates, and the points of the
// Strategic Test Suite, moves in c9 and points in c8, or both in c0 ("f5=100, Bf2=46"). Few
// files keep to the letter, so moves may have their marks apart, and dm may lack the
// semicolon before it. A line without any of these, or with a move that is not legal, is an
// error.
func Parse(line string) (Task, error) {
	e, err := pgn.ParseEPD(line)
	if err != nil {
		return Task{}, err
	}
	t := Task{ID: e.ID(), Position: e.Position}
	if t.Best, err = t.moves(&e, "bm"); err != nil {
		return Task{}, err
	}
	if t.Avoid, err = t.moves(&e, "am"); err != nil {
		return Task{}, err
	}
	if op, ok := e.Op("dm"); ok {
		if t.Mate, err = mateIn(strings.Join(op.Operands, " ")); err != nil {
			return Task{}, err
		}
	}
	if op, ok := e.Op("ce"); ok && len(op.Operands) == 1 {
		if n, ok := strings.CutPrefix(op.Operands[0], "+M"); ok {
			if t.Mate, err = mateIn(n); err != nil {
				return Task{}, err
			}
		}
	}
	if err := t.points(&e); err != nil {
		return Task{}, err
	}
	if len(t.Best) == 0 && len(t.Avoid) == 0 && t.Mate == 0 && t.Points == nil {
		return Task{}, errors.New("nothing is wanted: no bm, am, dm or points")
	}
	return t, nil
}

// moves reads the operands of bm or am.
func (t *Task) moves(e *pgn.EPD, code string) ([]position.Move, error) {
	op, _ := e.Op(code)
	var moves []position.Move
	for i, word := range op.Operands {
		switch {
		case strings.Trim(word, "+#!?,") == "":
			continue
		case word == "dm" && i+1 < len(op.Operands):
			n, err := mateIn(op.Operands[i+1])
			t.Mate = n
			return moves, err
		}
		m, err := t.move(strings.Trim(word, ","))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", code, err)
		}
		moves = append(moves, m)
	}
	return moves, nil
}

// move reads a move in either notation.
func (t *Task) move(text string) (position.Move, error) {
	if m, err := t.Position.ParseUCI(text); err == nil {
		return m, nil
	}
	return t.Position.ParseSAN(text)
}

func mateIn(text string) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > engine.MaxPly/2 {
		return 0, fmt.Errorf("mate in %q: want a number of moves from 1 to %d", text, engine.MaxPly/2)
	}
	return n, nil
}

// points reads what moves are worth. c0 holds other things in other suites: only if all of it
// is moves with points does it count.
func (t *Task) points(e *pgn.EPD) error {
	words := func(code string) []string {
		op, _ := e.Op(code)
		return strings.Fields(strings.Join(op.Operands, " "))
	}
	moves, values := words("c9"), words("c8")
	if len(moves) == 0 || len(values) == 0 {
		moves, values = nil, nil
		for _, pair := range words("c0") {
			m, v, ok := strings.Cut(strings.Trim(pair, ","), "=")
			if _, err := strconv.Atoi(v); !ok || err != nil {
				return nil
			}
			moves, values = append(moves, m), append(values, v)
		}
	}
	if len(moves) != len(values) {
		return fmt.Errorf("points: %d moves in c9 and %d values in c8", len(moves), len(values))
	}
	for i := range moves {
		m, err := t.move(moves[i])
		if err != nil {
			return fmt.Errorf("points: %w", err)
		}
		v, err := strconv.Atoi(values[i])
		if err != nil || v < 0 {
			return fmt.Errorf("points %q: want a number from 0", values[i])
		}
		if t.Points == nil {
			t.Points = make(map[position.Move]int)
		}
		t.Points[m] = v
	}
	return nil
}

// MaxPoints is what the best move is worth.
func (t *Task) MaxPoints() (most int) {
	for _, v := range t.Points {
		most = max(most, v)
	}
	return most
}

// Solved tells whether an answer is what is wanted. A mate counts by its length alone: there
// may be several. Where there are only points the moves of the most are wanted.
func (t *Task) Solved(r engine.Result) bool {
	if t.Mate > 0 {
		return r.Score.IsMate() && r.Score > 0 && r.Score.MateMoves() <= t.Mate
	}
	switch {
	case slices.Contains(t.Avoid, r.Best):
		return false
	case len(t.Best) > 0:
		return slices.Contains(t.Best, r.Best)
	case len(t.Avoid) > 0:
		return true
	}
	return t.Points[r.Best] == t.MaxPoints()
}

// Wanted is what is wanted, in words.
func (t *Task) Wanted() string {
	if t.Mate > 0 {
		return fmt.Sprintf("mate in %d", t.Mate)
	}
	names := func(moves []position.Move) string {
		var text []string
		for _, m := range moves {
			text = append(text, t.Position.SAN(m))
		}
		return strings.Join(text, " or ")
	}
	switch {
	case len(t.Best) > 0:
		return names(t.Best)
	case len(t.Avoid) > 0:
		return "not " + names(t.Avoid)
	}
	var best []position.Move
	for m, v := range t.Points {
		if v == t.MaxPoints() {
			best = append(best, m)
		}
	}
	slices.Sort(best)
	return names(best)
}

// Theme is the part of the ID before the number at its end, for suites in several parts.
func (t *Task) Theme() string {
	return strings.TrimRight(strings.TrimRight(t.ID, "0123456789"), ". -#")
}

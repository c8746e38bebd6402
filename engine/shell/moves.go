package shell

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"zeitnot/engine/position"
)

// parseMove reads a move in coordinates or in algebraic notation. Coordinates in capitals come
// last: B5c6 is a bishop's move.
func parseMove(p *position.Position, text string) (position.Move, error) {
	if m, err := p.ParseUCI(text); err == nil {
		return m, nil
	}
	m, err := p.ParseSAN(text)
	if err != nil {
		if coordinates, wrong := p.ParseUCI(strings.ToLower(text)); wrong == nil {
			return coordinates, nil
		}
	}
	return m, err
}

// legalSAN are the legal moves, sorted.
func legalSAN(p *position.Position) []string {
	var l position.MoveList
	p.Legal(&l)
	var moves []string
	for _, m := range l.Slice() {
		moves = append(moves, p.SAN(m))
	}
	slices.Sort(moves)
	return moves
}

// withoutNumber takes a move number off: "1.", "1.e4" and "1...e5" are common.
func withoutNumber(word string) string {
	rest := strings.TrimLeft(word, "0123456789")
	if len(rest) < len(word) && strings.HasPrefix(rest, ".") {
		return strings.TrimLeft(rest, ".")
	}
	return word
}

// move plays all of the moves or none.
func (s *Shell) move(_ context.Context, args []string) error {
	g, n := s.game, s.game.Len()
	for _, word := range args {
		word = withoutNumber(word)
		if word == "" {
			continue
		}
		p := g.Position()
		m, err := parseMove(p, word)
		if err != nil {
			also := ""
			if g.Len() > n {
				also = ", and none of the moves is played"
			}
			legal := strings.Join(legalSAN(p), " ")
			if legal == "" {
				legal = "no move, the game is over"
			}
			return fmt.Errorf("%w%s; legal: %s", err, also, legal)
		}
		g = g.Play(m)
	}
	s.game = g
	s.tellPlayed(n)
	return nil
}

// tellPlayed shows what was played since the n-th move, and what came of it.
func (s *Shell) tellPlayed(n int) {
	if s.game.Len() == n {
		return
	}
	end := s.state()
	if end == "" {
		end = s.game.Position().SideToMove().String() + " to move"
	}
	s.printf("%s  (%s)\n", s.played(n, s.game.Len()), end)
}

// undo takes moves back, never more than there are.
func (s *Shell) undo(_ context.Context, args []string) error {
	n := 1
	if len(args) > 0 {
		var err error
		if n, err = strconv.Atoi(args[0]); err != nil || n < 1 {
			return fmt.Errorf("undo %q: want a number from 1", clip(args[0]))
		}
	}
	if have := s.game.Len(); n > have {
		return fmt.Errorf("undo %d: only %d moves have been played", n, have)
	}
	keep := s.game.Len() - n
	s.printf("took back %s\n", s.played(keep, s.game.Len()))
	s.game = s.game.Undo(n)
	return nil
}

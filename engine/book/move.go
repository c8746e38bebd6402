package book

import "zeitnot/engine/position"

// code is a move as books have it: target square (bits 0-5), origin (6-11), promotion
// (12-14: knight 1 … queen 4). Castling is written as the king taking its own rook.
type code uint16

func encode(m position.Move) code {
	c := code(m.To()) | code(m.From())<<6
	if m.IsPromotion() {
		c |= code(m.Promotion()-position.Knight+1) << 12
	}
	return c
}

// decode finds the legal move that a code means in a position; NoMove if there is none. A
// code is only castling where the king stands on its origin and may castle. Some writers
// have the king step two squares instead, which means the same in standard chess.
func (c code) decode(p *position.Position, legal []position.Move) position.Move {
	for _, m := range legal {
		if encode(m) == c {
			return m
		}
	}
	if p.Chess960() {
		return position.NoMove
	}
	for _, m := range legal {
		if !m.IsCastle() {
			continue
		}
		step := m.From() + 2
		if m.To() < m.From() {
			step = m.From() - 2
		}
		if encode(position.NewMove(m.From(), step, position.Normal)) == c {
			return m
		}
	}
	return position.NoMove
}

package book

import (
	"fmt"
	"strings"

	"zeitnot/engine/position"
)

// Key is the Polyglot key of a game's current position.
//
// The format counts an en passant file when a pawn stands beside the one that has just moved
// two squares, whether the capture is legal or not. A position only knows legal captures;
// the game knows its last move.
func Key(g position.Game) uint64 {
	if moves := g.Moves(); len(moves) > 0 {
		return keyAfter(g.Position(), moves[len(moves)-1])
	}
	return keyWith(g.Position(), g.Position().EnPassant())
}

// KeyFEN is the key of a position in FEN, and the position.
func KeyFEN(fen string) (uint64, position.Position, error) {
	p, err := position.ParseFEN(fen)
	if err != nil {
		return 0, p, err
	}
	target := position.NoSquare
	if fields := strings.Fields(fen); len(fields) > 3 && fields[3] != "-" {
		if target, err = parseTarget(fields[3], p.SideToMove()); err != nil {
			return 0, p, err
		}
	}
	return keyWith(&p, target), p, nil
}

// parseTarget reads an en passant square.
func parseTarget(s string, stm position.Color) (position.Square, error) {
	rank := byte('6')
	if stm == position.Black {
		rank = '3'
	}
	if len(s) != 2 || s[0] < 'a' || s[0] > 'h' || s[1] != rank {
		return position.NoSquare, fmt.Errorf("en passant square %q", s)
	}
	return position.SquareAt(int(s[0]-'a'), int(s[1]-'1')), nil
}

// keyAfter is the key of p, which came about by the move last.
func keyAfter(p *position.Position, last position.Move) uint64 {
	if last.Kind() != position.DoublePush {
		return keyWith(p, position.NoSquare)
	}
	return keyWith(p, (last.From()+last.To())/2)
}

// keyWith is the key of p when a pawn has just passed the square target.
func keyWith(p *position.Position, target position.Square) uint64 {
	var key uint64
	for c := position.White; c <= position.Black; c++ {
		for t := position.Pawn; t <= position.King; t++ {
			kind := 2*int(t) + int(c.Other())
			for b := p.Pieces(c, t); b != 0; {
				key ^= random[64*kind+int(b.PopFirst())]
			}
		}
		for side := range 2 {
			if p.CastlingRook(c, side) != position.NoSquare {
				key ^= random[randomPieces+2*int(c)+side]
			}
		}
	}
	if target != position.NoSquare {
		us := p.SideToMove()
		// Pawns of ours that attack the target are the ones beside the pawn that passed it.
		if position.PawnAttacks(us.Other(), target)&p.Pieces(us, position.Pawn) != 0 {
			key ^= random[randomPieces+randomCastling+target.File()]
		}
	}
	if p.SideToMove() == position.White {
		key ^= random[len(random)-1]
	}
	return key
}

package position

import (
	"errors"
	"fmt"
)

// Validate states every invariant of a Position, for tests of this package: nil, or all
// that is broken with both values.
func (p *Position) Validate() error {
	var broken []error
	expect := func(what string, actual, expected any) {
		if actual != expected {
			broken = append(broken, fmt.Errorf("%s: got %v, want %v", what, actual, expected))
		}
	}

	// The two views of the board agree.
	var byType [8]Bitboard
	var byColor [2]Bitboard
	for s, pc := range p.board {
		if pc == NoPiece {
			continue
		}
		if pc.Type() > King || pc.Color() > Black {
			expect(fmt.Sprintf("piece on %v", Square(s)), pc, "a piece")
			continue
		}
		byType[pc.Type()] |= Square(s).Bit()
		byColor[pc.Color()] |= Square(s).Bit()
	}
	expect("squares by type", p.byType, byType)
	expect("squares by colour", p.byColor, byColor)

	// Keys, checks and pins are what a fresh look finds. Here a pin is a piece whose removal
	// uncovers a check.
	fresh := *p
	fresh.freshKeys()
	expect("key", p.key, fresh.key)
	expect("pawn key", p.pawnKey, fresh.pawnKey)
	expect("piece keys", p.pieceKey, fresh.pieceKey)
	own, enemy := p.byColor[p.side], p.byColor[p.side.Other()]
	king := p.KingSquare(p.side)
	expect("checkers", p.checkers, p.AttackersTo(king, p.Occupied())&enemy)
	var pinned Bitboard
	for b := own &^ king.Bit(); b != 0; {
		s := b.PopFirst()
		if p.AttackersTo(king, p.Occupied()&^s.Bit())&enemy != p.checkers {
			pinned |= s.Bit()
		}
	}
	expect("pinned", p.pinned, pinned)

	// The position is legal.
	for _, c := range []Color{White, Black} {
		expect(fmt.Sprintf("%v kings", c), p.Pieces(c, King).Count(), 1)
		expect(fmt.Sprintf("%v has more than 16 pieces", c), p.ByColor(c).Count() > 16, false)
	}
	expect("pawns on the back ranks", p.byType[Pawn]&(rank1|rank8), Bitboard(0))
	expect("attackers of the king that could be taken",
		p.AttackersTo(p.KingSquare(p.side.Other()), p.Occupied())&own, Bitboard(0))
	expect("more than two checkers", p.checkers.Count() > 2, false)

	// Rights have their king and rook; en passant has a legal capture.
	var castleSquares Bitboard
	for c := range p.castling {
		for i, rook := range p.castling[c] {
			if rook == NoSquare {
				continue
			}
			what := fmt.Sprintf("%v right %d", Color(c), i)
			king := p.KingSquare(Color(c))
			expect(what+": piece on "+rook.String(), p.board[rook], MakePiece(Color(c), Rook))
			expect(what+": rank of the rook", rook.Rank(), 7*c)
			expect(what+": rank of the king", king.Rank(), 7*c)
			expect(what+": side of the rook", sideOf(king, rook), i)
			castleSquares |= rook.Bit() | king.Bit()
		}
	}
	expect("castle squares", p.castleSquares, castleSquares)
	if !p.standardRights() {
		expect("Chess960 flag with odd castling rights", p.chess960, true)
	}
	if p.ep != NoSquare {
		expect("rank of the en passant square", p.ep.Rank(), 5-3*int(p.side))
		expect("pawn before the en passant square", p.board[p.ep^8], MakePiece(p.side.Other(), Pawn))
		expect("en passant square is empty", p.board[p.ep], NoPiece)
		legal := false
		for b := p.Pieces(p.side, Pawn); b != 0; {
			legal = p.IsLegal(NewMove(b.PopFirst(), p.ep, EnPassant)) || legal
		}
		expect("legal capture on the en passant square", legal, true)
	}
	return errors.Join(broken...)
}

// Fresh reads the position back from its own FEN: every field computed anew.
func (p *Position) Fresh() (Position, error) {
	q, err := ParseFEN(p.ShredderFEN())
	return q.WithChess960(p.chess960), err
}

// WalkRays is the slow way to attack along lines, to compare the tables with.
func WalkRays(s Square, occ Bitboard, rook bool) Bitboard {
	if rook {
		return walk(s, occ, rookSteps)
	}
	return walk(s, occ, bishopSteps)
}

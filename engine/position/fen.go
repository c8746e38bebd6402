package position

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// StartFEN is the initial position of standard chess.
const StartFEN = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"

// pieceLetters are the FEN letters by Piece.
const pieceLetters = "PNBRQK..pnbrqk.."

// maxCounter bounds both counters of a FEN, so that no game can overflow them.
const maxCounter = 9999

// ParseFEN reads a position in FEN, X-FEN or Shredder-FEN. The result is legal, or the
// error says why not. Fields missing at the end take their defaults: no castling, no en
// passant, counters 0 and 1; a move number of 0 counts as 1. Castling rights need the king and the
// rook on their back rank; unless they stand on their standard squares the position is
// Chess960. An en passant square that nobody can legally capture on is dropped, one that
// no double step can have left is an error.
func ParseFEN(fen string) (Position, error) {
	p, err := parseFEN(fen)
	if err != nil {
		return Position{}, fmt.Errorf("fen %q: %w", clip(fen), err)
	}
	return p, nil
}

// clip shortens outside text for a message.
func clip(s string) string {
	if len(s) > 100 {
		return s[:100] + "..."
	}
	return s
}

func parseFEN(fen string) (p Position, err error) {
	fields := strings.Fields(fen)
	switch {
	case len(fields) < 2:
		return p, errors.New("need at least the board and the side to move")
	case len(fields) > 6:
		return p, fmt.Errorf("more than six fields: %q", clip(fields[6]))
	}
	fields = append(fields, []string{"", "", "-", "-", "0", "1"}[len(fields):]...)

	if err := p.parseBoard(fields[0]); err != nil {
		return p, err
	}
	switch fields[1] {
	case "w":
		p.side = White
	case "b":
		p.side = Black
	default:
		return p, fmt.Errorf("side to move %q is neither w nor b", clip(fields[1]))
	}
	if err := p.checkMaterial(); err != nil {
		return p, err
	}
	if err := p.checkKings(); err != nil {
		return p, err
	}
	if err := p.parseCastling(fields[2]); err != nil {
		return p, err
	}
	if p.halfmove, err = parseCounter("halfmove clock", fields[4]); err != nil {
		return p, err
	}
	if p.fullmove, err = parseCounter("move number", fields[5]); err != nil {
		return p, err
	}
	p.fullmove = max(p.fullmove, 1)

	p.ep = NoSquare
	p.freshKeys()
	if err := p.parseEnPassant(fields[3]); err != nil {
		return p, err
	}
	return p, nil
}

func (p *Position) parseBoard(s string) error {
	for i := range p.board {
		p.board[i] = NoPiece
	}
	ranks := strings.Split(s, "/")
	if len(ranks) != 8 {
		return fmt.Errorf("board has %d ranks, want 8", len(ranks))
	}
	for i, text := range ranks {
		rank, file := 7-i, 0
		for j := range len(text) {
			c := text[j]
			if c >= '1' && c <= '8' {
				file += int(c - '0')
				continue
			}
			t := strings.IndexByte(pieceLetters, c)
			if t < 0 || c == '.' {
				return fmt.Errorf("rank %d has %q, which is no piece", rank+1, c)
			}
			if file < 8 {
				p.putBare(Piece(t), SquareAt(file, rank))
			}
			file++
		}
		if file != 8 {
			return fmt.Errorf("rank %d has %d squares, want 8", rank+1, file)
		}
	}
	return nil
}

// putBare sets a piece on an empty square without touching the keys.
func (p *Position) putBare(pc Piece, s Square) {
	p.byType[pc.Type()] |= s.Bit()
	p.byColor[pc.Color()] |= s.Bit()
	p.board[s] = pc
}

// checkMaterial refuses what no game can lead to. The limits on promoted pieces also
// bound the number of legal moves to 218.
func (p *Position) checkMaterial() error {
	for _, c := range []Color{White, Black} {
		if n := p.Pieces(c, King).Count(); n != 1 {
			return fmt.Errorf("%v has %d kings, want 1", c, n)
		}
		if n := p.ByColor(c).Count(); n > 16 {
			return fmt.Errorf("%v has %d pieces, at most 16 are possible", c, n)
		}
		pawns := p.Pieces(c, Pawn).Count()
		if pawns > 8 {
			return fmt.Errorf("%v has %d pawns, at most 8 are possible", c, pawns)
		}
		promoted := 0
		for t, initial := range [...]int{Knight: 2, Bishop: 2, Rook: 2, Queen: 1} {
			if t != int(Pawn) {
				promoted += max(0, p.Pieces(c, PieceType(t)).Count()-initial)
			}
		}
		if promoted > 8-pawns {
			return fmt.Errorf("%v has %d promoted pieces beside %d pawns, at most %d are possible", c, promoted, pawns, 8-pawns)
		}
	}
	if b := p.byType[Pawn] & (rank1 | rank8); b != 0 {
		return fmt.Errorf("pawn on %v, a back rank", b.First())
	}
	return nil
}

// checkKings finds checks and pins, and refuses a side that could take the king or a
// check by more pieces than one move can uncover.
func (p *Position) checkKings() error {
	if takers, _ := p.checksAndPins(p.side.Other()); takers != 0 {
		return fmt.Errorf("%v is to move and can take the king on %v from %v", p.side, p.KingSquare(p.side.Other()), takers.First())
	}
	if kings := p.byType[King]; kingAttacks[kings.First()]&kings != 0 {
		return fmt.Errorf("the kings on %v and %v touch", kings.First(), kings.Last())
	}
	p.checkers, p.pinned = p.checksAndPins(p.side)
	if n := p.checkers.Count(); n > 2 {
		return fmt.Errorf("%v is in check by %d pieces, at most 2 are possible", p.side, n)
	}
	return nil
}

// parseCastling reads KQkq (the outermost rook of that side) and file letters.
func (p *Position) parseCastling(s string) error {
	p.castling = [2][2]Square{{NoSquare, NoSquare}, {NoSquare, NoSquare}}
	if s == "-" {
		return nil
	}
	for i := range len(s) {
		c, color := s[i], Black
		if c >= 'A' && c <= 'Z' {
			c, color = c+'a'-'A', White
		}
		if c != 'k' && c != 'q' && (c < 'a' || c > 'h') {
			return fmt.Errorf("castling field %q: %q is no right", clip(s), s[i])
		}
		rook, err := p.rookOfRight(color, c)
		if err != nil {
			return fmt.Errorf("castling right %q: %w", s[i], err)
		}
		side := 0
		if rook < p.KingSquare(color) {
			side = 1
		}
		if old := p.castling[color][side]; old != NoSquare && old != rook {
			return fmt.Errorf("castling right %q: the same side already has the rook on %v", s[i], old)
		}
		p.castling[color][side] = rook
	}
	p.castleSquares = p.rightSquares()
	p.chess960 = !p.standardRights()
	return nil
}

// rookOfRight finds the rook that a letter means: k, q or a file, in lower case.
func (p *Position) rookOfRight(c Color, letter byte) (Square, error) {
	king := p.KingSquare(c)
	back := RankMask(7 * int(c))
	if !back.Has(king) {
		return NoSquare, fmt.Errorf("the %v king on %v has left the back rank", c, king)
	}
	rooks := p.Pieces(c, Rook) & back
	switch letter {
	case 'k':
		if rook := (rooks | king.Bit()).Last(); rook > king {
			return rook, nil
		}
		return NoSquare, fmt.Errorf("no %v rook on the king's side of %v", c, king)
	case 'q':
		if rook := (rooks | king.Bit()).First(); rook < king {
			return rook, nil
		}
		return NoSquare, fmt.Errorf("no %v rook on the queen's side of %v", c, king)
	}
	s := SquareAt(int(letter-'a'), 7*int(c))
	if !rooks.Has(s) {
		return NoSquare, fmt.Errorf("no %v rook on %v", c, s)
	}
	return s, nil
}

// standardRights tells whether every right belongs to a king on e and a rook on h or a.
func (p *Position) standardRights() bool {
	for c := range p.castling {
		for i := range p.castling[c] {
			if p.castling[c][i] != NoSquare && !p.standardRight(Color(c), i) {
				return false
			}
		}
	}
	return true
}

func (p *Position) standardRight(c Color, side int) bool {
	return p.KingSquare(c).File() == 4 && p.castling[c][side].File() == 7*(1-side)
}

// parseEnPassant needs everything else in place.
func (p *Position) parseEnPassant(s string) error {
	if s == "-" {
		return nil
	}
	target, ok := parseSquare(s)
	if !ok {
		return fmt.Errorf("en passant field %q is no square", clip(s))
	}
	if want := 5 - 3*int(p.side); target.Rank() != want {
		return fmt.Errorf("en passant square %v is not on rank %d with %v to move", target, want+1, p.side)
	}
	pawn, origin := target^8, target^24
	if p.board[pawn] != MakePiece(p.side.Other(), Pawn) {
		return fmt.Errorf("en passant square %v: no %v pawn on %v", target, p.side.Other(), pawn)
	}
	if p.board[target] != NoPiece || p.board[origin] != NoPiece {
		return fmt.Errorf("en passant square %v: a double step from %v to %v is blocked", target, origin, pawn)
	}
	p.setEnPassant(target, pawn)
	return nil
}

func parseSquare(s string) (Square, bool) {
	if len(s) != 2 || s[0] < 'a' || s[0] > 'h' || s[1] < '1' || s[1] > '8' {
		return NoSquare, false
	}
	return SquareAt(int(s[0]-'a'), int(s[1]-'1')), true
}

func parseCounter(name, s string) (uint16, error) {
	n, err := strconv.ParseUint(s, 10, 32)
	if err != nil || n > maxCounter {
		return 0, fmt.Errorf("%s %q is not a number from 0 to %d", name, clip(s), maxCounter)
	}
	return uint16(n), nil
}

package position

import (
	"fmt"
	"strings"
)

// sanLetters are the piece letters of SAN by PieceType; pawns have none.
const sanLetters = "PNBRQK"

// SAN writes the legal move m in standard algebraic notation, with + or # where it
// checks or mates.
func (p *Position) SAN(m Move) string {
	b := p.appendSAN(make([]byte, 0, 8), m)
	if p.GivesCheck(m) {
		var next Position
		p.Make(m, &next)
		if next.HasLegalMove() {
			b = append(b, '+')
		} else {
			b = append(b, '#')
		}
	}
	return string(b)
}

// appendSAN writes m without its check mark.
func (p *Position) appendSAN(b []byte, m Move) []byte {
	from, to := m.From(), m.To()
	t := p.board[from].Type()
	switch {
	case m.IsCastle():
		if to > from {
			return append(b, "O-O"...)
		}
		return append(b, "O-O-O"...)
	case t == Pawn:
		if p.IsCapture(m) {
			b = append(b, 'a'+byte(from.File()), 'x')
		}
		b = append(b, to.String()...)
		if m.IsPromotion() {
			b = append(b, '=', sanLetters[m.Promotion()])
		}
		return b
	}
	b = append(b, sanLetters[t])
	b = p.appendOrigin(b, m, t)
	if p.IsCapture(m) {
		b = append(b, 'x')
	}
	return append(b, to.String()...)
}

// appendOrigin tells from apart from the other pieces of type t with a legal move to the
// same square: by file, else by rank, else by both.
func (p *Position) appendOrigin(b []byte, m Move, t PieceType) []byte {
	from := m.From()
	rivals := p.Pieces(p.side, t) &^ from.Bit()
	if rivals == 0 {
		return b
	}
	var same Bitboard
	for rivals != 0 {
		if r := rivals.PopFirst(); p.IsLegal(NewMove(r, m.To(), Normal)) {
			same |= r.Bit()
		}
	}
	switch {
	case same == 0:
		return b
	case same&FileMask(from.File()) == 0:
		return append(b, 'a'+byte(from.File()))
	case same&RankMask(from.Rank()) == 0:
		return append(b, '1'+byte(from.Rank()))
	}
	return append(b, from.String()...)
}

// sanPattern is what a SAN text says about a move; -1 and NoPieceType mean it is silent.
type sanPattern struct {
	piece      PieceType
	file, rank int // of the origin
	to         Square
	promotion  PieceType
}

func (s sanPattern) fits(p *Position, m Move) bool {
	return !m.IsCastle() &&
		m.To() == s.to &&
		p.board[m.From()].Type() == s.piece &&
		m.Promotion() == s.promotion &&
		(s.file < 0 || m.From().File() == s.file) &&
		(s.rank < 0 || m.From().Rank() == s.rank)
}

// ParseSAN reads a legal move in algebraic notation. It does not insist on form: check
// marks, the capture sign and annotations (!?, e.p.) may be missing or wrong, castling
// may be written with zeros, the origin may be fuller than needed (Ng1f3, e2-e4) and the
// promotion without its equals sign.
func (p *Position) ParseSAN(s string) (Move, error) {
	text := trimSAN(s)
	var l MoveList
	p.Legal(&l)
	if side, ok := castleSAN(text); ok {
		for _, m := range l.Slice() {
			if m.IsCastle() && sideOf(m.From(), m.To()) == side {
				return m, nil
			}
		}
		return NoMove, fmt.Errorf("move %q is illegal in %s", clip(s), p.FEN())
	}
	pattern, ok := readSAN(text)
	if !ok {
		return NoMove, fmt.Errorf("move %q is not in algebraic notation", clip(s))
	}
	found := NoMove
	for _, m := range l.Slice() {
		if !pattern.fits(p, m) {
			continue
		}
		if found != NoMove {
			return NoMove, fmt.Errorf("move %q is ambiguous in %s: %s or %s", clip(s), p.FEN(), p.SAN(found), p.SAN(m))
		}
		found = m
	}
	if found == NoMove {
		return NoMove, fmt.Errorf("move %q is illegal in %s", clip(s), p.FEN())
	}
	return found, nil
}

// trimSAN takes off what follows the move itself.
func trimSAN(s string) string {
	const marks = "+#!? \t"
	s = strings.TrimRight(strings.TrimSpace(s), marks)
	for _, ep := range []string{"e.p.", "ep"} {
		s = strings.TrimRight(strings.TrimSuffix(s, ep), marks)
	}
	return s
}

// castleSAN reads the two castling moves; side is 0 for the king's.
func castleSAN(s string) (side int, ok bool) {
	switch s {
	case "O-O", "0-0", "o-o", "OO", "00":
		return 0, true
	case "O-O-O", "0-0-0", "o-o-o", "OOO", "000":
		return 1, true
	}
	return 0, false
}

// readSAN reads a trimmed move other than castling, from its end to its start.
func readSAN(s string) (sanPattern, bool) {
	pattern := sanPattern{piece: Pawn, file: -1, rank: -1}
	var ok bool
	if s, pattern.promotion, ok = cutPromotion(s); !ok || len(s) < 2 {
		return pattern, false
	}
	if pattern.to, ok = parseSquare(s[len(s)-2:]); !ok {
		return pattern, false
	}
	s = strings.TrimRight(s[:len(s)-2], "x:-")
	if n := len(s); n > 0 && s[n-1] >= '1' && s[n-1] <= '8' {
		pattern.rank = int(s[n-1] - '1')
		s = s[:n-1]
	}
	if n := len(s); n > 0 && s[n-1] >= 'a' && s[n-1] <= 'h' {
		pattern.file = int(s[n-1] - 'a')
		s = s[:n-1]
	}
	if s == "" {
		return pattern, true
	}
	t := strings.IndexByte(sanLetters, s[0])
	pattern.piece = PieceType(t)
	return pattern, len(s) == 1 && t >= 0
}

// cutPromotion takes a promotion off the end of a move: "=Q", "Q", "/Q", "(Q)" or "=q".
// Nothing may promote to a pawn or king.
func cutPromotion(s string) (rest string, t PieceType, ok bool) {
	if n := len(s); n > 2 && s[n-3] == '(' && s[n-1] == ')' {
		s = s[:n-3] + s[n-2:n-1]
	}
	n := len(s)
	if n < 3 {
		return s, NoPieceType, true
	}
	letter := s[n-1]
	if letter >= 'a' && letter <= 'z' && s[n-2] == '=' {
		letter -= 'a' - 'A'
	}
	i := strings.IndexByte(sanLetters, letter)
	if i < 0 {
		return s, NoPieceType, true
	}
	t = PieceType(i)
	return strings.TrimRight(s[:n-1], "=/"), t, t >= Knight && t <= Queen
}

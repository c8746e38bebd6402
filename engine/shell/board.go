package shell

import (
	"context"
	"fmt"
	"strings"

	"zeitnot/engine/position"
)

// shownMoves is how many of the last moves stand below the board.
const shownMoves = 10

// fen shows the position's FEN or sets another position. A FEN that is refused changes nothing.
func (s *Shell) fen(_ context.Context, args []string) error {
	if len(args) == 0 {
		s.printf("%s\n", s.game.Position().FEN())
		return nil
	}
	text := strings.Join(args, " ")
	if strings.EqualFold(text, "startpos") {
		text = position.StartFEN
	}
	p, err := position.ParseFEN(text)
	if err != nil {
		return err
	}
	s.game = position.NewGame(p)
	return nil
}

// diagram draws the board, white below, and tells what cannot be seen on it.
func (s *Shell) diagram(context.Context, []string) error {
	p := s.game.Position()
	var last position.Bitboard
	if moves := s.game.Moves(); len(moves) > 0 {
		m := moves[len(moves)-1]
		last = m.From().Bit() | m.To().Bit()
	}
	var b strings.Builder
	for rank := 7; rank >= 0; rank-- {
		fmt.Fprintf(&b, "%d ", rank+1)
		for file := range 8 {
			sq := position.SquareAt(file, rank)
			b.WriteString(" " + s.square(p.PieceAt(sq), last.Has(sq)))
		}
		b.WriteString("\n")
	}
	b.WriteString("   a b c d e f g h\n\n")
	row := func(name, value string) { fmt.Fprintf(&b, "%-9s %s\n", name, value) }
	row("fen", p.FEN())
	row("to move", p.SideToMove().String())
	if n := s.game.Len(); n > 0 {
		row("moves", s.played(max(0, n-shownMoves), n))
	}
	if p.InCheck() {
		row("check by", strings.Join(squares(p.Checkers()), " "))
	}
	if state := s.state(); state != "" {
		row("state", state)
	}
	_, err := fmt.Fprint(s.cfg.Out, b.String())
	return err
}

// square is a piece's letter, white in capitals, or a dot.
func (s *Shell) square(piece position.Piece, marked bool) string {
	letter, code := ".", ""
	if piece != position.NoPiece {
		letter, code = string("pnbrqk"[piece.Type()]), cyan
		if piece.Color() == position.White {
			letter, code = strings.ToUpper(letter), bold
		}
	}
	if marked {
		code += mark
	}
	if code == "" {
		return letter
	}
	return s.colored(code, letter)
}

func squares(b position.Bitboard) (names []string) {
	for b != 0 {
		names = append(names, b.PopFirst().String())
	}
	return names
}

// state is what ends the game, or lets a player end it; "" if nothing does.
func (s *Shell) state() string {
	p := s.game.Position()
	switch {
	case !p.HasLegalMove() && p.InCheck():
		return "checkmate, " + p.SideToMove().Other().String() + " wins"
	case !p.HasLegalMove():
		return "stalemate, a draw"
	case p.InsufficientMaterial():
		return "a draw, neither side can mate"
	case s.game.Repetitions() >= 3:
		return fmt.Sprintf("a draw may be claimed, the position has occurred %d times", s.game.Repetitions())
	case s.game.FiftyMoves():
		return "a draw may be claimed, fifty moves without capture or pawn move"
	}
	return ""
}

// played is the game's moves from the one to before the other, numbered.
func (s *Shell) played(from, to int) string {
	p := *s.game.Initial()
	for _, m := range s.game.Moves()[:from] {
		before := p
		before.Make(m, &p)
	}
	return numbered(&p, s.game.Moves()[from:to])
}

// numbered writes moves from p as people do: 1. e4 e5 2. Nf3.
func numbered(p *position.Position, moves []position.Move) string {
	var words []string
	at := *p
	for i, m := range moves {
		switch {
		case at.SideToMove() == position.White:
			words = append(words, fmt.Sprintf("%d.", at.FullmoveNumber()))
		case i == 0:
			words = append(words, fmt.Sprintf("%d...", at.FullmoveNumber()))
		}
		words = append(words, at.SAN(m))
		before := at
		before.Make(m, &at)
	}
	return strings.Join(words, " ")
}

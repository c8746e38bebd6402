package uci

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"zeitnot/engine/position"
)

// helpText is the answer to help.
var helpText = []string{
	"The Universal Chess Interface (uci, isready, ucinewgame, setoption, position, go, stop, ponderhit, quit), and for people:",
	"  d             the board, its FEN, key and checkers",
	"  eval          how the engine values the position, without search",
	"  perft N       count the moves N plies deep, for each root move",
	"  bench         search fixed positions; the node count is the search's signature",
	"  help          this text",
	"A bare go searches until stop. A new position, go or option while a search runs stops it first.",
}

// describe draws the position for people.
func describe(p *position.Position) []string {
	const letters = "pnbrqk"
	lines := []string{"  +-----------------+"}
	for rank := 7; rank >= 0; rank-- {
		var b strings.Builder
		fmt.Fprintf(&b, "%d |", rank+1)
		for file := range 8 {
			c := byte('.')
			if piece := p.PieceAt(position.SquareAt(file, rank)); piece != position.NoPiece {
				c = letters[piece.Type()]
				if piece.Color() == position.White {
					c -= 'a' - 'A'
				}
			}
			b.WriteString(" " + string(c))
		}
		lines = append(lines, b.String()+" |")
	}
	checkers := ""
	for bb := p.Checkers(); bb != 0; {
		checkers += " " + bb.PopFirst().String()
	}
	if checkers == "" {
		checkers = " none"
	}
	return append(lines, "  +-----------------+", "    a b c d e f g h",
		"Fen: "+p.FEN(), fmt.Sprintf("Key: %016X", p.Key()), "Checkers:"+checkers)
}

// explain carries out eval.
func (s *Server) explain() {
	e, ok := s.cfg.Engine.(Explainer)
	if !ok {
		s.infoString("this engine does not explain its evaluation")
		return
	}
	s.out.lines(strings.Split(strings.TrimRight(e.Explain(s.game.Position()), "\n"), "\n")...)
}

// maxPerft bounds the recursion; no depth near it is ever counted to the end.
const maxPerft = 64

func (s *Server) perftCommand(ctx context.Context, args []string) {
	depth := 1
	if len(args) > 0 {
		n, err := strconv.Atoi(args[0])
		if err != nil || n < 0 {
			s.infoString("perft: the depth is a whole number from 0, not " + args[0])
			return
		}
		depth = n
	}
	s.startPerft(ctx, depth)
}

// startPerft counts beside the conversation, so that stop and quit work; a count that is
// stopped says so.
func (s *Server) startPerft(ctx context.Context, depth int) {
	if depth > maxPerft {
		s.infoString(fmt.Sprintf("perft %d would never end; at most %d", depth, maxPerft))
		return
	}
	game, out := s.game, s.out
	kingTakesRook := castlesOntoRook(game.Position(), s.chess960)
	s.start(ctx, &job{}, func(ctx context.Context) {
		root := game.Position()
		if depth == 0 {
			out.lines("Nodes searched: 1")
			return
		}
		total, err := root.Divide(ctx, depth, func(m position.Move, n uint64) {
			out.lines(fmt.Sprintf("%s: %d", root.UCI(m, kingTakesRook), n))
		})
		if err != nil {
			out.lines("info string perft stopped")
			return
		}
		out.lines("", fmt.Sprintf("Nodes searched: %d", total))
	})
}

// benchCommand runs the benchmark beside the conversation.
func (s *Server) benchCommand(ctx context.Context, args []string) {
	if s.cfg.Bench == nil {
		s.infoString("this engine has no bench")
		return
	}
	s.start(ctx, &job{}, func(ctx context.Context) {
		if err := s.cfg.Bench(ctx, lineSink{s.out}, args); err != nil {
			s.out.lines("info string " + printable(err.Error()))
		}
	})
}

// lineSink lets the benchmark write through the server's own writer.
type lineSink struct{ out *lineWriter }

var _ io.Writer = lineSink{}

func (l lineSink) Write(text []byte) (int, error) {
	if err := l.out.lines(strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")...); err != nil {
		return 0, err
	}
	return len(text), nil
}

package uci

import (
	"errors"
	"fmt"
	"strings"

	"zeitnot/engine/position"
)

// setPosition carries out `position`. A position that cannot be is refused with the
// reason, and the previous one stays.
func (s *Server) setPosition(args []string) {
	g, err := parsePosition(args, s.chess960)
	if err != nil {
		s.infoString("position refused, the previous one is kept: " + err.Error())
		return
	}
	s.game = g
}

// parsePosition reads the words after `position`: startpos or fen and its fields, then
// perhaps moves.
func parsePosition(args []string, chess960 bool) (position.Game, error) {
	if len(args) == 0 {
		return position.Game{}, errors.New("neither startpos nor fen")
	}
	rest, fen := args[1:], ""
	switch strings.ToLower(args[0]) {
	case "startpos":
		fen = position.StartFEN
	case "fen":
		n := 0
		for n < len(rest) && !strings.EqualFold(rest[n], "moves") {
			n++
		}
		if n == 0 {
			return position.Game{}, errors.New("fen without a FEN")
		}
		fen, rest = strings.Join(rest[:n], " "), rest[n:]
	default:
		return position.Game{}, fmt.Errorf("%q is neither startpos nor fen", args[0])
	}
	if len(rest) > 0 {
		if !strings.EqualFold(rest[0], "moves") {
			return position.Game{}, fmt.Errorf("%q where moves should stand", rest[0])
		}
		rest = rest[1:]
	}
	moves := make([]string, len(rest))
	for i, m := range rest {
		moves[i] = strings.ToLower(m)
	}
	return position.ParseGame(fen, chess960, moves)
}

// castlesOntoRook tells how castling is written at p: as king takes rook if the GUI asked
// for it, or if p needs it (two squares would be ambiguous).
func castlesOntoRook(p *position.Position, chess960 bool) bool { return chess960 || p.Chess960() }

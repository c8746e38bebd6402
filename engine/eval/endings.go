package eval

import (
	"zeitnot/engine/kpk"
	"zeitnot/engine/position"
)

// pieceValue is used where only the rough size of a force matters.
var pieceValue = [6]int{100, 320, 330, 500, 950, 0}

// force is the value of the pieces of c without its pawns.
func force(p *position.Position, c position.Color) int {
	v := 0
	for t := position.Knight; t <= position.Queen; t++ {
		v += pieceValue[t] * p.Pieces(c, t).Count()
	}
	return v
}

// scale is how much of the endgame value the stronger side can hope for, in 64ths.
func (in *info) scale(eg int) int {
	p := in.p
	strong := position.White
	if eg < 0 {
		strong = position.Black
	}
	weak := strong.Other()
	strongPawns := in.pawns[strong].Count()

	// Without pawns a small advantage does not win.
	if strongPawns == 0 {
		fs, fw := force(p, strong), force(p, weak)
		if fs-fw <= pieceValue[position.Bishop] {
			switch {
			case fs < pieceValue[position.Rook]:
				return 0
			case fw <= pieceValue[position.Bishop]:
				return 6
			}
			return 16
		}
		// Two knights cannot force mate.
		if fs == 2*pieceValue[position.Knight] && p.Pieces(strong, position.Knight).Count() == 2 {
			return 0
		}
	}

	if wrongBishop(in, strong) {
		return 0
	}

	// Bishops on opposite colours.
	bs, bw := p.Pieces(strong, position.Bishop), p.Pieces(weak, position.Bishop)
	if bs != 0 && bw != 0 && !bs.Several() && !bw.Several() && (bs&lightSquares == 0) != (bw&lightSquares == 0) {
		others := (in.own[strong] &^ in.pawns[strong] &^ bs &^ in.kings[strong].Bit()).Count()
		if others == 0 && (in.own[weak]&^in.pawns[weak]&^bw&^in.kings[weak].Bit()) == 0 {
			return min(scaleMax, 18+4*in.pawn.passed[strong].Count())
		}
		return min(scaleMax, 24+3*(in.own[strong]&^in.pawns[strong]).Count()+2*strongPawns)
	}

	// One rook each and few pawns on one wing: the defender holds.
	if strongPawns <= 2 {
		return 36 + 8*strongPawns
	}
	return min(scaleMax, 44+4*strongPawns)
}

// wrongBishop tells whether c has only rook pawns of one file and bishops that do not
// control the square where they promote, with the other king in that corner: a draw.
func wrongBishop(in *info, c position.Color) bool {
	p, them := in.p, c.Other()
	pawns := in.pawns[c]
	rest := in.own[c] &^ pawns &^ in.kings[c].Bit()
	if pawns == 0 || rest&^p.ByType(position.Bishop) != 0 {
		return false
	}
	file := 0
	if pawns&fileA == 0 {
		file = 7
	}
	if pawns&^(fileA<<file) != 0 {
		return false
	}
	corner := relative(c, position.SquareAt(file, 7))
	onLight := lightSquares.Has(corner)
	if onLight && rest&lightSquares != 0 || !onLight && rest&^lightSquares != 0 {
		return false
	}
	return in.kings[them].Distance(corner) <= 1
}

// known is the value for White of endings that the terms do not understand: a bare king
// against enough to mate it.
func known(p *position.Position) (int, bool) {
	for c := position.White; c <= position.Black; c++ {
		weak := c.Other()
		if p.ByColor(weak).Several() {
			continue
		}
		var v int
		var ok bool
		if pawns := p.Pieces(c, position.Pawn); pawns == 0 {
			v, ok = mateLoneKing(p, c)
		} else if v, ok = pawnAgainstKing(p, relativeRank(c, pawns.First())); !ok {
			continue
		}
		if c == position.Black {
			v = -v
		}
		return v, ok
	}
	return 0, false
}

// pawnAgainstKing knows the ending of king and pawn against king. A win is worth more the
// farther the pawn is, and less than with the queen it becomes.
func pawnAgainstKing(p *position.Position, rank int) (int, bool) {
	wins, ok := kpk.Probe(p)
	if !wins {
		return 0, ok
	}
	return knownWin - 300 + 40*rank, true
}

// knownWin is the least value of an ending that c wins for certain.
const knownWin = 1000

// mateLoneKing drives the bare king of the other side to the edge, and with bishop and
// knight into a corner of the bishop's colour. false if the force does not suffice.
func mateLoneKing(p *position.Position, c position.Color) (int, bool) {
	strong, weak := p.KingSquare(c), p.KingSquare(c.Other())
	bishops, knights := p.Pieces(c, position.Bishop), p.Pieces(c, position.Knight)
	bothColours := bishops&lightSquares != 0 && bishops&^lightSquares != 0
	majors := p.Pieces(c, position.Rook) | p.Pieces(c, position.Queen)
	if majors == 0 && !bothColours && (bishops == 0 || knights == 0) {
		return 0, false
	}
	v := knownWin + force(p, c) + 20*(7-strong.Distance(weak))
	if majors == 0 && !bothColours {
		// The right corners are a1 and h8 for a dark bishop, a8 and h1 for a light one.
		a, b := position.SquareAt(0, 0), position.SquareAt(7, 7)
		if bishops&lightSquares != 0 {
			a, b = position.SquareAt(0, 7), position.SquareAt(7, 0)
		}
		return v + 60*(7-min(manhattan(weak, a), manhattan(weak, b))), true
	}
	return v + 15*edge(weak), true
}

// edge is greater the nearer a square is to the edge and the corners, from 0 to 6.
func edge(sq position.Square) int {
	f, r := sq.File(), sq.Rank()
	return max(3-f, f-4) + max(3-r, r-4)
}

func manhattan(a, b position.Square) int {
	df, dr := a.File()-b.File(), a.Rank()-b.Rank()
	return max(df, -df) + max(dr, -dr)
}

package mcts

import (
	"math"

	"zeitnot/engine/eval"
	"zeitnot/engine/position"
)

const (
	// leafNodes bounds the positions that one leaf may take, and with them the work of a
	// rollout; leafDepth the captures in a row.
	leafNodes = 48
	leafDepth = 8
	// pawnScale is the advantage, in centipawns, that squashes to 0.7.
	pawnScale = 300
	leafLimit = eval.Limit
)

// pieceWorth orders captures, in pawns.
var pieceWorth = [8]int{1, 3, 3, 5, 9, 10, 0, 0}

// leaf values a position by its captures.
type leaf struct {
	ev    *eval.Evaluator
	nodes int
}

// value of the position for the side to move, -1 to 1, both excluded: those are proofs.
func (l *leaf) value(ev *eval.Evaluator, p *position.Position) float64 {
	l.ev, l.nodes = ev, 0
	return squash(l.captures(p, -leafLimit, leafLimit, leafDepth))
}

// squash is cp/sqrt(cp*cp+scale*scale); unlike an exponential it is the same to the last
// bit on every machine.
func squash(cp int) float64 {
	x := float64(cp)
	return x / math.Sqrt(float64(x*x)+pawnScale*pawnScale)
}

// centipawns is the inverse of squash.
func centipawns(v float64) int {
	v = min(max(v, -0.9998), 0.9998)
	return int(math.Round(v * pawnScale / math.Sqrt(1-float64(v*v))))
}

// captures is a quiescence search: the side to move may stop capturing at any time.
func (l *leaf) captures(p *position.Position, alpha, beta, depth int) int {
	l.nodes++
	best := l.ev.Evaluate(p)
	if best >= beta || depth == 0 {
		return best
	}
	alpha = max(alpha, best)
	var list position.MoveList
	p.LegalNoisy(&list)
	moves := list.Slice()
	var worth [256]int
	for i, m := range moves {
		worth[i] = gain(p, m)
	}
	var next position.Position
	for i := range moves {
		if l.nodes >= leafNodes {
			break
		}
		// Selection: most lists are cut off after a move or two.
		for j := i + 1; j < len(moves); j++ {
			if worth[j] > worth[i] {
				moves[i], moves[j] = moves[j], moves[i]
				worth[i], worth[j] = worth[j], worth[i]
			}
		}
		if worth[i] < 0 {
			break
		}
		p.Make(moves[i], &next)
		v := -l.captures(&next, -beta, -alpha, depth-1)
		if v > best {
			best = v
			alpha = max(alpha, v)
			if v >= beta {
				break
			}
		}
	}
	return best
}

// gain is what a noisy move takes and makes, in 16ths of a pawn, less a little for the man
// that captures; negative if a more valuable man takes a protected one.
func gain(p *position.Position, m position.Move) int {
	if m.IsCastle() {
		return 0
	}
	moving := p.PieceAt(m.From()).Type()
	victim := pieceWorth[p.Captured(m)]
	worth := 16*victim - pieceWorth[moving]
	if m.IsPromotion() {
		return worth + 16*pieceWorth[m.Promotion()]
	}
	if moving == position.King || pieceWorth[moving] <= victim {
		return worth
	}
	occ := p.Occupied() &^ m.From().Bit()
	if p.AttackersTo(m.To(), occ)&p.ByColor(p.SideToMove().Other()) != 0 {
		return 16*(victim-pieceWorth[moving]) - 1
	}
	return worth
}

// promise is how much a move deserves to be looked at before anything is known of it:
// captures and promotions by what they gain, checks, and quiet moves, less so those into
// the reach of a pawn. Guesses.
func promise(p *position.Position, m position.Move) float32 {
	w := float32(1)
	if p.IsNoisy(m) {
		if g := gain(p, m); g >= 0 {
			w = 2 + float32(g)/16
		} else {
			w = 0.5
		}
	} else if !m.IsCastle() && p.PieceAt(m.From()).Type() != position.Pawn {
		us := p.SideToMove()
		if position.PawnAttacks(us, m.To())&p.Pieces(us.Other(), position.Pawn) != 0 {
			w = 0.3
		}
	}
	if p.GivesCheck(m) {
		w += 1.5
	}
	return w
}

package instant

import (
	"context"

	"zeitnot/engine"
	"zeitnot/engine/position"
)

// Aggressive goes for the king: it mates when it can, else it gives check, captures and
// brings its men nearer to the enemy king, unless the man it moves is simply lost by that.
// What else it leaves hanging, it does not see.
type Aggressive struct{ Seed uint64 }

var _ engine.Searcher = Aggressive{}

// Search answers with the most aggressive move.
func (r Aggressive) Search(_ context.Context, g position.Game, l engine.Limits, _ func(engine.Info)) (engine.Result, error) {
	return choose(g, l, r.Seed, "aggressive", aggression), nil
}

// What aggression is worth, in hundredths of a pawn: a check is worth more than two pawns,
// a step towards the king far less than one. Guesses that make lively games.
const (
	pawnWorth  = 100
	checkWorth = 250
	tradeWorth = 20
	stepWorth  = 10
)

// aggression is what the exchange gains, and what the move does against the king if it does
// not lose by that.
func aggression(p *position.Position, m position.Move) int {
	var next position.Position
	p.Make(m, &next)
	if worth, over := end(&next); over {
		return worth
	}
	gain := exchange(p, m)
	worth := pawnWorth * gain
	if gain < 0 {
		return worth
	}
	if next.InCheck() {
		worth += checkWorth
	}
	if p.IsCapture(m) {
		worth += tradeWorth
	}
	if p.PieceAt(m.From()).Type() != position.King {
		king := p.KingSquare(p.SideToMove().Other())
		worth += stepWorth * (m.From().Distance(king) - m.To().Distance(king))
	}
	return worth
}

// exchange is what the move takes and makes, less what the opponent gains by taking back
// with his least man, if he does gain: a man that is protected is lost for the one that
// takes it. In pawns.
func exchange(p *position.Position, m position.Move) int {
	gain := taken(p, m)
	man, around := landing(p, m)
	theirs := around & p.ByColor(p.SideToMove().Other())
	if theirs == 0 || man == position.King {
		return gain
	}
	if around&p.ByColor(p.SideToMove()) == 0 {
		return gain - value[man]
	}
	// The king does not take what is protected.
	for t := position.Pawn; t < position.King; t++ {
		if theirs&p.ByType(t) != 0 {
			return gain - max(0, value[man]-value[t])
		}
	}
	return gain
}

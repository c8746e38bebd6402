// Package instant holds searchers that answer at once without looking ahead: sparring
// partners for tests and arenas, and a last resort. They need no deadline and therefore
// do not offer one (they are no engine.Budgeted); they keep no state, so one value may
// answer for many games at a time.
package instant

import (
	"context"
	"math/rand/v2"
	"slices"

	"zeitnot/engine"
	"zeitnot/engine/position"
)

// Random plays any legal move. The same seed, game and length give the same move.
type Random struct{ Seed uint64 }

// Greedy takes what is worth most after the simplest of recaptures, promotes when it can,
// and otherwise plays at random.
type Greedy struct{ Seed uint64 }

// Mater mates in one when it can, avoids being mated in one, does not stalemate, and is
// greedy otherwise.
type Mater struct{ Seed uint64 }

var (
	_ engine.Searcher = Random{}
	_ engine.Searcher = Greedy{}
	_ engine.Searcher = Mater{}
)

// Search answers with a random move.
func (r Random) Search(_ context.Context, g position.Game, l engine.Limits, _ func(engine.Info)) (engine.Result, error) {
	return choose(g, l, r.Seed, "random", func(*position.Position, position.Move) int { return 0 }), nil
}

// Search answers with the greediest move.
func (r Greedy) Search(_ context.Context, g position.Game, l engine.Limits, _ func(engine.Info)) (engine.Result, error) {
	return choose(g, l, r.Seed, "greedy", greed), nil
}

// Search answers with a mating move, else the greediest that does not lose at once.
func (r Mater) Search(_ context.Context, g position.Game, l engine.Limits, _ func(engine.Info)) (engine.Result, error) {
	return choose(g, l, r.Seed, "mater", func(p *position.Position, m position.Move) int {
		var next, after position.Position
		p.Make(m, &next)
		if worth, over := end(&next); over {
			return worth
		}
		var l position.MoveList
		next.Legal(&l)
		for _, reply := range l.Slice() {
			if next.Make(reply, &after); after.InCheck() && !after.HasLegalMove() {
				return -1 << 20
			}
		}
		return greed(p, m)
	}), nil
}

// end is what it is worth to bring about a position that ends the game: most if it is mate,
// little if it is stalemate.
func end(p *position.Position) (worth int, over bool) {
	switch {
	case p.HasLegalMove():
		return 0, false
	case p.InCheck():
		return 1 << 20, true
	}
	return -1 << 10, true
}

// choose plays the legal move of the highest worth; chance decides among equals.
func choose(g position.Game, l engine.Limits, seed uint64, source string, worth func(*position.Position, position.Move) int) engine.Result {
	p := g.Position()
	rng := rand.New(rand.NewPCG(seed, p.Key()^uint64(g.Len())))
	res := engine.Result{Source: source}
	var list position.MoveList
	p.Legal(&list)
	best, equal := 0, 0
	for _, m := range list.Slice() {
		if len(l.SearchMoves) > 0 && !slices.Contains(l.SearchMoves, m) {
			continue
		}
		switch w := worth(p, m); {
		case equal == 0 || w > best:
			res.Best, best, equal = m, w, 1
		case w == best:
			if equal++; rng.IntN(equal) == 0 {
				res.Best = m
			}
		}
	}
	if equal == 0 {
		return engine.Over(g, source)
	}
	return res
}

// value of the pieces in pawns, by type; the king only matters as a capturer.
var value = [7]int{1, 3, 3, 5, 9, 0, 0}

// taken is what the move takes and makes, in pawns.
func taken(p *position.Position, m position.Move) int {
	gain := value[p.Captured(m)]
	if m.IsPromotion() {
		gain += value[m.Promotion()] - value[position.Pawn]
	}
	return gain
}

// greed is what the move takes and makes, less the piece if it can be taken back.
func greed(p *position.Position, m position.Move) int {
	gain := taken(p, m)
	if man, around := landing(p, m); around&p.ByColor(p.SideToMove().Other()) != 0 {
		gain -= value[man]
	}
	return gain
}

// landing is the man that stands on the target after the move, and the men of both sides
// that attack it there; after castling nobody does.
func landing(p *position.Position, m position.Move) (man position.PieceType, around position.Bitboard) {
	if m.IsCastle() {
		return position.King, 0
	}
	man = p.PieceAt(m.From()).Type()
	if m.IsPromotion() {
		man = m.Promotion()
	}
	occ := p.Occupied()&^m.From().Bit() | m.To().Bit()
	return man, p.AttackersTo(m.To(), occ) & occ &^ m.To().Bit()
}

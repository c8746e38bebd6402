package eval

import "zeitnot/engine/position"

// progress is what to add to the endgame value eg: with pawns on both wings and active kings
// the better side wins more, else less, but at worst nothing. The idea is the complexity
// term of the open engines' last hand-crafted evaluations.
func (e *Evaluator) progress(in *info, eg int) int {
	w, p := &e.w.Progress, in.p
	pawns := p.ByType(position.Pawn)
	sum := w.Base + w.Pawn*pawns.Count() +
		w.Passed*(in.pawn.passed[position.White]|in.pawn.passed[position.Black]).Count()
	if pawns&queenWing != 0 && pawns&^queenWing != 0 {
		sum += w.BothFlanks
	}
	white, black := in.kings[position.White], in.kings[position.Black]
	if white.Rank() > 3 || black.Rank() < 4 {
		sum += w.Infiltration
	}
	sum += w.Outflanking * (abs(white.File()-black.File()) - abs(white.Rank()-black.Rank()))
	if in.phase == 0 {
		sum += w.PawnEnding
	}
	switch {
	case eg > 0:
		return max(sum, -eg)
	case eg < 0:
		return -max(sum, eg)
	}
	return 0
}

const queenWing = fileA | fileA<<1 | fileA<<2 | fileA<<3

func abs(x int) int { return max(x, -x) }

package engine

import (
	"slices"

	"zeitnot/engine/position"
)

// Over is the answer where there is no move to choose: lost if the side to move is mated,
// else level.
func Over(g position.Game, source string) Result {
	r := Result{Source: source}
	if p := g.Position(); p.InCheck() && !p.HasLegalMove() {
		r.Score = -Mate
	}
	return r
}

// FirstLegal is the last resort when nobody else has an answer: the first legal move of
// the position that only allows (empty allows all), from the source "fallback". Best is
// NoMove when there is none.
func FirstLegal(g position.Game, only []position.Move) Result {
	var l position.MoveList
	g.Position().Legal(&l)
	for _, m := range l.Slice() {
		if len(only) == 0 || slices.Contains(only, m) {
			return Result{Best: m, Source: "fallback"}
		}
	}
	return Result{Source: "fallback"}
}

package engine

import (
	"slices"

	"zeitnot/engine/position"
)

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

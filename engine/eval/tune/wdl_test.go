package main

import (
	"math"
	"strings"
	"testing"

	"zeitnot/engine"
)

func TestTheFitFindsTheModelThatMadeTheGames(t *testing.T) {
	const half, scale = 90, 140
	var seen outcomes
	for cp := -400; cp <= 400; cp++ {
		won, lost := engine.WinShare(float64(cp), half, scale), engine.WinShare(float64(-cp), half, scale)
		for j, share := range [3]float64{lost, 1 - won - lost, won} {
			seen[cp+widest][j] = int(math.Round(10000 * share))
		}
	}
	if h, s := seen.fit(); math.Abs(h-half) > 1 || math.Abs(s-scale) > 1 {
		t.Errorf("got half %.1f and scale %.1f, want %d and %d", h, s, half, scale)
	}
}

func TestScoresCountForTheSideThatMoved(t *testing.T) {
	const game = "[Result \"1-0\"]\n\n1. e4 { [%eval 0.30,5] } e5 { [%eval 0.20,5] } 2. Qh5 { [%eval #3,5] } 1-0\n\n"
	var seen outcomes
	games, err := seen.add(strings.NewReader(game + strings.Replace(game, "[Result", "[Termination \"time forfeit\"]\n[Result", 1)))
	if err != nil || games != 1 {
		t.Fatalf("got %d games (%v), want the one that no clock decided", games, err)
	}
	if seen[widest+30] != [3]int{0, 0, 1} || seen[widest-20] != [3]int{1, 0, 0} {
		t.Errorf("got %v from 30 and %v from -20, want one won and one lost", seen[widest+30], seen[widest-20])
	}
}

package arena

import (
	"zeitnot/engine"
	"zeitnot/engine/pgn"
	"zeitnot/engine/position"
)

// Adjudication ends games that are decided, to save time. Zero fields switch a rule off.
type Adjudication struct {
	// A player loses who has seen ResignScore centipawns or more against himself for
	// ResignMoves moves in a row, if the opponent has seen as much in favour for as long.
	ResignScore, ResignMoves int
	// The game is drawn when both have seen at most DrawScore centipawns either way for
	// DrawMoves moves each in a row, from move number DrawFrom on.
	DrawScore, DrawMoves, DrawFrom int
	// MaxPlies, opening included, draws what goes on for longer; 0 is 1000.
	MaxPlies int
}

// judge applies the rules to the scores that players report. Searchers that report none
// are never judged by theirs.
type judge struct {
	rules   Adjudication
	losing  [2]int // moves in a row that White, Black has seen himself lost
	winning [2]int // and won
	level   [2]int // and level
}

// note takes the score of a move of White (0) or Black (1) into account. A move without
// score, such as a forced one, changes nothing.
func (j *judge) note(side int, r engine.Result) {
	if r.Depth <= 0 {
		return
	}
	count := func(n *int, more bool) {
		if more {
			*n++
		} else {
			*n = 0
		}
	}
	score := int(r.Score)
	count(&j.losing[side], score <= -j.rules.ResignScore)
	count(&j.winning[side], score >= j.rules.ResignScore)
	count(&j.level[side], score <= j.rules.DrawScore && score >= -j.rules.DrawScore)
}

// verdict is the result that the judge gives, "" while the game goes on.
func (j *judge) verdict(g *position.Game) (result, reason string) {
	if n := j.rules.ResignMoves; n > 0 {
		for side, result := range [2]string{pgn.BlackWins, pgn.WhiteWins} {
			if j.losing[side] >= n && j.winning[1-side] >= n {
				return result, "adjudication: lost by the scores of both"
			}
		}
	}
	if n := j.rules.DrawMoves; n > 0 && min(j.level[0], j.level[1]) >= n && g.Position().FullmoveNumber() >= j.rules.DrawFrom {
		return pgn.Draw, "adjudication: level by the scores of both"
	}
	limit := j.rules.MaxPlies
	if limit <= 0 {
		limit = 1000
	}
	if g.Len() >= limit {
		return pgn.Draw, "adjudication: too long"
	}
	return "", ""
}

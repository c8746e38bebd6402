package arena

import (
	"testing"

	"zeitnot/engine"
	"zeitnot/engine/pgn"
	"zeitnot/engine/position"
)

func TestRulesEndGames(t *testing.T) {
	for _, c := range []struct {
		name, fen string
		moves     []string
		want      string
		reason    string
	}{
		{"white is mated", "", []string{"f2f3", "e7e5", "g2g4", "d8h4"}, pgn.BlackWins, "mate"},
		{"black is mated", "6k1/5ppp/8/8/8/8/8/R6K w - - 99 80", []string{"a1a8"}, pgn.WhiteWins, "mate"},
		{"stalemate", "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", nil, pgn.Draw, "stalemate"},
		{"bare kings", "7k/8/6K1/8/8/8/8/8 b - - 0 1", nil, pgn.Draw, "insufficient material"},
		{"fifty moves", "7k/8/6K1/8/8/8/8/R7 w - - 99 80", []string{"a1a2"}, pgn.Draw, "fifty moves"},
		{"threefold", "", []string{"g1f3", "g8f6", "f3g1", "f6g8", "g1f3", "g8f6", "f3g1", "f6g8"}, pgn.Draw, "threefold repetition"},
		{"twofold", "", []string{"g1f3", "g8f6", "f3g1", "f6g8"}, "", ""},
	} {
		g, err := position.ParseGame(c.fen, false, c.moves)
		if err != nil {
			t.Fatal(err)
		}
		if result, reason := ended(&g); result != c.want || reason != c.reason {
			t.Errorf("%s: got %q (%s), want %q (%s)", c.name, result, reason, c.want, c.reason)
		}
	}
}

func TestAdjudication(t *testing.T) {
	rules := Adjudication{ResignScore: 500, ResignMoves: 2, DrawScore: 10, DrawMoves: 3, DrawFrom: 1}
	const none = 1 << 20
	for _, c := range []struct {
		name   string
		scores []int // White's, Black's, White's, ... each for the mover; none is a move without score
		want   string
	}{
		{"both see black winning", []int{-500, 600, -501, 700}, pgn.BlackWins},
		{"both see white winning", []int{500, -500, 31000, -31000}, pgn.WhiteWins},
		{"only the loser sees it", []int{-900, 400, -900, 400, -900, 400}, ""},
		{"not twice in a row", []int{-900, 900, -100, 900, -900, 900}, ""},
		{"a forced move in between", []int{-900, 900, none, 900, -900, 900}, pgn.BlackWins},
		{"level", []int{0, 10, -10, 5, 3, 0}, pgn.Draw},
		{"level on one side", []int{0, 20, 0, 20, 0, 20, 0, 20}, ""},
		{"not level for long enough", []int{0, 0, 0, 11, 0, 0}, ""},
		{"players without scores", []int{none, none, none, none, none, none, none, none}, ""},
	} {
		j := judge{rules: rules}
		for i, s := range c.scores {
			r := engine.Result{Score: engine.Score(s), Depth: 5}
			if s == none {
				r = engine.Result{}
			}
			j.note(i%2, r)
		}
		g := position.NewGame(position.Start())
		if result, _ := j.verdict(&g); result != c.want {
			t.Errorf("%s: got %q, want %q", c.name, result, c.want)
		}
	}
	g := position.NewGame(position.Start())
	j := judge{rules: Adjudication{DrawScore: 10, DrawMoves: 1, DrawFrom: 40}, level: [2]int{9, 9}}
	if result, _ := j.verdict(&g); result != "" {
		t.Errorf("level before move 40: got %q, want none", result)
	}
	j = judge{losing: [2]int{99, 0}, winning: [2]int{0, 99}, level: [2]int{99, 99}}
	if result, _ := j.verdict(&g); result != "" {
		t.Errorf("all rules off: got %q, want none", result)
	}
}

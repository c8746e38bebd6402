package online_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"zeitnot/engine"
	"zeitnot/engine/position"
)

// table writes an answer of the tablebase; every legal move that is not named is drawn. A value
// is a category and a DTZ, of the position after the move, and z for a zeroing move.
func table(g position.Game, values map[string]string) string {
	var moves []string
	var all position.MoveList
	g.Position().Legal(&all)
	for _, m := range all.Slice() {
		uci := g.Position().UCI(m, false)
		category, dtz, zeroing := "draw", 0, ""
		if v, ok := values[uci]; ok {
			fmt.Sscanf(v, "%s %d %s", &category, &dtz, &zeroing)
		}
		moves = append(moves, fmt.Sprintf(`{"uci":%q,"category":%q,"dtz":%d,"zeroing":%v}`, uci, category, dtz, zeroing == "z"))
	}
	return `{"category":"win","moves":[` + strings.Join(moves, ",") + `]}`
}

func TestTablebaseMoves(t *testing.T) {
	wins := func(moves ...string) map[string]string {
		v := map[string]string{}
		for i, m := range moves {
			v[m] = fmt.Sprintf("loss %d", -2*i-10)
		}
		return v
	}
	for _, c := range []struct {
		name   string
		g      position.Game
		values map[string]string
		want   []string // the first of them; nil is no advice
		final  bool
		score  engine.Score
	}{
		{
			"a zeroing move that draws is not preferred to a win",
			played(t, "8/8/8/3k4/8/4K3/6P1/8 w - - 0 1"), wins("e3f4", "e3f3", "e3f2", "e3d3"),
			[]string{"e3f4", "e3f3", "e3f2", "e3d3"},
			true, engine.TableWin,
		},
		{
			"a third repetition is not walked into",
			played(t, "8/8/8/8/3k4/8/2R5/K7 b - - 0 1", strings.Fields("d4d3 c2b2 d3d4 b2c2 d4d3 c2b2 d3d4")...),
			wins("b2c2", "a1a2", "a1b1"),
			[]string{"a1a2", "a1b1"},
			true, engine.TableWin,
		},
		{
			"nor a second one, if that is all that wins",
			played(t, "8/8/8/8/3k4/8/2R5/K7 b - - 0 1", strings.Fields("d4d3 c2b2 d3d4")...), wins("b2c2"), nil, false, 0,
		},
		{
			"the way to zeroing is short",
			played(t, "8/8/8/3k4/8/4K3/6P1/8 w - - 0 1"),
			map[string]string{"e3f4": "loss -12", "g2g4": "loss -30 z", "e3f3": "loss -2"},
			[]string{"g2g4", "e3f3", "e3f4"},
			true, engine.TableWin,
		},
		{
			"a loss is put off",
			played(t, "8/8/8/3k4/8/4K3/6p1/8 w - - 0 1"),
			everyMove(played(t, "8/8/8/3k4/8/4K3/6p1/8 w - - 0 1"), "win 2", map[string]string{"e3f2": "win 20"}),
			[]string{"e3f2"},
			true, -engine.TableWin,
		},
		{
			"a draw is left to the search, with the moves that keep it",
			played(t, bare), everyMove(played(t, bare), "win 5", map[string]string{"c2c3": "draw 0", "c2d2": "draw 0"}),
			[]string{"c2d2", "c2c3"},
			false, 0,
		},
		{
			"a win that the fifty-move rule prevents is better than a draw",
			played(t, bare),
			map[string]string{"c2c8": "blessed-loss -110"},
			[]string{"c2c8"},
			false, 0,
		},
		{
			"nor is there a distance that cannot be",
			played(t, bare),
			map[string]string{"c2c3": "loss -9223372036854775808", "c2c4": "loss -2"},
			nil, false, 0,
		},
		{"what is not known could be best", played(t, bare), map[string]string{"c2c3": "loss -2", "c2c4": "unknown 0"}, nil, false, 0},
	} {
		at(t, says(table(c.g, c.values)), func(t *testing.T, p *place) {
			a := p.adviser(p.tablebase())
			defer a.Close()
			advice, ok := a.Advise(t.Context(), c.g, clock(time.Minute))
			got := names(c.g, advice)
			if ok != (c.want != nil) || len(got) < len(c.want) || !slices.Equal(got[:len(c.want)], c.want) || advice.Final != c.final || advice.Score != c.score {
				t.Errorf("%s: got %v %+v, want %v first, final %v", c.name, got, advice, c.want, c.final)
			}
		})
	}
}

// everyMove is the value of all legal moves but some.
func everyMove(g position.Game, value string, but map[string]string) map[string]string {
	values := map[string]string{}
	var all position.MoveList
	g.Position().Legal(&all)
	for _, m := range all.Slice() {
		values[g.Position().UCI(m, false)] = value
	}
	for m, v := range but {
		values[m] = v
	}
	return values
}

func TestTablebaseIsNotAskedForOtherPositions(t *testing.T) {
	at(t, never, func(t *testing.T, p *place) {
		a := p.adviser(p.tablebase())
		defer a.Close()
		for _, fen := range []string{"", "4k3/8/8/8/8/8/8/4K2R w K - 0 1"} {
			if a.Advise(t.Context(), played(t, fen), clock(time.Minute)); p.count() > 0 {
				t.Errorf("asked for %q", fen)
			}
		}
	})
}

func TestExplorerMoves(t *testing.T) {
	const games = `{"moves":[
		{"uci":"e2e4","white":60,"draws":20,"black":20},
		{"uci":"d2d4","white":30,"draws":40,"black":30},
		{"uci":"g2g4","white":10,"draws":0,"black":90},
		{"uci":"a2a3","white":3,"draws":0,"black":0},
		{"uci":"h2h3","white":9,"draws":0,"black":0}]}`
	at(t, says(games), func(t *testing.T, p *place) {
		a := p.adviser(p.explorer())
		defer a.Close()
		g := played(t, "")
		got := map[string]int{}
		for range 3000 {
			advice, ok := a.Advise(t.Context(), g, clock(time.Minute))
			if !ok || !advice.Final {
				t.Fatalf("got %v %+v", ok, advice)
			}
			got[names(g, advice)[0]]++
		}
		// 140 points against 100; the others are bad, or too few.
		if len(got) != 2 || got["e2e4"] < 1600 || got["e2e4"] > 1900 || p.count() != 1 {
			t.Errorf("drawn: %v in %d lookups; want e2e4 and d2d4 as 7 to 5 in one", got, p.count())
		}
	})
	at(t, says(`{"moves":[{"uci":"e7e5","white":20,"draws":20,"black":60},{"uci":"c7c5","white":90,"draws":10,"black":0}]}`), func(t *testing.T, p *place) {
		a := p.adviser(p.explorer())
		defer a.Close()
		g := played(t, "", "e2e4")
		if advice, ok := a.Advise(t.Context(), g, clock(time.Minute)); !ok || names(g, advice)[0] != "e7e5" {
			t.Errorf("got %v, want what is good for Black", names(g, advice))
		}
	})
	for name, body := range map[string]string{
		"a move back to where the game has been": `{"moves":[{"uci":"f3g1","white":60,"draws":20,"black":20}]}`,
		"counts that cannot be":                  `{"moves":[{"uci":"e2e4","white":9223372036854775807,"draws":1,"black":1}]}`,
		"few games":                              `{"moves":[{"uci":"e2e4","white":5,"draws":4,"black":0}]}`,
	} {
		at(t, says(body), func(t *testing.T, p *place) {
			a := p.adviser(p.explorer())
			defer a.Close()
			g := played(t, "", "g1f3", "g8f6", "f3g1", "f6g8", "g1f3", "g8f6")
			if advice, ok := a.Advise(t.Context(), g, clock(time.Minute)); ok {
				t.Errorf("%s: got %v, want nothing", name, names(g, advice))
			}
		})
	}
}

func TestCloudMoves(t *testing.T) {
	castles := played(t, "r1bqkb1r/1ppp1ppp/p1n2n2/4p3/B3P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 2 5")
	for _, c := range []struct {
		name, body string
		g          position.Game
		want       []string
		score      engine.Score
	}{
		{"castling as king takes rook", `{"depth":20,"pvs":[{"moves":"e1h1 f8e7","cp":33}]}`, castles, []string{"e1g1"}, 33},
		{"too shallow", `{"depth":19,"pvs":[{"moves":"e1h1 f8e7","cp":33}]}`, castles, nil, 0},
		{"no line", `{"depth":30,"pvs":[]}`, castles, nil, 0},
		{"no move", `{"depth":30,"pvs":[{"moves":"","cp":1}]}`, castles, nil, 0},
		{"an illegal move", `{"depth":30,"pvs":[{"moves":"e1c1","cp":1}]}`, castles, nil, 0},
		{"a mate", `{"depth":30,"pvs":[{"moves":"d8h4","mate":-1}]}`, played(t, "", "f2f3", "e7e5", "g2g4"), []string{"d8h4"}, engine.MateIn(1)},
		{"being mated", `{"depth":30,"pvs":[{"moves":"a7a6","mate":2}]}`, played(t, "", "e2e4"), []string{"a7a6"}, engine.MatedIn(4)},
		{"a mate far away", `{"depth":30,"pvs":[{"moves":"a7a6","mate":4611686018427387904}]}`, played(t, "", "e2e4"), []string{"a7a6"}, engine.MatedIn(engine.MaxPly)},
		{"a move back", `{"depth":30,"pvs":[{"moves":"f3g1","cp":1}]}`, played(t, "", "g1f3", "g8f6", "f3g1", "f6g8", "g1f3", "g8f6"), nil, 0},
	} {
		at(t, says(c.body), func(t *testing.T, p *place) {
			a := p.adviser(p.cloud())
			defer a.Close()
			advice, ok := a.Advise(t.Context(), c.g, clock(time.Minute))
			if diff := cmp.Diff(c.want, names(c.g, advice)); ok != (c.want != nil) || diff != "" || advice.Score != c.score {
				t.Errorf("%s: score %v, want %v; moves (-want +got):\n%s", c.name, advice.Score, c.score, diff)
			}
		})
	}
}

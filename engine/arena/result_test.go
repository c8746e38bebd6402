package arena

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"zeitnot/engine/pgn"
)

func TestResultsAreCountedForTheFirstPlayer(t *testing.T) {
	var r Result
	for i, c := range []struct {
		white  int
		result string
	}{{0, pgn.WhiteWins}, {1, pgn.WhiteWins}, {0, pgn.Draw}, {1, pgn.BlackWins}, {0, pgn.BlackWins}, {1, pgn.WhiteWins}, {0, pgn.WhiteWins}} {
		r.add(Record{Number: i + 1, White: c.white, Result: c.result})
	}
	if r.Wins != 3 || r.Draws != 1 || r.Losses != 3 {
		t.Errorf("+%d =%d -%d, want +3 =1 -3", r.Wins, r.Draws, r.Losses)
	}
	if want := [5]int{1, 0, 1, 1, 0}; r.Pairs != want {
		t.Errorf("pairs %v, want %v", r.Pairs, want)
	}
}

func TestEloOfKnownScores(t *testing.T) {
	for _, c := range []struct{ score, want float64 }{{0.5, 0}, {0.75, 190.85}, {0.25, -190.85}, {0.64, 99.95}, {1, math.Inf(1)}, {0, math.Inf(-1)}} {
		if got := eloOf(c.score); math.Abs(got-c.want) > 0.01 {
			t.Errorf("Elo of %.2f: got %.2f, want %.2f", c.score, got, c.want)
		}
		if back := scoreOf(c.want); math.Abs(back-c.score) > 1e-4 {
			t.Errorf("score of %.2f: got %.4f, want %.4f", c.want, back, c.score)
		}
	}
}

// draw gives a pair's half points for a player of that strength; both games of a pair share the
// opening's lot, so that they hang together as real pairs do.
func draw(rng *rand.Rand, score float64) int {
	opening := 0.3 * (rng.Float64() - 0.5)
	points := 0
	for _, s := range [2]float64{score + opening, score - opening} {
		const draws = 0.4
		switch x := rng.Float64(); {
		case x < s-draws/2:
			points += 2
		case x < s+draws/2:
			points++
		}
	}
	return points
}

func TestTheErrorBarHoldsAsOftenAsItSays(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	const matches, elo = 2000, 40.0
	held, sure := 0, 0
	for range matches {
		var r Result
		for range 200 {
			r.Pairs[draw(rng, scoreOf(elo))]++
		}
		got, margin := r.Elo()
		if math.Abs(got-elo) <= margin {
			held++
		}
		if r.LOS() > 0.5 {
			sure++
		}
	}
	if share := float64(held) / matches; share < 0.935 || share > 0.965 {
		t.Errorf("the 95 %% interval held the truth in %.1f %% of the matches", 100*share)
	}
	if share := float64(sure) / matches; share < 0.98 {
		t.Errorf("the stronger player was ahead in %.1f %% of the matches, want nearly all", 100*share)
	}
}

func TestTheSPRTErrsAsRarelyAsItSays(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	test := SPRT{Elo0: 0, Elo1: 20}
	for _, c := range []struct {
		elo   float64
		wrong string
	}{{0, "accepted"}, {20, "rejected"}} {
		const tests = 250
		wrong, pairs := 0, 0
		for range tests {
			r := Result{SPRT: &test}
			for r.verdict() == "" {
				r.Pairs[draw(rng, scoreOf(c.elo))]++
				pairs++
			}
			if r.verdict() == c.wrong {
				wrong++
			}
		}
		if share := float64(wrong) / tests; share > 0.08 {
			t.Errorf("truth %g: wrongly %s in %.1f %% of the tests, want about 5 %%", c.elo, c.wrong, 100*share)
		}
		if mean := pairs / tests; mean < 50 || mean > 2000 {
			t.Errorf("truth %g: %d pairs a test", c.elo, mean)
		}
	}
}

func TestExtremeResultsStayFinite(t *testing.T) {
	won := Result{Wins: 20, Pairs: [5]int{0, 0, 0, 0, 10}, SPRT: &SPRT{Elo0: 0, Elo1: 5}}
	if elo, margin := won.Elo(); !math.IsInf(elo, 1) || !math.IsInf(margin, 1) || won.LOS() != 1 {
		t.Errorf("all won: Elo %v +- %v, LOS %v", elo, margin, won.LOS())
	}
	if llr := won.LLR(*won.SPRT); math.IsInf(llr, 0) || math.IsNaN(llr) || llr <= 0 {
		t.Errorf("all won: LLR %v", llr)
	}
	var none Result
	if elo, margin := none.Elo(); elo != 0 || !math.IsInf(margin, 1) || none.LOS() != 0.5 || none.Score() != 0 {
		t.Errorf("no games: Elo %v +- %v, LOS %v", elo, margin, none.LOS())
	}
	drawn := Result{Draws: 4, Pairs: [5]int{0, 0, 2, 0, 0}}
	if elo, margin := drawn.Elo(); elo != 0 || margin != 0 || drawn.LOS() != 0.5 {
		t.Errorf("all drawn: Elo %v +- %v, LOS %v", elo, margin, drawn.LOS())
	}
	one := Result{Wins: 1}
	if _, margin := one.Elo(); !math.IsInf(margin, 1) {
		t.Errorf("one game: margin %v, want infinite", margin)
	}
	for _, c := range []struct {
		r    Result
		want string
	}{{won, "not measurable"}, {none, "0.0 +- ?"}, {drawn, "0.0 +- 0.0"}, {one, "not measurable"}} {
		if got := c.r.Difference(); got != c.want || !strings.Contains(c.r.String(), "Elo "+c.want+", LOS") {
			t.Errorf("got the difference %q, want %q, in\n%s", got, c.want, c.r)
		}
	}
}

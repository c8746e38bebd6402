package arena

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"zeitnot/engine/pgn"
)

func TestResultsAreCountedForBothSides(t *testing.T) {
	m := Match{Players: []Player{{Name: "a"}, {Name: "b"}}, Games: 7}
	r := m.newResult()
	for i, c := range []struct {
		white  int
		result string
	}{{0, pgn.WhiteWins}, {1, pgn.WhiteWins}, {0, pgn.Draw}, {1, pgn.BlackWins}, {0, pgn.BlackWins}, {1, pgn.WhiteWins}, {0, pgn.WhiteWins}} {
		r.add(Record{Number: i + 1, White: c.white, Black: 1 - c.white, Result: c.result}, m.fixture(i+1, m.pairings()))
	}
	want := Score{Wins: 3, Draws: 1, Losses: 3, Pairs: [5]int{1, 0, 1, 1, 0}}
	if got := r.Pairings[0].Score; got != want || r.Players[0].Score != want {
		t.Errorf("first player: got %+v and %+v, want %+v", got, r.Players[0].Score, want)
	}
	want = Score{Wins: 3, Draws: 1, Losses: 3, Pairs: [5]int{0, 1, 1, 0, 1}}
	if got := r.Players[1].Score; got != want {
		t.Errorf("second player: got %+v, want %+v", got, want)
	}
}

func TestARoundRobinIsFairAllAlong(t *testing.T) {
	for _, gauntlet := range []bool{false, true} {
		m := Match{Players: make([]Player, 4), Games: 6, Gauntlet: gauntlet}
		pairings := m.pairings()
		if want := map[bool]int{false: 6, true: 3}[gauntlet]; len(pairings) != want {
			t.Fatalf("gauntlet %v: %d pairings, want %d", gauntlet, len(pairings), want)
		}
		type meeting struct{ white, black, opening int }
		seen := map[meeting]bool{}
		games := make([]int, len(pairings))
		for n := 1; n <= m.Total(); n++ {
			f := m.fixture(n, pairings)
			if gauntlet && f.white != 0 && f.black != 0 {
				t.Errorf("game %d of a gauntlet: %d meets %d", n, f.white, f.black)
			}
			seen[meeting{f.white, f.black, f.opening}] = true
			games[f.pairing]++
			if lo, hi := slices.Min(games), slices.Max(games); hi-lo > 2 {
				t.Errorf("after game %d one pairing has played %d games, another %d", n, lo, hi)
			}
		}
		// Everyone has every opening of every opponent with both colours, and nothing twice.
		for _, p := range pairings {
			for opening := range m.Games / 2 {
				if !seen[meeting{p[0], p[1], opening}] || !seen[meeting{p[1], p[0], opening}] {
					t.Errorf("gauntlet %v: %v did not play opening %d with both colours", gauntlet, p, opening)
				}
			}
		}
		if len(seen) != m.Total() || m.Total() != m.Games*len(pairings) {
			t.Errorf("gauntlet %v: %d different games of %d", gauntlet, len(seen), m.Total())
		}
	}
}

// The numbers are worked out by hand, to be seen here.
func TestStatisticsOfKnownResults(t *testing.T) {
	// Two pairs of half a point, five of one, three of one and a half: mean (2*0.25+5*0.5+3*0.75)/10 = 0.525, variance
	// (2*0.275^2+5*0.025^2+3*0.225^2)/10 = 0.030625, deviation 0.175, of the mean 0.0553399.
	s := Score{Wins: 5, Draws: 11, Losses: 4, Pairs: [5]int{0, 2, 5, 3, 0}}
	near := func(what string, got, want, within float64) {
		t.Helper()
		if math.Abs(got-want) > within {
			t.Errorf("%s: got %v, want %v", what, got, want)
		}
	}
	elo, margin := s.Elo()
	// 400 log10(0.525/0.475) = 17.39; 0.525 +- 0.108464 is 0.416536 to 0.633464, -58.54 to 95.02.
	near("Elo", elo, 17.387, 0.01)
	near("margin", margin, 76.78, 0.02)
	near("LOS", s.LOS(), 0.67426, 1e-4) // Phi(0.025/0.0553399) = Phi(0.45175)
	elo, margin, ok := s.Normalised()
	// 347.436 * 0.025/(0.175*sqrt 2); 347.436 * 1.959964/sqrt 20.
	if !ok {
		t.Error("no normalised Elo")
	}
	near("normalised Elo", elo, 35.096, 0.01)
	near("its margin", margin, 152.27, 0.02)
	near("draws", s.DrawRatio(), 0.55, 1e-12)
	near("share", s.Share(), 0.525, 1e-12)
	if f := s.flipped(); f.flipped() != s || f.Points() != 9.5 {
		t.Errorf("from the other side: %+v", f)
	}

	// All pairs but a few even: the likelihood ratio of two close hypotheses is nearly
	// (s1-s0)(2 mean-s0-s1)/(2 variance) a pair, which is the normal one.
	s = Score{Pairs: [5]int{10, 190, 500, 260, 40}}
	mean, variance, n := s.sample()
	s0, s1 := scoreOf(0), scoreOf(5)
	near("LLR", s.LLR(SPRT{Elo0: 0, Elo1: 5}), n*(s1-s0)*(2*mean-s0-s1)/(2*variance), 0.02)
	low, high := SPRT{}.bounds()
	near("lower bound", low, -2.94444, 1e-4) // ln(0.05/0.95)
	near("upper bound", high, 2.94444, 1e-4)
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
		var r Score
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
			r := Result{SPRT: &test, Pairings: make([]Pairing, 1)}
			for r.verdict() == "" {
				r.Pairings[0].Pairs[draw(rng, scoreOf(c.elo))]++
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
	won := Score{Wins: 20, Pairs: [5]int{0, 0, 0, 0, 10}}
	if elo, margin := won.Elo(); !math.IsInf(elo, 1) || !math.IsInf(margin, 1) || won.LOS() != 1 {
		t.Errorf("all won: Elo %v +- %v, LOS %v", elo, margin, won.LOS())
	}
	if llr := won.LLR(SPRT{Elo0: 0, Elo1: 5}); math.IsInf(llr, 0) || math.IsNaN(llr) || llr <= 0 {
		t.Errorf("all won: LLR %v", llr)
	}
	var none Score
	if elo, margin := none.Elo(); elo != 0 || !math.IsInf(margin, 1) || none.LOS() != 0.5 || none.Share() != 0 {
		t.Errorf("no games: Elo %v +- %v, LOS %v", elo, margin, none.LOS())
	}
	drawn := Score{Draws: 4, Pairs: [5]int{0, 0, 2, 0, 0}}
	if elo, margin := drawn.Elo(); elo != 0 || !math.IsInf(margin, 1) || drawn.LOS() != 0.5 {
		t.Errorf("all drawn: Elo %v +- %v, LOS %v", elo, margin, drawn.LOS())
	}
	one := Score{Wins: 1}
	if _, margin := one.Elo(); !math.IsInf(margin, 1) {
		t.Errorf("one game: margin %v, want infinite", margin)
	}
	for _, c := range []struct {
		s    Score
		want string
	}{{won, "not measurable"}, {none, "0.0 +- ?"}, {drawn, "0.0 +- ?"}, {one, "not measurable"}} {
		r := Result{Players: []Standing{{Name: "a"}, {Name: "b"}}, Pairings: []Pairing{{Second: 1, Score: c.s}}}
		if got := c.s.Difference(); got != c.want || !strings.Contains(r.String(), "Elo "+c.want+", LOS") {
			t.Errorf("got the difference %q, want %q, in\n%s", got, c.want, r)
		}
	}
}

package level

import (
	"context"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"zeitnot/engine"
	"zeitnot/engine/enginetest"
	"zeitnot/engine/position"
	"zeitnot/engine/search"
)

func game(t testing.TB, fen string, moves ...string) position.Game {
	t.Helper()
	g, err := position.ParseGame(fen, false, moves)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func limited(p Params, seed uint64) *Searcher {
	s := New(Options{Full: search.New(search.Options{HashMB: 1}), Weak: search.New(search.Options{HashMB: 1}), Seed: seed})
	s.SetParams(&p)
	return s
}

func TestContract(t *testing.T) {
	for name, p := range map[string]*Params{
		"full strength": nil, "limited": {Nodes: 5000, Candidates: 4, Margin: 100, Shallow: 0.3, Horizon: 2},
	} {
		t.Run(name, func(t *testing.T) {
			enginetest.TestBudgeted(t, func(now func() time.Duration) (engine.Budgeted, func() uint64) {
				s := New(Options{Full: search.New(search.Options{HashMB: 1, Now: now}), Seed: 1, Now: now})
				s.SetParams(p)
				return s, nil
			})
		})
	}
}

// asked is a searcher that reports what it is told to and remembers its limits.
type asked struct {
	*search.Searcher
	limits []engine.Limits
	infos  []engine.Info
	result engine.Result
}

func (a *asked) Search(_ context.Context, _ position.Game, l engine.Limits, onInfo func(engine.Info)) (engine.Result, error) {
	a.limits = append(a.limits, l)
	for _, i := range a.infos {
		if onInfo != nil {
			onInfo(i)
		}
	}
	return a.result, nil
}

func scripted(p *Params) (s *Searcher, full, weak *asked) {
	full = &asked{Searcher: search.New(search.Options{HashMB: 1})}
	weak = &asked{Searcher: search.New(search.Options{HashMB: 1})}
	s = New(Options{Full: full, Weak: weak})
	s.SetParams(p)
	return s, full, weak
}

func TestTheSmallerLimitCounts(t *testing.T) {
	p := Params{Nodes: 1000, Candidates: 3, Shallow: 1, Horizon: 2}
	for _, tt := range []struct {
		name         string
		l            engine.Limits
		nodes, depth int
	}{
		{"none given", engine.Limits{}, 1000, 2},
		{"larger", engine.Limits{Nodes: new(5000), Depth: new(9)}, 1000, 2},
		{"smaller", engine.Limits{Nodes: new(50), Depth: new(1)}, 50, 1},
	} {
		s, _, weak := scripted(&p)
		if _, err := s.Search(t.Context(), game(t, "startpos"), tt.l, nil); err != nil {
			t.Fatal(err)
		}
		if got := weak.limits[0]; *got.Nodes != tt.nodes || *got.Depth != tt.depth || got.MultiPV != 3 {
			t.Errorf("%s: %d nodes, depth %d, %d lines; want %d, %d, 3", tt.name, *got.Nodes, *got.Depth, got.MultiPV, tt.nodes, tt.depth)
		}
	}
	// The horizon is now and then.
	p.Shallow = 0.25
	s, _, weak := scripted(&p)
	shallow := 0
	for range 400 {
		_, _ = s.Search(t.Context(), game(t, "startpos"), engine.Limits{}, nil)
	}
	for _, l := range weak.limits {
		if l.Depth != nil {
			shallow++
		}
	}
	if shallow < 60 || shallow > 140 {
		t.Errorf("%d of 400 searches were shallow, want about 100", shallow)
	}
}

func TestAnalysisIsUntouched(t *testing.T) {
	p := Params{Nodes: 10, Candidates: 3, Margin: 500, Shallow: 1, Horizon: 1}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for name, tt := range map[string]struct {
		l       engine.Limits
		analyse bool
	}{
		"infinite":     {engine.Limits{Infinite: true, MultiPV: 2}, false},
		"ponder":       {engine.Limits{Ponder: true, Depth: new(30)}, false},
		"analyse mode": {engine.Limits{Nodes: new(4000)}, true},
	} {
		s, full, weak := scripted(&p)
		s.SetAnalyseMode(tt.analyse)
		_, _ = s.Search(ctx, game(t, "startpos"), tt.l, nil)
		if len(weak.limits) != 0 || len(full.limits) != 1 || !cmp.Equal(full.limits[0], tt.l) {
			t.Errorf("%s: limits changed from %+v to %+v", name, tt.l, full.limits)
		}
	}
	s, full, weak := scripted(nil)
	if _, _ = s.Search(ctx, game(t, "startpos"), engine.Limits{Nodes: new(7)}, nil); len(weak.limits) != 0 || *full.limits[0].Nodes != 7 {
		t.Error("full strength is limited")
	}
}

// lines are reports of one depth, best first.
func lines(t *testing.T, depth int, scores ...engine.Score) (infos []engine.Info) {
	g := game(t, "startpos")
	for n, uci := range []string{"e2e4", "d2d4", "c2c4", "g1f3", "b1c3"}[:len(scores)] {
		m, err := g.Position().ParseUCI(uci)
		if err != nil {
			t.Fatal(err)
		}
		infos = append(infos, engine.Info{Depth: depth, MultiPV: n + 1, Score: scores[n], PV: []position.Move{m}})
	}
	return infos
}

func TestChoiceKeepsToTheMargin(t *testing.T) {
	p := Params{Nodes: 1000, Candidates: 5, Margin: 60}
	s, _, weak := scripted(&p)
	// The running depth is not complete: its lines do not count.
	weak.infos = append(lines(t, 4, 50, 40, 0, -10, -400), lines(t, 5, 50, 49)...)
	weak.result = engine.Result{Best: weak.infos[0].PV[0], Score: 50, Source: "search"}
	chosen := map[position.Move]int{}
	for range 3000 {
		r, err := s.Search(t.Context(), game(t, "startpos"), engine.Limits{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		chosen[r.Best]++
		for _, i := range weak.infos[:5] {
			if i.PV[0] == r.Best && i.Score != r.Score {
				t.Fatalf("%v with the score %v of another move", r.Best, r.Score)
			}
		}
	}
	counts := []int{}
	for _, i := range weak.infos[:5] {
		counts = append(counts, chosen[i.PV[0]])
	}
	if !(counts[0] > counts[1] && counts[1] > counts[2] && counts[2] > 0) || counts[3] != 0 || counts[4] != 0 {
		t.Errorf("choices of moves 0, 10, 50, 60 and 450 centipawns behind: %v", counts)
	}
	// One candidate is always the best.
	s.SetParams(&Params{Nodes: 1000, Candidates: 1, Margin: 500})
	for range 50 {
		if r, _ := s.Search(t.Context(), game(t, "startpos"), engine.Limits{MultiPV: 5}, nil); r.Best != weak.infos[0].PV[0] {
			t.Fatalf("one candidate: got %v", r.Best)
		}
	}
}

func TestOnlyTheLinesAskedForAreReported(t *testing.T) {
	for asked, want := range map[int]int{0: 1, 1: 1, 2: 2, 6: 6} {
		s := limited(Params{Nodes: 3000, Candidates: 4, Margin: 50}, 1)
		most := 0
		_, err := s.Search(t.Context(), game(t, "startpos"), engine.Limits{MultiPV: asked}, func(i engine.Info) { most = max(most, i.MultiPV) })
		if err != nil || most != want {
			t.Errorf("%d lines asked for: reported up to %d, %v", asked, most, err)
		}
	}
}

func TestSeedAndGameDecide(t *testing.T) {
	p := Params{Nodes: 500, Candidates: 6, Margin: 200, Shallow: 0.5, Horizon: 1}
	play := func(s *Searcher) (moves []position.Move) {
		g := game(t, "startpos")
		for range 10 {
			r, err := s.Search(t.Context(), g, engine.Limits{}, nil)
			if err != nil || !g.Position().IsLegal(r.Best) {
				t.Fatalf("got %v, %v", r.Best, err)
			}
			moves, g = append(moves, r.Best), g.Play(r.Best)
		}
		return moves
	}
	s := limited(p, 1)
	first := play(s)
	if !cmp.Equal(first, play(limited(p, 1))) {
		t.Error("the same seed plays another game")
	}
	if cmp.Equal(first, play(limited(p, 2))) {
		t.Error("another seed plays the same game")
	}
	if s.NewGame(); cmp.Equal(first, play(s)) {
		t.Error("the next game is the same")
	}
}

func TestPonderIsFullAndItsHitIsLimited(t *testing.T) {
	p := Params{Nodes: 300, Candidates: 3, Margin: 50}
	g := game(t, "startpos")
	for name, tt := range map[string]struct {
		tell    func(engine.Pondering)
		limited bool
	}{
		"hit":           {func(p engine.Pondering) { p.Hit(engine.Limits{Hard: new(time.Hour)}); p.Hit(engine.Limits{}) }, true},
		"hit, infinite": {func(p engine.Pondering) { p.Hit(engine.Limits{Infinite: true}); p.Stop() }, false},
		"stop":          {func(p engine.Pondering) { p.Stop(); p.Stop() }, false},
	} {
		t.Run(name, func(t *testing.T) {
			s := limited(p, 1)
			enough := make(chan struct{})
			pondering := s.Ponder(t.Context(), g, engine.Limits{}, func(i engine.Info) {
				if i.Depth == 7 && i.Nodes > 300 {
					select {
					case <-enough:
					default:
						close(enough)
					}
				}
			})
			<-enough // it thinks further than the limit allows
			tt.tell(pondering)
			r, err := pondering.Result()
			if err != nil || !g.Position().IsLegal(r.Best) {
				t.Fatalf("got %v, %v", r.Best, err)
			}
			if got := r.Nodes <= 300; got != tt.limited {
				t.Errorf("answered after %d nodes, limited is to be %v", r.Nodes, tt.limited)
			}
		})
	}
}

func TestTheWeakestLosesToTheStrongest(t *testing.T) {
	least, most := EloRange()
	weakest, err := ForElo(least)
	if err != nil {
		t.Fatal(err)
	}
	strongest, err := ForElo(most)
	if err != nil {
		t.Fatal(err)
	}
	strongest.Nodes = 5000 // a tenth of it is enough, and quick
	points := 0
	for n := range 4 {
		players := [2]*Searcher{limited(weakest, uint64(n)), limited(strongest, uint64(n))}
		g := position.NewGame(position.Start())
		for g.Position().HasLegalMove() && !g.FiftyMoves() && g.Repetitions() < 3 && g.Len() < 200 {
			r, err := players[(g.Len()+n)%2].Search(t.Context(), g, engine.Limits{}, nil)
			if err != nil {
				t.Fatal(err)
			}
			g = g.Play(r.Best)
		}
		if !g.Position().HasLegalMove() && g.Position().InCheck() && (g.Len()+n)%2 == 0 {
			points++
		}
	}
	if points < 4 {
		t.Errorf("the strongest mated the weakest in %d of 4 games", points)
	}
}

func TestEveryEloHasParams(t *testing.T) {
	least, most := EloRange()
	last := Params{Margin: 1 << 20, Shallow: 1}
	for elo := least; elo <= most; elo++ {
		p, err := ForElo(elo)
		if err != nil || p.Nodes < last.Nodes || p.Margin > last.Margin || p.Shallow > last.Shallow || p.Horizon < last.Horizon || p.Candidates < 1 {
			t.Fatalf("Elo %d: %+v after %+v, %v", elo, p, last, err)
		}
		last = p
	}
	for _, elo := range []int{least - 1, most + 1, 0, -5} {
		if _, err := ForElo(elo); err == nil {
			t.Errorf("Elo %d accepted", elo)
		}
	}
	for _, r := range ladder() {
		if p, _ := ForElo(r.elo); p != r.Params {
			t.Errorf("Elo %d: got %+v, want what was measured: %+v", r.elo, p, r.Params)
		}
	}
}

// The table in the documentation is this one.
func TestDocumentation(t *testing.T) {
	text, err := os.ReadFile("../../docs/levels.md")
	if err != nil {
		t.Fatal(err)
	}
	row := regexp.MustCompile(`(?m)^\| (\d+) \| \+- \d+ \| ([\d,]+) \| (\d+) \| ([\d,]+) \| (\d+) % \| (\d+) \|$`)
	var got []rung
	for _, cells := range row.FindAllStringSubmatch(string(text), -1) {
		var n [6]int
		for i, cell := range cells[1:] {
			if n[i], err = strconv.Atoi(strings.ReplaceAll(cell, ",", "")); err != nil {
				t.Fatal(err)
			}
		}
		got = append(got, rung{n[0], Params{n[1], n[2], n[3], float64(n[4]) / 100, n[5]}})
	}
	if d := cmp.Diff(ladder(), got, cmp.AllowUnexported(rung{})); d != "" {
		t.Errorf("docs/levels.md has other levels (-want +got):\n%s", d)
	}
}

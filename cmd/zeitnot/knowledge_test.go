package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"zeitnot/config"
	"zeitnot/engine"
	"zeitnot/engine/position"
	"zeitnot/engine/search"
)

// testTables are the folders of real tables, or the test is skipped.
func testTables(t *testing.T) string {
	t.Helper()
	data := os.Getenv("ZEITNOT_TESTDATA")
	if data == "" {
		t.Skip("ZEITNOT_TESTDATA names no folder with tablebases")
	}
	return filepath.Join(data, "syzygy", "regular") + string(filepath.ListSeparator) + filepath.Join(data, "syzygy", "five")
}

// knows opens books and tables without a fault.
func knows(t *testing.T, books []string, tables string) *knowledge {
	t.Helper()
	k := openKnowledge(&config.Config{Book: books, SyzygyPath: tables}, func(err error) { t.Error(err) })
	t.Cleanup(k.close)
	return k
}

func played(t *testing.T, fen string, chess960 bool, moves ...string) position.Game {
	t.Helper()
	g, err := position.ParseGame(fen, chess960, moves)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// answer is the move and its source.
func answer(t *testing.T, s engine.Searcher, g position.Game) (move, source string) {
	t.Helper()
	r, err := s.Search(t.Context(), g, engine.Limits{Nodes: new(500)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return g.Position().UCI(r.Best, g.Position().Chess960()), r.Source
}

func newSearcher() engine.Searcher { return search.New(search.Options{HashMB: 1}) }

func TestEmbeddedBookOpensGamesOfStandardChessOnly(t *testing.T) {
	k := knows(t, []string{config.EmbeddedBook}, "")
	s := k.before(newSearcher())
	for name, c := range map[string]struct {
		g    position.Game
		want string
	}{
		"the start":                     {played(t, "", false), "book"},
		"the start, by another name":    {played(t, position.StartFEN, true), "book"},
		"after 1. e4":                   {played(t, "", false, "e2e4"), "book"},
		"Chess960":                      {played(t, "bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w KQkq - 0 1", true), "search"},
		"a position that is in no book": {played(t, "4k3/8/8/8/8/4P3/8/4K3 w - - 0 1", false), "search"},
	} {
		if _, source := answer(t, s, c.g); source != c.want {
			t.Errorf("%s: answer from %q, want %q", name, source, c.want)
		}
	}
}

func TestBrokenBooksAndTablesAreNamedAndPlayGoesOn(t *testing.T) {
	dir := t.TempDir()
	cut, garbage := filepath.Join(dir, "cut.bin"), filepath.Join(dir, "garbage.bin")
	for path, text := range map[string]string{
		cut: "cut off in an entry", garbage: strings.Repeat("no such book was ever here", 16),
		filepath.Join(dir, "KQvK.rtbw"): "no table",
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var faults []error
	settings := &config.Config{Book: []string{cut, garbage, filepath.Join(dir, "missing.bin"), config.EmbeddedBook}, SyzygyPath: dir}
	k := openKnowledge(settings, func(err error) { faults = append(faults, err) })
	defer k.close()
	all := errors.Join(faults...).Error()
	for _, name := range []string{"cut.bin", "garbage.bin", "missing.bin", "KQvK.rtbw"} {
		if !strings.Contains(all, name) {
			t.Errorf("%s is not named in:\n%s", name, all)
		}
	}
	s := k.before(newSearcher())
	if _, source := answer(t, s, played(t, "", false)); source != "book" {
		t.Errorf("answer from %q, want the book that is left", source)
	}
	if _, source := answer(t, s, played(t, "7k/8/8/8/8/8/8/KQ6 w - - 0 1", false)); source != "search" {
		t.Errorf("answer from %q, want a search without the table", source)
	}
}

func TestWithoutAnySettingTheSearcherAnswers(t *testing.T) {
	k := knows(t, nil, "")
	if _, source := answer(t, k.before(newSearcher()), played(t, "", false)); source != "search" {
		t.Errorf("answer from %q, want search", source)
	}
}

func TestTablesPreferAWinToAZeroingMoveThatDraws(t *testing.T) {
	s := knows(t, nil, testTables(t)).before(newSearcher())
	for fen, want := range map[string][]string{
		"8/8/8/3k4/8/4K3/6P1/8 w - - 0 1": {"e3f4"},
		"8/8/8/8/5k2/3P4/2K5/8 w - - 0 1": {"c2b3", "c2c3"},
	} {
		if got, source := answer(t, s, played(t, fen, false)); !slices.Contains(want, got) || source != "tablebase" {
			t.Errorf("%s: %s from %q, want one of %v from the tablebase", fen, got, source, want)
		}
	}
}

func TestTablesDoNotWalkIntoAThirdRepetition(t *testing.T) {
	s := knows(t, nil, testTables(t)).before(newSearcher())
	g := played(t, "8/8/8/8/3k4/8/2R5/K7 b - - 0 1", false, "d4d3", "c2b2", "d3d4", "b2c2", "d4d3", "c2b2", "d3d4")
	if got, source := answer(t, s, g); !slices.Contains([]string{"a1a2", "a1b1", "b2a2", "b2b1"}, got) || source != "tablebase" {
		t.Errorf("%s from %q, want one of those that make progress, from the tablebase", got, source)
	}
}

func TestDrawnEndingIsSearchedAmongTheMovesThatHoldIt(t *testing.T) {
	k := knows(t, nil, testTables(t))
	s := k.before(newSearcher())
	// The other moves of the king lose: nothing is left to think about.
	if got, source := answer(t, s, played(t, "8/3k4/8/3PK3/8/8/8/8 b - - 0 1", false)); got != "d7e7" || source != "tablebase" {
		t.Errorf("%s from %q, want d7e7 from the tablebase", got, source)
	}
	g := played(t, "7r/4k3/8/8/8/8/8/R3K3 w - - 0 1", false) // some moves lose the rook
	root, ok := k.tables.Root(g, nil)
	if !ok || root.WDL != 0 || len(root.Keep()) == len(root.Moves) || len(root.Keep()) < 2 {
		t.Fatalf("the example is no good: %v keep of %v, %v", root.Keep(), len(root.Moves), root.WDL)
	}
	r, err := s.Search(t.Context(), g, engine.Limits{Nodes: new(500)}, nil)
	if err != nil || r.Source != "search" || !slices.Contains(root.Keep(), r.Best) {
		t.Errorf("%s from %q (%v), want one of the moves that hold, from a search", g.Position().UCI(r.Best, false), r.Source, err)
	}
}

func TestInUCITheTablesOnlyRestrictAndTheSearchReports(t *testing.T) {
	e := newUCIEngine(1, func(err error) { t.Error(err) })
	if err := e.SetSyzygyPath(testTables(t)); err != nil {
		t.Fatal(err)
	}
	defer e.SetSyzygyPath("")
	g := played(t, "8/8/8/3k4/8/4K3/6P1/8 w - - 0 1", false)
	reports := 0
	r, err := e.Search(t.Context(), g, engine.Limits{Depth: new(4)}, func(i engine.Info) {
		if len(i.PV) > 0 {
			reports++
			if got := g.Position().UCI(i.PV[0], false); got != "e3f4" {
				t.Errorf("depth %d: reports %s, want e3f4, the one best move", i.Depth, got)
			}
		}
	})
	if got := g.Position().UCI(r.Best, false); err != nil || got != "e3f4" || r.Source != "search" || reports < 4 {
		t.Errorf("%s from %q after %d reports (%v), want e3f4 from the search after 4", got, r.Source, reports, err)
	}
}

func TestUCIBookIsOffUntilItIsWanted(t *testing.T) {
	e := newUCIEngine(1, func(err error) { t.Error(err) })
	g := played(t, "", false)
	if _, source := answer(t, e, g); source != "search" {
		t.Errorf("before: answer from %q, want search", source)
	}
	for _, step := range []struct {
		on   bool
		want string
	}{{true, "book"}, {false, "search"}, {true, "book"}} {
		if err := e.SetOwnBook(step.on); err != nil {
			t.Fatal(err)
		}
		if _, source := answer(t, e, g); source != step.want {
			t.Errorf("book %v: answer from %q, want %q", step.on, source, step.want)
		}
	}
	if err := e.SetBookFile(filepath.Join(t.TempDir(), "none.bin")); err == nil {
		t.Error("a book that is not there was taken")
	}
	if _, source := answer(t, e, g); source != "book" {
		t.Errorf("after a bad name: answer from %q, want the book of before", source)
	}
}

// Every search slot has a chain of its own before the same books and tables.
func TestSlotsShareBooksAndTables(t *testing.T) {
	k := knows(t, []string{config.EmbeddedBook}, testTables(t))
	var slots sync.WaitGroup
	for _, s := range newSearchers(4, 4, 1, 4, k) {
		if _, ok := s.(engine.Budgeted); !ok {
			t.Error("a slot is not Budgeted")
		}
		slots.Go(func() {
			for range 20 {
				for fen, want := range map[string]string{"": "book", "8/8/8/3k4/8/4K3/6P1/8 w - - 0 1": "tablebase"} {
					g, _ := position.ParseGame(fen, false, nil)
					r, err := s.Search(context.Background(), g, engine.Limits{Hard: new(time.Minute)}, nil)
					if err != nil || r.Source != want {
						t.Errorf("%q: answer from %q (%v), want %q", fen, r.Source, err, want)
					}
				}
			}
		})
	}
	slots.Wait()
}

// Five men are one too many for the tables of this test, but not once one has been taken.
func TestSearchLooksIntoTheTables(t *testing.T) {
	folder, _, _ := strings.Cut(testTables(t), string(filepath.ListSeparator))
	e := newUCIEngine(1, func(err error) { t.Error(err) })
	if err := e.SetSyzygyPath(folder); err != nil {
		t.Fatal(err)
	}
	g := played(t, "8/8/2k5/8/3r4/8/5P2/3RK2R w - - 0 1", false)
	var hits uint64
	search := func() {
		hits = 0
		if _, err := e.Search(t.Context(), g, engine.Limits{Depth: new(5)}, func(i engine.Info) { hits = max(hits, i.TBHits) }); err != nil {
			t.Fatal(err)
		}
	}
	if search(); hits == 0 {
		t.Error("no hit in the tables")
	}
	if err := e.SetSyzygyPath(""); err != nil {
		t.Fatal(err)
	}
	e.NewGame()
	if search(); hits != 0 {
		t.Errorf("%d hits after the tables were taken away", hits)
	}
}

func TestLastResortAsksBookThenTablesThenItsTable(t *testing.T) {
	atOnce := engine.Limits{Soft: new(time.Duration(0)), Hard: new(5 * time.Millisecond)}
	k := knows(t, []string{config.EmbeddedBook}, testTables(t))
	// A page of a table that is not in memory takes longer than the last resort has.
	if _, source := answer(t, k.before(newSearcher()), played(t, "8/8/8/3k4/8/4K3/6P1/8 w - - 0 1", false)); source != "tablebase" {
		t.Fatalf("answer from %q, want tablebase", source)
	}
	for _, c := range []struct {
		limit string
		fen   string
		want  []string
	}{
		{"", "", []string{"book"}},
		{"", "8/8/8/3k4/8/4K3/6P1/8 w - - 0 1", []string{"tablebase", "search"}}, // on a busy machine a look may be too late
		{"", "r1bqkb1r/5ppp/p1np1n2/1p2p3/4P3/N1N5/PPP2PPP/R1BQKB1R w KQkq - 0 9", []string{"search"}},
		{"1500", "", []string{"book"}},
		{"1500", "8/8/8/3k4/8/4K3/6P1/8 w - - 0 1", []string{"search"}},
	} {
		s := lastResortFor(&config.Config{LimitElo: c.limit}, k)
		g := played(t, c.fen, false)
		r, err := s.Search(t.Context(), g, atOnce, nil)
		if err != nil || !slices.Contains(c.want, r.Source) || !g.Position().IsLegal(r.Best) {
			t.Errorf("limit %q, %q: answer from %q (%v), want one of %v", c.limit, c.fen, r.Source, err, c.want)
		}
	}
}

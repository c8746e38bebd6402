package main

import (
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"zeitnot/config"
	"zeitnot/engine"
	"zeitnot/engine/level"
	"zeitnot/engine/position"
)

func TestSearchesNeverHaveMoreThreadsThanCores(t *testing.T) {
	k := knows(t, []string{config.EmbeddedBook}, "")
	for _, tc := range []struct{ games, cores, threads, want int }{
		{1, 1, 1, 1},
		{8, 1, 1, 1},
		{1, 8, 1, 1},
		{3, 8, 1, 3},
		{20, 8, 1, 8},
		{20, 8, 2, 4},
		{20, 8, 3, 2},
		{20, 8, 5, 1},
		{20, 8, 8, 1},
		{2, 8, 2, 2},
	} {
		if got := len(newSearchers(tc.games, tc.cores, tc.threads, 8, k)); got != tc.want {
			t.Errorf("%d games, %d cores, %d threads: got %d search slots, want %d", tc.games, tc.cores, tc.threads, got, tc.want)
		}
	}
}

func TestGarbageIsBoundedWhateverTheHashAndTheCores(t *testing.T) {
	for _, name := range []string{"GOMAXPROCS", "GOMEMLIMIT", "GOGC"} {
		t.Setenv(name, "") // it counts
	}
	before, memory := runtime.GOMAXPROCS(0), debug.SetMemoryLimit(-1)
	percent := debug.SetGCPercent(100)
	t.Cleanup(func() {
		runtime.GOMAXPROCS(before)
		debug.SetMemoryLimit(memory)
		debug.SetGCPercent(percent)
	})
	for _, tc := range []struct{ cores, games, threads, hashMB, want int }{
		{cores: 1, games: 10, threads: 1, hashMB: 1, want: 47},
		{cores: 1, games: 10, threads: 1, hashMB: 16, want: 25},
		{cores: 1, games: 1, threads: 1, hashMB: 64, want: 10},
		{cores: 16, games: 1, threads: 1, hashMB: 64, want: 10},
		{cores: 16, games: 1, threads: 8, hashMB: 64, want: 5},
		{cores: 16, games: 20, threads: 1, hashMB: 64, want: 4},
		{cores: 2, games: 2, threads: 1, hashMB: 65536, want: 1},
	} {
		runtime.GOMAXPROCS(tc.cores)
		if _, err := prepareRuntime(tc.games, tc.threads, tc.hashMB); err != nil {
			t.Fatal(err)
		}
		if got := debug.SetGCPercent(100); got != tc.want {
			t.Errorf("%+v: got %d %%", tc, got)
		}
	}
}

func TestALimitedStrengthPlaysFromTheBookAndSearchesLittle(t *testing.T) {
	if least, most := level.EloRange(); least != config.MinElo || most != config.MaxElo {
		t.Fatalf("the setting allows %d to %d Elo, there are %d to %d", config.MinElo, config.MaxElo, least, most)
	}
	k := knows(t, []string{config.EmbeddedBook}, testTables(t))
	searchers, err := searchersFor(&config.Config{LimitElo: "450", Threads: 2, HashMB: 64}, 3, 2, k)
	if err != nil || len(searchers) != 2 {
		t.Fatalf("%d search slots, %v; want 2", len(searchers), err)
	}
	for fen, want := range map[string]string{"": "book", "8/8/8/3k4/8/4K3/6P1/8 w - - 0 1": "search"} {
		g, err := position.ParseGame(fen, false, nil)
		if err != nil {
			t.Fatal(err)
		}
		r, err := searchers[0].Search(t.Context(), g, engine.Limits{Hard: new(time.Minute)}, nil)
		if err != nil || r.Source != want || r.Nodes > 2000 {
			t.Errorf("%q: answer from %q after %d nodes (%v), want %q after at most 2000", fen, r.Source, r.Nodes, err, want)
		}
	}
}

func TestTheInterfaceLimitsGamesAndNotAnalysis(t *testing.T) {
	e := newUCIEngine(1, func(err error) { t.Error(err) })
	nodes := func(fen string) uint64 {
		g, err := position.ParseGame(fen, false, nil)
		if err != nil {
			t.Fatal(err)
		}
		r, err := e.Search(t.Context(), g, engine.Limits{Nodes: new(12_000)}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return r.Nodes
	}
	least, most := e.EloRange()
	for _, wrong := range []int{-1, least - 1, most + 1} {
		if e.SetElo(wrong) == nil {
			t.Errorf("%d Elo accepted", wrong)
		}
	}
	if got := nodes(""); got != 12_000 {
		t.Errorf("without a limit: %d nodes", got)
	}
	limit, err := level.ForElo(1500)
	if err != nil {
		t.Fatal(err)
	}
	if err := e.SetElo(1500); err != nil {
		t.Fatal(err)
	}
	e.NewGame()
	if got := nodes(""); got > uint64(limit.Nodes) {
		t.Errorf("at 1500 Elo: %d nodes, more than %d", got, limit.Nodes)
	}
	e.SetAnalyseMode(true)
	if got := nodes(""); got != 12_000 {
		t.Errorf("analysing: %d nodes", got)
	}
	e.SetAnalyseMode(false)
	if err := e.SetElo(0); err != nil || nodes("") != 12_000 {
		t.Errorf("full strength again: not all nodes, %v", err)
	}
}

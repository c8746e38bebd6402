package arena_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"zeitnot/engine"
	"zeitnot/engine/arena"
	"zeitnot/engine/instant"
	"zeitnot/engine/pgn"
	"zeitnot/engine/position"
	"zeitnot/engine/search"
	"zeitnot/engine/uci"
	"zeitnot/leaktest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// searcher adapts a function.
type searcher func(ctx context.Context, g position.Game, l engine.Limits) (engine.Result, error)

func (s searcher) Search(ctx context.Context, g position.Game, l engine.Limits, _ func(engine.Info)) (engine.Result, error) {
	return s(ctx, g, l)
}

func player(name string, limits arena.Limits, make func(seed uint64) engine.Searcher) arena.Player {
	budget := func(c engine.ClockState, _ *arena.Spent) engine.Limits {
		hard := max(0, c.Remaining/30)
		return engine.Limits{Soft: &hard, Hard: &hard}
	}
	return arena.Player{
		Name: name, Limits: limits,
		Make: arena.Embedded(func(seed uint64) (engine.Searcher, error) { return make(seed), nil }, func() arena.Budget { return budget }),
	}
}

var one = arena.Limits{Nodes: 1}

func random(seed uint64) engine.Searcher { return instant.Random{Seed: seed} }
func greedy(seed uint64) engine.Searcher { return instant.Greedy{Seed: seed} }
func small(uint64) engine.Searcher       { return search.New(search.Options{HashMB: 1}) }

func openings(t testing.TB, lines ...string) []arena.Opening {
	t.Helper()
	var list []arena.Opening
	for _, l := range lines {
		fen, moves, _ := strings.Cut(l, "|")
		g, err := position.ParseGame(fen, false, strings.Fields(moves))
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, arena.Opening{Game: g})
	}
	return list
}

// read is the game of a record.
func read(t testing.TB, r arena.Record) pgn.Game {
	t.Helper()
	g, err := pgn.NewReader(strings.NewReader(r.PGN)).Next()
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func start(t testing.TB) []arena.Opening { return openings(t, "startpos|") }

func TestAnUntimedMatchIsTheSameEveryTime(t *testing.T) {
	play := func(seed uint64, concurrency, procs int) string {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
		var out bytes.Buffer
		result, err := arena.Run(t.Context(), arena.Match{
			Players:  []arena.Player{player("search", arena.Limits{Nodes: 100}, small), player("random", one, random), player("greedy", one, greedy)},
			Openings: openings(t, "startpos|", "startpos|e2e4 e7e5"), Games: 4, Concurrency: concurrency, Seed: seed, PGN: &out,
			Adjudicate: arena.Adjudication{MaxPlies: 120},
		})
		if err != nil {
			t.Fatal(err)
		}
		return out.String() + result.String()
	}
	first := play(1, 1, 1)
	if n := strings.Count(first, "[Event "); n != 12 {
		t.Fatalf("%d games in the PGN, want 12", n)
	}
	for _, c := range []struct{ concurrency, procs int }{{1, 2}, {1, 8}, {3, 1}, {3, 2}, {3, 8}} {
		if again := play(1, c.concurrency, c.procs); again != first {
			t.Errorf("concurrency %d, GOMAXPROCS %d: other games than at 1 and 1", c.concurrency, c.procs)
		}
	}
	if play(2, 1, 1) == first {
		t.Error("another seed gives the same games")
	}
}

func TestColoursAndOpeningsAlternate(t *testing.T) {
	var got []string
	_, err := arena.Run(t.Context(), arena.Match{
		Players: []arena.Player{player("a", one, random), player("b", one, random)}, Games: 6, Concurrency: 2,
		Openings: openings(t, "startpos|", "startpos|e2e4"), Adjudicate: arena.Adjudication{MaxPlies: 4},
		OnGame: func(r arena.Record, sofar arena.Result) {
			g := read(t, r)
			got = append(got, g.Tags.Get("Round")+" "+g.Tags.Get("White")+" "+g.Moves[0].Comment)
			if sofar.Games() != r.Number {
				t.Errorf("after game %d the result counts %d", r.Number, sofar.Games())
			}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"1.1 a ", "1.2 b ", "2.1 a book", "2.2 b book", "3.1 a ", "3.2 b "}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("games %q, want %q", got, want)
	}
}

func TestTheStrongerPlayerIsFoundOut(t *testing.T) {
	result, err := arena.Run(t.Context(), arena.Match{
		Players:  []arena.Player{player("search", arena.Limits{Depth: 3}, small), player("greedy", one, greedy)},
		Openings: start(t), Games: 20, Concurrency: 2, Seed: 3,
	})
	if err != nil {
		t.Fatal(err)
	}
	if p := result.Pairings[0]; p.Share() < 0.9 || p.LOS() < 0.99 {
		t.Errorf("a search of three plies against greed:\n%s", result)
	}
}

// lose plays one pair with a first player that errs in the way of s and gives both records.
func lose(t *testing.T, limits arena.Limits, fen string, s searcher) ([]arena.Record, arena.Result) {
	t.Helper()
	var records []arena.Record
	result, err := arena.Run(t.Context(), arena.Match{
		Players:  []arena.Player{player("bad", limits, func(uint64) engine.Searcher { return s }), player("good", one, random)},
		Openings: openings(t, fen+"|"), Games: 2, OnGame: func(r arena.Record, _ arena.Result) { records = append(records, r) },
	})
	if err != nil {
		t.Fatal(err)
	}
	return records, result
}

func TestFaultsLoseTheGameAndAreCounted(t *testing.T) {
	for _, c := range []struct {
		name string
		want arena.Fault
		s    searcher
	}{
		{"illegal move", arena.IllegalMove, func(context.Context, position.Game, engine.Limits) (engine.Result, error) {
			return engine.Result{Best: position.NewMove(0, 1, position.Normal)}, nil
		}},
		{"no move", arena.IllegalMove, func(context.Context, position.Game, engine.Limits) (engine.Result, error) {
			return engine.Result{}, nil
		}},
		{"illegal move of an engine", arena.IllegalMove, func(context.Context, position.Game, engine.Limits) (engine.Result, error) {
			return engine.Result{}, &uci.Fault{Kind: uci.NullMove}
		}},
		{"error", arena.Failed, func(context.Context, position.Game, engine.Limits) (engine.Result, error) {
			return engine.Result{}, errors.New("out of memory")
		}},
		{"panic", arena.Failed, func(context.Context, position.Game, engine.Limits) (engine.Result, error) { panic("broken") }},
	} {
		records, result := lose(t, one, "startpos", c.s)
		if result.Pairings[0].Losses != 2 || result.Players[0].Faults[c.want] != 2 || len(result.Players[1].Faults) != 0 {
			t.Errorf("%s: %+v, want two losses by %s", c.name, result, c.want)
		}
		for i, want := range []string{pgn.BlackWins, pgn.WhiteWins} {
			if r := records[i]; r.Result != want || r.Fault != c.want || !strings.Contains(r.Reason, "bad") {
				t.Errorf("%s: game %d: %s, %s, %s; want %s by a fault of bad", c.name, i+1, r.Result, r.Reason, r.Fault, want)
			}
		}
	}
}

func TestTimeForfeits(t *testing.T) {
	slow := func(ctx context.Context, g position.Game, l engine.Limits) (engine.Result, error) {
		time.Sleep(450 * time.Millisecond)
		return engine.Result{Best: engine.FirstLegal(g, nil).Best}, nil
	}
	for _, c := range []struct {
		name   string
		limits arena.Limits
		fen    string
		loses  bool
		wins   bool
	}{
		{"the third move is too late", arena.Limits{Base: time.Second}, "startpos", true, true},
		{"within the margin", arena.Limits{Base: time.Second, Margin: time.Hour}, "7k/8/8/8/8/8/6q1/K7 w - - 90 50", false, false},
		{"the increment is enough", arena.Limits{Base: time.Second, Increment: 450 * time.Millisecond}, "7k/8/8/8/8/8/6q1/K7 w - - 90 50", false, false},
		{"an opponent who cannot mate only draws", arena.Limits{Base: 100 * time.Millisecond}, "7k/8/8/8/8/8/Q7/K7 w - - 0 1", true, false},
	} {
		synctest.Test(t, func(t *testing.T) {
			records, result := lose(t, c.limits, c.fen, slow)
			if n := result.Players[0].Faults[arena.TimeForfeit]; (n > 0) != c.loses {
				t.Errorf("%s: %d time forfeits: %s", c.name, n, records[0].Reason)
			}
			if c.loses && (records[0].Result == pgn.BlackWins) != c.wins {
				t.Errorf("%s: %s by %s", c.name, records[0].Result, records[0].Reason)
			}
		})
	}
}

func TestATimedGameNotesClocks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var states []time.Duration
		thinks := func(ctx context.Context, g position.Game, l engine.Limits) (engine.Result, error) {
			states = append(states, *l.Hard)
			if arrival := *l.Deadline - *l.Hard; arrival != engine.Now() {
				t.Errorf("the deadline counts from %v, now is %v", arrival, engine.Now())
			}
			time.Sleep(200 * time.Millisecond)
			return engine.Result{Best: engine.FirstLegal(g, nil).Best, Score: 50, Depth: 7}, nil
		}
		limits := arena.Limits{Base: 3 * time.Second, Increment: 50 * time.Millisecond}
		var out bytes.Buffer
		_, err := arena.Run(t.Context(), arena.Match{
			Players:  []arena.Player{player("a", limits, func(uint64) engine.Searcher { return searcher(thinks) }), player("b", one, random)},
			Openings: start(t), Games: 1, PGN: &out, Adjudicate: arena.Adjudication{MaxPlies: 4}, Event: "E", Date: time.Date(2030, 1, 2, 0, 0, 0, 0, time.UTC),
		})
		if err != nil {
			t.Fatal(err)
		}
		if want := []time.Duration{100 * time.Millisecond, 95 * time.Millisecond}; len(states) != 2 || states[0] != want[0] || states[1] != want[1] {
			t.Errorf("budgets %v, want %v", states, want)
		}
		for _, want := range []string{
			`[Date "2030.01.02"]`, `[WhiteLimits "tc=3+0.05"]`, `[BlackLimits "nodes=1"]`, `[Termination "adjudication: too long"]`,
			"{ [%eval 0.50,7] [%clk 0:00:02.85] [%emt 0:00:00.2] }", "[%clk 0:00:02.7]",
		} {
			if !strings.Contains(strings.ReplaceAll(out.String(), "\n", " "), want) {
				t.Errorf("missing %q in\n%s", want, out.String())
			}
		}
	})
}

func TestAMatchThatCannotBePlayed(t *testing.T) {
	good, other, third := player("a", one, random), player("b", one, random), player("c", one, random)
	for _, c := range []struct {
		name string
		m    arena.Match
		want string
	}{
		{"one player", arena.Match{Players: []arena.Player{good}, Openings: start(t), Games: 2}, "1 players: want two or more"},
		{"two of one name", arena.Match{Players: []arena.Player{good, good}, Openings: start(t), Games: 2}, "two players are called a"},
		{"an odd number for three", arena.Match{Players: []arena.Player{good, other, third}, Openings: start(t), Games: 3}, "3 games of each pairing"},
		{"a test of three", arena.Match{Players: []arena.Player{good, other, third}, Openings: start(t), Games: 2, SPRT: &arena.SPRT{Elo1: 5}}, "an SPRT of 3 players"},
		{"nodes as time without a clock", arena.Match{Players: []arena.Player{good, other}, Openings: start(t), Games: 2, Virtual: &arena.VirtualTime{NodesPerMS: 1}}, "no player has a time control"},
		{"no nodes as time", arena.Match{Players: []arena.Player{good, other}, Openings: start(t), Games: 2, Virtual: &arena.VirtualTime{}}, "0 nodes a millisecond"},
		{"a game of nobody", arena.Match{Players: []arena.Player{good, other}, Openings: start(t), Games: 2, Played: []arena.Record{{Number: 1, White: 1}}}, "game 1 was played before by other players"},
		{"an effort of nothing", arena.Match{Players: []arena.Player{good, other}, Openings: start(t), Games: 2, Played: []arena.Record{{
			Number: 1, Black: 1, Result: pgn.Draw, Effort: [2]arena.Effort{{Time: 1}},
		}}}, "game 1 was played before with the effort of 0 moves"},
		{"a game without result", arena.Match{Players: []arena.Player{good, other}, Openings: start(t), Games: 2, Played: []arena.Record{{Number: 1, Black: 1}}}, `the result ""`},
		{"a fault of nobody", arena.Match{
			Players: []arena.Player{good, other}, Openings: start(t), Games: 2,
			Played: []arena.Record{{Number: 1, Black: 1, Fault: arena.Failed, FaultBy: 7}},
		}, "player 7, who did not play"},
		{"game zero", arena.Match{Players: []arena.Player{good, other}, Openings: start(t), Games: 2, Played: []arena.Record{{Black: 1}}}, "games count from 1"},
		{"no openings", arena.Match{Players: []arena.Player{good, other}, Games: 2}, "no openings"},
		{"no games", arena.Match{Players: []arena.Player{good, other}, Openings: start(t)}, "0 games"},
		{"no limits", arena.Match{Players: []arena.Player{good, player("b", arena.Limits{}, random)}, Openings: start(t), Games: 1}, "player 2 (b) has no limit"},
		{"no engine", arena.Match{Players: []arena.Player{good, {Name: "b", Limits: one}}, Openings: start(t), Games: 1}, "player 2 (b) has no engine"},
		{"an engine that does not start", arena.Match{
			Players:  []arena.Player{good, {Name: "b", Limits: one, Make: arena.External(uci.Command{Path: "/nonexistent/engine"}, nil, uci.Patience{})}},
			Openings: start(t), Games: 4, Concurrency: 2,
		}, "/nonexistent/engine"},
		{"nowhere to write", arena.Match{Players: []arena.Player{good, other}, Openings: start(t), Games: 4, Concurrency: 2, PGN: fullDisk{}}, "write game 1"},
	} {
		if _, err := arena.Run(t.Context(), c.m); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", c.name, err, c.want)
		}
	}
}

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, io.ErrShortWrite }

func TestTheEndOfTheContextEndsTheMatch(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	games, after := 0, 0
	result, err := arena.Run(ctx, arena.Match{
		Players:  []arena.Player{player("a", arena.Limits{Nodes: 100}, small), player("b", arena.Limits{Nodes: 100}, small)},
		Openings: start(t), Games: 1_000_000, Concurrency: 2, Adjudicate: arena.Adjudication{MaxPlies: 30},
		OnGame: func(arena.Record, arena.Result) {
			if games++; games == 3 {
				cancel()
			}
		},
		// Games are counted in their order: while one lasts others may end.
		OnFinished: func(arena.Record) error {
			if ctx.Err() != nil {
				after++
			}
			return nil
		},
	})
	if !errors.Is(err, context.Canceled) || result.Games() < 3 || after > 2 {
		t.Errorf("got %v after %d games, %d of which ended after the context, want no more than were under way", err, result.Games(), after)
	}
}

func TestAgainstAProgram(t *testing.T) {
	path := "/usr/games/stockfish"
	if _, err := os.Stat(path); err != nil {
		if path, err = exec.LookPath("stockfish"); err != nil {
			t.Skip("stockfish is not installed")
		}
	}
	spec, err := arena.ParsePlayer("cmd=" + path + " name=sf nodes=100 option.Hash=1")
	if err != nil {
		t.Fatal(err)
	}
	result, err := arena.Run(t.Context(), arena.Match{
		Players:  []arena.Player{spec.External(uci.Patience{}), player("random", one, random)},
		Openings: openings(t, "startpos|e2e4", "bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w KQkq - 0 1|"), Games: 4, Concurrency: 2,
	})
	if err != nil {
		t.Fatal(err)
	}
	if result.Pairings[0].Wins != 4 || len(result.Players[0].Faults)+len(result.Players[1].Faults) != 0 {
		t.Errorf("against a random player:\n%s", result)
	}
}

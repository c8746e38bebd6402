package syzygy_test

import (
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"zeitnot/engine/position"
	"zeitnot/engine/syzygy"
)

// game parses a position and the moves played from it.
func game(tb testing.TB, fen string, moves ...string) position.Game {
	tb.Helper()
	g, err := position.ParseGame(fen, false, moves)
	if err != nil {
		tb.Fatal(err)
	}
	return g
}

// names writes moves in coordinates, sorted.
func names(p *position.Position, moves []position.Move) []string {
	var s []string
	for _, m := range moves {
		s = append(s, p.UCI(m, false))
	}
	slices.Sort(s)
	return s
}

func root(tb testing.TB, tables *syzygy.Tables, g position.Game) syzygy.Root {
	tb.Helper()
	r, ok := tables.Root(g, nil)
	if !ok || !r.HasDTZ {
		tb.Fatalf("%s: no answer", g.Position().FEN())
	}
	return r
}

func TestZeroingMoveThatOnlyDrawsIsNotPreferred(t *testing.T) {
	tables := openAll(t)
	for _, c := range []struct {
		fen        string
		keep, best []string
	}{
		{"8/8/8/3k4/8/4K3/6P1/8 w - - 0 1", []string{"e3d3", "e3f2", "e3f3", "e3f4"}, []string{"e3f4"}},
		{"8/8/8/8/5k2/3P4/2K5/8 w - - 0 1", []string{"c2b3", "c2c3"}, nil},
	} {
		g := game(t, c.fen)
		r := root(t, tables, g)
		if r.WDL != syzygy.Win {
			t.Errorf("%s: value %v, want win", c.fen, r.WDL)
		}
		if got := names(g.Position(), r.Keep()); !slices.Equal(got, c.keep) {
			t.Errorf("%s: winning moves %v, want %v", c.fen, got, c.keep)
		}
		if got := names(g.Position(), r.Best()); c.best != nil && !slices.Equal(got, c.best) {
			t.Errorf("%s: best %v, want %v", c.fen, got, c.best)
		}
	}
}

func TestWinDoesNotWalkIntoARepetition(t *testing.T) {
	tables := openAll(t)
	g := game(t, "8/8/8/8/3k4/8/2R5/K7 b - - 0 1",
		"d4d3", "c2b2", "d3d4", "b2c2", "d4d3", "c2b2", "d3d4")
	r := root(t, tables, g)
	if r.WDL != syzygy.Win {
		t.Errorf("value %v, want win", r.WDL)
	}
	if keep := names(g.Position(), r.Keep()); slices.Contains(keep, "b2c2") {
		t.Errorf("b2c2 repeats for the third time, yet it is among the winning moves %v", keep)
	}
	if got, want := names(g.Position(), r.Best()), []string{"a1a2", "a1b1", "b2a2", "b2b1"}; !slices.Equal(got, want) {
		t.Errorf("best %v, want %v", got, want)
	}

	// One cycle earlier the move would be the second occurrence: still won, but last.
	early := g.Undo(4)
	r = root(t, tables, early)
	last := r.Keep()
	if got := early.Position().UCI(last[len(last)-1], false); got != "b2c2" {
		t.Errorf("last of the winning moves is %s, want b2c2, which has been there", got)
	}
}

func TestLoserTakesTheThirdRepetition(t *testing.T) {
	tables := openAll(t)
	g := game(t, "8/8/8/8/3k4/8/2R5/K7 b - - 0 1",
		"d4d3", "c2b2", "d3d4", "b2c2", "d4d3", "c2b2", "d3d4", "b2c2", "d4d3", "c2b2")
	r := root(t, tables, g)
	if got := names(g.Position(), r.Best()); r.WDL != syzygy.Draw || !slices.Equal(got, []string{"d3d4"}) {
		t.Errorf("best %v is %v, want d3d4, a draw", got, r.WDL)
	}
}

func TestFiftyMoveCounterTurnsAWinIntoACursedOne(t *testing.T) {
	tables := openAll(t)
	const board = "8/8/8/3k4/8/8/1R6/K7 w - - "
	fresh := root(t, tables, game(t, board+"0 1"))
	if fresh.WDL != syzygy.Win {
		t.Fatalf("value %v, want win", fresh.WDL)
	}
	late := root(t, tables, game(t, board+"95 100"))
	if late.WDL != syzygy.CursedWin {
		t.Errorf("value %v with the clock at 95, want cursed win", late.WDL)
	}
	lost := root(t, tables, game(t, "8/8/8/3k4/8/8/1R6/K7 b - - 95 100"))
	if lost.WDL != syzygy.BlessedLoss {
		t.Errorf("value %v for the loser, want blessed loss", lost.WDL)
	}
}

func TestMateComesBeforeOtherZeroingMoves(t *testing.T) {
	tables := openAll(t)
	// Qb7 mates; the queen could also take the knight.
	g := game(t, "k7/8/1K6/8/8/8/1Q4n1/8 w - - 0 1")
	r := root(t, tables, g)
	best := g.Position().SAN(r.Best()[0])
	if !strings.HasSuffix(best, "#") {
		t.Errorf("best is %s, want a mate", best)
	}
}

func TestPromotionIsToTheManThatWinsSoonest(t *testing.T) {
	tables := openAll(t)
	g := game(t, "8/4P3/8/8/1k6/8/8/1K6 w - - 0 1")
	r := root(t, tables, g)
	if got := names(g.Position(), r.Best()); !slices.Equal(got, []string{"e7e8q"}) {
		t.Errorf("best %v, want e7e8q", got)
	}
}

func TestStopEndsAProbeOfTheRoot(t *testing.T) {
	tables := openAll(t)
	g := game(t, "8/8/8/3k4/8/8/1R6/K7 w - - 0 1")
	asked := 0
	if _, ok := tables.Root(g, func() bool { asked++; return asked > 5 }); ok {
		t.Error("an answer in spite of the stop")
	}
	if asked > 8 {
		t.Errorf("asked %d times, want an end soon after the sixth", asked)
	}
}

func TestWithoutDTZTheValueStillCounts(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"KPvK", "KQvK", "KRvK", "KBvK", "KNvK"} {
		copyFile(t, testData(t, "syzygy", "regular", name+".rtbw"), dir)
	}
	tables, err := syzygy.Open([]string{dir}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer tables.Close()
	g := game(t, "8/8/8/3k4/8/4K3/6P1/8 w - - 0 1")
	r, ok := tables.Root(g, nil)
	want := []string{"e3d3", "e3f2", "e3f3", "e3f4"}
	if got := names(g.Position(), r.Keep()); !ok || r.HasDTZ || !slices.Equal(got, want) {
		t.Errorf("winning moves %v (distances known: %v), want %v without distances", got, r.HasDTZ, want)
	}
}

// classes are the materials of the test data's tables.
func classes(tb testing.TB) []string {
	var all []string
	for _, dir := range []string{"regular", "five"} {
		entries, err := os.ReadDir(testData(tb, "syzygy", dir))
		if err != nil {
			tb.Fatal(err)
		}
		for _, e := range entries {
			if name, ok := strings.CutSuffix(e.Name(), ".rtbw"); ok {
				all = append(all, name)
			}
		}
	}
	return all
}

// randomPosition places the men of a class at random, either side to move.
func randomPosition(r *rand.Rand, class string, clock int) (position.Position, bool) {
	var board [64]byte
	white, black, _ := strings.Cut(class, "v")
	for _, man := range white + strings.ToLower(black) {
		for {
			s := r.IntN(64)
			if board[s] != 0 || ((man == 'P' || man == 'p') && (s < 8 || s >= 56)) {
				continue
			}
			board[s] = byte(man)
			break
		}
	}
	var fen strings.Builder
	for rank := 7; rank >= 0; rank-- {
		for file := range 8 {
			if man := board[rank*8+file]; man != 0 {
				fen.WriteByte(man)
			} else {
				fen.WriteByte('1')
			}
		}
		if rank > 0 {
			fen.WriteByte('/')
		}
	}
	fen.WriteString([]string{" w", " b"}[r.IntN(2)] + " - - " + itoa(clock) + " 60")
	p, err := position.ParseFEN(fen.String())
	return p, err == nil
}

func itoa(n int) string {
	if n >= 10 {
		return itoa(n/10) + itoa(n%10)
	}
	return string(rune('0' + n))
}

// outcome is the end of a game for White: 1, 0, -1; over is false while it goes on.
func outcome(g position.Game) (white int, over bool) {
	p := g.Position()
	switch {
	case !p.HasLegalMove() && p.InCheck():
		if p.SideToMove() == position.White {
			return -1, true
		}
		return 1, true
	case !p.HasLegalMove(), p.InsufficientMaterial(), g.FiftyMoves(), g.Repetitions() >= 3:
		return 0, true
	}
	return 0, false
}

func TestRootChoiceKeepsTheValueAgainstPerfectDefence(t *testing.T) {
	tables := openAll(t)
	r := rand.New(rand.NewPCG(3, 50))
	all := classes(t)
	games, wins, draws := 1000, 0, 0
	if testing.Short() {
		games = 100
	}
	for n := 0; n < games; {
		clock := 0
		if r.IntN(2) == 0 {
			clock = r.IntN(90)
		}
		start, legal := randomPosition(r, all[n%len(all)], clock)
		if !legal || !start.HasLegalMove() {
			continue
		}
		g := position.NewGame(start)
		first := root(t, tables, g)
		best := first.Moves[0]
		if best.DTZ != 0 && max(best.DTZ, -best.DTZ)+clock == 100 && best.DTZ != 1 {
			continue // a rounded distance may be one more, which then is too late
		}
		n++
		us := start.SideToMove()
		want := 0 // at least a draw
		switch {
		case first.WDL == syzygy.Win:
			want = 1
			wins++
		case first.WDL == syzygy.Loss:
			want = -1
		default:
			draws++
		}
		stubborn := r.IntN(3) > 0 // else the opponent plays anything
		for {
			white, over := outcome(g)
			if over {
				got := white
				if us == position.Black {
					got = -white
				}
				if got < want {
					t.Errorf("%s: %v became %d after %d plies", start.FEN(), first.WDL, got, g.Len())
				}
				break
			}
			now := root(t, tables, g)
			choice := now.Best()
			if g.Position().SideToMove() != us && !stubborn {
				choice = choice[:0]
				for _, m := range now.Moves {
					choice = append(choice, m.Move)
				}
			}
			g = g.Play(choice[r.IntN(len(choice))])
		}
	}
	t.Logf("%d won and %d drawn positions of %d", wins, draws, games)
	if wins == 0 || draws == 0 {
		t.Error("the sample has no wins or no draws")
	}
}

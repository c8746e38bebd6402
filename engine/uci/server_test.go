package uci_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"zeitnot/engine"
	"zeitnot/engine/position"
	"zeitnot/engine/uci"
)

const mated = "position fen rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3"

func TestIdentifiesItselfAndItsOptions(t *testing.T) {
	s := uci.NewServer(uci.Config{
		Name: "Zeitnot 1", Author: "the authors", Engine: &stub{}, Budget: twentieth,
		SetOverhead: func(time.Duration) {}, Overhead: 100 * time.Millisecond, HashMB: 32, MaxHashMB: 1024,
	})
	want := []string{
		"id name Zeitnot 1", "id author the authors",
		"option name Hash type spin default 32 min 1 max 1024",
		"option name Threads type spin default 1 min 1 max 1",
		"option name MultiPV type spin default 1 min 1 max 256",
		"option name Ponder type check default false",
		"option name UCI_Chess960 type check default false",
		"option name UCI_ShowWDL type check default false",
		"option name Clear Hash type button",
		"option name Move Overhead type spin default 100 min 0 max 10000",
		"uciok",
	}
	if diff := cmp.Diff(want, script(t, s, "uci")); diff != "" {
		t.Errorf("answer to uci (-want +got):\n%s", diff)
	}
}

// weakened is an engine whose strength can be limited; it remembers what it was told.
type weakened struct {
	stub
	told []string
}

func (w *weakened) EloRange() (least, most int) { return 800, 1400 }
func (w *weakened) SetElo(elo int) error {
	w.told = append(w.told, fmt.Sprint("elo ", elo))
	return nil
}
func (w *weakened) SetAnalyseMode(on bool) { w.told = append(w.told, fmt.Sprint("analyse ", on)) }

func TestStrengthIsLimitedByBothOptionsInAnyOrder(t *testing.T) {
	w := &weakened{}
	got := script(t, newServer(w), "uci", "setoption name UCI_Elo value 900", "setoption name UCI_LimitStrength value true",
		"setoption name UCI_Elo value 1401", "setoption name UCI_Elo value 1000", "setoption name UCI_AnalyseMode value true",
		"setoption name UCI_LimitStrength value false")
	for _, want := range []string{
		"option name UCI_LimitStrength type check default false",
		"option name UCI_Elo type spin default 1400 min 800 max 1400",
		"option name UCI_AnalyseMode type check default false",
		"info string option UCI_Elo is unchanged: 1401 is not within 800..1400",
	} {
		if !slices.Contains(got, want) {
			t.Errorf("no line %q in %q", want, got)
		}
	}
	if diff := cmp.Diff([]string{"elo 0", "elo 900", "elo 1000", "analyse true", "elo 0"}, w.told); diff != "" {
		t.Errorf("the engine was told (-want +got):\n%s", diff)
	}
}

func TestAnyOrderOfCommands(t *testing.T) {
	cases := []struct {
		name  string
		lines []string
		want  []string // the lines but for info lines
	}{
		{"go is the first command", []string{"go depth 1"}, []string{"bestmove a2a3 ponder a7a5"}},
		{"position without ucinewgame", []string{"position startpos moves e2e4", "go depth 1"}, []string{"bestmove a7a5 ponder a2a3"}},
		{"stop, ponderhit and isready while nothing runs", []string{"stop", "ponderhit", "isready", "stop"}, []string{"readyok"}},
		{"ready during an infinite search", []string{"go infinite", "isready", "stop"}, []string{"readyok", "bestmove a2a3 ponder a7a5"}},
		{"go stops the search before it", []string{"go infinite", "go infinite", "stop"}, []string{"bestmove a2a3 ponder a7a5", "bestmove a2a3 ponder a7a5"}},
		{"position stops the search before it", []string{"go", "position startpos moves e2e4", "go depth 1"}, []string{"bestmove a2a3 ponder a7a5", "bestmove a7a5 ponder a2a3"}},
		{"setoption and ucinewgame stop the search", []string{"go", "setoption name Hash value 1", "go", "ucinewgame", "isready"}, []string{"bestmove a2a3 ponder a7a5", "bestmove a2a3 ponder a7a5", "readyok"}},
		{"the end of input answers", []string{"go infinite"}, []string{"bestmove a2a3 ponder a7a5"}},
		{"quit answers", []string{"go ponder wtime 1 btime 1", "quit", "isready"}, []string{"bestmove a2a3 ponder a7a5"}},
		{"mate has no move", []string{mated, "go movetime 1"}, []string{"bestmove 0000"}},
		{"stalemate has no move", []string{"position fen 7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "go depth 3"}, []string{"bestmove 0000"}},
		{"searchmoves end at the next parameter", []string{"go searchmoves e2e4 D2D4 depth 1"}, []string{"bestmove e2e4 ponder a7a5"}},
		{"a parameter without value is passed over", []string{"go depth nodes 5 wtime"}, []string{"bestmove a2a3 ponder a7a5"}},
		{"carriage returns, tabs, capitals", []string{"\tPosition  startpos\tmoves E2E4 \r", "GO depth\t1\r"}, []string{"bestmove a7a5 ponder a2a3"}},
		{"underpromotion in the list of moves", []string{"position fen 8/PR6/8/8/8/2k5/8/K7 w - - 0 1 moves a7a8n", "go depth 1"}, []string{"bestmove c3c2 ponder a1a2"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got := slices.DeleteFunc(script(t, newServer(&stub{}), c.lines...), func(l string) bool { return strings.HasPrefix(l, "info") })
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("conversation (-want +got):\n%s", diff)
			}
		})
	}
}

func TestNoBestmoveBeforeItMayCome(t *testing.T) {
	for _, eager := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			d := converse(t, newServer(&stub{eager: eager}))
			for _, c := range []struct{ start, end string }{
				{"go infinite", "stop"},
				{"go", "stop"},
				{"go searchmoves e2e4", "stop"},
				{"go ponder wtime 1000 btime 1000", "stop"},
				{"go ponder wtime 1000 btime 1000", "ponderhit"},
				{"go ponder depth 3", "ponderhit"},
			} {
				held := d.say(c.start, "isready")
				time.Sleep(time.Hour)
				held = append(held, d.heard()...)
				if diff := cmp.Diff([]string{"readyok"}, held); diff != "" {
					t.Errorf("eager %v: after %s (-want +got):\n%s", eager, c.start, diff)
				}
				if got := only(d.say(c.end, "stop", "ponderhit", "stop"), "bestmove"); len(got) != 1 {
					t.Errorf("eager %v: %s, then %s and more: got %q, want one bestmove", eager, c.start, c.end, got)
				}
			}
			// A ponderhit turns a search without limits into an infinite one.
			if got := only(d.say("go ponder infinite", "ponderhit"), "bestmove"); len(got) != 0 {
				t.Errorf("ponder infinite answered the ponderhit: %q", got)
			}
			if got := only(d.say("stop"), "bestmove"); len(got) != 1 {
				t.Errorf("ponder infinite, hit, stopped: got %q, want one bestmove", got)
			}
			if got := only(d.say(mated, "go infinite"), "bestmove"); len(got) != 0 {
				t.Errorf("infinite at mate answered before stop: %q", got)
			}
			if got, want := only(d.say("stop"), "bestmove"), []string{"bestmove 0000"}; !slices.Equal(got, want) {
				t.Errorf("infinite at mate, stopped: got %q, want %q", got, want)
			}
			d.quit()
		})
	}
}

func TestPonderHitBudgetsFromTheHit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &stub{}
		d := converse(t, newServer(e))
		d.say("go ponder wtime 20000 btime 60000 winc 1000")
		time.Sleep(5 * time.Second)
		at := engine.Now()
		d.say("ponderhit")
		d.quit()
		if len(e.hits) != 1 {
			t.Fatalf("the engine got %d hits, want 1", len(e.hits))
		}
		if l := e.asked[0]; !l.Ponder || l.Deadline != nil || l.Hard != nil {
			t.Errorf("limits while pondering: %+v, want none but Ponder", l)
		}
		hit := e.hits[0]
		if hit.Hard == nil || *hit.Hard != time.Second || hit.Deadline == nil || *hit.Deadline != at+time.Second {
			t.Errorf("limits of the hit: %+v, want hard 1 s and a deadline 1 s after it", hit)
		}
	})
}

func TestPositionsThatCannotBeAreRefused(t *testing.T) {
	kept := "position fen 8/PR6/8/8/8/2k5/8/K7 w - - 0 1"
	for _, c := range []struct{ line, reason string }{
		{"position", "neither startpos nor fen"},
		{"position e2e4", `"e2e4" is neither`},
		{"position fen", "without a FEN"},
		{"position fen 8/8/8/8/8/8/8/8 w - - 0 1", "king"},
		{"position fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR x KQkq - 0 1", "x"},
		{"position startpos e2e4", "where moves should stand"},
		{"position startpos moves e2e4 e7e5 e1e3", "ply 3"},
		{"position startpos moves e2e4 e2e4", "e2e4"},
		{"position startpos moves 0000", "0000"},
	} {
		got := script(t, newServer(&stub{}), kept, c.line, "d")
		refused := only(got, "info string position refused, the previous one is kept: ")
		if len(refused) != 1 || !strings.Contains(refused[0], c.reason) {
			t.Errorf("%s: got %q, want a refusal with %q", c.line, refused, c.reason)
		}
		if fen := only(got, "Fen: "); !slices.Equal(fen, []string{"Fen: 8/PR6/8/8/8/2k5/8/K7 w - - 0 1"}) {
			t.Errorf("%s: the position is now %q", c.line, fen)
		}
	}
}

func TestUnknownCommandsAreNamedAndIgnored(t *testing.T) {
	got := script(t, newServer(&stub{}), "xyzzy plugh", "", "  ", "go depth 1", strings.Repeat("x", 2<<20), "isready")
	if want := "info string unknown command: xyzzy plugh"; got[0] != want {
		t.Errorf("got %q, want %q", got[0], want)
	}
	if len(only(got, "readyok")) != 1 || len(only(got, "bestmove")) != 1 {
		t.Errorf("after a line of 2 MiB: got %q, want readyok too", got)
	}
	if len(only(got, "info string a line of more than")) != 1 {
		t.Errorf("the long line is not mentioned in %q", got)
	}
}

func TestOptions(t *testing.T) {
	e := &stub{}
	var overhead []time.Duration
	s := uci.NewServer(uci.Config{Engine: e, Budget: twentieth, SetOverhead: func(d time.Duration) { overhead = append(overhead, d) }})
	got := script(t, s,
		"setoption name hash value 128", "setoption name Hash value 128", "setoption name Hash value 0",
		"setoption name Hash value 99999999", "setoption name Hash value many", "setoption name Hash value 13",
		"setoption name Clear Hash", "setoption name Move  Overhead value 250", "setoption name UCI_Chess960 value yes",
		"setoption name Nonsense value 1", "setoption", "setoption name Threads value 2",
		"setoption name MultiPV value 3", "go depth 1")
	if diff := cmp.Diff([]int{128}, e.hash); diff != "" {
		t.Errorf("hash sizes set (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]time.Duration{250 * time.Millisecond}, overhead); diff != "" {
		t.Errorf("overheads set (-want +got):\n%s", diff)
	}
	if e.newGame != 1 {
		t.Errorf("the table was cleared %d times, want once", e.newGame)
	}
	if n := e.asked[0].MultiPV; n != 3 {
		t.Errorf("MultiPV of the search is %d, want 3", n)
	}
	want := []string{
		"info string option Hash is unchanged: 0 is not within 1..65536",
		"info string option Hash is unchanged: 99999999 is not within 1..65536",
		`info string option Hash is unchanged: "many" is no number`,
		"info string option Hash is unchanged: hash 13: unlucky",
		`info string option UCI_Chess960 is unchanged: "yes" is neither true nor false`,
		"info string unknown option: Nonsense",
		"info string unknown option: ",
		"info string option Threads is unchanged: 2 is not within 1..1",
	}
	if diff := cmp.Diff(want, only(got, "info string")); diff != "" {
		t.Errorf("complaints (-want +got):\n%s", diff)
	}
}

func TestTheClockIsReadAsGiven(t *testing.T) {
	ms := time.Millisecond
	cases := []struct {
		name  string
		lines []string
		want  engine.ClockState
	}{
		{
			"white's clock",
			[]string{"go wtime 60000 btime 50000 winc 1000 binc 2000"},
			engine.ClockState{Remaining: 60000 * ms, Increment: 1000 * ms, Base: 60000 * ms},
		},
		{
			"black's clock and the moves in the list",
			[]string{"position startpos moves e2e4 e7e5 g1f3", "go wtime 60000 btime 50000 winc 1000 binc 2000 movestogo 7"},
			engine.ClockState{Remaining: 50000 * ms, Increment: 2000 * ms, Base: 50000 * ms, MoveNumber: 1, MovesToGo: 7},
		},
		{
			"the move number of a FEN without moves",
			[]string{"position fen 8/PR6/8/8/8/2k5/8/K7 w - - 0 41", "go wtime 1 btime 1"},
			engine.ClockState{Remaining: 1 * ms, Base: 1 * ms, MoveNumber: 40},
		},
		{
			"a list after a FEN counts by itself",
			[]string{"position fen 8/PR6/8/8/8/2k5/8/K7 w - - 0 41 moves a1a2 c3d3", "go wtime 1"},
			engine.ClockState{Remaining: 1 * ms, Base: 1 * ms, MoveNumber: 1},
		},
		{
			"the base is the largest clock since ucinewgame",
			[]string{"go wtime 180000", "ucinewgame", "go wtime 9000", "go wtime 8000"},
			engine.ClockState{Remaining: 8000 * ms, Base: 9000 * ms},
		},
		{"zero is a clock", []string{"go wtime 0 btime 0"}, engine.ClockState{}},
		{"less than zero is a clock", []string{"go wtime -50 btime 1000"}, engine.ClockState{Remaining: -50 * ms}},
		{"only the opponent's clock", []string{"go btime 5000"}, engine.ClockState{Remaining: 5000 * ms, Base: 5000 * ms}},
		{
			"more than any clock shows",
			[]string{"go wtime 99999999999999999999 winc 9223372036854775807"},
			engine.ClockState{Remaining: 1e10 * ms, Increment: 1e10 * ms, Base: 1e10 * ms},
		},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			c.want.HasClock = true
			var got engine.ClockState
			s := uci.NewServer(uci.Config{Engine: &stub{}, Budget: func(cs engine.ClockState) engine.Limits { got = cs; return twentieth(cs) }})
			script(t, s, c.lines...)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("clock state (-want +got):\n%s", diff)
			}
		})
	}
}

func TestLimitsOfGo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &stub{eager: true}
		s := uci.NewServer(uci.Config{Engine: e, Budget: twentieth, MoveTime: func(d time.Duration) time.Duration { return d - 10*time.Millisecond }})
		d := converse(t, s)
		ask := func(line string) engine.Limits { d.say(line, "stop"); return e.asked[len(e.asked)-1] }
		start := engine.Now()
		duration := func(d time.Duration) *time.Duration { return &d }
		number := func(n int) *int { return &n }
		for _, c := range []struct {
			line string
			want engine.Limits
		}{
			{"go", engine.Limits{Infinite: true}},
			{"go infinite depth 3", engine.Limits{Infinite: true, Depth: number(3)}},
			{"go depth 0", engine.Limits{Depth: number(0)}},
			{"go nodes 5000 mate 3", engine.Limits{Nodes: number(5000), Mate: number(3)}},
			{"go movetime 100", engine.Limits{Hard: duration(90 * time.Millisecond), Deadline: duration(start + 90*time.Millisecond)}},
			{"go movetime 1", engine.Limits{Hard: duration(0), Deadline: duration(start)}},
			{"go movetime -5", engine.Limits{Hard: duration(0), Deadline: duration(start)}},
			{"go wtime 2000", engine.Limits{Soft: duration(100 * time.Millisecond), Hard: duration(100 * time.Millisecond), Deadline: duration(start + 100*time.Millisecond)}},
			{"go wtime 2000 movetime 20", engine.Limits{Soft: duration(100 * time.Millisecond), Hard: duration(10 * time.Millisecond), Deadline: duration(start + 10*time.Millisecond)}},
		} {
			c.want.MultiPV = 1
			if diff := cmp.Diff(c.want, ask(c.line)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", c.line, diff)
			}
		}
		d.quit()
	})
}

func TestReportsAreStampedHere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := position.Start()
		e4, _ := p.ParseUCI("e2e4")
		d4, _ := p.ParseUCI("d2d4")
		e := &stub{takes: 2 * time.Second, infos: []engine.Info{
			{Depth: 5, SelDepth: 9, MultiPV: 1, Score: 31, Bound: engine.BoundExact, Nodes: 20000, TBHits: 3, HashFull: 17, PV: []position.Move{e4}},
			{Depth: 6, SelDepth: 9, MultiPV: 2, Score: engine.MatedIn(6), Bound: engine.BoundUpper, Nodes: 40000, PV: []position.Move{d4}},
			{Depth: 7, SelDepth: 1, Score: engine.MateIn(5), Bound: engine.BoundLower, Nodes: 1},
			{Depth: 8, CurrMove: d4, CurrMoveNumber: 2},
		}}
		d := converse(t, newServer(e))
		d.say("go depth 7")
		time.Sleep(3 * time.Second)
		want := []string{
			"info depth 5 seldepth 9 multipv 1 score cp 31 nodes 20000 nps 10000 hashfull 17 tbhits 3 time 2000 pv e2e4",
			"info depth 6 seldepth 9 multipv 2 score mate -3 upperbound nodes 40000 nps 20000 hashfull 0 tbhits 0 time 2000 pv d2d4",
			"info depth 7 seldepth 1 multipv 1 score mate 3 lowerbound nodes 1 nps 0 hashfull 0 tbhits 0 time 2000",
			"info depth 8 currmove d2d4 currmovenumber 2",
			"bestmove a2a3 ponder a7a5",
		}
		if diff := cmp.Diff(want, d.heard()); diff != "" {
			t.Errorf("reports (-want +got):\n%s", diff)
		}
		d.quit()
	})
}

func TestWinsDrawsAndLossesAreShownIfWanted(t *testing.T) {
	e := &stub{infos: []engine.Info{
		{Depth: 1, Score: 0, Bound: engine.BoundExact}, {Depth: 2, Score: -300, Bound: engine.BoundUpper}, {Depth: 3, Score: engine.MateIn(5), Bound: engine.BoundExact},
	}}
	const at = " nodes 0 nps 0 hashfull 0 tbhits 0 time 0"
	for value, want := range map[string][]string{
		"true": {
			"info depth 1 multipv 1 score cp 0 wdl 301 398 301" + at, "info depth 2 multipv 1 score cp -300 wdl 35 131 834 upperbound" + at,
			"info depth 3 multipv 1 score mate 3 wdl 1000 0 0" + at, "bestmove a2a3 ponder a7a5", "info depth 0 score mate 0 wdl 0 0 1000",
		},
		"false": {
			"info depth 1 multipv 1 score cp 0" + at, "info depth 2 multipv 1 score cp -300 upperbound" + at,
			"info depth 3 multipv 1 score mate 3" + at, "bestmove a2a3 ponder a7a5", "info depth 0 score mate 0",
		},
	} {
		synctest.Test(t, func(t *testing.T) {
			d := converse(t, newServer(e))
			d.say("setoption name UCI_ShowWDL value " + value)
			got := slices.Concat(d.say("go depth 3"), d.say(mated), d.say("go depth 1"))
			if diff := cmp.Diff(want, got[:min(len(got), len(want))]); diff != "" {
				t.Errorf("UCI_ShowWDL %s: reports (-want +got):\n%s", value, diff)
			}
			d.quit()
		})
	}
}

func TestAFaultyEngineStillAnswersALegalMove(t *testing.T) {
	for _, c := range []struct {
		name string
		e    *stub
	}{
		{"panic", &stub{panics: true}},
		{"error", &stub{fails: errors.New("out of luck")}},
		{"a move that is not legal", &stub{best: position.NewMove(0, 1, position.Normal)}},
	} {
		for _, start := range []string{"go depth 1", "go wtime 0 btime 0"} {
			got := script(t, newServer(c.e), start, "isready")
			if want := []string{"readyok"}; !slices.Equal(only(got, "readyok"), want) {
				t.Errorf("%s: the server does not answer any more: %q", c.name, got)
			}
			best := only(got, "bestmove")
			if len(best) != 1 || len(only(got, "info string")) != 1 {
				t.Fatalf("%s: got %q, want one info string and one bestmove", c.name, got)
			}
			p := position.Start()
			if _, err := p.ParseUCI(strings.Fields(best[0])[1]); err != nil {
				t.Errorf("%s: %q: %v", c.name, best[0], err)
			}
		}
		if got := only(script(t, newServer(c.e), "go depth 1 searchmoves h2h4"), "bestmove"); !slices.Equal(got, []string{"bestmove h2h4"}) {
			t.Errorf("%s with searchmoves: got %q, want h2h4", c.name, got)
		}
	}
}

func TestCastlingIsWrittenAsTheOptionSays(t *testing.T) {
	const classic = "position fen r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"
	const shuffled = "position fen 4kr2/pppppppp/8/8/8/8/PPPPPPPP/4KR2 w Ff - 0 1"
	for _, c := range []struct{ name, option, position, move, want string }{
		{"two squares", "false", classic, "e1h1", "bestmove e1g1"},
		{"onto the rook", "true", classic, "e1h1", "bestmove e1h1"},
		{"long, two squares", "false", classic, "e1a1", "bestmove e1c1"},
		{"a position that needs it", "false", shuffled, "e1f1", "bestmove e1f1"},
	} {
		got := script(t, newServer(&stub{}), "setoption name UCI_Chess960 value "+c.option, c.position, "go depth 1 searchmoves "+c.move)
		if best := only(got, "bestmove"); len(best) != 1 || !strings.HasPrefix(best[0], c.want) {
			t.Errorf("%s: got %q, want %s", c.name, best, c.want)
		}
	}
}

func TestSwitchesAreOnUntilTheyAreSwitchedOff(t *testing.T) {
	var told []string
	s := uci.NewServer(uci.Config{Engine: &stub{}, Budget: twentieth, Switches: []uci.Switch{
		{Name: "One Thing", Set: func(on bool) { told = append(told, fmt.Sprint("one ", on)) }},
		{Name: "Another", Set: func(on bool) { told = append(told, fmt.Sprint("another ", on)) }},
	}})
	got := script(t, s, "uci", "setoption name one thing value FALSE", "setoption name Another value 0", "setoption name One Thing value true")
	if options := only(got, "option name One Thing"); len(options) != 1 || options[0] != "option name One Thing type check default true" {
		t.Errorf("options: got %q", options)
	}
	if diff := cmp.Diff([]string{"one false", "one true"}, told); diff != "" {
		t.Errorf("set (-want +got):\n%s", diff)
	}
	if want := `info string option Another is unchanged: "0" is neither true nor false`; !slices.Contains(got, want) {
		t.Errorf("missing %q in %q", want, got)
	}
}

func TestPerftCountsBesideTheConversation(t *testing.T) {
	for _, command := range []string{"perft 3", "go perft 3"} {
		synctest.Test(t, func(t *testing.T) {
			d := converse(t, newServer(&stub{}))
			got := d.say(command)
			if n := len(only(got, "e2e4: 600")); len(got) != 22 || n != 1 || got[21] != "Nodes searched: 8902" {
				t.Errorf("%s: got %d lines %q, want 20 moves with e2e4: 600, a blank line and the sum 8902", command, len(got), got)
			}
			d.quit()
		})
	}
	got := script(t, newServer(&stub{}), "perft 30", "isready", "stop", "perft 0", "perft x")
	want := []string{"readyok", "info string perft stopped", "Nodes searched: 1", "info string perft: the depth is a whole number from 0, not x"}
	for _, w := range want {
		if !slices.Contains(got, w) {
			t.Errorf("missing %q in %q", w, got)
		}
	}
}

func TestPeopleSeeTheBoard(t *testing.T) {
	got := script(t, newServer(&stub{}), "position startpos moves e2e4 f7f5 d1h5", "d", "eval", "bench", "help")
	for _, want := range []string{
		"8 | r n b q k b n r |", "5 | . . . . . p . Q |", "Checkers: h5",
		"Fen: rnbqkbnr/ppppp1pp/8/5p1Q/4P3/8/PPPP1PPP/RNB1KBNR b KQkq - 1 2",
		"info string this engine does not explain its evaluation", "info string this engine has no bench",
	} {
		if !slices.Contains(got, want) {
			t.Errorf("missing %q in\n%s", want, strings.Join(got, "\n"))
		}
	}
}

// brokenPipe fails after some writes, like a GUI that went away.
type brokenPipe struct{ left int }

func (b *brokenPipe) Write(p []byte) (int, error) {
	if b.left--; b.left < 0 {
		return 0, errors.New("broken pipe")
	}
	return len(p), nil
}

func TestAGoneReaderEndsTheServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in := strings.NewReader(strings.Repeat("go infinite\nisready\n", 20))
		err := newServer(&stub{}).Run(t.Context(), in, &brokenPipe{left: 3})
		if err == nil || !strings.Contains(err.Error(), "broken pipe") {
			t.Errorf("run: got %v, want broken pipe", err)
		}
	})
}

package uci_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"zeitnot/engine"
	"zeitnot/engine/position"
	"zeitnot/engine/uci"
)

// fake is an engine in a goroutine: a function that answers commands.
type fake struct {
	mu   sync.Mutex
	told []string
	in   *io.PipeReader // commands
	out  *io.PipeWriter // answers
	inW  *io.PipeWriter
	outR *io.PipeReader
	done chan struct{}
}

// newFake answers each command by what answer says; nil answers like a decent engine. An
// answer "!" ends the engine.
func newFake(answer func(command string, say func(string)) (handled bool)) *fake {
	f := &fake{done: make(chan struct{})}
	f.in, f.inW = io.Pipe()
	f.outR, f.out = io.Pipe()
	go func() {
		defer close(f.done)
		lines := bufio.NewScanner(f.in)
		say := func(s string) { io.WriteString(f.out, s+"\n") }
		for lines.Scan() {
			command := lines.Text()
			f.mu.Lock()
			f.told = append(f.told, command)
			f.mu.Unlock()
			if answer != nil && answer(command, say) {
				continue
			}
			switch word, _, _ := strings.Cut(command, " "); word {
			case "uci":
				say("id name Fake 1")
				say("option name Hash type spin default 16 min 1 max 1024")
				say("option name UCI_Chess960 type check default false")
				say("option name MultiPV type spin default 1 min 1 max 500")
				say("option name Clear Hash type button")
				say("uciok")
			case "isready":
				say("readyok")
			case "go":
				say("bestmove e2e4")
			}
		}
		f.out.Close()
	}()
	return f
}

// end closes the streams, as the end of a process would, and waits.
func (f *fake) end() {
	f.outR.Close()
	f.inW.Close()
	<-f.done
}

func (f *fake) commands() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.told)
}

func (f *fake) connect(t testing.TB) *uci.Client {
	t.Helper()
	c, err := uci.Connect(t.Context(), "", f.outR, f.inW, uci.Patience{})
	if err != nil {
		t.Fatalf("connect: %v", err)
	}
	return c
}

func game(t testing.TB, fen string, moves ...string) position.Game {
	t.Helper()
	g, err := position.ParseGame(fen, false, moves)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// name is a move without castling in coordinates.
func name(m position.Move) string {
	p := position.Start()
	return p.UCI(m, true)
}

func kindOf(err error) uci.FaultKind {
	var f *uci.Fault
	if errors.As(err, &f) {
		return f.Kind
	}
	return ""
}

func TestHandshakeSurvivesNoise(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(func(command string, say func(string)) bool {
			switch {
			case command == "uci":
				for _, l := range []string{
					"Banner v1 by X", "info string tb 0", "id name \xff\xfe", "id author", "option name A type foo",
					"option name Clear Hash type button", "option name X Y type combo default a b var a b var c", "option", "option name",
					"option name Skill Level type spin default 20 min 0 max 20", "option name EvalFile type string default <empty>", "", "\x00", "uciok  \r",
				} {
					say(l)
				}
			case command == "isready":
				say(" readyok\t")
			case strings.HasPrefix(command, "go"):
				for _, l := range []string{"info depth x score cp pv e9e9", "info", "", "info depth 3 score", "info score mate", "info pv", "info string pv e2e4", "bestmove  e2e4 \r"} {
					say(l)
				}
			default:
				return false
			}
			return true
		})
		defer f.end()
		c := f.connect(t)
		want := []uci.Option{
			{Name: "A", Type: "foo"},
			{Name: "Clear Hash", Type: "button"},
			{Name: "X Y", Type: "combo", Default: "a b", Choices: []string{"a b", "c"}},
			{Name: "Skill Level", Type: "spin", Default: "20", Max: 20},
			{Name: "EvalFile", Type: "string", Default: "<empty>"},
		}
		if diff := cmp.Diff(want, c.Options()); diff != "" {
			t.Errorf("options (-want +got):\n%s", diff)
		}
		if err := c.NewGame(t.Context()); err != nil {
			t.Errorf("new game: %v", err)
		}
		depth := 3
		r, err := c.Search(t.Context(), game(t, ""), engine.Limits{Depth: &depth}, nil)
		if err != nil || name(r.Best) != "e2e4" {
			t.Errorf("search: %v, %v, want e2e4", name(r.Best), err)
		}
	})
}

func TestPatienceWithTheHandshake(t *testing.T) {
	for _, c := range []struct {
		name         string
		uciok, ready time.Duration
		connects     bool
		want         uci.FaultKind
	}{
		{"silent", -1, 0, false, uci.NoHandshake},
		{"slow to start", 20 * time.Second, 0, true, ""},
		{"slow to take a large hash", 0, 12 * time.Second, true, ""},
		{"never ready", 0, -1, true, uci.NotReady},
	} {
		synctest.Test(t, func(t *testing.T) {
			f := newFake(func(command string, say func(string)) bool {
				wait := func(d time.Duration) bool { time.Sleep(max(0, d)); return d < 0 }
				return command == "uci" && wait(c.uciok) || command == "isready" && wait(c.ready)
			})
			defer f.end()
			client, err := uci.Connect(t.Context(), "", f.outR, f.inW, uci.Patience{})
			if err == nil {
				if err := client.SetOption("hash", "512"); err != nil {
					t.Errorf("%s: set option: %v", c.name, err)
				}
				err = client.Ready(t.Context())
			}
			if got := kindOf(err); got != c.want {
				t.Errorf("%s: got fault %q (%v), want %q", c.name, got, err, c.want)
			}
		})
	}
}

func TestAnswersThatAreNoMoves(t *testing.T) {
	const promotion = "8/4P1k1/8/8/8/8/8/K7 w - - 0 1"
	for _, c := range []struct {
		fen, answer, best, ponder string
		want                      uci.FaultKind
	}{
		{"", "bestmove (none)", "", "", uci.NullMove},
		{"", "bestmove 0000", "", "", uci.NullMove},
		{"", "bestmove", "", "", uci.NullMove},
		{"", "bestmove NULL", "", "", uci.NullMove},
		{"", "bestmove a8a8", "", "", uci.IllegalMove},
		{"", "bestmove e2e5", "", "", uci.IllegalMove},
		{promotion, "bestmove e7e8", "", "", uci.IllegalMove},
		{promotion, "bestmove E7E8Q", "e7e8q", "", ""},
		{"", "bestmove E2E4", "e2e4", "", ""},
		{"", "bestmove e2e4\r", "e2e4", "", ""},
		{"", "bestmove e2e4 ponder e2e4", "e2e4", "", ""},
		{"", "bestmove e2e4 ponder E7E5", "e2e4", "e7e5", ""},
		{"r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "bestmove e1h1", "e1g1", "", ""},
		{"rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3", "bestmove (none)", "0000", "", ""},
	} {
		synctest.Test(t, func(t *testing.T) {
			f := newFake(func(command string, say func(string)) bool {
				if strings.HasPrefix(command, "go") {
					say("info depth 4 score cp 12 nodes 77 pv d2d4 d7d5")
					say(c.answer)
					return true
				}
				return false
			})
			defer f.end()
			g := game(t, c.fen)
			r, err := f.connect(t).Search(t.Context(), g, engine.Limits{}, nil)
			if got := kindOf(err); got != c.want {
				t.Errorf("%s: got fault %q (%v), want %q", c.answer, got, err, c.want)
			}
			if err != nil {
				if c.fen == "" && g.Position().UCI(r.Best, false) != "d2d4" {
					t.Errorf("%s: the last line's move is %s, want d2d4 to fall back on", c.answer, name(r.Best))
				}
				return
			}
			if got := g.Position().UCI(r.Best, false); got != c.best {
				t.Errorf("%s: got %s, want %s", c.answer, got, c.best)
			}
			if got := g.Position().UCI(r.Ponder, false); c.ponder != "" && got != c.ponder || c.ponder == "" && got != "0000" {
				t.Errorf("%s: got ponder move %s, want %q", c.answer, got, c.ponder)
			}
		})
	}
}

func TestReportsOfAnotherEngine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(func(command string, say func(string)) bool {
			if !strings.HasPrefix(command, "go") {
				return false
			}
			say("info depth 9 seldepth 14 multipv 1 score cp -31 lowerbound nodes 1000 nps 5 hashfull 12 tbhits 2 time 3 pv e2e4 e7e5 e1e8 d2d4")
			say("info depth 10 score mate -2 nodes 2000 pv d2d4")
			say("info depth 10 score mate 0")
			say("info depth 11 currmove e2e4 currmovenumber 3")
			say("info depth 12 multipv 2 score mate 3 nodes 3000 pv a2a3")
			say("info depth 13 multipv 2 score mate 9223372036854775807")
			say("bestmove d2d4")
			return true
		})
		defer f.end()
		var got []engine.Info
		r, err := f.connect(t).Search(t.Context(), game(t, ""), engine.Limits{}, func(i engine.Info) { got = append(got, i) })
		if err != nil {
			t.Fatal(err)
		}
		p := position.Start()
		move := func(s string) position.Move { m, _ := p.ParseUCI(s); return m }
		e5 := position.NewMove(position.SquareAt(4, 6), position.SquareAt(4, 4), position.DoublePush)
		want := []engine.Info{
			{Depth: 9, SelDepth: 14, MultiPV: 1, Score: -31, Bound: engine.BoundLower, Nodes: 1000, HashFull: 12, TBHits: 2, PV: []position.Move{move("e2e4"), e5}},
			{Depth: 10, Score: engine.MatedIn(4), Bound: engine.BoundExact, Nodes: 2000, PV: []position.Move{move("d2d4")}},
			{Depth: 10, Score: engine.MatedIn(0), Bound: engine.BoundExact},
			{Depth: 11, CurrMove: move("e2e4"), CurrMoveNumber: 3},
			{Depth: 12, MultiPV: 2, Score: engine.MateIn(5), Bound: engine.BoundExact, Nodes: 3000, PV: []position.Move{move("a2a3")}},
			{Depth: 13, MultiPV: 2, Score: engine.MateIn(engine.MaxPly), Bound: engine.BoundExact},
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("reports (-want +got):\n%s", diff)
		}
		if r.Nodes != 3000 || r.Depth != 10 || r.Score != engine.MatedIn(0) || r.Source != "Fake 1" {
			t.Errorf("result %+v, want 3000 nodes, depth 10, the last exact score of the first line", r)
		}
	})
}

func TestTheLateAnswerIsNotTakenForTheNext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		searches := 0
		f := newFake(func(command string, say func(string)) bool {
			switch word, _, _ := strings.Cut(command, " "); word {
			case "go":
				if searches++; searches == 2 {
					say("bestmove d2d4")
				}
				return true
			case "stop":
				if searches == 1 {
					time.Sleep(2500 * time.Millisecond)
					say("bestmove a2a3")
				}
				return true
			}
			return false
		})
		defer f.end()
		c := f.connect(t)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := c.Search(ctx, game(t, ""), engine.Limits{}, nil); kindOf(err) != uci.NoBestMove {
			t.Errorf("first search: %v, want no bestmove", err)
		}
		r, err := c.Search(t.Context(), game(t, ""), engine.Limits{}, nil)
		if err != nil || name(r.Best) != "d2d4" {
			t.Errorf("second search: %v %v, want d2d4", name(r.Best), err)
		}
	})
}

// The answer to an abandoned search may come while nobody waits for anything, or while
// another command is answered: the engine is usable afterwards.
func TestAnAnswerThatComesWhenNobodyListensIsNotAwaited(t *testing.T) {
	for when, between := range map[string]func(*uci.Client) error{
		"nobody listens":            func(*uci.Client) error { time.Sleep(10 * time.Second); return nil },
		"another answer is awaited": func(c *uci.Client) error { return c.Ready(context.Background()) },
	} {
		synctest.Test(t, func(t *testing.T) {
			searches := 0
			f := newFake(func(command string, say func(string)) bool {
				switch word, _, _ := strings.Cut(command, " "); word {
				case "go":
					if searches++; searches == 2 {
						say("bestmove d2d4")
					}
					return true
				case "stop":
					time.Sleep(4 * time.Second)
					say("bestmove a2a3")
					return true
				}
				return false
			})
			defer f.end()
			c := f.connect(t)
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			if _, err := c.Search(ctx, game(t, ""), engine.Limits{}, nil); kindOf(err) != uci.NoBestMove {
				t.Errorf("%s: first search: %v, want no bestmove", when, err)
			}
			if err := between(c); err != nil {
				t.Errorf("%s: %v", when, err)
			}
			start := time.Now()
			r, err := c.Search(t.Context(), game(t, ""), engine.Limits{}, nil)
			if err != nil || name(r.Best) != "d2d4" || time.Since(start) != 0 {
				t.Errorf("%s: second search: %v %v after %v, want d2d4 at once", when, name(r.Best), err, time.Since(start))
			}
		})
	}
}

// Whoever is held up finds the answer and the end of its patience at once.
func TestAnAnswerInTimeCountsHoweverLateItIsRead(t *testing.T) {
	for range 20 {
		synctest.Test(t, func(t *testing.T) {
			f := newFake(func(command string, say func(string)) bool {
				if command == "stop" {
					say("info depth 5 score cp 3 pv e2e4")
					say("bestmove e2e4")
				}
				return command == "stop" || strings.HasPrefix(command, "go")
			})
			defer f.end()
			heldUp := func(engine.Info) { time.Sleep(5 * time.Second) }
			r, err := f.connect(t).Search(t.Context(), game(t, ""), engine.Limits{Hard: new(time.Second)}, heldUp)
			if err != nil || name(r.Best) != "e2e4" {
				t.Errorf("got %v, %v; want e2e4", name(r.Best), err)
			}
		})
	}
}

// Soft counts from the arrival of the state: a search that had to wait gets the rest.
func TestTheWaitBeforeASearchIsTakenOffItsTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(nil)
		defer f.end()
		c := f.connect(t)
		soft, hard := 700*time.Millisecond, 2*time.Second
		deadline := engine.Now() + hard
		time.Sleep(300 * time.Millisecond)
		if _, err := c.Search(t.Context(), game(t, ""), engine.Limits{Soft: &soft, Hard: &hard, Deadline: &deadline}, nil); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		if _, err := c.Search(t.Context(), game(t, ""), engine.Limits{Soft: &soft, Hard: &hard, Deadline: &deadline}, nil); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, command := range f.commands() {
			if strings.HasPrefix(command, "go") {
				got = append(got, command)
			}
		}
		if diff := cmp.Diff([]string{"go movetime 400", "go movetime 1"}, got); diff != "" {
			t.Errorf("commands (-want +got):\n%s", diff)
		}
	})
}

func TestStopIsSentAtTheEndOfContextOrHardLimit(t *testing.T) {
	for _, byLimit := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			f := newFake(func(command string, say func(string)) bool {
				if command == "stop" {
					time.Sleep(300 * time.Millisecond)
					say("bestmove g1f3")
				}
				return command == "stop" || strings.HasPrefix(command, "go")
			})
			defer f.end()
			c := f.connect(t)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			var l engine.Limits
			hard := 5 * time.Second
			if byLimit {
				l.Hard = &hard
			} else {
				time.AfterFunc(hard, cancel)
			}
			start := time.Now()
			r, err := c.Search(ctx, game(t, ""), l, nil)
			if err != nil || name(r.Best) != "g1f3" {
				t.Errorf("search: %v %v, want g1f3", name(r.Best), err)
			}
			if took := time.Since(start); took != 5300*time.Millisecond {
				t.Errorf("by limit %v: the answer came after %v, want 5.3s", byLimit, took)
			}
		})
	}
}

func TestATalkativeEngineNeverBlocks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // however slow the machine is: no patience is real
		f := newFake(func(command string, say func(string)) bool {
			switch word, _, _ := strings.Cut(command, " "); word {
			case "ucinewgame", "isready":
				for range 20 {
					say("info string " + strings.Repeat("x", 500_000))
				}
			case "go":
				say(strings.Repeat("y", 3<<20))
				for i := range 20_000 {
					say(fmt.Sprintf("info depth %d score cp 1 nodes %d pv e2e4 e7e5", i%99, i))
				}
			}
			return false
		})
		defer f.end()
		c := f.connect(t)
		for range 3 {
			if err := c.NewGame(t.Context()); err != nil {
				t.Fatal(err)
			}
			if r, err := c.Search(t.Context(), game(t, ""), engine.Limits{}, nil); err != nil || name(r.Best) != "e2e4" {
				t.Fatalf("search: %v %v, want e2e4", name(r.Best), err)
			}
		}
	})
}

func TestWhatTheEngineIsTold(t *testing.T) {
	number := func(n int) *int { return &n }
	duration := func(d time.Duration) *time.Duration { return &d }
	e4 := position.NewMove(12, 28, position.DoublePush)
	for _, c := range []struct {
		name   string
		fen    string
		moves  []string
		limits engine.Limits
		clocks *uci.Clocks
		want   []string
	}{
		{"no limit", "", nil, engine.Limits{}, nil, []string{"position startpos", "go infinite"}},
		{"soft and hard", "", []string{"e2e4"}, engine.Limits{Soft: duration(70 * time.Millisecond), Hard: duration(time.Second)}, nil, []string{"position startpos moves e2e4", "go movetime 70"}},
		// Not zero: then it is open whether the answer or the deadline, and with it a stop, is first.
		{"next to nothing left", "", nil, engine.Limits{Hard: duration(time.Microsecond)}, nil, []string{"position startpos", "go movetime 1"}},
		{"nodes and depth", "", nil, engine.Limits{Nodes: number(2500), Depth: number(0)}, nil, []string{"position startpos", "go depth 1 nodes 2500"}},
		{"search moves", "", nil, engine.Limits{Mate: number(3), SearchMoves: []position.Move{e4}}, nil, []string{"position startpos", "go mate 3 searchmoves e2e4"}},
		{"clocks, never zero", "", nil, engine.Limits{}, &uci.Clocks{White: -50 * time.Millisecond, Black: 3 * time.Second, BlackIncrement: 50 * time.Millisecond, MovesToGo: 3}, nil},
		{
			"castling in two squares", "",
			[]string{"e2e4", "e7e5", "g1f3", "b8c6", "f1c4", "f8c5", "e1h1", "g8f6"},
			engine.Limits{Depth: number(1)},
			nil,
			[]string{"position startpos moves e2e4 e7e5 g1f3 b8c6 f1c4 f8c5 e1g1 g8f6", "go depth 1"},
		},
		{
			"castling onto the rook", "4kr2/pppppppp/8/8/8/8/PPPPPPPP/4KR2 w Ff - 0 1",
			[]string{"e1f1"},
			engine.Limits{Depth: number(1)},
			nil,
			[]string{"setoption name UCI_Chess960 value true", "position fen 4kr2/pppppppp/8/8/8/8/PPPPPPPP/4KR2 w Kk - 0 1 moves e1f1", "go depth 1"},
		},
		{
			"never the current position alone", "4k3/8/8/8/8/4P3/8/4K3 w - - 0 1",
			[]string{"e1d2", "e8d7", "d2e1", "d7e8", "e1f2", "e8f7", "f2e1", "f7e8"},
			engine.Limits{Depth: number(1)},
			nil,
			[]string{"position fen 4k3/8/8/8/8/4P3/8/4K3 w - - 0 1 moves e1d2 e8d7 d2e1 d7e8 e1f2 e8f7 f2e1 f7e8", "go depth 1"},
		},
		{"several lines", "", nil, engine.Limits{MultiPV: 3, Depth: number(1)}, nil, []string{"setoption name MultiPV value 3", "position startpos", "go depth 1"}},
	} {
		if c.clocks != nil {
			c.want = []string{"position startpos", "go wtime 1 btime 3000 winc 0 binc 50 movestogo 3"}
		}
		synctest.Test(t, func(t *testing.T) {
			f := newFake(nil)
			defer f.end()
			client := f.connect(t)
			client.SearchClock(t.Context(), game(t, c.fen, c.moves...), c.clocks, c.limits, nil)
			if diff := cmp.Diff(c.want, f.commands()[1:]); diff != "" {
				t.Errorf("%s (-want +got):\n%s", c.name, diff)
			}
		})
	}
}

func TestOptionsThatTheEngineDoesNotTake(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(nil)
		defer f.end()
		c := f.connect(t)
		for _, o := range [][2]string{{"SyzygyPath", "/tb"}, {"Hash", "0"}, {"Hash", "4096"}, {"Hash", "big"}, {"UCI_Chess960", "maybe"}, {"Clear Hash", "x\ngo"}} {
			err := c.SetOption(o[0], o[1])
			if kindOf(err) != uci.BadOption || !strings.Contains(err.Error(), o[0]) {
				t.Errorf("%q: got %v, want a bad option", o, err)
			}
		}
		if err := c.SetOption("clear hash", ""); err != nil {
			t.Error(err)
		}
		c.Ready(t.Context())
		if diff := cmp.Diff([]string{"uci", "setoption name Clear Hash", "isready"}, f.commands()); diff != "" {
			t.Errorf("commands (-want +got):\n%s", diff)
		}
	})
}

func TestAnEngineThatDies(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var f *fake
		f = newFake(func(command string, say func(string)) bool {
			if strings.HasPrefix(command, "go") {
				say("info depth 5 score cp 3 pv c2c4")
				f.out.Close()
				return true
			}
			return false
		})
		defer f.end()
		c := f.connect(t)
		r, err := c.Search(t.Context(), game(t, ""), engine.Limits{}, nil)
		if kindOf(err) != uci.Died || name(r.Best) != "c2c4" {
			t.Errorf("search: %v, %v; want died, and c2c4 of the last line", name(r.Best), err)
		}
		<-c.Ended()
		f.in.Close()
		if _, err := c.Search(t.Context(), game(t, ""), engine.Limits{}, nil); kindOf(err) != uci.Died {
			t.Errorf("the search after: %v, want died", err)
		}
	})
}

// FuzzClient: no output of an engine kills the client.
func FuzzClient(f *testing.F) {
	for _, seed := range []string{
		"uciok\nreadyok\nbestmove e2e4", "option name name type type default var\nuciok\ninfo depth 1 score cp 1 lowerbound pv e2e4 e2e4\nbestmove 0000 ponder x",
		"info\ninfo multipv\ninfo score cp 99999999999999 mate -9999999999\nuciok\nbestmove e7e8q", "id\nid name\noption var var\n\x00uciok",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r, w := io.Pipe()
		done := make(chan struct{})
		go func() {
			defer close(done)
			io.WriteString(w, "uciok\n"+text+"\n")
			w.Close()
		}()
		c, err := uci.Connect(t.Context(), "", r, io.Discard, uci.Patience{})
		if err == nil {
			g := position.NewGame(position.Start())
			res, err := c.Search(t.Context(), g, engine.Limits{}, func(engine.Info) {})
			if err == nil && !g.Position().IsLegal(res.Best) {
				t.Errorf("%q: %s is taken for a move", text, name(res.Best))
			}
		}
		r.Close()
		<-c.Ended()
		<-done
	})
}

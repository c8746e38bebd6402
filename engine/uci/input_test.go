package uci_test

import (
	"bytes"
	"context"
	"io"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"zeitnot/engine/position"
	"zeitnot/engine/search"
	"zeitnot/engine/uci"
)

// bestMoves checks that each bestmove among the lines is legal at p and counts them.
func bestMoves(t testing.TB, lines []string, p *position.Position) int {
	t.Helper()
	best := only(lines, "bestmove ")
	for _, b := range best {
		if _, err := p.ParseUCI(strings.Fields(b)[1]); err != nil {
			t.Errorf("%q at %s: %v", b, p.FEN(), err)
		}
	}
	return len(best)
}

// patient is script that waits for the bestmove after each go, so that no search is
// ended by the next line.
func patient(t testing.TB, s *uci.Server, lines ...string) []string {
	t.Helper()
	r, w := io.Pipe()
	out := &answers{best: make(chan struct{}, len(lines))}
	fed := make(chan struct{})
	go func() {
		defer close(fed)
		defer w.Close()
		for _, l := range lines {
			io.WriteString(w, l+"\n")
			if strings.HasPrefix(l, "go") {
				<-out.best
			}
		}
	}()
	if err := s.Run(context.Background(), r, out); err != nil {
		t.Fatalf("run: %v", err)
	}
	<-fed
	return strings.Split(strings.TrimSpace(out.text.String()), "\n")
}

// answers tells of each bestmove that is written to it.
type answers struct {
	text bytes.Buffer
	best chan struct{}
}

func (a *answers) Write(line []byte) (int, error) {
	if bytes.HasPrefix(line, []byte("bestmove")) {
		a.best <- struct{}{}
	}
	return a.text.Write(line)
}

// crowded has 67 moves.
const crowded = "6k1/1p3ppp/p1n2n2/4b3/1Q1R1B2/2NQ1N2/PB4PP/3R2K1 w - - 0 1"

func TestNoTimeAtAllStillGivesLegalMoves(t *testing.T) {
	p, err := position.ParseFEN(crowded)
	if err != nil {
		t.Fatal(err)
	}
	times := 1000
	if testing.Short() {
		times = 50
	}
	for _, command := range []string{"go wtime 1", "go movetime 1", "go wtime -50", "go wtime 0 btime 0", "go wtime 5 btime 5 movestogo 1", "go movetime 0"} {
		s := uci.NewServer(uci.Config{Engine: search.New(search.Options{HashMB: 1}), Budget: twentieth})
		lines := []string{"position fen " + crowded}
		for range times {
			lines = append(lines, command)
		}
		lines = patient(t, s, lines...)
		if n := bestMoves(t, lines, &p); n != times {
			t.Errorf("%s, %d times: %d answers", command, times, n)
		}
	}
}

func TestSearchmovesLinesEqualARestrictedSearch(t *testing.T) {
	run := func(lines ...string) []string {
		s := uci.NewServer(uci.Config{Engine: search.New(search.Options{HashMB: 4}), Budget: twentieth})
		return patient(t, s, lines...)
	}
	lastDepth := func(lines []string) (moves []string) {
		for _, l := range only(lines, "info depth 6 ") {
			if _, pv, ok := strings.Cut(l, " pv "); ok && !strings.Contains(l, "bound") {
				moves = append(moves, strings.Fields(pv)[0])
			}
		}
		slices.Sort(moves)
		return slices.Compact(moves)
	}
	got := lastDepth(run("setoption name MultiPV value 3", "position startpos", "go depth 6 searchmoves e2e4 a2a3 h2h4"))
	if want := []string{"a2a3", "e2e4", "h2h4"}; !slices.Equal(got, want) {
		t.Errorf("lines of three search moves with MultiPV 3: got %q, want %q", got, want)
	}
	for _, m := range got {
		alone := only(run("position startpos", "go depth 6 searchmoves "+m), "bestmove")
		if len(alone) != 1 || strings.Fields(alone[0])[1] != m {
			t.Errorf("search of %s alone: %q", m, alone)
		}
	}
}

func TestTheSecondLineIsTheBestOfTheOtherMoves(t *testing.T) {
	// Two pieces hang, and every other move loses.
	const hanging = "position fen k7/8/8/3q4/4P3/8/6r1/5K2 w - - 0 1"
	run := func(lines ...string) []string {
		s := uci.NewServer(uci.Config{Engine: search.New(search.Options{HashMB: 1}), Budget: twentieth})
		return patient(t, s, append([]string{hanging}, lines...)...)
	}
	last := map[string]string{} // rank -> first move of the deepest line
	for _, l := range only(run("setoption name MultiPV value 2", "go depth 5"), "info depth") {
		words := strings.Fields(l)
		if pv := slices.Index(words, "pv"); pv > 0 && !strings.Contains(l, "bound") {
			last[words[slices.Index(words, "multipv")+1]] = words[pv+1]
		}
	}
	first, second := last["1"], last["2"]
	got := []string{first, second}
	slices.Sort(got)
	if want := []string{"e4d5", "f1g2"}; len(last) != 2 || !slices.Equal(got, want) {
		t.Fatalf("two lines begin with %q, want %q", last, want)
	}
	others := "go depth 5 searchmoves"
	p, err := position.ParseFEN(strings.TrimPrefix(hanging, "position fen "))
	if err != nil {
		t.Fatal(err)
	}
	var list position.MoveList
	p.Legal(&list)
	for _, m := range list.Slice() {
		if name := p.UCI(m, false); name != first {
			others += " " + name
		}
	}
	if best := only(run(others), "bestmove "+second); len(best) != 1 {
		t.Errorf("a search without %s does not choose %s", first, second)
	}
}

// TestAnyConversationPairsGoAndBestmove throws commands at the server in any order.
func TestAnyConversationPairsGoAndBestmove(t *testing.T) {
	e := search.New(search.Options{HashMB: 1})
	rapid.Check(t, func(t *rapid.T) {
		s := uci.NewServer(uci.Config{Engine: e, Budget: twentieth})
		commands := rapid.SliceOfN(rapid.SampledFrom([]string{
			"uci", "isready", "ucinewgame", "stop", "ponderhit", "d", "debug on", "nonsense",
			"position startpos", "position startpos moves e2e4 e7e5", "position fen 8/8/8/8/8/8/8/8 w - - 0 1",
			"position startpos moves e2e5", mated,
			"setoption name MultiPV value 2", "setoption name MultiPV value 1", "setoption name UCI_Chess960 value true",
			"setoption name Hash value 1", "setoption name Hash value 2", "setoption name Clear Hash",
			"go", "go infinite", "go ponder wtime 100 btime 100", "go ponder", "go wtime 20 btime 20", "go depth 3",
			"go nodes 100", "go movetime 1", "go mate 1", "go perft 2", "perft 2", "go searchmoves e2e4 depth 2",
		}), 1, 25).Draw(t, "commands")
		var out bytes.Buffer
		if err := s.Run(context.Background(), strings.NewReader(strings.Join(commands, "\n")), &out); err != nil {
			t.Fatal(err)
		}
		want := 0
		for _, c := range commands {
			if strings.HasPrefix(c, "go") && c != "go perft 2" {
				want++
			}
		}
		got := strings.Count(out.String(), "bestmove ")
		if got != want {
			t.Fatalf("%d go and %d bestmove:\n%s", want, got, out.String())
		}
		if ready := strings.Count(out.String(), "readyok"); ready != strings.Count(strings.Join(commands, " "), "isready") {
			t.Fatalf("%d readyok in:\n%s", ready, out.String())
		}
	})
}

// FuzzServer: no input kills the server, every line it writes is whole, and each go has
// its bestmove.
func FuzzServer(f *testing.F) {
	for _, seed := range []string{
		"uci\nisready\nposition startpos moves e2e4\ngo depth 1\nquit\n",
		"go wtime -50 btime 9999999999999999999999 movestogo -3\nstop",
		"position fen 8/8/8/8/8/8/8/8 w - - 0 1\nposition fen\nposition\ngo ponder searchmoves\nponderhit",
		"setoption name Hash value 1e9\nsetoption name\nsetoption\nperft 1\ngo perft 0\nd\neval\nbench\nhelp",
		"\x00\xff\r\n\tgo\tinfinite\r\nstop\r\n",
		mated + "\ngo mate 0\ngo depth -1 nodes x",
		"setoption name UCI_Chess960 value true\nposition fen 4kr2/8/8/8/8/8/8/4KR2 w Ff - 0 1 moves e1f1\ngo",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s := uci.NewServer(uci.Config{Engine: &stub{}, Budget: twentieth, MaxHashMB: 2})
		var out bytes.Buffer
		if err := s.Run(context.Background(), strings.NewReader(text), &out); err != nil {
			t.Fatalf("run: %v", err)
		}
		if out.Len() > 0 && !strings.HasSuffix(out.String(), "\n") {
			t.Errorf("the last line is not whole: %q", out.String())
		}
		for _, l := range strings.Split(out.String(), "\n") {
			if strings.ContainsFunc(l, func(r rune) bool { return r < ' ' }) {
				t.Errorf("control characters in %q", l)
			}
		}
	})
}

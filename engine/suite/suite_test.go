package suite_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"zeitnot/engine"
	"zeitnot/engine/position"
	"zeitnot/engine/search"
	"zeitnot/engine/suite"
)

const undermine = `1kr5/3n4/q3p2p/p2n2p1/PppB1P2/5BP1/1P2Q2P/3R2K1 w - - bm f5; id "STS(v1.0) Undermine.001"; `

func parse(t *testing.T, line string) suite.Task {
	t.Helper()
	task, err := suite.Parse(line)
	if err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	return task
}

func move(t *testing.T, p *position.Position, san string) position.Move {
	t.Helper()
	m, err := p.ParseSAN(san)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestWhatSolves(t *testing.T) {
	const mate = "7k/6pp/8/8/8/8/8/K3R3 w - - "
	for _, c := range []struct {
		line, answer string
		score        engine.Score
		solved       bool
		points       int
		wanted       string
	}{
		{undermine, "f5", 0, true, 0, "f5"},
		{undermine, "Bf2", 0, false, 0, "f5"},
		{undermine + `c8 "100 46"; c9 "f4f5 d4f2";`, "Bf2", 0, false, 46, "f5"},
		{undermine + `c8 "100 46"; c9 "f4f5 d4f2";`, "f5", 0, true, 100, "f5"},
		{undermine + `c0 "f5=100, Bf2=46";`, "Bf2", 0, false, 46, "f5"},
		{undermine + `c0 "f5=100, Bf2=46";`, "Kh1", 0, false, 0, "f5"},
		{undermine + `c0 "Smith-Jones, 1980";`, "f5", 0, true, 0, "f5"},
		{`4k3/8/3PP1p1/8/3K3p/8/3n2PP/8 b - - am Nf1;`, "Nb3", 0, true, 0, "not Nf1"},
		{`4k3/8/3PP1p1/8/3K3p/8/3n2PP/8 b - - am Nf1;`, "Nf1", 0, false, 0, "not Nf1"},
		{`1k1r4/pp1b1R2/3q2pp/4p3/2B5/4Q3/PPP2B2/2K5 b - - ; bm Qd1 + ; id BK.01`, "Qd1+", 0, true, 0, "Qd1+"},
		{mate + "dm 1;", "Re8", engine.MateIn(1), true, 0, "mate in 1"},
		{mate + "bm Kb1 dm 1", "Re8", engine.MateIn(1), true, 0, "mate in 1"},
		{mate + "bm Re8; ce +M1;", "Re8", engine.MateIn(3), false, 0, "mate in 1"},
		{mate + "dm 1;", "Re8", 900, false, 0, "mate in 1"},
		{mate + "dm 1;", "Re8", engine.MatedIn(2), false, 0, "mate in 1"},
		{mate + `c8 "5 5"; c9 "e1e8 a1b1";`, "Kb1", 0, true, 5, "Kb1 or Re8#"},
	} {
		task := parse(t, c.line)
		r := engine.Result{Best: move(t, &task.Position, c.answer), Score: c.score}
		if got := task.Solved(r); got != c.solved {
			t.Errorf("%s: %s (%s): solved is %v, want %v", c.line, c.answer, c.score, got, c.solved)
		}
		if got := task.Points[r.Best]; got != c.points {
			t.Errorf("%s: %s: got %d points, want %d", c.line, c.answer, got, c.points)
		}
		if got := task.Wanted(); got != c.wanted {
			t.Errorf("%s: wanted is %q, want %q", c.line, got, c.wanted)
		}
	}
	task := parse(t, undermine)
	if got := task.Theme(); got != "STS(v1.0) Undermine" {
		t.Errorf("got theme %q", got)
	}
}

func TestLinesThatAreNoTasks(t *testing.T) {
	const file = "# comment\n\n" + undermine + "\n" +
		"startpos\n" +
		"4k3/8/8/8/8/8/8/4K3 w - - id \"no wish\";\n" +
		"4k3/8/8/8/8/8/8/4K3 w - - bm Qd1;\n" +
		"4k3/8/8/8/8/8/8/4K3 w - - dm 0;\n" +
		"4k3/8/8/8/8/8/8/4K3 w - - c8 \"1 2\"; c9 \"e1e2\";\n"
	faults := map[int]string{}
	tasks, err := suite.Read(strings.NewReader(file), func(line int, err error) { faults[line] = err.Error() })
	if err != nil || len(tasks) != 1 {
		t.Fatalf("got %d tasks, %v, want one", len(tasks), err)
	}
	for line, want := range map[int]string{
		4: "no position", 5: "nothing is wanted", 6: `bm: move "Qd1" is illegal`, 7: `mate in "0"`, 8: "2 values in c8",
	} {
		if !strings.Contains(faults[line], want) {
			t.Errorf("line %d: got %q, want %q", line, faults[line], want)
		}
	}
	if len(faults) != 5 {
		t.Errorf("got %d faults, want 5: %v", len(faults), faults)
	}
}

func TestRunCounts(t *testing.T) {
	tasks := []suite.Task{
		parse(t, "7k/6pp/8/8/8/8/8/K3R3 w - - dm 1;"),
		parse(t, "7k/6pp/8/8/8/8/8/K3R3 w - - am Re8;"),
		parse(t, `7k/6pp/8/8/8/8/8/K3R3 w - - c8 "10 3"; c9 "a1b1 e1e8";`),
	}
	var score suite.Score
	depth := 3
	s := search.New(search.Options{HashMB: 1})
	if err := suite.Run(context.Background(), s, tasks, engine.Limits{Depth: &depth}, score.Add); err != nil {
		t.Fatal(err)
	}
	if got, want := score.String(), "1/3 solved, 3/10 points"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := suite.Run(ctx, s, tasks, engine.Limits{Depth: &depth}, score.Add); !errors.Is(err, context.Canceled) || score.Tasks != 3 {
		t.Errorf("after the end of the context: %v, %d tasks counted", err, score.Tasks)
	}
}

// Every suite in the test data is read, but for lines that were made to break parsers.
func TestSuitesAreRead(t *testing.T) {
	folder := os.Getenv("ZEITNOT_TESTDATA")
	if folder == "" {
		t.Skip("ZEITNOT_TESTDATA is not set")
	}
	for name, want := range map[string]int{
		"STS1-STS15_LAN_v6": 1188, "wacnew": 300, "arasan2024": 200, "bratko-kopec": 24, "bt2630": 30, "eet": 100,
		"mate_in_3": 1277, "hard-mates-blass-uri": 23, "nolot": 11, "wac-revised": 200, "pet": 48, "lct2": 35,
	} {
		file, err := os.Open(filepath.Join(folder, "epd", name+".epd"))
		if err != nil {
			t.Fatal(err)
		}
		tasks, err := suite.Read(file, func(line int, err error) { t.Logf("%s:%d: %v", name, line, err) })
		file.Close()
		if err != nil || len(tasks) != want {
			t.Errorf("%s: got %d tasks, %v, want %d", name, len(tasks), err, want)
		}
	}
}

package position_test

import (
	"bufio"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"zeitnot/engine/position"
)

// The suites have rows of up to ten billion nodes; the usual run takes the small ones. A long
// one, about a minute on a free core:
//
//	go test ./engine/position -run PerftSuites -perft.nodes 5000000 -perft.deep 100 -timeout 1h
var (
	perftNodes = flag.Uint64("perft.nodes", 100_000, "run the rows of the perft suites up to this many nodes")
	perftDeep  = flag.Int("perft.deep", 0, "run so many rows beyond -perft.nodes too, drawn at random")
	perftSeed  = flag.Uint64("perft.seed", 1, "seed of that draw")
)

// testdata is a file of the folder that ZEITNOT_TESTDATA names: data that may be used
// but not copied into the repository.
func testdata(t testing.TB, name string) string {
	t.Helper()
	dir := os.Getenv("ZEITNOT_TESTDATA")
	if dir == "" {
		t.Skip("ZEITNOT_TESTDATA is not set")
	}
	return filepath.Join(dir, name)
}

// eachLine calls f with every line of a file of the test data.
func eachLine(t testing.TB, name string, f func(line string)) {
	t.Helper()
	file, err := os.Open(testdata(t, name))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		f(lines.Text())
	}
	if err := lines.Err(); err != nil {
		t.Fatalf("read %s: %v", name, err)
	}
}

// A perftRow is one count of a suite.
type perftRow struct {
	fen   string
	depth int
	nodes uint64
}

// perftRows reads a suite in either of two forms: "epd FEN" followed by lines "perft depth
// nodes", or all on one line as "FEN ;D1 20 ;D2 400".
func perftRows(t *testing.T, name string) (rows []perftRow) {
	t.Helper()
	add := func(fen, depth, nodes string) {
		d, err1 := strconv.Atoi(depth)
		n, err2 := strconv.ParseUint(nodes, 10, 64)
		if err1 != nil || err2 != nil {
			t.Fatalf("%s: %s: depth %q, nodes %q", name, fen, depth, nodes)
		}
		rows = append(rows, perftRow{fen, d, n})
	}
	fen := ""
	eachLine(t, name, func(line string) {
		if strings.HasSuffix(name, ".perft") {
			switch f := strings.Fields(line); {
			case len(f) > 1 && f[0] == "epd":
				fen = strings.TrimSpace(strings.TrimPrefix(line, "epd"))
			case len(f) == 3 && f[0] == "perft":
				add(fen, f[1], f[2])
			}
			return
		}
		fen, counts, _ := strings.Cut(line, ";")
		for count := range strings.SplitSeq(counts, ";") {
			if depth, nodes, ok := strings.Cut(strings.TrimSpace(count), " "); ok {
				add(fen, strings.TrimPrefix(depth, "D"), strings.TrimSpace(nodes))
			}
		}
	})
	if len(rows) == 0 {
		t.Fatalf("%s: no rows", name)
	}
	return rows
}

func (r perftRow) run(t *testing.T, chess960 bool) {
	t.Helper()
	p, err := position.ParseFEN(r.fen)
	if err != nil {
		t.Error(err)
		return
	}
	if chess960 {
		p = p.WithChess960(true)
	}
	if got := p.Perft(r.depth); got != r.nodes {
		t.Errorf("perft(%d) of %s: got %d, want %d", r.depth, r.fen, got, r.nodes)
	}
}

func TestPerftSuites(t *testing.T) {
	suites := []struct {
		file     string
		chess960 bool
	}{
		{"ethereal-standard.epd", false},
		{"ethereal-fischer.epd", true}, // chess960.perft has the same rows
		{"perft-marcel.epd", false},    // random.perft has the same positions
		{"ferdy_perft_double_checks.epd", false},
		{"ferdy_perft_enpassant_1.epd", false},
		{"ferdy_perft_single_check_1.epd", false},
		{"tricky-scalachess.perft", true},
		{"tricky-shakmaty.perft", true},
	}
	for _, s := range suites {
		t.Run(s.file, func(t *testing.T) {
			t.Parallel()
			ran, nodes := 0, uint64(0)
			for _, r := range perftRows(t, filepath.Join("perft", s.file)) {
				if r.nodes > *perftNodes || tooMuchMaterial(t, r.fen) {
					continue
				}
				r.run(t, s.chess960)
				ran++
				nodes += r.nodes
			}
			t.Logf("%d rows, %d nodes", ran, nodes)
		})
	}
	if *perftDeep == 0 {
		return
	}
	// The draw is over all suites together, so each file is weighed by its rows.
	type drawn struct {
		perftRow
		chess960 bool
	}
	var pool []drawn
	for _, s := range suites {
		for _, r := range perftRows(t, filepath.Join("perft", s.file)) {
			if r.nodes > *perftNodes && !tooMuchMaterial(t, r.fen) {
				pool = append(pool, drawn{r, s.chess960})
			}
		}
	}
	rng := rand.New(rand.NewPCG(*perftSeed, 0))
	rng.Shuffle(len(pool), func(i, j int) { pool[i], pool[j] = pool[j], pool[i] })
	for i, r := range pool[:min(*perftDeep, len(pool))] {
		t.Run(fmt.Sprintf("deep %d: depth %d of %s", i, r.depth, strings.ReplaceAll(r.fen, "/", "|")), func(t *testing.T) {
			r.run(t, r.chess960)
		})
	}
}

// One row of the tricky suites has 28 queens: beyond what a game can lead to, and beyond
// the 218 moves that a legal position can have.
func tooMuchMaterial(t *testing.T, fen string) bool {
	t.Helper()
	if fen != "kBQQQQQQ/BR5Q/Q6Q/Q6Q/Q6Q/Q6Q/Q6Q/KQQQQQQQ w - -" {
		return false
	}
	if _, err := position.ParseFEN(fen); err == nil || !strings.Contains(err.Error(), "at most 16") {
		t.Errorf("%s: got error %v, want one about more than 16 pieces", fen, err)
	}
	return true
}

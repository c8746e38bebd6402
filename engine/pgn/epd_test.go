package pgn_test

import (
	"bufio"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"zeitnot/engine/pgn"
)

func TestParseEPD(t *testing.T) {
	const board = "r1b1r1k1/p1p3pp/2p2n2/2bp4/5P2/3BBQPq/PPPK3P/R4N1R"
	cases := []struct {
		name, line, fen string
		ops             []pgn.Op
	}{
		{
			"by the letter", board + ` b - - bm Bg4 Bf5; id "ECM 946; x";`, board + " b - - 0 1",
			[]pgn.Op{{Code: "bm", Operands: []string{"Bg4", "Bf5"}}, {Code: "id", Operands: []string{"ECM 946; x"}}},
		},
		{"a FEN's counters", board + ` b - - 3 41 bm Bg4`, board + " b - - 3 41", []pgn.Op{{Code: "bm", Operands: []string{"Bg4"}}}},
		{"a glued counter", board + ` b - -0 41 bm Bg4;`, board + " b - - 0 41", []pgn.Op{{Code: "bm", Operands: []string{"Bg4"}}}},
		{
			"operations after a semicolon", board + ` b - - ; bm Bg4 ; id x y`, board + " b - - 0 1",
			[]pgn.Op{{Code: "bm", Operands: []string{"Bg4"}}, {Code: "id", Operands: []string{"x", "y"}}},
		},
		{
			"counters as operations", board + ` b - - hmvc 7; fmvn 20;`, board + " b - - 7 20",
			[]pgn.Op{{Code: "hmvc", Operands: []string{"7"}}, {Code: "fmvn", Operands: []string{"20"}}},
		},
		{"nothing but a position", board + " b - -", board + " b - - 0 1", nil},
	}
	for _, c := range cases {
		e, err := pgn.ParseEPD(c.line)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got := e.Position.FEN(); got != c.fen {
			t.Errorf("%s: position %s, want %s", c.name, got, c.fen)
		}
		for i := range e.Ops {
			if len(e.Ops[i].Operands) == 0 {
				e.Ops[i].Operands = nil
			}
		}
		if diff := cmp.Diff(c.ops, e.Ops); diff != "" {
			t.Errorf("%s: operations (-want +got):\n%s", c.name, diff)
		}
	}
	for _, bad := range []string{"", ";", "startpos", "8/8/8/8/8/8/8/8 w - - bm x;"} {
		if _, err := pgn.ParseEPD(bad); err == nil {
			t.Errorf("%q was taken for a position", bad)
		}
	}
}

func TestEPDSuites(t *testing.T) {
	folder := os.Getenv("ZEITNOT_TESTDATA")
	if folder == "" {
		t.Skip("ZEITNOT_TESTDATA is not set")
	}
	files, _ := filepath.Glob(filepath.Join(folder, "epd", "*.epd"))
	good, bad, moves := 0, 0, 0
	for _, name := range files {
		base := filepath.Base(name)
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(strings.NewReader(string(text)))
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			if strings.TrimSpace(lines.Text()) == "" {
				continue
			}
			e, err := pgn.ParseEPD(lines.Text())
			// Three files are made to break parsers; the others hold positions only, but for
			// a word and some boards with more pieces than a game has.
			meant := strings.HasPrefix(base, "destruct") || strings.HasPrefix(base, "grief") || lines.Text() == "startpos" || base == "fortresses.epd"
			switch {
			case err == nil:
				good++
			case meant:
				bad++
			default:
				t.Errorf("%s: %q: %v", base, lines.Text(), err)
			}
			if op, ok := e.Op("bm"); ok && err == nil && len(op.Operands) > 0 {
				if _, err := e.Position.ParseSAN(op.Operands[0]); err == nil {
					moves++
				}
			}
		}
	}
	t.Logf("%d positions, %d refused on purpose, %d best moves readable", good, bad, moves)
	if good < 8000 || moves < 5000 {
		t.Errorf("only %d positions and %d best moves", good, moves)
	}
}

package search_test

import (
	"bufio"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"zeitnot/engine"
	"zeitnot/engine/position"
	"zeitnot/engine/search"
)

// TestMateSuites searches mates from the test data: at 200,000 nodes nearly all short ones
// must be found, of at most the length that the suite states.
func TestMateSuites(t *testing.T) {
	dir := os.Getenv("ZEITNOT_TESTDATA")
	if dir == "" {
		t.Skip("ZEITNOT_TESTDATA is not set")
	}
	s := search.New(search.Options{})
	for _, tt := range []struct {
		file  string
		moves int
		every int // one position of so many
		least int // per cent
	}{
		{"mate_in_1.epd", 1, 1, 100},
		{"mate_in_2.epd", 2, 20, 90},
		{"mate_in_3.epd", 3, 40, 90},
	} {
		f, err := os.Open(filepath.Join(dir, "epd", tt.file))
		if err != nil {
			t.Fatal(err)
		}
		n, found := 0, 0
		sc := bufio.NewScanner(f)
		for i := 0; sc.Scan(); i++ {
			fields := strings.Fields(sc.Text())
			if i%tt.every != 0 || len(fields) < 4 {
				continue
			}
			p, err := position.ParseFEN(strings.Join(fields[:4], " "))
			if err != nil {
				t.Fatalf("%s line %d: %v", tt.file, i+1, err)
			}
			s.NewGame()
			r := find(t, s, position.NewGame(p), engine.Limits{Nodes: ptr(200_000), Mate: &tt.moves})
			n++
			if r.Score.IsMate() && r.Score > 0 && r.Score.MateMoves() <= tt.moves {
				found++
			}
		}
		f.Close()
		if n == 0 || found*100 < n*tt.least {
			t.Errorf("%s: found %d of %d, want %d %%", tt.file, found, n, tt.least)
		}
		t.Logf("%s: found %d of %d", tt.file, found, n)
	}
}

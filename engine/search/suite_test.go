package search_test

import (
	"os"
	"path/filepath"
	"testing"

	"zeitnot/engine"
	"zeitnot/engine/search"
	"zeitnot/engine/suite"
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
		every int // one position of so many
		least int // per cent
	}{
		{"mate_in_1.epd", 1, 100},
		{"mate_in_2.epd", 20, 90},
		{"mate_in_3.epd", 40, 90},
	} {
		f, err := os.Open(filepath.Join(dir, "epd", tt.file))
		if err != nil {
			t.Fatal(err)
		}
		all, err := suite.Read(f, func(line int, err error) { t.Logf("%s line %d: %v", tt.file, line, err) })
		f.Close()
		if err != nil {
			t.Fatal(err)
		}
		var some []suite.Task
		for i := 0; i < len(all); i += tt.every {
			some = append(some, all[i])
		}
		var score suite.Score
		if err := suite.Run(t.Context(), s, some, engine.Limits{Nodes: new(200_000)}, score.Add); err != nil {
			t.Fatal(err)
		}
		if score.Tasks == 0 || score.Solved*100 < score.Tasks*tt.least {
			t.Errorf("%s: %v, want %d %%", tt.file, score, tt.least)
		}
		t.Logf("%s: %v", tt.file, score)
	}
}

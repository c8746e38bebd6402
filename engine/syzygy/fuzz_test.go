package syzygy

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"zeitnot/engine/position"
)

// Whatever bytes a file has: it is refused or answers, and never reads outside of it.
func FuzzTableBytes(f *testing.F) {
	f.Add([]byte{}, "KQvK", false)
	header := append([]byte(nil), magics[wdlKind]...)
	f.Add(append(header, make([]byte, 76)...), "KRvKR", false)
	// A valid little table: one value for both sides.
	constant := append([]byte(nil), magics[wdlKind]...)
	constant = append(constant, 1, 0, 0x66, 0x55, 0xee, 0, flagConstant, 4, flagConstant, 0)
	constant = append(constant, make([]byte, 80-len(constant))...)
	f.Add(constant, "KQvK", false)
	boards := []string{
		"8/8/8/3k4/8/8/1Q6/K7 w - - 0 1", "8/8/8/3k4/8/8/1Q6/K7 b - - 0 1",
		"8/8/8/3k4/8/8/1R6/K6r w - - 0 1", "8/8/8/3k4/8/8/1P6/K6p b - - 0 1",
		"8/8/2p5/3k4/8/8/1P6/K7 b - - 0 1", "8/8/8/3k4/8/8/1PP5/K7 w - - 0 1",
	}
	f.Fuzz(func(t *testing.T, data []byte, name string, dtz bool) {
		m, err := parseMaterial(name)
		if err != nil {
			return
		}
		k := wdlKind
		if dtz {
			k = dtzKind
		}
		table, err := parseTable(k, m, data)
		if err != nil {
			return
		}
		for _, fen := range boards {
			p, err := position.ParseFEN(fen)
			if err != nil {
				continue
			}
			if pm := materialOf(&p); pm != m && pm != m.mirror() {
				continue
			}
			if dtz {
				table.dtz(&p, materialOf(&p), Win)
			} else if w, ok := table.wdl(&p, materialOf(&p)); ok && (w < Loss || w > Win) {
				t.Errorf("%s: value %d", fen, w)
			}
		}
		// Every part, at its ends.
		table.eachPart(func(p *part) error {
			p.pairs.at(0)
			p.pairs.at(p.layout.size - 1)
			return nil
		})
	})
}

// Real tables with bytes changed at random may answer anything, but do no harm. (In use, a
// changed table of this size is found out by its checksum.)
func TestDamagedBytesDoNoHarm(t *testing.T) {
	root := os.Getenv("ZEITNOT_TESTDATA")
	if root == "" {
		t.Skip("ZEITNOT_TESTDATA names no folder with tablebases")
	}
	r := rand.New(rand.NewPCG(5, 5))
	refused, probed := 0, 0
	for _, name := range []string{"KPvK.rtbw", "KPvK.rtbz", "KRvKR.rtbw", "KRvKB.rtbz", "KPvKP.rtbw", "KPPvK.rtbz"} {
		k := wdlKind
		if strings.HasSuffix(name, suffixes[dtzKind]) {
			k = dtzKind
		}
		m, err := parseMaterial(strings.TrimSuffix(name, suffixes[k]))
		if err != nil {
			t.Fatal(err)
		}
		good, err := os.ReadFile(filepath.Join(root, "syzygy", "regular", name))
		if err != nil {
			t.Fatal(err)
		}
		for range 200 {
			data := slices.Clone(good)
			for range 1 + r.IntN(20) {
				at := r.IntN(len(data))
				if r.IntN(2) == 0 {
					at = r.IntN(min(len(data), 400))
				}
				data[at] = byte(r.IntN(256))
			}
			table, err := parseTable(k, m, data)
			if err != nil {
				refused++
				continue
			}
			table.eachPart(func(p *part) error {
				for range 50 {
					p.pairs.at(r.Uint64N(p.layout.size))
					probed++
				}
				return nil
			})
		}
	}
	if refused == 0 || probed == 0 {
		t.Errorf("%d tables refused and %d probes, want some of both", refused, probed)
	}
}

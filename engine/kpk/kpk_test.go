package kpk_test

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"zeitnot/engine/kpk"
	"zeitnot/engine/position"
	"zeitnot/engine/syzygy"
)

var update = flag.Bool("update", false, "write the bitbase that the program has inside")

func TestBitbaseIsWhatGenerateMakes(t *testing.T) {
	want := kpk.Generate()
	if *update {
		if err := os.WriteFile("kpk.bin", want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile("kpk.bin")
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(want) {
		t.Error("kpk.bin is not what Generate makes; run go generate")
	}
}

func TestKnownPositions(t *testing.T) {
	for _, c := range []struct {
		name, fen string
		wins      bool
	}{
		{"opposition, attacker to move", "4k3/8/4K3/4P3/8/8/8/8 w - - 0 1", true},
		{"king before the pawn with the opposition", "8/4k3/8/4K3/4P3/8/8/8 b - - 0 1", true},
		{"king before the pawn without the opposition", "8/4k3/8/4K3/4P3/8/8/8 w - - 0 1", false},
		{"rook pawn, king in the corner", "k7/8/K7/P7/8/8/8/8 w - - 0 1", false},
		{"out of the square", "8/8/8/8/P6k/8/8/K7 w - - 0 1", true},
		{"in the square", "8/8/8/8/P3k3/8/8/7K b - - 0 1", false},
		{"black pawn on the h-file queens", "k7/8/8/7p/8/8/8/1K6 b - - 0 1", true},
		{"the pawn falls", "8/8/8/8/8/4k3/4P3/K7 b - - 0 1", false},
		{"stalemate", "4k3/4P3/4K3/8/8/8/8/8 b - - 0 1", false},
	} {
		p, err := position.ParseFEN(c.fen)
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := kpk.Probe(&p); !ok || got != c.wins {
			t.Errorf("%s: %s: got %v (%v), want %v", c.name, c.fen, got, ok, c.wins)
		}
	}
	start := position.Start()
	if _, ok := kpk.Probe(&start); ok {
		t.Error("the start is taken for a pawn ending")
	}
}

func TestEveryPositionAgreesWithTheTablebase(t *testing.T) {
	data := os.Getenv("ZEITNOT_TESTDATA")
	if data == "" {
		t.Skip("ZEITNOT_TESTDATA names no folder with tablebases")
	}
	tables, err := syzygy.Open([]string{filepath.Join(data, "syzygy", "regular")}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer tables.Close()
	step := position.Square(1)
	if testing.Short() {
		step = 3
	}
	compared := 0
	for pawn := position.Square(8); pawn < 56; pawn++ {
		for king := position.Square(0); king < 64; king += step {
			for bare := position.Square(0); bare < 64; bare++ {
				for strong := position.White; strong <= position.Black; strong++ {
					for stm := position.White; stm <= position.Black; stm++ {
						p, ok := place(strong, king, pawn, bare, stm)
						if !ok {
							continue
						}
						compared++
						w, ok := tables.ProbeWDL(&p)
						if !ok {
							t.Fatalf("%s: the tables do not answer", p.FEN())
						}
						if got := kpk.Wins(strong, king, pawn, bare, stm); got != (w != syzygy.Draw) {
							t.Fatalf("%s: got win %v, the tables say %v", p.FEN(), got, w)
						}
					}
				}
			}
		}
	}
	t.Logf("%d positions", compared)
	if compared < 100_000 {
		t.Error("too few positions were legal")
	}
}

// place makes a position; ok is false if it is not legal.
func place(strong position.Color, king, pawn, bare position.Square, stm position.Color) (p position.Position, ok bool) {
	if king == pawn || king == bare || pawn == bare {
		return p, false
	}
	men := [64]byte{}
	letters := [2]string{"KPk", "kpK"}[strong]
	men[king], men[pawn], men[bare] = letters[0], letters[1], letters[2]
	fen := make([]byte, 0, 90)
	for rank := 7; rank >= 0; rank-- {
		for file := range 8 {
			if m := men[rank*8+file]; m != 0 {
				fen = append(fen, m)
			} else {
				fen = append(fen, '1')
			}
		}
		if rank > 0 {
			fen = append(fen, '/')
		}
	}
	p, err := position.ParseFEN(string(fen) + " " + stm.String()[:1] + " - - 0 1")
	return p, err == nil
}

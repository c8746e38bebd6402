package main

import (
	"os"
	"path/filepath"
	"testing"
)

func TestAnInterruptedSuiteTellsHowFarItCame(t *testing.T) {
	const mate = "7k/6pp/8/8/8/8/8/K3R3 w - - dm 1;\n"
	const noEnd = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - bm e4;\n" // searched to the end of its time
	file := filepath.Join(t.TempDir(), "two.epd")
	if err := os.WriteFile(file, []byte(mate+noEnd), 0o600); err != nil {
		t.Fatal(err)
	}
	p := start(t, nil, "suite", file, "--movetime", "1h", "--hash", "1")
	p.says("1/2: right")
	p.signal(os.Interrupt)
	p.exit(1)
	p.says("two.epd  1/1 solved")
	p.says("two.epd: interrupted after 1 of 2 positions")
}

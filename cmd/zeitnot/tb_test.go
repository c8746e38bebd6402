package main

import (
	"os"
	"path/filepath"
	"testing"

	"zeitnot/engine/position"
	"zeitnot/engine/syzygy"
)

func TestReportOfTheTablesHasTheBestMovesFirst(t *testing.T) {
	data := os.Getenv("ZEITNOT_TESTDATA")
	if data == "" {
		t.Skip("ZEITNOT_TESTDATA names no folder with tablebases")
	}
	tables, err := syzygy.Open([]string{filepath.Join(data, "syzygy", "regular")}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer tables.Close()
	g, err := position.ParseGame("8/8/8/3k4/8/4K3/6P1/8 w - - 0 1", false, nil)
	if err != nil {
		t.Fatal(err)
	}
	r, err := probeReport(tables, g)
	if err != nil {
		t.Fatal(err)
	}
	if r.Class != "KPvK" || r.WDL != 2 || r.Value != "win" || r.InGame != "win" || r.DTZ == nil || *r.DTZ != 5 {
		t.Errorf("got %+v, want KPvK, a win in 5", r)
	}
	first := r.Moves[0]
	if len(r.Moves) != 8 || first.SAN != "Kf4" || !first.Best || *first.DTZ != 5 || r.Moves[7].Value != "draw" || r.Moves[7].Best {
		t.Errorf("got moves %+v, want Kf4 first and draws last", r.Moves)
	}
}

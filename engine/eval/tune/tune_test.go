package main

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"testing"

	"zeitnot/engine/eval"
	"zeitnot/engine/position"
)

var positions = []string{
	"r1bq1rk1/pp2bppp/2n1pn2/2pp4/3P1B2/2PBPN2/PP1N1PPP/R2Q1RK1 w - - 0 8",
	"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b KQkq - 0 1",
	"8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
	"2kr3r/ppp2ppp/2n5/4P3/8/2N5/PPP2PPP/2KR3R b - - 0 1",
}

func TestCommittedWeightsAreWhatTheToolWrites(t *testing.T) {
	want, err := os.ReadFile("../weights.go")
	if err != nil {
		t.Fatal(err)
	}
	w := eval.Default()
	got, err := source(&w)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(want) {
		t.Error("source(Default()) is not engine/eval/weights.go")
	}
}

func TestTraceExplainsTheValue(t *testing.T) {
	w := eval.Default()
	tr := newTracer(&w)
	for _, fen := range positions {
		p, err := position.ParseFEN(fen)
		if err != nil {
			t.Fatal(err)
		}
		x, ok := tr.trace(&p)
		if !ok {
			t.Fatalf("%s: not traced", fen)
		}
		white := eval.New().Evaluate(&p)
		if p.SideToMove() == position.Black {
			white = -white
		}
		if math.Abs(float64(x.value)-float64(white)) > 2 {
			t.Errorf("%s: traced value %v, evaluation %d", fen, x.value, white)
		}
		// Move some weights and compare the prediction with the evaluation.
		changed := w
		f := newFitter(&changed, nil)
		for i, y := range weightsOf(&changed) {
			if y.pair && (y.square >= 0 || y.group == ".KnightMobility" || y.name == ".BishopPair") {
				f.delta[i*stride], f.delta[i*stride+1] = float64(i%7-3), float64(i%5-2)
			}
		}
		f.apply(&changed)
		moved := eval.NewWith(&changed, 1).White(&p)
		if before := eval.New().White(&p); math.Abs(f.value(&x)-float64(x.value)-float64(moved-before)) > 2 {
			t.Errorf("%s: predicted change %v, got %d", fen, f.value(&x)-float64(x.value), moved-before)
		}
	}
}

func TestFitLowersTheLoss(t *testing.T) {
	w := eval.Default()
	var labels []labelled
	for i, fen := range positions {
		labels = append(labels, labelled{fen: fen, score: 60 * (i - 1), result: 0.5})
	}
	data, err := traceAll(context.Background(), &w, labels)
	if err != nil {
		t.Fatal(err)
	}
	f := newFitter(&w, data)
	before := f.loss(data)
	for range 30 {
		f.epoch(rate)
	}
	if after := f.loss(data); after >= before/2 {
		t.Errorf("loss: %v before, %v after", before, after)
	}
}

func TestLabelsAreReadAsWritten(t *testing.T) {
	want := labelled{fen: positions[0], score: -31, result: 0.5, strayed: true}
	name := filepath.Join(t.TempDir(), "labels.txt")
	if err := os.WriteFile(name, []byte(want.String()+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := readLabels(name)
	if err != nil || len(got) != 1 || got[0] != want {
		t.Errorf("got %+v, %v, want %+v", got, err, want)
	}
	for _, bad := range []string{"", "a|b|c|d", "a|1|1", "a|1|1|x"} {
		if _, err := parseLabelled(bad); err == nil {
			t.Errorf("label %q accepted", bad)
		}
	}
}

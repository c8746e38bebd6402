package search_test

import (
	"context"
	"os"
	"strconv"
	"strings"
	"testing"

	"zeitnot/engine/search"
)

func TestBenchIsReproducible(t *testing.T) {
	depth := 5
	a, err := search.Bench(context.Background(), depth)
	if err != nil {
		t.Fatal(err)
	}
	b, err := search.Bench(context.Background(), depth)
	if err != nil || a != b || a == 0 {
		t.Errorf("got %d and %d nodes, %v", a, b, err)
	}
}

func TestBenchSignature(t *testing.T) {
	if testing.Short() {
		t.Skip("the default bench takes seconds")
	}
	text, err := os.ReadFile("../../testdata/bench.txt")
	if err != nil {
		t.Fatal(err)
	}
	want, err := strconv.ParseUint(strings.TrimSpace(string(text)), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	got, err := search.Bench(context.Background(), 0)
	if err != nil {
		t.Fatal(err)
	}
	if got != want {
		t.Errorf("bench: got %d nodes, testdata/bench.txt says %d; a change of search or evaluation must change that file", got, want)
	}
}

func TestBenchEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := search.Bench(ctx, 30); err == nil {
		t.Error("cancelled bench: no error")
	}
}

package search

import (
	"testing"
	"unsafe"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"zeitnot/engine"
	"zeitnot/engine/position"
)

var anyEntry = rapid.Custom(func(t *rapid.T) ttEntry {
	return ttEntry{
		move:  position.Move(rapid.Uint16().Draw(t, "move")),
		score: rapid.IntRange(-mate, mate).Draw(t, "score"),
		eval:  rapid.OneOf(rapid.IntRange(-20000, 20000), rapid.Just(evalNone)).Draw(t, "eval"),
		depth: rapid.IntRange(-2, maxPly/2).Draw(t, "depth"),
		bound: engine.Bound(rapid.IntRange(0, 3).Draw(t, "bound")),
		pv:    rapid.Bool().Draw(t, "pv"),
	}
})

func TestUnpackIsTheInverseOfPack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := anyEntry.Draw(t, "entry")
		age := rapid.Uint8Range(0, ageMask).Draw(t, "age")
		w := pack(want, age)
		if got := unpack(w); got != want {
			t.Fatalf("got %+v, want %+v", got, want)
		}
		if got := uint8(w >> 59); got != age {
			t.Fatalf("age: got %d, want %d", got, age)
		}
	})
}

func TestStoredIsFoundAgain(t *testing.T) {
	var tt table
	tt.resize(1, 1)
	rapid.Check(t, func(t *rapid.T) {
		tt.clear(1)
		key := rapid.Uint64().Draw(t, "key")
		ply := rapid.IntRange(0, 30).Draw(t, "ply")
		want := anyEntry.Draw(t, "entry")
		if want.score >= mateInMax {
			want.score = min(want.score, mate-ply)
		}
		if want.score <= -mateInMax {
			want.score = max(want.score, ply-mate)
		}
		if pack(want, 0) == 0 {
			t.Skip("an all-zero word is an empty entry")
		}
		tt.store(key, ply, want)
		got, ok := tt.probe(key, ply)
		if !ok {
			t.Fatalf("entry %+v not found", want)
		}
		if d := cmp.Diff(want, got, cmp.AllowUnexported(ttEntry{})); d != "" {
			t.Fatalf("want, got: %s", d)
		}
		if _, ok := tt.probe(key^1, ply); ok {
			t.Fatal("found under another key")
		}
	})
}

func TestMateScoresCountFromTheNode(t *testing.T) {
	var tt table
	tt.resize(1, 1)
	// Mate in 3 plies from a node at ply 4 is mate - 7 as the root sees it ...
	tt.store(99, 4, ttEntry{score: mate - 7, depth: 5, bound: engine.BoundExact})
	// ... and at ply 10 the same position is mate in 3 plies again.
	if e, _ := tt.probe(99, 10); e.score != mate-13 {
		t.Errorf("score: got %d, want %d", e.score, mate-13)
	}
	tt.store(98, 4, ttEntry{score: 6 - mate, depth: 5, bound: engine.BoundExact})
	if e, _ := tt.probe(98, 0); e.score != 2-mate {
		t.Errorf("score: got %d, want %d", e.score, 2-mate)
	}
}

func TestReplacement(t *testing.T) {
	var tt table
	tt.buckets = make([]bucket, 1)
	exact := func(depth int, m position.Move) ttEntry {
		return ttEntry{move: m, depth: depth, bound: engine.BoundExact}
	}
	for key := uint64(1); key <= 4; key++ {
		tt.store(key, 0, exact(int(key)+1, 1))
	}
	tt.store(5, 0, exact(1, 1))
	if _, ok := tt.probe(1, 0); ok {
		t.Error("the shallowest entry of a full bucket should have gone")
	}
	tt.newSearch()
	tt.store(2, 0, exact(1, 1)) // refreshed in this search
	tt.store(6, 0, exact(1, 1))
	tt.store(7, 0, exact(1, 1))
	if _, ok := tt.probe(4, 0); !ok {
		t.Error("the deepest old entry should have outlived the shallow old ones")
	}
	if _, ok := tt.probe(2, 0); !ok {
		t.Error("an entry of this search should have outlived older ones of nearly its depth")
	}
	tt.store(6, 0, ttEntry{depth: 3, bound: engine.BoundUpper})
	if e, _ := tt.probe(6, 0); e.move != 1 || e.depth != 3 {
		t.Errorf("got move %d depth %d; want the old move kept at depth 3", e.move, e.depth)
	}
}

func TestBucketIsOneCacheLine(t *testing.T) {
	if got := unsafe.Sizeof(bucket{}); got != 64 || bucketBytes != 64 {
		t.Errorf("bucket: got %d bytes, want 64", got)
	}
}

func TestHashFull(t *testing.T) {
	var tt table
	tt.resize(1, 1)
	if got := tt.full(); got != 0 {
		t.Errorf("empty table: got %d", got)
	}
	for i := range uint64(1 << 18) {
		tt.store(i*0x9e3779b97f4a7c15, 0, ttEntry{depth: 1, bound: engine.BoundLower, score: 1})
	}
	if got := tt.full(); got < 990 {
		t.Errorf("overfilled table: got %d per mille", got)
	}
	tt.newSearch()
	if got := tt.full(); got != 0 {
		t.Errorf("after a new search begins: got %d", got)
	}
}

func TestClearEmptiesAllWithAnyNumberOfThreads(t *testing.T) {
	var tt table
	tt.resize(1, 2)
	for _, threads := range []int{1, 2, 3, 7, 256} {
		for i := range tt.buckets {
			tt.buckets[i][1] = 1
		}
		tt.clear(threads)
		for i, b := range tt.buckets {
			if b != (bucket{}) {
				t.Fatalf("%d threads: bucket %d of %d is not empty", threads, i, len(tt.buckets))
			}
		}
	}
}

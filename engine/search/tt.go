package search

import (
	"math/bits"
	"slices"
	"sync"

	"zeitnot/engine"
	"zeitnot/engine/position"
)

const (
	bucketEntries = 4
	bucketBytes   = bucketEntries * 16
	// ageMask: the age of an entry is a counter of searches modulo 32.
	ageMask = 31
	// evalNone is the static evaluation of a position in check, and of an entry without one.
	evalNone = int(engine.Infinite) + 1
)

// bucket is one cache line of four entries, each two words: key XOR data, then data. An
// entry whose words were written by two threads at the same time fails the XOR and is not
// found. Nothing in it is a pointer, so the collector never looks inside the table.
type bucket [2 * bucketEntries]uint64

// table is the transposition table. An entry is replaced within the bucket of its key:
// the same position first, then the entry of least worth, where worth is depth less eight
// plies for each search that has passed since the entry was written.
type table struct {
	buckets []bucket
	age     uint8
}

// ttEntry is what the table knows of a position. The score is relative to the node.
type ttEntry struct {
	move  position.Move
	score int
	eval  int // evalNone when there is none
	depth int
	bound engine.Bound
	pv    bool // the position has been part of a principal variation search
}

// pack lays an entry out as one word: move 0-15, score 16-31, eval 32-47, depth 48-55,
// bound 56-57, pv 58, age 59-63.
func pack(e ttEntry, age uint8) uint64 {
	w := uint64(e.move) | uint64(uint16(int16(e.score)))<<16 | uint64(uint16(int16(e.eval)))<<32 |
		uint64(uint8(int8(e.depth)))<<48 | uint64(e.bound)<<56 | uint64(age&ageMask)<<59
	if e.pv {
		w |= 1 << 58
	}
	return w
}

// unpack is the inverse of pack.
func unpack(w uint64) ttEntry {
	return ttEntry{
		move:  position.Move(w),
		score: int(int16(w >> 16)),
		eval:  int(int16(w >> 32)),
		depth: int(int8(w >> 48)),
		bound: engine.Bound(w >> 56 & 3),
		pv:    w>>58&1 != 0,
	}
}

// refine is a better guess than the static evaluation where the bound allows: the score.
// What is not in the table has no bound, and a mate is no evaluation.
func (e *ttEntry) refine(static int) int {
	if abs(e.score) >= mateInMax {
		return static
	}
	switch e.bound {
	case engine.BoundExact:
		return e.score
	case engine.BoundLower:
		return max(static, e.score)
	case engine.BoundUpper:
		return min(static, e.score)
	}
	return static
}

// resize gives the table mb MiB (at least one bucket) and empties it with so many threads.
func (t *table) resize(mb, threads int) {
	if n := max(1, mb<<20/bucketBytes); n != len(t.buckets) {
		t.buckets = nil // lets the old one be collected before the new one is made
		t.buckets = make([]bucket, n)
		wantHugePages(t.buckets)
	}
	// Also when it is new: the first use of a page takes time, a large one's a tenth of a
	// millisecond and more, which a search under a deadline does not have.
	t.clear(threads)
}

// clear empties the table with so many threads.
func (t *table) clear(threads int) {
	var parts sync.WaitGroup
	for part := range slices.Chunk(t.buckets, (len(t.buckets)+threads-1)/threads) {
		parts.Go(func() { clear(part) })
	}
	parts.Wait()
	t.age = 0
}

// newSearch lets the entries written so far grow older by one search.
func (t *table) newSearch() { t.age = (t.age + 1) & ageMask }

// bucketOf maps the key to its bucket by its high bits, so any number of buckets will do.
func (t *table) bucketOf(key uint64) *bucket {
	hi, _ := bits.Mul64(key, uint64(len(t.buckets)))
	return &t.buckets[hi]
}

// probe looks the position up; ply turns mate scores from the node's view to the root's.
func (t *table) probe(key uint64, ply int) (ttEntry, bool) {
	b := t.bucketOf(key)
	for i := 0; i < 2*bucketEntries; i += 2 {
		data := loadWord(&b[i+1])
		if loadWord(&b[i])^data == key && data != 0 {
			e := unpack(data)
			e.score = scoreFromTT(e.score, ply)
			return e, true
		}
	}
	return ttEntry{eval: evalNone}, false
}

// store writes what is known of a position. A move that is already there survives an entry
// without one, and a deeper result of this search survives a shallower inexact one.
func (t *table) store(key uint64, ply int, e ttEntry) {
	b := t.bucketOf(key)
	slot, worst := 0, int(^uint(0)>>1)
	for i := 0; i < 2*bucketEntries; i += 2 {
		data := loadWord(&b[i+1])
		if loadWord(&b[i])^data == key && data != 0 {
			old := unpack(data)
			if e.move == position.NoMove {
				e.move = old.move
			}
			if e.bound != engine.BoundExact && old.depth > e.depth+4 && uint8(data>>59) == t.age {
				return
			}
			slot = i
			break
		}
		worth := -1 << 10
		if data != 0 {
			worth = int(int8(data>>48)) - 8*int((t.age-uint8(data>>59))&ageMask)
		}
		if worth < worst {
			slot, worst = i, worth
		}
	}
	e.score = scoreToTT(e.score, ply)
	data := pack(e, t.age)
	storeWord(&b[slot], key^data)
	storeWord(&b[slot+1], data)
}

// full is the share of entries of the current search, per mille, from a sample.
func (t *table) full() int {
	n := min(len(t.buckets), 250)
	used := 0
	for i := range n {
		for j := 1; j < 2*bucketEntries; j += 2 {
			if data := loadWord(&t.buckets[i][j]); data != 0 && uint8(data>>59) == t.age {
				used++
			}
		}
	}
	return used * 1000 / (n * bucketEntries)
}

// The score of a mate, or of a table's win, counts from the root, but the same position is
// met at different distances from it. So the table holds "mate in n plies from this node":
// going in, the node's ply is taken off, and coming out the ply of the node that asks is put
// on. Storing the root's number instead makes mates seem nearer or farther than they are.

func scoreToTT(score, ply int) int { return shift(score, ply) }

func scoreFromTT(score, ply int) int { return shift(score, -ply) }

// shift moves a score that counts from the root away from zero.
func shift(score, ply int) int {
	switch {
	case !fromRoot(score):
		return score
	case score > 0:
		return score + ply
	}
	return score - ply
}

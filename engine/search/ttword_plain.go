//go:build !race

package search

// loadWord and storeWord are the only accesses to the words of the transposition table.
// Several threads may use them on the same word at once: a torn pair of words is found by
// its XOR, so a plain access is enough, and on 64-bit machines it is one instruction.
func loadWord(w *uint64) uint64     { return *w }
func storeWord(w *uint64, v uint64) { *w = v }

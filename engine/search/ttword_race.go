//go:build race

package search

import "sync/atomic"

// Under the race detector the table's words are accessed atomically, so that the deliberate
// races on them do not hide the others.
func loadWord(w *uint64) uint64     { return atomic.LoadUint64(w) }
func storeWord(w *uint64, v uint64) { atomic.StoreUint64(w, v) }

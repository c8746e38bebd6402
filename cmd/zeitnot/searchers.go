package main

import (
	"os"
	"runtime"
	"runtime/debug"

	"zeitnot/engine"
	"zeitnot/engine/search"
)

// newSearchers makes the search slots: one for each game that may run, but never more
// than there are cores. They share the hash; book and tables answer before each of them.
func newSearchers(games, cores, hashMB int, k *knowledge) []engine.Searcher {
	slots := max(1, min(games, cores))
	searchers := make([]engine.Searcher, slots)
	for i := range searchers {
		searchers[i] = k.before(search.New(search.Options{HashMB: max(1, hashMB/slots), Tables: k.within()}))
	}
	return searchers
}

// newLastResort makes the searcher that answers when there is no time or no slot for
// another: by its small table, else by a single ply.
func newLastResort() engine.Searcher { return search.New(search.Options{HashMB: 1}) }

const (
	// baseMemoryMB and gameMemoryMB are a generous guess of what is needed beside the
	// tables: buffers, connections, and the garbage of one collection.
	baseMemoryMB = 256
	gameMemoryMB = 8
)

// prepareRuntime gives the network a processor of its own beside the searches, which
// otherwise keep timers and streams waiting for milliseconds, and sets the point from
// which on memory is reclaimed eagerly. Both can be set from outside, which then counts.
// It returns the number of cores that searches may use.
func prepareRuntime(games, hashMB int) (cores int) {
	cores = runtime.GOMAXPROCS(0)
	if os.Getenv("GOMAXPROCS") == "" {
		runtime.GOMAXPROCS(cores + 1)
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(int64(hashMB+baseMemoryMB+gameMemoryMB*games) << 20)
	}
	return cores
}

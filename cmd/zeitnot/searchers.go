package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"

	"zeitnot/config"
	"zeitnot/engine"
	"zeitnot/engine/level"
	"zeitnot/engine/search"
)

// searchersFor makes the search slots as the settings want them.
func searchersFor(settings *config.Config, games, cores int, k *knowledge) ([]engine.Searcher, error) {
	if settings.LimitElo == "" {
		return newSearchers(games, cores, settings.Threads, settings.HashMB, k), nil
	}
	elo, err := strconv.Atoi(settings.LimitElo)
	if err != nil {
		return nil, fmt.Errorf("limit %q: %w", settings.LimitElo, err)
	}
	searchers := make([]engine.Searcher, max(1, min(games, cores)))
	for i := range searchers {
		s := level.New(level.Options{Full: search.New(search.Options{HashMB: weakHashMB}), Seed: rand.Uint64()})
		if err := setElo(s, elo); err != nil {
			return nil, err
		}
		searchers[i] = k.booksBefore(s)
	}
	return searchers, nil
}

// newSearchers makes the search slots: one for each game that may run, but never so many
// that their threads are more than the cores. They share the hash; book and tables answer
// before each of them.
func newSearchers(games, cores, threads, hashMB int, k *knowledge) []engine.Searcher {
	slots := searchSlots(games, cores, threads)
	searchers := make([]engine.Searcher, slots)
	for i := range searchers {
		searchers[i] = k.before(search.New(search.Options{HashMB: max(1, hashMB/slots), Threads: threads, Tables: k.within()}))
	}
	return searchers
}

// searchSlots is how many searches of so many threads may run at a time.
func searchSlots(games, cores, threads int) int { return max(1, min(games, cores/threads)) }

// lastResortFor makes the searcher that answers when there is no time or no slot for
// another: from a book, else from the tables, else as newLastResort does. The network has no
// time there.
func lastResortFor(settings *config.Config, k *knowledge) engine.Searcher {
	if settings.LimitElo != "" {
		return k.booksBefore(newLastResort())
	}
	return k.nearBefore(newLastResort())
}

// newLastResort makes the searcher that answers by its small table, else by a single ply.
func newLastResort() engine.Searcher { return search.New(search.Options{HashMB: 1}) }

const (
	// baseMemoryMB and gameMemoryMB are a generous guess of what is needed beside the
	// tables: buffers, connections, and the garbage of one collection.
	baseMemoryMB = 256
	gameMemoryMB = 8
	// threadMemoryMB is what each thread of a search has for itself.
	threadMemoryMB = 8
	// garbageMB is about how much garbage there may be before it is collected, that of twenty
	// games of 1+0. More would only let memory grow for longer before all of it has been used
	// once; the runtime collects every two minutes anyway.
	garbageMB = 8
)

// prepareRuntime gives the network a processor of its own beside the searches, which
// otherwise keep timers and streams waiting for milliseconds, and sets how much garbage there
// may be and from which point on memory is reclaimed eagerly. Each can be set from outside,
// which then counts.
// It returns the number of cores that searches may use; a search may have no more threads.
func prepareRuntime(games, threads, hashMB int) (cores int, err error) {
	cores = runtime.GOMAXPROCS(0)
	if err := threadsFit(threads, cores); err != nil {
		return cores, err
	}
	if os.Getenv("GOMAXPROCS") == "" {
		runtime.GOMAXPROCS(cores + 1)
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(int64(hashMB+baseMemoryMB+gameMemoryMB*games+threadMemoryMB*cores) << 20)
	}
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent(hashMB, searchSlots(games, cores, threads)*threads+1)) // and the last resort's
	}
	return cores, nil
}

// gcPercent is the garbage that there may be in percent of what is in use, with so many threads
// of all searches. Go's own 100 counts the tables as well: a bot with 64 MiB of hash would keep
// as much garbage again, for nothing.
func gcPercent(hashMB, threads int) int {
	return min(100, max(1, 100*garbageMB/(hashMB+threadMemoryMB*threads)))
}

// threadsFit is an error if one search alone would keep more than all cores busy.
func threadsFit(threads, cores int) error {
	if threads > cores {
		return fmt.Errorf("%d threads of a search: there are only %d cores here", threads, cores)
	}
	return nil
}

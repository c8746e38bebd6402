package search

import (
	"fmt"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"

	"zeitnot/engine/position"
)

// MaxThreads is the most threads of one search. Each has some MiB of histories of its own.
const MaxThreads = 256

// team keeps account of the helpers of the main thread (lazy SMP): each deepens on its own
// and shares nothing with the others but the transposition table. They start and are told to
// stop with a search of the main thread, which does not wait for them; the next search does.
type team struct {
	running sync.WaitGroup
	alone   bool // there may be no helpers
	// fault is the panic of a helper that no search has reported yet; nil is none.
	fault atomic.Pointer[error]
}

// MaxThreads is the most that SetThreads takes.
func (s *Searcher) MaxThreads() int { return MaxThreads }

// SetThreads gives the searches to come n threads (1 to 256).
func (s *Searcher) SetThreads(n int) error {
	if n < 1 || n > MaxThreads {
		return fmt.Errorf("threads %d: not within 1-%d", n, MaxThreads)
	}
	if n > 1 && s.alone {
		return fmt.Errorf("threads %d: a clock that is moved by the nodes of the search allows only 1", n)
	}
	s.crew(n)
	return nil
}

// crew makes or dismisses helpers until there are n threads with the main one.
func (s *Searcher) crew(n int) {
	s.Wait()
	helpers := s.main.helpers
	for len(helpers) < n-1 {
		helpers = append(helpers, newThread(&s.tt))
	}
	s.main.helpers = slices.Delete(helpers, n-1, len(helpers))
}

// Wait returns when the helpers of the last search have ended, which they do within a
// moment of its answer. Until then they may still ask the tables.
func (s *Searcher) Wait() { s.running.Wait() }

// all are the threads, the main one first.
func (s *Searcher) all() []*thread { return append([]*thread{s.main}, s.main.helpers...) }

// start sends the helpers into the search that c controls.
func (s *Searcher) start(c *control, g position.Game, only []position.Move, lines int) {
	only = slices.Clone(only) // the caller may reuse it as soon as the main thread answers
	for i, h := range s.main.helpers {
		own := *c
		d := &deepening{Searcher: s, t: h, c: &own, g: g, only: only, lines: lines}
		s.running.Go(func() { d.help(i + 1) })
	}
}

// help deepens for the n-th helper until it is stopped, and shows what it finds.
func (d *deepening) help(n int) {
	defer func() {
		// Nobody else could: this goroutine is not the searcher's caller's.
		if r := recover(); r != nil {
			err := fmt.Errorf("search helper %d panic: %v\n%s", n, r, debug.Stack())
			d.fault.Store(&err)
		}
	}()
	t := d.t
	t.begin(d.c, d.tables, d.g, d.only)
	for depth := 1; depth <= d.c.depthLimit && !t.stopped; depth++ {
		if skips(n, depth) {
			continue
		}
		t.rootDepth = depth
		before := t.root[0].move
		if d.depth(depth); !t.stopped {
			d.finished(depth, before)
			t.found.Store(t.finding(0, depth))
		}
	}
	t.publish()
}

// skips tells whether the n-th helper, from 1, leaves out a depth. Threads at different
// depths find different things: the first two leave out every other depth, each its own,
// the next four two of four in a row, each from another depth on, and so forth. The idea is
// that of Stockfish 8.
func skips(n, depth int) bool {
	size, phase := 1, n-1
	for phase >= 2*size {
		phase -= 2 * size
		size++
	}
	return (depth+phase)/size%2 != 0
}

// takeFault reports the panic of a helper once.
func (s *team) takeFault() error {
	if err := s.fault.Swap(nil); err != nil {
		return *err
	}
	return nil
}

// publish shows the counts to the other threads.
func (t *thread) publish() {
	t.shown.nodes.Store(t.nodes)
	t.shown.tbHits.Store(t.tbHits)
}

// allNodes are the nodes of this thread and of its helpers, those as of their last poll.
func (t *thread) allNodes() uint64 {
	n := t.nodes
	for _, h := range t.helpers {
		n += h.shown.nodes.Load()
	}
	return n
}

// allTBHits are the hits of this thread and of its helpers.
func (t *thread) allTBHits() uint64 {
	n := t.tbHits
	for _, h := range t.helpers {
		n += h.shown.tbHits.Load()
	}
	return n
}

package bot

import (
	"time"

	"zeitnot/engine"
)

// lease is a search slot on loan to a ponder search, until anybody needs it.
type lease struct {
	stop    func() // ends the ponder search soon; must not block
	stopped bool
}

// lend gives a free slot to a ponder search, or nil when there is none whose searcher can
// ponder, or when somebody waits. The worker must go back by release, also after convert.
func (p *pool) lend(game string, stop func()) *worker {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.waiting.Len() > 0 {
		return nil
	}
	w := p.takeIdle(game)
	if w == nil {
		return nil
	}
	if _, ok := w.searcher.(engine.Ponderer); !ok {
		p.idle = append(p.idle, w)
		return nil
	}
	w.lastGame = game
	p.ponders[w] = &lease{stop: stop}
	return w
}

// convert makes the loan of a slot a search like any other: the expected move was played.
// It reports false when the slot has been called back.
func (p *pool) convert(w *worker, t *ticket) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	l := p.ponders[w]
	if l == nil || l.stopped {
		return false
	}
	delete(p.ponders, w)
	t.since = time.Now()
	p.busy[w] = t
	p.share(t, t.since)
	return true
}

// giveBack ends a loan. A slot that has been converted is none any more.
func (p *pool) giveBack(w *worker) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ponders[w] != nil {
		p.put(w)
	}
}

// end calls one slot back, whoever else may need it.
func (p *pool) end(w *worker) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if l := p.ponders[w]; l != nil {
		l.end()
	}
}

func (l *lease) end() {
	if !l.stopped {
		l.stopped = true
		l.stop()
	}
}

// reclaim calls one more slot back, for somebody who is about to wait, unless enough are on
// their way already.
func (p *pool) reclaim() {
	if p.freeing() > p.waiting.Len() {
		return
	}
	for _, l := range p.ponders {
		if !l.stopped {
			l.end()
			return
		}
	}
}

// freeing counts the slots that were called back and are about to come free.
func (p *pool) freeing() int {
	n := 0
	for _, l := range p.ponders {
		if l.stopped {
			n++
		}
	}
	return n
}

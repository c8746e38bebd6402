package bot

import (
	"container/heap"
	"context"
	"slices"
	"sync"
	"time"

	"zeitnot/engine"
)

// pool hands out the search slots: as many searches run at a time as there are
// searchers, over all games. When all are busy, whoever has the earliest hard deadline is
// served first, and the time up to that deadline is shared by all: a running search is
// asked to answer as soon as it is past its soft limit or its share. A move after a short
// search is better than one after none.
type pool struct {
	mu   sync.Mutex // guards everything below
	idle []*worker
	busy map[*worker]*ticket
	// ponders are slots that nobody needed, for ponder searches and for getting ready for a new
	// game. They go to the first who does.
	ponders map[*worker]*lease
	waiting ticketHeap
}

// worker is one searcher and the game it searched last, "" at first: its table knows that
// game.
type worker struct {
	searcher   engine.Searcher
	lastGame   string
	introduced string // the game of which the searcher was told
}

// knowsAnother tells whether the searcher should forget something before a new game.
func (w *worker) knowsAnother(game string) bool {
	_, forgets := engine.Find[engine.Forgetter](w.searcher)
	return forgets && w.lastGame != "" && w.lastGame != game
}

// ready makes the searcher forget other games than this one.
func (w *worker) ready(game string) {
	if w.knowsAnother(game) {
		f, _ := engine.Find[engine.Forgetter](w.searcher)
		f.NewGame()
	}
	w.lastGame = game
}

// introduce tells the searcher what game it is, unless it knows.
func (w *worker) introduce(game string, about engine.Introduction) {
	if i, ok := engine.Find[engine.Introduced](w.searcher); ok && w.introduced != game {
		i.Introduce(about)
	}
	w.introduced = game
}

// ticket asks for a search slot.
type ticket struct {
	game string
	soft time.Time // past it the search may be asked to answer early
	hard time.Time // the search must have answered, or without a clock have begun
	// think replaces soft when it had to wait: counted from its start, so that a search that
	// comes late is still a search.
	think  time.Duration
	now    bool // there is no time to wait
	queued bool // it had to wait
	// since is when it began to wait or, once granted, to run.
	since time.Time
	// stop asks the running search to answer at once; called at most once, under the
	// pool's mutex, so it must not block.
	stop    func()
	stopped time.Time  // when it was asked; zero before
	index   int        // in the heap; -1 once it is out
	granted chan grant // buffered; the pool sends once
}

// grant is a search slot: the searcher, and the soft limit as it was when the slot was
// given. Later cuts of it only make the pool ask earlier.
type grant struct {
	*worker
	soft time.Time
}

func newPool(searchers []engine.Searcher) *pool {
	p := &pool{busy: map[*worker]*ticket{}, ponders: map[*worker]*lease{}}
	for _, s := range searchers {
		p.idle = append(p.idle, &worker{searcher: s})
	}
	return p
}

// acquire waits for a search slot until the context ends. The worker must go back by
// release.
func (p *pool) acquire(ctx context.Context, t *ticket) (grant, error) {
	t.granted = make(chan grant, 1)
	p.mu.Lock()
	t.since = time.Now()
	if w := p.takeIdle(t.game); w != nil {
		p.give(w, t)
		p.mu.Unlock()
		return <-t.granted, nil
	}
	p.reclaim()
	if t.now && p.freeing() <= p.waiting.Len() {
		p.mu.Unlock()
		return grant{}, errNoSlot
	}
	t.queued = true
	heap.Push(&p.waiting, t)
	for _, running := range p.busy {
		p.share(running, t.since)
	}
	p.nudge()
	p.mu.Unlock()

	// The running searches' limits pass while we wait; look again now and then.
	look := time.NewTimer(t.lookAgain())
	defer look.Stop()
	for {
		select {
		case w := <-t.granted:
			return w, nil
		case <-look.C:
			p.mu.Lock()
			p.nudge()
			p.mu.Unlock()
			look.Reset(t.lookAgain())
		case <-ctx.Done():
			p.mu.Lock()
			defer p.mu.Unlock()
			if t.index >= 0 {
				heap.Remove(&p.waiting, t.index)
				return grant{}, ctx.Err()
			}
			// Granted in the same moment: pass it on.
			p.put((<-t.granted).worker)
			return grant{}, ctx.Err()
		}
	}
}

// lookAgain is when a waiting search looks again whether a slot could come free: soon, but
// one that may wait for an hour not every moment.
func (t *ticket) lookAgain() time.Duration {
	return max(10*time.Millisecond, time.Until(t.hard)/1000)
}

// release gives the slot back.
func (p *pool) release(w *worker) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.put(w)
}

// inUse counts the running searches, ponder searches included.
func (p *pool) inUse() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.busy) + len(p.ponders)
}

func (p *pool) put(w *worker) {
	delete(p.busy, w)
	delete(p.ponders, w)
	if p.waiting.Len() == 0 {
		p.idle = append(p.idle, w)
		return
	}
	p.give(w, heap.Pop(&p.waiting).(*ticket))
}

// shortestSearch is what a search has at least before it is asked to answer for another.
const shortestSearch = 20 * time.Millisecond

// give grants a slot, with a share of the time when others wait.
func (p *pool) give(w *worker, t *ticket) {
	t.since = time.Now()
	if t.queued {
		t.soft = t.since.Add(t.think)
	}
	p.busy[w] = t
	p.share(t, t.since)
	t.granted <- grant{w, t.soft}
}

// share cuts the soft limit of a running search to its share of the time up to the
// earliest deadline of those that wait.
func (p *pool) share(t *ticket, now time.Time) {
	n, slots := p.waiting.Len()-p.freeing(), len(p.busy)
	if n <= 0 {
		return
	}
	rounds := (n + slots - 1) / slots
	share := now.Add(p.waiting[0].hard.Sub(now) / time.Duration(rounds+1))
	if least := t.since.Add(shortestSearch); share.Before(least) {
		share = least
	}
	if share.Before(t.soft) {
		t.soft = share
	}
}

// takeIdle prefers the worker that searched this game last, else takes the one that has been
// idle for the longest: the games of the others are more likely to go on.
func (p *pool) takeIdle(game string) *worker {
	if len(p.idle) == 0 {
		return nil
	}
	pick := max(0, slices.IndexFunc(p.idle, func(w *worker) bool { return w.lastGame == game }))
	w := p.idle[pick]
	p.idle = slices.Delete(p.idle, pick, pick+1)
	return w
}

// takeUsed takes the idle worker that a new game would get, nil if there is none or if it has
// nothing to forget. Its slot counts as one that is about to come free. The worker must go
// back by release.
func (p *pool) takeUsed(game string) *worker {
	p.mu.Lock()
	defer p.mu.Unlock()
	w := p.takeIdle(game)
	if w == nil {
		return nil
	}
	if !w.knowsAnother(game) {
		p.idle = append(p.idle, w)
		return nil
	}
	p.ponders[w] = &lease{stopped: true}
	return w
}

// yieldTime is how long a search that was asked to answer may take until another is asked
// as well: an engine beside us need not listen, and on a busy machine a search may not run.
const yieldTime = 50 * time.Millisecond

// nudge asks one running search to answer early when somebody waits: the one with the
// latest hard deadline among those that have had their time.
func (p *pool) nudge() {
	if p.waiting.Len() <= p.freeing() {
		return
	}
	now := time.Now()
	var pick *ticket
	for _, t := range p.busy {
		if !t.stopped.IsZero() {
			if now.Sub(t.stopped) < yieldTime {
				return // a slot is about to come free
			}
			continue
		}
		if now.Before(t.soft) || now.Before(t.since.Add(shortestSearch)) {
			continue
		}
		if pick == nil || t.hard.After(pick.hard) {
			pick = t
		}
	}
	if pick != nil {
		pick.stopped = now
		pick.stop()
	}
}

// ticketHeap orders by hard deadline, earliest first.
type ticketHeap []*ticket

func (h ticketHeap) Len() int           { return len(h) }
func (h ticketHeap) Less(i, j int) bool { return h[i].hard.Before(h[j].hard) }
func (h ticketHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].index, h[j].index = i, j
}

func (h *ticketHeap) Push(x any) {
	t := x.(*ticket)
	t.index = len(*h)
	*h = append(*h, t)
}

func (h *ticketHeap) Pop() any {
	old := *h
	t := old[len(old)-1]
	*h = old[:len(old)-1]
	t.index = -1
	return t
}

package bot

import (
	"testing"
	"testing/synctest"
	"time"

	"zeitnot/engine"
	"zeitnot/engine/instant"
	"zeitnot/engine/scripted"
)

func TestLoansAreCalledBackOneForEachThatWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPool([]engine.Searcher{scripted.Sleeper{}, scripted.Sleeper{}})
		stopped := make(chan *worker, 2)
		lend := func() *worker {
			var w *worker
			w = p.lend("ponders", func() { stopped <- w })
			return w
		}
		a, b := lend(), lend()
		if a == nil || b == nil || p.lend("third", func() {}) != nil {
			t.Fatal("want both free slots on loan, and no third")
		}
		start := time.Now()
		granted := make(chan grant)
		go func() {
			g, err := p.acquire(t.Context(), &ticket{hard: start.Add(time.Second), now: true, stop: func() {}})
			if err != nil {
				t.Errorf("no slot for a move in a hurry: %v", err)
			}
			granted <- g
		}()
		w := <-stopped
		if p.lend("ponders", func() {}) != nil {
			t.Error("a slot was lent while somebody waits")
		}
		if p.convert(w, &ticket{stop: func() {}}) {
			t.Error("a slot that was called back was kept for the ponder search")
		}
		synctest.Wait()
		if len(stopped) > 0 {
			t.Error("two loans were called back for one that waits")
		}
		p.release(w)
		if g := <-granted; g.worker != w {
			t.Error("the slot that came free went elsewhere")
		}
		other := a
		if w == a {
			other = b
		}
		running := &ticket{soft: start.Add(time.Minute), hard: start.Add(time.Hour), stop: func() {}}
		if !p.convert(other, running) || p.inUse() != 2 {
			t.Error("the other loan could not become a search")
		}
		p.release(other)
		p.release(w)
		if p.inUse() != 0 || len(p.idle) != 2 {
			t.Errorf("after all: %d in use, %d idle, want 0 and 2", p.inUse(), len(p.idle))
		}
	})
}

func TestRunningSearchesKeepTheirTimeWhileALoanComesBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPool([]engine.Searcher{scripted.Sleeper{}, instant.Random{}})
		now := time.Now()
		w := p.lend("ponders", func() {})
		asked := &ticket{soft: now, hard: now.Add(time.Hour), stop: func() { t.Error("a running search was asked to answer although a slot comes free") }}
		if _, err := p.acquire(t.Context(), asked); err != nil || w == nil {
			t.Fatal(err, w)
		}
		time.Sleep(time.Second) // well past its soft limit
		go func() {
			time.Sleep(50 * time.Millisecond)
			p.release(w)
		}()
		if _, err := p.acquire(t.Context(), &ticket{hard: now.Add(2 * time.Second), stop: func() {}}); err != nil {
			t.Fatal(err)
		}
		if !asked.soft.Equal(now) {
			t.Error("the running search's soft limit was cut")
		}
	})
}

package external

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"zeitnot/engine"
	"zeitnot/engine/position"
)

const (
	// leastThink is the time below which the engine is not even asked: pipes and schedulers
	// may take as long.
	leastThink = 10 * time.Millisecond
	// mostMargin is how long before the deadline the engine is told to stop at the earliest.
	mostMargin = 20 * time.Millisecond
	// worthwhile is the think below which the embedded engine does not find more than there
	// was in the last line of the engine: a guess.
	worthwhile = 50 * time.Millisecond
	// stopGrace is how long a search that was told to stop may still take to answer.
	stopGrace = 50 * time.Millisecond
)

// Source names the engine in results.
const Source = "engine"

// errNoEngine: there is no engine to ask in this game.
var errNoEngine = errors.New("no external engine in this game")

// job is one search that the engine may be at.
type job struct {
	relay
	cancel  context.CancelFunc
	started chan struct{} // closed when the engine is asked
	answer  chan outcome  // buffered; sent once
}

type outcome struct {
	engine.Result
	err error
}

// relay passes reports on until it is closed, and keeps the best line.
type relay struct {
	mu     sync.Mutex // guards everything below
	onInfo func(engine.Info)
	best   engine.Result
}

func (r *relay) note(i engine.Info) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(i.PV) > 0 && i.MultiPV <= 1 && i.Bound != engine.BoundUpper {
		r.best = engine.Result{Best: i.PV[0], Score: i.Score, Depth: i.Depth, Nodes: i.Nodes, Source: "best so far"}
		if len(i.PV) > 1 {
			r.best.Ponder = i.PV[1]
		}
	}
	if r.onInfo != nil {
		r.onInfo(i)
	}
}

// close ends the reports and gives the best line.
func (r *relay) close() engine.Result {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.onInfo = nil
	return r.best
}

// question asks an engine for a move.
type question func(ctx context.Context, e Engine, note func(engine.Info)) (engine.Result, error)

// asked asks the engine. A panic, for which nobody else looks on this goroutine, is an error
// of this search.
func asked(ctx context.Context, e Engine, note func(engine.Info), ask question) (r engine.Result, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("search panic: %v\n%s", p, debug.Stack())
		}
	}()
	return ask(ctx, e, note)
}

// begin asks the engine e, or the one that becomes free first if e is nil, beside the caller.
// When the job is cancelled before that it is not asked at all.
func (s *Searcher) begin(ctx context.Context, e Engine, onInfo func(engine.Info), ask question) *job {
	ctx, cancel := context.WithCancel(ctx)
	j := &job{relay: relay{onInfo: onInfo}, cancel: cancel, started: make(chan struct{}), answer: make(chan outcome, 1)}
	stop := context.AfterFunc(s.ctx, cancel)
	running := s.spawn(func() {
		defer stop()
		defer cancel()
		if e == nil {
			select {
			case e = <-s.idle:
			case <-ctx.Done():
				j.answer <- outcome{err: ctx.Err()}
				return
			}
		}
		e = s.ready(e)
		if e == nil || ctx.Err() != nil {
			j.answer <- outcome{err: errNoEngine}
			s.idle <- e
			return
		}
		close(j.started)
		r, err := asked(ctx, e, j.note, ask)
		r.Source = Source
		j.answer <- outcome{r, err}
		s.giveBack(e, err)
	})
	if !running {
		stop()
		cancel()
		j.answer <- outcome{err: errNoEngine}
		if e != nil {
			s.idle <- e
		}
	}
	return j
}

// Search implements engine.Searcher. The engine gets Soft as its movetime and a stop shortly
// before Hard; it is not awaited any longer than that.
func (s *Searcher) Search(ctx context.Context, g position.Game, l engine.Limits, onInfo func(engine.Info)) (engine.Result, error) {
	l = absolute(l)
	if s.isAway() || !g.Position().HasLegalMove() || l.Deadline != nil && *l.Deadline-engine.Now() < leastThink {
		return s.embedded(ctx, g, l, onInfo)
	}
	j := s.begin(ctx, nil, onInfo, func(ctx context.Context, e Engine, note func(engine.Info)) (engine.Result, error) {
		return e.Search(ctx, g, tightened(l), note)
	})
	return s.await(ctx, j, g, l, onInfo)
}

// await is the answer of the job, or another one in time.
func (s *Searcher) await(ctx context.Context, j *job, g position.Game, l engine.Limits, onInfo func(engine.Info)) (engine.Result, error) {
	defer j.cancel()
	over := newTimer(untilDeadline(l) - margin(untilDeadline(l))/2)
	defer over.Stop()
	// An engine that is busy, or about to start, is waited for as long as that leaves the
	// embedded one enough time.
	half := newTimer(softLeft(l) / 2)
	defer half.Stop()
	begin, started, done := half.C, j.started, ctx.Done()
	for {
		select {
		case a := <-j.answer:
			return s.answered(ctx, j, a, g, l, onInfo)
		case <-started:
			started, begin = nil, nil
		case <-begin:
			begin = nil
			select {
			case <-j.started: // just now, or long ago when there is no time left at a ponder hit
				continue
			default:
			}
			j.close()
			j.cancel()
			return s.embedded(ctx, g, l, onInfo)
		case <-done:
			done = nil
			over.Reset(min(stopGrace, max(0, untilDeadline(l))))
		case <-over.C:
			select {
			case a := <-j.answer: // in the same moment
				return s.answered(ctx, j, a, g, l, onInfo)
			default:
			}
			best := j.close()
			if ctx.Err() == nil {
				s.options.Report("external engine is late, its last line or the embedded engine answers",
					fmt.Errorf("no bestmove by the hard limit at %s", g.Position().FEN()))
			}
			if may(g, l, best.Best) {
				return best, nil
			}
			return s.embedded(ctx, g, atOnce(l), onInfo)
		}
	}
}

// answered is the answer of the job that has ended with a, or another one if that cannot be.
func (s *Searcher) answered(ctx context.Context, j *job, a outcome, g position.Game, l engine.Limits, onInfo func(engine.Info)) (engine.Result, error) {
	best := j.close()
	switch {
	case a.err == nil && may(g, l, a.Best):
		return a.Result, nil
	case softLeft(l) <= worthwhile && may(g, l, best.Best):
		return best, nil
	}
	return s.embedded(ctx, g, l, onInfo)
}

// absolute are the limits with their deadline.
func absolute(l engine.Limits) engine.Limits {
	if l.Deadline == nil && l.Hard != nil {
		l.Deadline = new(engine.Now() + *l.Hard)
	}
	return l
}

// tightened are the limits that the engine gets: an answer needs some time to arrive.
func tightened(l engine.Limits) engine.Limits {
	if l.Deadline == nil || l.Hard == nil {
		return l
	}
	m := margin(*l.Deadline - engine.Now())
	hard, soft := *l.Hard-m, *l.Hard-2*m
	if l.Soft != nil {
		soft = min(soft, *l.Soft)
	}
	l.Hard, l.Soft, l.Deadline = &hard, &soft, new(*l.Deadline-m)
	return l
}

// margin is the part of the time left that an answer may need to arrive.
func margin(left time.Duration) time.Duration { return max(0, min(mostMargin, left/8)) }

// forever is longer than any search.
const forever = 1000 * time.Hour

// untilDeadline is how long until the answer must be there.
func untilDeadline(l engine.Limits) time.Duration {
	if l.Deadline == nil {
		return forever
	}
	return *l.Deadline - engine.Now()
}

// softLeft is what is left of Soft, or of the time until the deadline without one.
func softLeft(l engine.Limits) time.Duration {
	if l.Soft == nil || l.Hard == nil || l.Deadline == nil {
		return untilDeadline(l)
	}
	arrival := *l.Deadline - *l.Hard
	return *l.Soft - (engine.Now() - arrival)
}

// newTimer fires after d, at once if that is negative.
func newTimer(d time.Duration) *time.Timer { return time.NewTimer(max(0, d)) }

// Package external plays with an engine that is another program. The engine may crash, hang,
// answer late or play what cannot be played: a legal move goes out in time all the same. Its
// last line or the embedded engine then answers, it is restarted once in a game, and after
// the second fault the embedded engine plays that game to its end. It knows no clocks and no
// server, only limits.
package external

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"zeitnot/engine"
	"zeitnot/engine/position"
	"zeitnot/engine/uci"
)

// Engine is the other program, a *uci.Process.
type Engine interface {
	engine.Ponderer
	// NewGame makes it forget and waits until it is ready.
	NewGame(ctx context.Context) error
	Option(name string) (uci.Option, bool)
	SetOption(name, value string) error
	// Close ends it and waits until it is gone.
	Close() error
}

// Options are what a Searcher is made of; all are required.
type Options struct {
	// Start starts the engine; it is then ready for a game. It may take long.
	Start func(ctx context.Context) (Engine, error)
	// Embedded answers when the engine does not. It honours its limits.
	Embedded engine.Searcher
	// Report is told what happened to the engine, one line each; err is nil for good news. It
	// is called from several goroutines.
	Report func(what string, err error)
}

// Searcher is an engine.Ponderer that asks the engine, and never fails. Close it at last.
type Searcher struct {
	options Options
	// idle holds the engine while nobody uses it. What it holds is nil when there is none for
	// the rest of the game.
	idle chan Engine
	ctx  context.Context // ended by Close
	end  context.CancelFunc

	mu       sync.Mutex // guards everything below
	closed   bool
	work     sync.WaitGroup // searches and restarts; nothing is added once closed is set
	renew    bool           // the next search is of a new game
	faults   int            // in this game
	unfit    bool           // it was said that the engine does not play this kind of chess
	away     bool           // the engine does not play this game
	opponent string         // as UCI_Opponent has it; "" is not known
	told     string         // the opponent that the engine was told
}

// New starts the engine. The error says why it cannot be used.
func New(ctx context.Context, o Options) (*Searcher, error) {
	s := &Searcher{options: o, idle: make(chan Engine, 1)}
	e, err := o.Start(ctx)
	if err != nil {
		return nil, err
	}
	s.ctx, s.end = context.WithCancel(context.WithoutCancel(ctx))
	s.idle <- e
	return s, nil
}

// Close ends the engine. A search that runs answers at once.
func (s *Searcher) Close() error {
	s.mu.Lock()
	already := s.closed
	s.closed = true
	s.mu.Unlock()
	if already {
		return nil
	}
	s.end()
	s.work.Wait()
	e := <-s.idle
	s.idle <- nil
	if e == nil {
		return nil
	}
	return e.Close()
}

// NewGame implements engine.Forgetter. An engine that had to leave the last game is started
// again. It does not wait for the engine; the next search does, for a while.
func (s *Searcher) NewGame() {
	if f, ok := engine.Find[engine.Forgetter](s.options.Embedded); ok {
		f.NewGame()
	}
	s.mu.Lock()
	s.renew, s.faults, s.unfit = true, 0, false
	s.mu.Unlock()
	select {
	case e := <-s.idle:
		if !s.spawn(func() { s.idle <- s.ready(e) }) {
			s.idle <- e
		}
	default: // whoever uses it now is late, and the next search will see to it
	}
}

// spawn runs f beside the caller unless the searcher is closed.
func (s *Searcher) spawn(f func()) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return false
	}
	s.work.Go(f)
	return true
}

// ready prepares the engine for what comes: a new game, and the opponent. It returns the
// engine to go on with, nil if there is none.
func (s *Searcher) ready(e Engine) Engine {
	s.mu.Lock()
	renew := s.renew
	s.renew = false
	s.mu.Unlock()
	if renew && e == nil {
		e = s.start("the embedded engine plays this game")
	} else if renew {
		if err := e.NewGame(s.ctx); err != nil {
			e = s.replace(e, err)
		}
	}
	if e != nil {
		s.tellOpponent(e)
	}
	return e
}

// start starts the engine; nil if it does not.
func (s *Searcher) start(otherwise string) Engine {
	e, err := s.options.Start(s.ctx)
	switch {
	case s.ctx.Err() != nil:
		if err == nil {
			e.Close()
		}
		return nil
	case err != nil:
		s.options.Report("external engine does not start, "+otherwise, err)
		return nil
	}
	s.mu.Lock()
	s.told = ""
	s.mu.Unlock()
	s.options.Report("external engine is back", nil)
	return e
}

// replace ends an engine that is at fault and starts another, once in a game.
func (s *Searcher) replace(e Engine, err error) Engine {
	if s.ctx.Err() != nil {
		e.Close()
		return nil
	}
	s.mu.Lock()
	s.faults++
	again := s.faults > 1
	s.mu.Unlock()
	const rest = "the embedded engine plays the rest of this game"
	if again {
		s.options.Report("external engine failed again, "+rest, err)
		e.Close()
		return nil
	}
	s.options.Report("external engine failed, it is restarted", err)
	e.Close()
	return s.start(rest)
}

// giveBack makes the engine free for the next search, after one that ended with err.
func (s *Searcher) giveBack(e Engine, err error) {
	switch {
	case err == nil:
	case isBadOption(err):
		s.mu.Lock()
		said := s.unfit
		s.unfit = true
		s.mu.Unlock()
		if !said {
			s.options.Report("external engine does not play this kind of chess, the embedded engine does", err)
		}
	default:
		e = s.replace(e, err)
	}
	s.idle <- e
}

// isBadOption tells whether the engine has no such option, or does not take the value; it is
// none the worse for it.
func isBadOption(err error) bool {
	fault, ok := errors.AsType[*uci.Fault](err)
	return ok && fault.Kind == uci.BadOption
}

// atOnce are limits without any time.
func atOnce(l engine.Limits) engine.Limits {
	return engine.Limits{Soft: new(time.Duration(0)), Hard: new(time.Duration(0)), SearchMoves: l.SearchMoves}
}

// embedded asks the embedded engine, which has what is left of the limits.
func (s *Searcher) embedded(ctx context.Context, g position.Game, l engine.Limits, onInfo func(engine.Info)) (engine.Result, error) {
	return s.options.Embedded.Search(ctx, g, l, onInfo)
}

// isAway tells whether the embedded engine is wanted in this game.
func (s *Searcher) isAway() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.away
}

// may tells whether a move can be an answer.
func may(g position.Game, l engine.Limits, m position.Move) bool {
	return g.Position().IsLegal(m) && (len(l.SearchMoves) == 0 || slices.Contains(l.SearchMoves, m))
}

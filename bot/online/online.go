// Package online asks databases on the network for moves: the tablebase, the opening explorer
// and the cloud evaluations of Lichess, or servers that behave like them.
//
// No move ever waits for them: they are asked while the engine searches, and what is not back
// when the search has its move comes too late. Each lookup has a deadline of its own; a server
// that fails again and again is left alone for a while, one that asks for patience gets it, and
// what was answered is remembered. Nothing that comes back is trusted to be a legal move.
package online

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"zeitnot/engine"
	"zeitnot/engine/position"
)

const (
	// clockShare is the part of the clock that a lookup may take at most, as a divisor.
	clockShare = 30
	// MaxTimeout is the longest lookup in a game with a clock, noClockTimeout that in one without.
	MaxTimeout     = time.Second
	noClockTimeout = 5 * time.Second
	// leastAllowance is less than any answer takes.
	leastAllowance = 20 * time.Millisecond
)

// Options of an Adviser.
type Options struct {
	// Sources are asked in their order; the first that knows a move counts.
	Sources []Source
	// Timeout is the longest that the lookups for one move may take in a game with a clock; 0,
	// and more than MaxTimeout, is MaxTimeout. A thirtieth of the clock is the other limit.
	Timeout time.Duration
	// MinClock is how much the clock must show for anything to be asked.
	MinClock time.Duration
	// Hold, if not nil, tells that nothing is to be asked now.
	Hold func() bool
	Log  zerolog.Logger
}

// Source is a database that can be asked: Tablebase, Explorer or Cloud.
type Source interface {
	// name stands in logs and beside moves.
	name() string
	// fits tells whether the database may have the game's position and shall be asked for it.
	fits(g position.Game) bool
	// key is what the answer depends on.
	key(p *position.Position) key
	// ask looks the position up; no candidates is a database that does not have it. The moves are
	// legal: an answer with others is an error.
	ask(ctx context.Context, p *position.Position) ([]candidate, error)
	// choose makes advice of what is known.
	choose(g position.Game, known []candidate) (engine.Advice, bool)
	// misses is after how many of our positions in a row that the database does not have it is
	// asked no more in a game; 0 is never.
	misses() int
}

// key tells positions apart.
type key struct {
	zobrist  uint64
	halfmove int // where the fifty-move counter matters
}

// candidate is a move that a database has, with what it says of it.
type candidate struct {
	move position.Move
	tableValue
	played
	score engine.Score // of the cloud
}

// Adviser asks the sources. It may be asked by many searches at once.
type Adviser struct {
	options  Options
	services []*service

	ctx    context.Context // of the lookups
	cancel context.CancelFunc
	mu     sync.Mutex // guards closed, and adding to lookups
	closed bool
	// lookups may outlive the question for which they were begun.
	lookups sync.WaitGroup
}

// New makes an Adviser. It starts nothing, and must be closed.
func New(o Options) *Adviser {
	if o.Timeout <= 0 || o.Timeout > MaxTimeout {
		o.Timeout = MaxTimeout
	}
	a := &Adviser{options: o}
	a.ctx, a.cancel = context.WithCancel(context.Background())
	for _, s := range o.Sources {
		a.services = append(a.services, newService(s, o.Log))
	}
	return a
}

// Close ends the lookups that run; later questions have no answer.
func (a *Adviser) Close() {
	a.mu.Lock()
	a.closed = true
	a.mu.Unlock()
	a.cancel()
	a.lookups.Wait()
}

// Advise implements engine.Adviser.
func (a *Adviser) Advise(ctx context.Context, g position.Game, l engine.Limits) (advice engine.Advice, ok bool) {
	defer func() {
		if r := recover(); r != nil {
			a.options.Log.Error().Str("panic", fmt.Sprint(r)).Bytes("stack", debug.Stack()).Msg("online lookup")
			ok = false
		}
	}()
	allowed := a.allowance(l)
	if allowed < leastAllowance || a.options.Hold != nil && a.options.Hold() {
		return advice, false
	}
	until := time.Now().Add(allowed)
	for _, s := range a.services {
		if !s.source.fits(g) {
			continue
		}
		known, asked := s.remembered(g)
		if !asked {
			known = a.look(ctx, s, g, time.Until(until))
		}
		if len(known) == 0 {
			continue
		}
		if advice, ok = s.source.choose(g, known); ok {
			advice.Source = s.source.name()
			return advice, true
		}
	}
	return advice, false
}

// allowance is how long the lookups for a move may take; 0 is not at all.
func (a *Adviser) allowance(l engine.Limits) time.Duration {
	switch {
	case l.Timed() && l.Soft != nil && *l.Soft < leastAllowance:
		return 0
	case l.Clock == nil:
		return noClockTimeout
	case *l.Clock < a.options.MinClock:
		return 0
	}
	return min(a.options.Timeout, *l.Clock/clockShare)
}

// look begins a lookup, unless the service rests, and waits for it until ctx ends. The lookup
// goes on without us: whether a server answers in its time must not depend on how long a search
// takes.
func (a *Adviser) look(ctx context.Context, s *service, g position.Game, allowed time.Duration) []candidate {
	if allowed < leastAllowance || ctx.Err() != nil {
		return nil
	}
	p := *g.Position()
	l, begins := s.begin(s.source.key(&p), time.Now())
	if l == nil {
		return nil
	}
	if begins && !a.run(func() { s.lookUp(a.ctx, l, &p, allowed) }) {
		s.abandon(l)
		return nil
	}
	select {
	case <-l.done:
		return l.known
	case <-ctx.Done():
		return nil
	}
}

// run runs f beside; false once the Adviser is closed.
func (a *Adviser) run(f func()) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed {
		return false
	}
	a.lookups.Go(f)
	return true
}

// Try asks a source for a position that it has, and says why it does not answer.
func Try(ctx context.Context, s Source) error {
	ctx, cancel := context.WithTimeout(ctx, noClockTimeout)
	defer cancel()
	p := position.Start()
	if _, endings := s.(Tablebase); endings {
		var err error
		if p, err = position.ParseFEN("4k3/8/8/8/8/8/8/4KQ2 w - - 0 1"); err != nil {
			return err
		}
	}
	known, err := s.ask(ctx, &p)
	if err == nil && len(known) == 0 {
		err = errors.New("it does not have a position that it should have")
	}
	return err
}

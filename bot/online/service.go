package online

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"zeitnot/engine/position"
	"zeitnot/lichess"
)

const (
	// enoughFailures in a row are enough to leave a server alone for restTime.
	enoughFailures = 3
	restTime       = 5 * time.Minute
	// leastPause follows a refusal for too many requests.
	leastPause = time.Minute
	// atOnce is how many lookups may run at a time: one, and one whose answer has become useless.
	atOnce = 2
	// cacheSize is how many answers are remembered of each source.
	cacheSize = 4096
)

// service is a source with what is known of its server.
type service struct {
	source Source
	log    zerolog.Logger

	mu       sync.Mutex // guards everything below
	cache    cache
	running  map[key]*lookup
	failures int       // in a row
	rest     time.Time // nothing is asked before
}

// lookup is a question that is under way.
type lookup struct {
	key   key
	done  chan struct{} // closed once known is set
	known []candidate   // none if there is no answer
}

func newService(s Source, log zerolog.Logger) *service {
	return &service{source: s, log: log.With().Str("source", s.name()).Logger(), running: map[key]*lookup{}, cache: newCache(cacheSize)}
}

// remembered is what the source is known to have for the current position. A source that did
// not have our latest positions in this game is taken not to have this one.
func (s *service) remembered(g position.Game) (known []candidate, asked bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	k, now := s.source.key(g.Position()), time.Now()
	if known, asked = s.cache.get(k, now); asked {
		return known, true
	}
	misses := s.source.misses()
	if misses == 0 {
		return nil, false
	}
	keys := g.Keys()
	for i := 1; i <= misses; i++ {
		at := len(keys) - 1 - 2*i
		if at < 0 {
			return nil, false
		}
		if known, asked := s.cache.get(key{zobrist: keys[at]}, now); !asked || len(known) > 0 {
			return nil, false
		}
	}
	s.cache.put(k, nil, now)
	return nil, true
}

// begin is the lookup of a key that runs or shall be run, which begins tells; nil while the
// service rests or has enough to do.
func (s *service) begin(k key, now time.Time) (l *lookup, begins bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if l := s.running[k]; l != nil {
		return l, false
	}
	if now.Before(s.rest) || len(s.running) >= atOnce {
		return nil, false
	}
	l = &lookup{key: k, done: make(chan struct{})}
	s.running[k] = l
	return l, true
}

// abandon ends a lookup that was not made.
func (s *service) abandon(l *lookup) {
	s.mu.Lock()
	delete(s.running, l.key)
	s.mu.Unlock()
	close(l.done)
}

// lookUp makes a lookup and draws its conclusions.
func (s *service) lookUp(ctx context.Context, l *lookup, p *position.Position, allowed time.Duration) {
	timed, cancel := context.WithTimeout(ctx, allowed)
	defer cancel()
	began := time.Now()
	known, err := s.ask(timed, p)
	s.log.Debug().Err(err).Dur("ms", time.Since(began)).Int("moves", len(known)).Msg("online lookup")

	s.mu.Lock()
	defer s.mu.Unlock()
	defer close(l.done)
	delete(s.running, l.key)
	switch status := lichess.StatusOf(err); {
	case err == nil:
		l.known = known
		s.answered(l)
	case status == 400 || status == 404:
		s.answered(l) // it does not have the position
	case ctx.Err() != nil: // we are leaving
	case status == 429:
		s.restFor(max(leastPause, lichess.RetryAfterOf(err)), err)
	default:
		if s.failures++; s.failures >= enoughFailures {
			s.restFor(restTime, err)
		}
	}
}

// ask asks the source; a panic is an error.
func (s *service) ask(ctx context.Context, p *position.Position) (known []candidate, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v\n%s", r, debug.Stack())
		}
	}()
	known, err = s.source.ask(ctx, p)
	if errors.Is(err, context.DeadlineExceeded) {
		err = lichess.ErrTimeout
	}
	return known, err
}

// answered keeps an answer. The mutex is held.
func (s *service) answered(l *lookup) {
	if s.failures >= enoughFailures {
		s.log.Info().Msg("online lookups answer again")
	}
	s.failures = 0
	s.cache.put(l.key, l.known, time.Now())
}

// restFor leaves the server alone. The mutex is held.
func (s *service) restFor(d time.Duration, why error) {
	if until := time.Now().Add(d); until.After(s.rest) {
		s.rest = until
	}
	s.log.Warn().Err(why).Dur("pause", d).Msg("online lookups pause, games go on without")
}

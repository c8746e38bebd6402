package lichess

import (
	"sync"
	"time"
)

const (
	// defaultPause follows a 429 that names no time: the documented full minute.
	defaultPause = time.Minute
	// minPause and maxPause bound a stated time: "now" would be a loop, and the longest real
	// limit is a day.
	minPause, maxPause = time.Second, 48 * time.Hour
)

func boundPause(d time.Duration) time.Duration { return max(minPause, min(maxPause, d)) }

// pauses keeps which kinds of request the server asked to hold back, and until when. Kinds
// that belong to a game are held back for that game alone.
type pauses struct {
	mu    sync.Mutex // guards until
	until map[pauseKey]time.Time
}

type pauseKey struct {
	kind Kind
	game string // "" for kinds that belong to no game
}

func keyOf(kind Kind, game string) pauseKey {
	if !kind.rule().perGame {
		game = ""
	}
	return pauseKey{kind, game}
}

// left is how long a kind of request is still held back; 0 when it is free.
func (p *pauses) left(kind Kind, game string) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	return max(0, time.Until(p.until[keyOf(kind, game)]))
}

// refused notes a 429 and what it holds back: the kind itself for the stated time, and with
// it, for a minute at most, everything that can wait (chat, lookups, matchmaking). The daily
// limit of games between bots is not about requests: it holds back matchmaking alone, also
// when it was an accept that met it, so that people can still be accepted.
func (p *pauses) refused(kind Kind, game string, e *Error) {
	if e.RateLimitKey == BotVsBotKey {
		p.hold(KindMatchmaking, "", e.RetryAfter)
		return
	}
	p.hold(kind, game, e.RetryAfter)
	for k := range kindCount {
		if k.rule().patient {
			p.hold(k, "", min(e.RetryAfter, defaultPause))
		}
	}
}

// hold holds a kind back for d from now; a longer pause that is running stays.
func (p *pauses) hold(kind Kind, game string, d time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	if p.until == nil {
		p.until = make(map[pauseKey]time.Time)
	}
	for k, t := range p.until { // games come and go: keep only what still counts
		if !t.After(now) {
			delete(p.until, k)
		}
	}
	key, until := keyOf(kind, game), now.Add(d)
	if until.After(p.until[key]) {
		p.until[key] = until
	}
}

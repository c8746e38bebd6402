package sandbox

import (
	"slices"
	"time"
)

type gameEventJSON struct {
	Type string   `json:"type"`
	Game gameJSON `json:"game"`
}

type challengeEventJSON struct {
	Type      string        `json:"type"`
	Challenge challengeJSON `json:"challenge"`
	Compat    *compatJSON   `json:"compat,omitempty"`
}

// publish queues a line on each event stream of the account. The caller holds the server's
// mutex.
func (a *account) publish(data []byte, now time.Time) {
	for _, st := range a.events {
		st.queue.push(line{data: data, at: now, ply: -1})
	}
}

// announce tells both players that the game started or ended. The caller holds the game's
// mutex.
func (s *Server) announce(g *game, what string) {
	now := time.Now()
	for _, st := range g.seats {
		if st.account == nil {
			continue
		}
		data := encode(gameEventJSON{what, g.eventJSON(st, now)})
		s.mu.Lock()
		st.account.publish(data, now)
		s.mu.Unlock()
	}
}

func (s *Server) announceEnd(g *game) {
	s.announce(g, "gameFinish")
	s.mu.Lock()
	s.finished++
	s.notify()
	s.mu.Unlock()
}

// eventWindow is the span in which connects of a token are counted.
const eventWindow = 10 * time.Minute

// eventStream opens the account's stream of events and ends the one that the same token
// had before.
func (c *call) eventStream() reply {
	s := c.s
	s.mu.Lock()
	ok, _ := c.token.connects.spend(c.at, eventWindow, s.opts.Limits.EventConnects, 1)
	s.mu.Unlock()
	if !ok {
		return refuse(429, "Please don't poll this endpoint, it is intended to be streamed. See https://lichess.org/api#tag/Board/operation/apiStreamEvent.").reply()
	}
	return reply{stream: func(c *call) {
		st := s.newStream(c)
		st.token = c.token
		s.mu.Lock()
		if old := c.account.events[c.token]; old != nil {
			old.finish(endClean)
		}
		c.account.events[c.token] = st
		s.notify()
		s.mu.Unlock()
		s.replay(c.account, st)
		how := c.pump(st, nil)
		s.closeEvents(c.account, st)
		c.end(how)
	}}
}

func (s *Server) closeEvents(a *account, st *stream) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if a.events[st.token] == st {
		delete(a.events, st.token)
		a.online = time.Now()
	}
}

// replay queues what a new event stream begins with: running games, the urgent ones first,
// then incoming challenges, these without compat.
func (s *Server) replay(a *account, st *stream) {
	for _, g := range s.urgentGames(a) {
		g.mu.Lock()
		if seat := g.seatOf(a); !g.status.Over() {
			now := time.Now()
			st.queue.push(line{data: encode(gameEventJSON{"gameStart", g.eventJSON(seat, now)}), at: now, ply: -1})
		}
		g.mu.Unlock()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	n := 0
	for _, ch := range s.challengeIn {
		if ch.dest == a && ch.state(now) == challengeCreated && n < 50 {
			n++
			st.queue.push(line{data: encode(challengeEventJSON{Type: "challenge", Challenge: ch.json(s, now)}), at: now, ply: -1})
		}
	}
}

// urgentGames are the account's running games: those where it is to move first, then by
// the time left.
func (s *Server) urgentGames(a *account) []*game {
	type urgency struct {
		g      *game
		mine   bool
		millis int64
	}
	var list []urgency
	now := time.Now()
	for _, g := range s.runningGames() {
		st := g.seatOf(a)
		if st == nil {
			continue
		}
		g.mu.Lock()
		list = append(list, urgency{g, g.turn() == st.color, g.millis(st.color, now)})
		g.mu.Unlock()
	}
	slices.SortStableFunc(list, func(x, y urgency) int {
		switch {
		case x.mine != y.mine && x.mine:
			return -1
		case x.mine != y.mine:
			return 1
		}
		return int(min(max(x.millis-y.millis, -1), 1))
	})
	games := make([]*game, len(list))
	for i, u := range list {
		games[i] = u.g
	}
	return games
}

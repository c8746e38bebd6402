package sandbox

import (
	"slices"
	"time"
)

// gameStream opens a game's stream for one side. It ends an earlier one of the same game,
// side and User-Agent.
func (c *call) gameStream() reply {
	g, seat, refused := c.inGame()
	if refused != nil {
		return refused.reply()
	}
	return reply{stream: func(c *call) {
		st := c.s.newStream(c)
		st.seat = seat
		g.attach(st)
		how := c.pump(st, func() { g.checkFlag(true) })
		g.detach(st)
		c.end(how)
	}}
}

// attach queues gameFull and lets the stream follow the game; a finished one ends after it.
func (g *game) attach(st *stream) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, old := range g.streams {
		if old.seat == st.seat && old.agent == st.agent {
			old.finish(endClean)
		}
	}
	now := time.Now()
	over := g.status.Over()
	st.queue.push(line{data: encode(g.fullJSON(now)), at: now, final: over, ply: g.ply()})
	g.streams = append(g.streams, st)
	g.join(st.seat)
	g.s.countGameStream(st.account, 1)
}

func (g *game) detach(st *stream) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.streams = slices.DeleteFunc(g.streams, func(s *stream) bool { return s == st })
	g.leave(st.seat, false)
	g.s.countGameStream(st.account, -1)
}

// countGameStream keeps an account online while a game stream is open.
func (s *Server) countGameStream(a *account, n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if a.games += n; a.games == 0 {
		a.online = time.Now()
	}
}

package sandbox

import (
	"time"

	"zeitnot/engine/position"
)

// How long a player must have been away before the other may claim, by
// speed; a page closed on purpose counts sooner.
const (
	goneBase   = 40 * time.Second
	goneClosed = 10 * time.Second
	goneFloor  = 10 * time.Second
	// presenceGrace is how long after its last stream closed a bot still counts as there.
	presenceGrace = time.Second
	// goneWarning is the absence after which the other side is told.
	goneWarning = 5 * time.Second
	// claimDelay is how long the claim endpoints wait before they answer.
	claimDelay = 500 * time.Millisecond
)

// away is for how long the seat has been deserted; zero when it is not.
func (st *seat) away(now time.Time) time.Duration {
	if st.present > 0 || st.ai > 0 {
		return 0
	}
	return max(0, now.Sub(st.leftAt)-presenceGrace)
}

// join and leave count what keeps the seat occupied. The caller holds the game's mutex.
func (g *game) join(st *seat) {
	st.present++
	st.closed = false
	if st.wasGone {
		st.wasGone = false
		g.pushGone(st, goneJSON{Type: "opponentGone"})
	}
}

func (g *game) leave(st *seat, onPurpose bool) {
	if st.present == 0 {
		return
	}
	if st.present--; st.present == 0 {
		st.leftAt = time.Now()
		st.closed = onPurpose
	}
}

type goneJSON struct {
	Type  string `json:"type"`
	Gone  bool   `json:"gone"`
	Claim *int   `json:"claimWinInSeconds,omitempty"`
}

// pushGone tells the other side of st.
func (g *game) pushGone(st *seat, v goneJSON) {
	other := g.other(st)
	g.push(encode(v), -1, false, func(s *stream) bool { return s.seat == other })
	g.wake()
}

// claimLimit is how long st must be away before the game may be claimed.
func (g *game) claimLimit(st *seat) time.Duration {
	limit := goneBase
	switch g.speed {
	case "rapid":
		limit *= 2
	case "classical", "correspondence":
		limit *= 3
	}
	p := g.play.Position()
	if material(p, st.color.Other())-material(p, st.color) >= 4 {
		limit /= 3
	}
	if st.closed {
		limit = goneClosed
	}
	return max(limit, goneFloor)
}

// material is a side's material in points.
func material(p *position.Position, c position.Color) int {
	points := [...]int{position.Pawn: 1, position.Knight: 3, position.Bishop: 3, position.Rook: 5, position.Queen: 9}
	sum := 0
	for t, value := range points {
		sum += value * p.Pieces(c, position.PieceType(t)).Count()
	}
	return sum
}

// claimable tells whether absence matters in this game at all.
func (g *game) claimable() bool {
	return g.clock != nil && !g.withAI() && g.ply() >= 2 && !g.hasRule("noClaimWin") && !g.status.Over()
}

// checkPresence sends the countdown of an absent side to the other, each five seconds.
func (g *game) checkPresence() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.claimable() {
		return
	}
	now := time.Now()
	for _, st := range g.seats {
		away := st.away(now)
		if away <= goneWarning {
			continue
		}
		left := max(0, g.claimLimit(st)-away)
		if !st.wasGone && g.clock.left(st.color, now).duration() < left+3*time.Second {
			continue
		}
		st.wasGone = true
		seconds := int((left + time.Second - 1) / time.Second)
		g.pushGone(st, goneJSON{Type: "opponentGone", Gone: true, Claim: &seconds})
	}
}

// claim ends the game against an absent opponent, with a win or a draw.
func (g *game) claim(st *seat, what string, win bool) *apiError {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := time.Now()
	other := g.other(st)
	if g.status.Over() || g.turn() == st.color || g.ply() < 2 {
		return refuse(400, "This is not the time to claim %s", what)
	}
	if !g.claimable() || other.away(now) == 0 || other.away(now) < g.claimLimit(other) {
		return refuse(400, "You cannot claim %s in this game", what)
	}
	winner := ""
	if win && g.play.Position().CanMate(st.color) {
		winner = st.color.String()
	}
	g.finish(Timeout, winner)
	return nil
}

// firstMoveLimit is the time for a first move in an arena game, by speed.
func firstMoveLimit(speed string, v Variant) time.Duration {
	seconds := map[string]int{"ultraBullet": 11, "bullet": 16, "blitz": 21, "rapid": 25}[speed]
	if seconds == 0 {
		seconds = 30
	}
	if v == Chess960 {
		seconds = seconds * 5 / 4
	}
	return time.Duration(seconds) * time.Second
}

// expiry is the time that the side to move has for its first move; ok is false in games
// that do not expire: those of challenges, of the AI, and once both have moved.
func (g *game) expiry() (limit time.Duration, ok bool) {
	if g.source != "arena" || g.clock == nil || g.clock.running || g.ply() >= 2 || g.status.Over() {
		return 0, false
	}
	return firstMoveLimit(g.speed, g.variant), true
}

// checkExpiry ends an arena game whose first move did not come: the opponent wins.
func (g *game) checkExpiry() {
	if g.source != "arena" {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if limit, ok := g.expiry(); ok && time.Since(g.moved) >= limit {
		g.finish(NoStart, g.turn().Other().String())
	}
}

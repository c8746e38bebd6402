package sandbox

import (
	"time"

	"zeitnot/engine/position"
)

// earlyDraw is the ply before which a noEarlyDraw game cannot be drawn by agreement or
// threefold repetition; offerGap is how far apart one side's offers are.
const (
	earlyDraw = 60
	offerGap  = 20
)

func (g *game) earlyDrawBarred() bool {
	return g.ply() < 2 || (g.hasRule("noEarlyDraw") && g.ply() < earlyDraw)
}

// offerDraw handles a yes to a draw by st: an acceptance, a claim or an offer. It tells
// whether the game ended by it. The caller holds mu.
func (g *game) offerDraw(st *seat) bool {
	if g.status.Over() || g.earlyDrawBarred() {
		return false
	}
	other := g.other(st)
	switch {
	case g.play.Repetitions() >= 3:
		g.finish(Draw, "")
	case !g.play.Position().CanMate(other.color):
		g.finish(InsufficientMaterialClaim, "")
	case other.drawOffer:
		g.say("Draw offer accepted")
		g.finish(Draw, "")
	case !st.drawOffer && other.ai == 0 && (st.lastOffer < 0 || g.ply()-st.lastOffer >= offerGap):
		st.drawOffer = true
		st.lastOffer = g.ply()
		g.say("%s offers draw", colorName(st.color))
		g.pushState()
	}
	return g.status.Over()
}

// answerDraw handles yes and no. A no declines or withdraws and pushes nothing.
func (g *game) answerDraw(st *seat, yes bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if yes {
		g.offerDraw(st)
		return
	}
	switch other := g.other(st); {
	case st.drawOffer:
		st.drawOffer = false
		g.say("%s declines draw", colorName(st.color))
	case other.drawOffer:
		other.drawOffer = false
		g.say("%s declines draw", colorName(st.color))
	}
	g.wake()
}

// answerTakeback handles yes (propose or accept) and no (cancel or decline).
func (g *game) answerTakeback(st *seat, yes bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := time.Now()
	other := g.other(st)
	if g.status.Over() {
		return
	}
	switch {
	case yes && other.takeback:
		g.say("Takeback accepted")
		g.rewind(other, now)
	case yes && !st.takeback && g.takebackPossible(st, now):
		if other.ai > 0 {
			g.rewind(st, now)
			return
		}
		st.takeback = true
		g.say("Takeback sent")
		g.pushState()
	case !yes && st.takeback:
		st.takeback = false
		g.say("Takeback cancelled")
		g.pushState()
	case !yes && other.takeback:
		other.takeback = false
		other.declined = min(other.declined+1, 10)
		other.takebackFrom = now.Add(time.Duration(10*other.declined*other.declined) * time.Second)
		g.say("Takeback declined")
		g.pushState()
	}
}

// takebackPossible: both players allow takebacks, st has moved, no tournament, and a
// declined proposal is long enough ago.
func (g *game) takebackPossible(st *seat, now time.Time) bool {
	for _, side := range g.seats {
		if side.ai == 0 && !side.takebacks {
			return false
		}
	}
	moved := g.ply() >= 2 || (g.ply() == 1 && g.turn() != st.color)
	return moved && g.source != "arena" && !now.Before(st.takebackFrom)
}

// rewind takes back the last move of st, and the answer to it if there was one.
func (g *game) rewind(st *seat, now time.Time) {
	plies := 1
	if g.turn() == st.color {
		plies = 2
	}
	plies = min(plies, g.ply())
	keep := g.ply() - plies
	if g.clock != nil {
		g.clock.stop(now)
	}
	g.play = g.play.Undo(plies)
	g.uci = g.uci[:keep:keep]
	g.records = g.records[:keep:keep]
	g.moved = now
	for _, side := range g.seats {
		side.takeback, side.drawOffer = false, false
	}
	if g.clock != nil && keep >= 2 {
		g.clock.start(g.turn(), now)
	}
	g.pushState()
}

// abort ends an unplayed game without a result.
func (g *game) abort(*seat) *apiError {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.abortable() {
		return refuse(400, "This game can no longer be aborted")
	}
	g.abortNow()
	return nil
}

func (g *game) abortNow() {
	g.endsTwice = g.s.opts.DoubleAbort
	g.finish(Aborted, "")
}

// resign gives the game up; while it could be aborted it is aborted instead.
func (g *game) resign(st *seat) *apiError {
	g.mu.Lock()
	defer g.mu.Unlock()
	unplayed := g.ply() < 2 && g.source != "arena"
	switch {
	case g.status.Over(), unplayed && g.hasRule("noAbort"):
		return refuse(400, "This game cannot be resigned")
	case unplayed:
		g.abortNow()
	default:
		g.finish(Resign, g.other(st).color.String())
	}
	return nil
}

// giveTime adds time to the other side's clock.
func (g *game) giveTime(from *seat, d time.Duration) *apiError {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.clock == nil || g.status.Over() {
		return refuse(400, "This game cannot be given time")
	}
	to := g.other(from).color
	g.clock.give(to, d)
	g.say("%s + %d seconds", colorName(to), int(d/time.Second))
	g.pushState()
	return nil
}

func colorName(c position.Color) string {
	if c == position.White {
		return "White"
	}
	return "Black"
}

package sandbox

import (
	"fmt"
	"strings"
	"time"

	"zeitnot/engine/position"
)

// isUCI tells whether a text could be a move at all: squares with or without a promotion,
// or a drop.
func isUCI(s string) bool {
	isSquare := func(s string) bool { return s[0] >= 'a' && s[0] <= 'h' && s[1] >= '1' && s[1] <= '8' }
	if len(s) == 4 && s[1] == '@' {
		return strings.IndexByte("PNBRQK", s[0]) >= 0 && isSquare(s[2:])
	}
	if len(s) != 4 && len(s) != 5 || !isSquare(s) || !isSquare(s[2:4]) {
		return false
	}
	return len(s) == 4 || strings.IndexByte("qrbnk", s[4]) >= 0
}

// parseMove reads a move as the server does: castling as the king's two squares only in a
// standard set-up, a promotion without its letter as a queen.
func (g *game) parseMove(uci string) (position.Move, *apiError) {
	p := g.play.Position()
	m, err := p.ParseUCI(uci)
	if err != nil && len(uci) == 4 {
		m, err = p.ParseUCI(uci + "q")
	}
	if err == nil && m.IsCastle() && p.Chess960() && m.To().String() != uci[2:] {
		err = fmt.Errorf("king moves")
	}
	if err == nil {
		return m, nil
	}
	if uci[1] == '@' {
		return 0, refuse(400, "No %s to drop on %s", uci[:1], uci[2:])
	}
	from := position.SquareAt(int(uci[0]-'a'), int(uci[1]-'1'))
	switch piece := p.PieceAt(from); {
	case piece == position.NoPiece:
		return 0, refuse(400, "No piece on %s", uci[:2])
	case piece.Color() != p.SideToMove():
		return 0, refuse(400, "Not my piece on %s", uci[:2])
	}
	return 0, refuse(400, "Piece on %s cannot move to %s", uci[:2], uci[2:4])
}

// move makes a player's move. A nil error means that the server answers 200, which is not
// always "played": see the flag and the end by draw agreement below.
func (g *game) move(st *seat, uci string, offerDraw bool) *apiError {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !isUCI(uci) {
		return refuse(400, "Invalid UCI: %s", uci)
	}
	if g.status.Over() || g.turn() != st.color {
		return refuse(400, "Not your turn, or game already over")
	}
	now := time.Now()
	if g.ply() > maxPlies {
		g.finish(Draw, "")
		return nil
	}
	if g.clock != nil && g.clock.flagged(now, true) {
		g.flag(now)
		return nil
	}
	if offerDraw && g.offerDraw(st) {
		return nil // the offer ended the game and the move is dropped
	}
	m, refused := g.parseMove(uci)
	if refused != nil {
		return refused
	}
	g.apply(st, m, now)
	return nil
}

// apply plays a legal move of the side to move: clock, offers, what the position means.
func (g *game) apply(st *seat, m position.Move, now time.Time) {
	before := g.play.Position()
	sent := before.UCI(m, g.variant != Standard || g.s.opts.RookCastling)
	next := g.play.Play(m)
	status, winner := judge(next)
	record := MoveRecord{GameID: g.id, Ply: g.ply() + 1, Color: st.color.String(), UCI: sent, SAN: before.SAN(m), At: now, Took: now.Sub(g.moved)}
	if g.clock != nil {
		running, left := g.clock.running, g.clock.remaining[st.color]
		used := g.clock.step(st.color, now, g.s.faults.charge(g, st), !status.Over())
		if running && used >= left {
			g.finishFlag(st.color)
			return
		}
		record.Charged = used.duration()
	}
	g.play = next
	g.uci = append(g.uci, sent)
	g.moved = now
	st.takeback = false
	other := g.other(st)
	other.drawOffer, other.takeback = false, false
	if g.clock != nil && !g.clock.running && g.ply() == 2 && !status.Over() {
		g.clock.start(g.turn(), now)
	}
	record.White, record.Black = g.left(position.White, now), g.left(position.Black, now)
	g.records = append(g.records, record)
	if g.s.opts.OnMove != nil {
		g.s.opts.OnMove(record)
	}
	if status.Over() {
		g.finish(status, winner)
		return
	}
	g.pushState()
	if g.play.Repetitions() >= 3 && (g.seats[0].bot() || g.seats[1].bot()) && !g.earlyDrawBarred() {
		g.finish(Draw, "")
	}
}

// judge says what a position ends a game with by itself, Started if nothing.
func judge(g position.Game) (Status, string) {
	p := g.Position()
	switch {
	case !p.HasLegalMove() && p.InCheck():
		return Mate, p.SideToMove().Other().String()
	case !p.HasLegalMove():
		return Stalemate, ""
	case p.InsufficientMaterial(), p.HalfmoveClock() >= 100, g.Repetitions() >= 5:
		return Draw, ""
	}
	return Started, ""
}

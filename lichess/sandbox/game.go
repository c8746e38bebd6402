package sandbox

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"zeitnot/engine/position"
)

// maxPlies is the length after which the server calls any game a draw.
const maxPlies = 600

// game is one game. Whatever happens to it happens under its mutex, one thing at a time,
// as in the game's process on the real server.
type game struct {
	s          *Server
	id         string
	variant    Variant
	control    TimeControl
	speed      string
	perfKey    string
	rated      bool
	source     string
	created    time.Time
	tournament string
	rematchOf  string
	rules      []string
	initialFEN string // "" = the usual start
	seats      [2]*seat
	over       chan struct{} // closed at the end

	mu        sync.Mutex // guards everything below and the seats' changing parts
	play      position.Game
	uci       []string // the moves as they are sent
	clock     *chessClock
	moved     time.Time // when the last move or the start was
	status    Status
	winner    string // "white", "black" or ""
	endedAt   time.Time
	records   []MoveRecord
	chat      []chatLine
	streams   []*stream
	changed   chan struct{} // closed and replaced at every change
	rematchID string
	endsTwice bool // sends its final line twice
}

// seat is one side of a game.
type seat struct {
	color       position.Color
	account     *account // nil for the AI
	ai          int      // level 1-8, 0 = not the AI
	id          string   // the four characters after the game's id
	rating      int      // at the start, as the rest of this paragraph
	provisional bool
	title       string
	takebacks   bool // allows takebacks
	kid         bool // sees no player chat

	diff *int // rating change, once the rated game is over

	drawOffer    bool
	lastOffer    int       // ply of the last draw offer, -1 = none
	takeback     bool      // proposes one
	declined     int       // takebacks of this seat that were declined
	takebackFrom time.Time // no new proposal before

	present  int       // streams open, or 1 for a player of the server
	leftAt   time.Time // since when none is
	closed   bool      // left on purpose: the page was closed
	wasGone  bool      // the other side was told so
	opponent Opponent  // set when the server plays this seat
}

func (st *seat) bot() bool { return st.title == "BOT" }

func (st *seat) name() string {
	if st.account == nil {
		return fmt.Sprintf("Stockfish level %d", st.ai)
	}
	return st.account.name
}

func sortGames(list []*game) {
	slices.SortFunc(list, func(a, b *game) int {
		if c := a.created.Compare(b.created); c != 0 {
			return c
		}
		return strings.Compare(a.id, b.id)
	})
}

func (g *game) ply() int                 { return g.play.Len() }
func (g *game) turn() position.Color     { return g.play.Position().SideToMove() }
func (g *game) hasRule(rule string) bool { return slices.Contains(g.rules, rule) }
func (g *game) seatOf(a *account) *seat {
	return g.seatWhere(func(s *seat) bool { return s.account == a })
}
func (g *game) other(s *seat) *seat { return g.seats[s.color.Other()] }
func (g *game) withAI() bool        { return g.seats[0].ai > 0 || g.seats[1].ai > 0 }
func (g *game) abortable() bool {
	return !g.status.Over() && g.ply() < 2 && g.source != "arena" && !g.hasRule("noAbort")
}

func (g *game) seatWhere(f func(*seat) bool) *seat {
	for _, s := range g.seats {
		if f(s) {
			return s
		}
	}
	return nil
}

// botPlayable tells whether the bot API takes calls for this game.
func (g *game) botPlayable() bool {
	return (!g.control.Clock || g.speed != "ultraBullet") && (g.withAI() || g.source == "friend" || g.source == "api" || g.source == "arena")
}

// wake tells waiting opponents that something changed. The caller holds mu.
func (g *game) wake() {
	close(g.changed)
	g.changed = make(chan struct{})
}

// push queues a line for every stream of the game; ply is what the line shows, -1 none.
func (g *game) push(data []byte, ply int, final bool, to func(*stream) bool) {
	now := time.Now()
	for _, st := range g.streams {
		if to == nil || to(st) {
			st.queue.push(line{data: data, at: now, final: final, ply: ply})
		}
	}
}

// pushState queues the present gameState for both sides and wakes the opponents.
func (g *game) pushState() {
	g.push(encode(g.stateJSON(time.Now())), g.ply(), g.status.Over(), nil)
	g.wake()
}

// say adds a system line to the players' chat.
func (g *game) say(format string, args ...any) {
	g.addChat(chatLine{user: "lichess", text: fmt.Sprintf(format, args...), room: roomPlayer})
}

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

// left is a side's clock at this moment; zero without a clock.
func (g *game) left(c position.Color, now time.Time) time.Duration {
	if g.clock == nil {
		return 0
	}
	return g.clock.left(c, now).duration()
}

// flag ends the game because the side to move is out of time.
func (g *game) flag(now time.Time) {
	loser := g.turn()
	if booted := g.s.bootTime(); !booted.IsZero() && now.Sub(booted) < 2*time.Minute && g.moved.Before(booted) {
		g.finish(Aborted, "")
		return
	}
	g.finishFlag(loser)
}

func (g *game) finishFlag(loser position.Color) {
	winner := g.seats[loser.Other()]
	g.clock.remaining[loser] = 0
	g.clock.running = false
	switch {
	case winner.drawOffer:
		g.finish(Draw, "")
	case !g.play.Position().CanMate(winner.color):
		g.finish(OutOfTime, "")
	default:
		g.finish(OutOfTime, winner.color.String())
	}
}

// checkFlag ends the game if the side to move is out of time. Only streams' ticks, moves,
// web clients and the clean-up ask; there is no timer.
func (g *game) checkFlag(grace bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := time.Now()
	if g.status.Over() {
		return
	}
	if g.clock != nil && g.clock.flagged(now, grace) {
		g.flag(now)
		return
	}
	if g.control.Days > 0 && g.ply() >= 2 && now.Sub(g.moved) > time.Duration(g.control.Days)*24*time.Hour {
		loser := g.turn()
		winner := loser.Other()
		if g.play.Position().CanMate(winner) {
			g.finish(OutOfTime, winner.String())
		} else {
			g.finish(OutOfTime, "")
		}
	}
}

// checkUnwatched is the clean-up job for games whose streams do not tick: because there
// are none, or because their clients do not read.
func (g *game) checkUnwatched() {
	g.mu.Lock()
	ticking := len(g.streams) > 0
	if g.clock != nil {
		wait, ok := g.clock.flagIn(time.Now(), true)
		ticking = ticking && ok && wait > -2*g.s.opts.KeepAlive
	}
	g.mu.Unlock()
	if !ticking {
		g.checkFlag(true)
	}
}

// finish ends the game: final line, ratings, events. The caller holds mu.
func (g *game) finish(status Status, winner string) {
	if g.status.Over() {
		return
	}
	now := time.Now()
	if g.clock != nil {
		g.clock.stop(now)
	}
	g.status, g.winner, g.endedAt = status, winner, now
	for _, st := range g.seats {
		st.drawOffer, st.takeback = false, false
	}
	g.s.settle(g)
	if g.endsTwice {
		g.push(encode(g.stateJSON(now)), g.ply(), false, nil)
	}
	g.push(encode(g.stateJSON(now)), g.ply(), true, nil)
	close(g.over)
	g.wake()
	record := g.record()
	if g.s.opts.OnFinish != nil {
		g.s.opts.OnFinish(record)
	}
	g.s.announceEnd(g)
}

// settle counts the finished game and moves the ratings. It takes the server's mutex.
func (s *Server) settle(g *game) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.live, g)
	if g.status == Aborted {
		return
	}
	for _, st := range g.seats {
		if st.account == nil {
			continue
		}
		c := &st.account.counts
		c.all++
		if g.rated {
			c.rated++
		}
		switch g.winner {
		case "":
			c.draw++
		case st.color.String():
			c.win++
		default:
			c.loss++
		}
	}
	white, black := g.seats[0], g.seats[1]
	if !g.rated || white.account == nil || black.account == nil {
		return
	}
	score := 0.5
	switch g.winner {
	case "white":
		score = 1
	case "black":
		score = 0
	}
	dw, db := rate(white.account.perf(g.perfKey), black.account.perf(g.perfKey), score)
	white.diff, black.diff = &dw, &db
}

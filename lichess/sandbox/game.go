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

// left is a side's clock at this moment; zero without a clock.
func (g *game) left(c position.Color, now time.Time) time.Duration {
	if g.clock == nil {
		return 0
	}
	return g.clock.left(c, now).duration()
}

package sandbox

import (
	"math"
	"strings"
	"time"

	"zeitnot/engine/position"
)

// noClock stands for the time of a game without any.
const noClock = math.MaxInt32

type variantJSON struct {
	Key   string `json:"key"`
	Name  string `json:"name"`
	Short string `json:"short,omitempty"`
}

func variantShort(v Variant) variantJSON {
	names := variantNames[v]
	return variantJSON{Key: string(v), Name: names[0], Short: names[1]}
}

type statusJSON struct {
	ID   int    `json:"id"`
	Name string `json:"name"`
}

type stateJSON struct {
	Type       string          `json:"type"`
	Moves      string          `json:"moves"`
	WTime      int64           `json:"wtime"`
	BTime      int64           `json:"btime"`
	WInc       int64           `json:"winc"`
	BInc       int64           `json:"binc"`
	Status     string          `json:"status"`
	Winner     string          `json:"winner,omitempty"`
	WDraw      bool            `json:"wdraw,omitempty"`
	BDraw      bool            `json:"bdraw,omitempty"`
	WTakeback  bool            `json:"wtakeback,omitempty"`
	BTakeback  bool            `json:"btakeback,omitempty"`
	Rematch    string          `json:"rematch,omitempty"`
	Expiration *expirationJSON `json:"expiration,omitempty"`
}

type expirationJSON struct {
	IdleMillis   int64 `json:"idleMillis"`
	MillisToMove int64 `json:"millisToMove"`
}

type playerJSON struct {
	ID          string  `json:"id"`
	Name        string  `json:"name"`
	Title       *string `json:"title"`
	Rating      int     `json:"rating,omitempty"`
	Provisional bool    `json:"provisional,omitempty"`
}

type clockJSON struct {
	Initial   int64 `json:"initial"`
	Increment int64 `json:"increment"`
}

type gameFullJSON struct {
	ID         string      `json:"id"`
	Variant    variantJSON `json:"variant"`
	Speed      string      `json:"speed"`
	Perf       nameJSON    `json:"perf"`
	Rated      bool        `json:"rated"`
	CreatedAt  int64       `json:"createdAt"`
	White      any         `json:"white"`
	Black      any         `json:"black"`
	InitialFEN string      `json:"initialFen"`
	Clock      *clockJSON  `json:"clock,omitempty"`
	Days       int         `json:"daysPerTurn,omitempty"`
	Tournament string      `json:"tournamentId,omitempty"`
	Type       string      `json:"type"`
	State      stateJSON   `json:"state"`
}

type nameJSON struct {
	Name string `json:"name"`
}

// stateJSON is the gameState of this moment. The caller holds mu.
func (g *game) stateJSON(now time.Time) stateJSON {
	state := stateJSON{
		Type: "gameState", Moves: strings.Join(g.uci, " "), Status: g.status.String(), Winner: g.winner,
		WDraw: g.seats[0].drawOffer, BDraw: g.seats[1].drawOffer,
		WTakeback: g.seats[0].takeback, BTakeback: g.seats[1].takeback, Rematch: g.rematchID,
	}
	state.WTime, state.BTime = g.millis(position.White, now), g.millis(position.Black, now)
	if g.clock != nil {
		inc := g.clock.increment.duration().Milliseconds()
		state.WInc, state.BInc = inc, inc
	}
	if limit, ok := g.expiry(); ok {
		state.Expiration = &expirationJSON{IdleMillis: now.Sub(g.moved).Milliseconds(), MillisToMove: limit.Milliseconds()}
	}
	return state
}

// millis is a side's time as streams show it.
func (g *game) millis(c position.Color, now time.Time) int64 {
	switch {
	case g.clock != nil:
		return g.clock.left(c, now).duration().Milliseconds()
	case g.control.Days > 0:
		full := time.Duration(g.control.Days) * 24 * time.Hour
		if c == g.turn() && !g.status.Over() {
			full = max(0, full-now.Sub(g.moved))
		}
		return full.Milliseconds()
	}
	return noClock
}

func (st *seat) json() any {
	if st.account == nil {
		return map[string]int{"aiLevel": st.ai}
	}
	p := playerJSON{ID: st.account.id, Name: st.account.name, Rating: st.rating, Provisional: st.provisional}
	if st.title != "" {
		p.Title = &st.title
	}
	return p
}

func (g *game) fullJSON(now time.Time) gameFullJSON {
	full := gameFullJSON{
		ID: g.id, Variant: variantShort(g.variant), Speed: g.speed, Perf: nameJSON{perfNames[g.perfKey][0]},
		Rated: g.rated, CreatedAt: g.created.UnixMilli(), White: g.seats[0].json(), Black: g.seats[1].json(),
		InitialFEN: g.initialFEN, Days: g.control.Days, Tournament: g.tournament, Type: "gameFull", State: g.stateJSON(now),
	}
	if full.InitialFEN == "" {
		full.InitialFEN = "startpos"
	}
	if g.control.Clock {
		full.Clock = &clockJSON{g.control.Limit.Milliseconds(), g.control.Increment.Milliseconds()}
	}
	return full
}

type compatJSON struct {
	Bot   bool `json:"bot"`
	Board bool `json:"board"`
}

type opponentJSON struct {
	ID         *string `json:"id"`
	Username   string  `json:"username"`
	Rating     int     `json:"rating,omitempty"`
	RatingDiff *int    `json:"ratingDiff,omitempty"`
	AI         int     `json:"ai,omitempty"`
}

// gameJSON is a game as its player sees it outside the game's own stream.
type gameJSON struct {
	FullID      string       `json:"fullId"`
	GameID      string       `json:"gameId"`
	FEN         string       `json:"fen"`
	Color       string       `json:"color"`
	LastMove    string       `json:"lastMove"`
	Source      string       `json:"source"`
	Status      statusJSON   `json:"status"`
	Variant     variantJSON  `json:"variant"`
	Speed       string       `json:"speed"`
	Perf        string       `json:"perf"`
	Rated       bool         `json:"rated"`
	HasMoved    bool         `json:"hasMoved"`
	Opponent    opponentJSON `json:"opponent"`
	IsMyTurn    bool         `json:"isMyTurn"`
	SecondsLeft *int64       `json:"secondsLeft,omitempty"`
	Tournament  string       `json:"tournamentId,omitempty"`
	Winner      string       `json:"winner,omitempty"`
	Rating      int          `json:"rating,omitempty"`
	RatingDiff  *int         `json:"ratingDiff,omitempty"`
	Compat      *compatJSON  `json:"compat,omitempty"`
	ID          string       `json:"id,omitempty"`
}

// infoJSON is the game for the player of st. The caller holds mu.
func (g *game) infoJSON(st *seat, now time.Time) gameJSON {
	p := g.play.Position()
	other := g.other(st)
	info := gameJSON{
		FullID: g.id + st.id, GameID: g.id, FEN: p.FEN(), Color: st.color.String(), LastMove: g.lastMove(),
		Source: g.source, Status: statusJSON{int(g.status), g.status.String()},
		Variant: variantJSON{Key: string(g.variant), Name: variantNames[g.variant][0]},
		Speed:   g.speed, Perf: g.perfKey, Rated: g.rated,
		HasMoved:   g.ply() > 1 || (g.ply() == 1 && g.play.Initial().SideToMove() == st.color),
		Opponent:   opponentJSON{Username: other.name(), Rating: other.rating, RatingDiff: other.diff, AI: other.ai},
		IsMyTurn:   !g.status.Over() && g.turn() == st.color,
		Tournament: g.tournament, Winner: g.winner, Rating: st.rating, RatingDiff: st.diff,
	}
	if other.account != nil {
		info.Opponent.ID = &other.account.id
	}
	if g.clock != nil || g.control.Days > 0 {
		seconds := g.millis(st.color, now) / 1000
		info.SecondsLeft = &seconds
	}
	return info
}

// eventJSON is infoJSON with what only events carry.
func (g *game) eventJSON(st *seat, now time.Time) gameJSON {
	info := g.infoJSON(st, now)
	info.Compat = &compatJSON{Bot: g.botPlayable(), Board: g.speed != "ultraBullet" && g.speed != "bullet"}
	info.ID = g.id
	return info
}

// lastMove is the last move's two squares; outside Chess960 castling is rewritten by its
// text alone, even when a rook made the move, as the server does.
func (g *game) lastMove() string {
	if g.ply() == 0 {
		return ""
	}
	m := g.play.Moves()[g.ply()-1]
	squares := m.From().String() + m.To().String()
	if g.variant == Chess960 {
		return squares
	}
	switch squares {
	case "e1h1":
		return "e1g1"
	case "e1a1":
		return "e1c1"
	case "e8h8":
		return "e8g8"
	case "e8a8":
		return "e8c8"
	}
	return squares
}

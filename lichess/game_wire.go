package lichess

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"
)

// LineType says what a line of a game stream tells.
type LineType string

// The line types. Others may come and are to be ignored.
const (
	LineGameFull     LineType = "gameFull"
	LineGameState    LineType = "gameState"
	LineChatLine     LineType = "chatLine"
	LineOpponentGone LineType = "opponentGone"
)

// Millis is a time in milliseconds, as clocks are on the wire.
type Millis int64

// UnlimitedMillis stands for "no clock" in the clocks of a game state.
const UnlimitedMillis Millis = 2147483647

// Duration is the time as Go has it; what does not fit is cut to the longest duration.
func (m Millis) Duration() time.Duration {
	const limit = Millis(math.MaxInt64 / int64(time.Millisecond))
	return time.Duration(max(-limit, min(limit, m))) * time.Millisecond
}

// GameFull is the first line of a game stream.
type GameFull struct {
	ID      string  `json:"id"`
	Variant Variant `json:"variant"`
	Speed   Speed   `json:"speed"`
	Perf    struct {
		Name string `json:"name"` // translated
	} `json:"perf"`
	Rated     bool   `json:"rated"`
	CreatedAt int64  `json:"createdAt"` // ms
	White     Player `json:"white"`
	Black     Player `json:"black"`
	// InitialFEN is "startpos" or an X-FEN.
	InitialFEN string `json:"initialFen"`
	// Clock is nil without a real-time clock (correspondence, unlimited).
	Clock        *GameClock `json:"clock,omitempty"`
	DaysPerTurn  int        `json:"daysPerTurn,omitempty"` // 0: not correspondence
	TournamentID string     `json:"tournamentId,omitempty"`
	State        GameState  `json:"state"`
}

// Player is the player of a colour.
func (g *GameFull) Player(c Color) *Player {
	if c == White {
		return &g.White
	}
	return &g.Black
}

// ColorOf is the colour that the account with this id (or name, in any case) plays; false
// when it plays neither.
func (g *GameFull) ColorOf(userID string) (Color, bool) {
	switch {
	case userID == "":
		return "", false
	case strings.EqualFold(g.White.ID, userID):
		return White, true
	case strings.EqualFold(g.Black.ID, userID):
		return Black, true
	}
	return "", false
}

// GameClock is the configured clock. Initial is 0 in a 0+N game, although play starts with
// more.
type GameClock struct {
	Initial   Millis `json:"initial"`
	Increment Millis `json:"increment"`
}

type gameFullFields GameFull

// MarshalJSON adds the type, behind the description and before the state as the server does.
func (g GameFull) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		gameFullFields
		Type  LineType  `json:"type"`
		State GameState `json:"state"`
	}{gameFullFields(g), LineGameFull, g.State})
}

// UnmarshalJSON reads the line. Fields of a wrong type are left empty, but a line without
// an id or without a readable state is an error.
func (g *GameFull) UnmarshalJSON(b []byte) error {
	var w struct {
		gameFullFields
		State json.RawMessage `json:"state"`
	}
	if err := tolerate(json.Unmarshal(b, &w)); err != nil {
		return err
	}
	*g = GameFull(w.gameFullFields)
	if g.ID == "" {
		return errors.New("gameFull without id")
	}
	if len(w.State) == 0 {
		return errors.New("gameFull without state")
	}
	return json.Unmarshal(w.State, &g.State)
}

// Player is one side of a gameFull: an account, the server's AI (AILevel only), or an
// anonymous player (nothing, maybe a rating).
type Player struct {
	ID          string `json:"id,omitempty"`
	Name        string `json:"name,omitempty"`
	Title       string `json:"title,omitempty"` // "" without one, null on the wire
	Rating      int    `json:"rating,omitempty"`
	Provisional bool   `json:"provisional,omitempty"`
	AILevel     int    `json:"aiLevel,omitempty"` // 1-8; 0 for people and bots
}

// IsBot reports whether the player is a bot account.
func (p *Player) IsBot() bool { return p.Title == TitleBot }

type playerFields Player

// MarshalJSON writes a missing title of an account as null.
func (p Player) MarshalJSON() ([]byte, error) {
	switch {
	case p.AILevel > 0:
		return json.Marshal(playerFields{AILevel: p.AILevel})
	case p.ID == "" || p.Title != "":
		return json.Marshal(playerFields(p))
	}
	return json.Marshal(struct {
		ID          string  `json:"id"`
		Name        string  `json:"name"`
		Title       *string `json:"title"`
		Rating      int     `json:"rating,omitempty"`
		Provisional bool    `json:"provisional,omitempty"`
	}{ID: p.ID, Name: p.Name, Rating: p.Rating, Provisional: p.Provisional})
}

// UnmarshalJSON reads a player; a field of the wrong type is left empty.
func (p *Player) UnmarshalJSON(b []byte) error {
	var w playerFields
	err := tolerate(json.Unmarshal(b, &w))
	*p = Player(w)
	return err
}

// GameState is a line of a game stream: the whole move list and both clocks. The same list
// comes again with other flags, and a shorter one after a takeback.
type GameState struct {
	// Moves are all moves from the initial position, UCI, separated by single spaces. Castling
	// may be written either way.
	Moves string `json:"moves"`
	// WTime and BTime are the times left when the line was written; UnlimitedMillis without a
	// clock.
	WTime  Millis `json:"wtime"`
	BTime  Millis `json:"btime"`
	WInc   Millis `json:"winc"`
	BInc   Millis `json:"binc"`
	Status Status `json:"status"`
	Winner Color  `json:"winner,omitempty"` // "" for draws, aborts and running games
	// Pending draw offers and takeback proposals, by who made them.
	WDraw     bool   `json:"wdraw,omitempty"`
	BDraw     bool   `json:"bdraw,omitempty"`
	WTakeback bool   `json:"wtakeback,omitempty"`
	BTakeback bool   `json:"btakeback,omitempty"`
	Rematch   string `json:"rematch,omitempty"` // id of the next game
	// Expiration is set only while the server would end the game for want of a first move.
	Expiration *Expiration `json:"expiration,omitempty"`
}

// Expiration tells how long the server waits for a first move.
type Expiration struct {
	Idle   Millis `json:"idleMillis"`   // since the last move or the start
	ToMove Millis `json:"millisToMove"` // allowed in all
}

// MoveList is the list of moves, empty at the start.
func (s *GameState) MoveList() []string { return strings.Fields(s.Moves) }

// Time is the time left to a colour.
func (s *GameState) Time(c Color) Millis {
	if c == White {
		return s.WTime
	}
	return s.BTime
}

// Inc is the increment of a colour.
func (s *GameState) Inc(c Color) Millis {
	if c == White {
		return s.WInc
	}
	return s.BInc
}

// DrawOffered reports whether the colour has a draw offer standing.
func (s *GameState) DrawOffered(c Color) bool {
	return c == White && s.WDraw || c == Black && s.BDraw
}

// TakebackProposed reports whether the colour has a takeback proposal standing.
func (s *GameState) TakebackProposed(c Color) bool {
	return c == White && s.WTakeback || c == Black && s.BTakeback
}

type gameStateFields GameState

// MarshalJSON adds the type in front.
func (s GameState) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Type LineType `json:"type"`
		gameStateFields
	}{LineGameState, gameStateFields(s)})
}

// UnmarshalJSON reads a state. Moves and status must be there and be strings, and a clock
// that is there must be a number: a guess would be played. Other fields of a wrong type are
// left empty; clocks that are absent read as UnlimitedMillis.
func (s *GameState) UnmarshalJSON(b []byte) error {
	var w struct {
		gameStateFields
		Moves  json.RawMessage `json:"moves"`
		Status json.RawMessage `json:"status"`
		WTime  json.RawMessage `json:"wtime"`
		BTime  json.RawMessage `json:"btime"`
	}
	if err := tolerate(json.Unmarshal(b, &w)); err != nil {
		return err
	}
	*s = GameState(w.gameStateFields)
	if err := required("moves", w.Moves, &s.Moves); err != nil {
		return err
	}
	if err := required("status", w.Status, &s.Status); err != nil {
		return err
	}
	if s.Status == "" {
		return errors.New("gameState: empty status")
	}
	s.WTime, s.BTime = UnlimitedMillis, UnlimitedMillis
	if w.WTime != nil {
		if err := required("wtime", w.WTime, &s.WTime); err != nil {
			return err
		}
	}
	if w.BTime != nil {
		return required("btime", w.BTime, &s.BTime)
	}
	return nil
}

// required reads one field that a game state cannot do without.
func required(name string, raw json.RawMessage, to any) error {
	if len(raw) == 0 || string(raw) == "null" {
		return fmt.Errorf("gameState without %s", name)
	}
	if err := json.Unmarshal(raw, to); err != nil {
		return fmt.Errorf("gameState: %s: %w", name, err)
	}
	return nil
}

// ChatLine is a line of chat, the bot's own included; the server itself writes as "lichess".
type ChatLine struct {
	Username string `json:"username"`
	Text     string `json:"text"`
	Room     Room   `json:"room"`
}

type chatLineFields ChatLine

// MarshalJSON adds the type in front.
func (c ChatLine) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Type LineType `json:"type"`
		chatLineFields
	}{LineChatLine, chatLineFields(c)})
}

// OpponentGone tells that the opponent left, or is back.
type OpponentGone struct {
	Gone bool
	// ClaimWinIn is how long until the win may be claimed, whole seconds; 0 means now. It is
	// meaningful while Gone only, and nil when the server did not say.
	ClaimWinIn *time.Duration
}

type opponentGoneWire struct {
	Type    LineType `json:"type"`
	Gone    bool     `json:"gone"`
	Seconds *int     `json:"claimWinInSeconds,omitempty"`
}

// MarshalJSON writes the countdown only while the opponent is gone.
func (g OpponentGone) MarshalJSON() ([]byte, error) {
	w := opponentGoneWire{Type: LineOpponentGone, Gone: g.Gone}
	if g.Gone && g.ClaimWinIn != nil {
		s := int(*g.ClaimWinIn / time.Second)
		w.Seconds = &s
	}
	return json.Marshal(w)
}

// UnmarshalJSON reads the line.
func (g *OpponentGone) UnmarshalJSON(b []byte) error {
	var w opponentGoneWire
	if err := json.Unmarshal(b, &w); err != nil {
		return err
	}
	*g = OpponentGone{Gone: w.Gone}
	if w.Gone && w.Seconds != nil {
		d := Millis(1000 * int64(max(0, min(*w.Seconds, math.MaxInt32)))).Duration()
		g.ClaimWinIn = &d
	}
	return nil
}

// ChatMessage is a message of a game's chat history.
type ChatMessage struct {
	User string `json:"user"`
	Text string `json:"text"`
}

// tolerate lets pass that a value had the wrong type: encoding/json leaves such a field
// empty and reads on. One odd field must not cost a whole line; bad JSON still does. Callers
// check afterwards that what they cannot do without is there.
func tolerate(err error) error {
	if _, wrongType := errors.AsType[*json.UnmarshalTypeError](err); wrongType {
		return nil
	}
	return err
}

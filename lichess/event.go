package lichess

import "encoding/json"

// EventType says what a line of the event stream tells.
type EventType string

// The event types. Others may come and are to be ignored.
const (
	EventGameStart         EventType = "gameStart"
	EventGameFinish        EventType = "gameFinish"
	EventChallenge         EventType = "challenge"
	EventChallengeCanceled EventType = "challengeCanceled"
	EventChallengeDeclined EventType = "challengeDeclined"
)

// Event is a line of the event stream. Game is set for gameStart and gameFinish, Challenge
// for the other three.
type Event struct {
	Type      EventType  `json:"type"`
	Game      *GameInfo  `json:"game,omitempty"`
	Challenge *Challenge `json:"challenge,omitempty"`
	// Compat is the challenge's; nil in lines replayed when the stream opens and in declines.
	// A game carries its own inside.
	Compat *Compat `json:"compat,omitempty"`
}

// Compat says which interfaces may play a game.
type Compat struct {
	Bot   bool `json:"bot"`
	Board bool `json:"board"`
}

// GameInfo is a running or just finished game as events and the list of running games
// carry it. The position given here may lag; the game stream is what counts.
type GameInfo struct {
	FullID string `json:"fullId"`
	GameID string `json:"gameId"`
	FEN    string `json:"fen"`
	Color  Color  `json:"color"` // ours
	// LastMove is two squares without a promotion letter; "" at the start. Not for replay:
	// the server rewrites it as if every e1h1 castled.
	LastMove string     `json:"lastMove"`
	Source   string     `json:"source"`          // "friend" for an accepted challenge or its rematch, "ai", "arena"
	Status   GameStatus `json:"status,omitzero"` // may be absent in the list of running games
	Variant  Variant    `json:"variant"`
	Speed    Speed      `json:"speed"`
	Perf     string     `json:"perf"` // a key here, an object elsewhere
	Rated    bool       `json:"rated"`
	HasMoved bool       `json:"hasMoved"`
	Opponent Opponent   `json:"opponent"`
	IsMyTurn bool       `json:"isMyTurn"`
	// SecondsLeft is our time in whole seconds; nil without a clock.
	SecondsLeft  *int   `json:"secondsLeft,omitempty"`
	TournamentID string `json:"tournamentId,omitempty"`
	SwissID      string `json:"swissId,omitempty"`
	Winner       Color  `json:"winner,omitempty"` // "" for draws, aborts and running games
	Rating       int    `json:"rating,omitempty"` // ours; 0 when not told
	// RatingDiff is ours, told at the end of rated games only.
	RatingDiff *int    `json:"ratingDiff,omitempty"`
	Compat     *Compat `json:"compat,omitempty"` // nil in the list of running games
	ID         string  `json:"id,omitempty"`     // GameID again; absent in the list of running games
}

// Opponent is the other player of a GameInfo. It has no title: bots cannot be told here.
type Opponent struct {
	// ID is "" for the server's own AI, null on the wire.
	ID         string
	Username   string
	Rating     int // 0 when not told
	RatingDiff *int
	AI         int // level 1-8; 0 for an account
}

type opponentWire struct {
	ID         *string `json:"id"`
	Username   string  `json:"username"`
	Rating     int     `json:"rating,omitempty"`
	RatingDiff *int    `json:"ratingDiff,omitempty"`
	AI         int     `json:"ai,omitempty"`
}

// MarshalJSON writes the missing id of an AI as null.
func (o Opponent) MarshalJSON() ([]byte, error) {
	w := opponentWire{Username: o.Username, Rating: o.Rating, RatingDiff: o.RatingDiff, AI: o.AI}
	if o.ID != "" {
		w.ID = &o.ID
	}
	return json.Marshal(w)
}

// UnmarshalJSON reads an opponent; a field of the wrong type is left empty.
func (o *Opponent) UnmarshalJSON(b []byte) error {
	var w opponentWire
	err := tolerate(json.Unmarshal(b, &w))
	*o = Opponent{Username: w.Username, Rating: w.Rating, RatingDiff: w.RatingDiff, AI: w.AI}
	if w.ID != nil {
		o.ID = *w.ID
	}
	return err
}

// Playing is the answer to the question for running games.
type Playing struct {
	MyTurn     int        `json:"nbMyTurn"`
	NowPlaying []GameInfo `json:"nowPlaying"`
}

package lichess

import (
	"encoding/json"
	"strconv"
	"time"
)

// The statuses of a challenge. Accepted never comes as an event: it shows as a gameStart
// with the challenge's id.
const (
	ChallengeCreated  = "created"
	ChallengeOffline  = "offline"
	ChallengeCanceled = "canceled"
	ChallengeDeclined = "declined"
	ChallengeAccepted = "accepted"
)

// Challenge is a challenge in events and answers.
type Challenge struct {
	ID     string `json:"id"`
	URL    string `json:"url"`
	Status string `json:"status"`
	// Challenger is nil (null) for an open challenge or an anonymous challenger.
	Challenger *ChallengeUser `json:"challenger"`
	// DestUser is nil (null) for an open challenge.
	DestUser    *ChallengeUser `json:"destUser"`
	Variant     Variant        `json:"variant"`
	Rated       bool           `json:"rated"`
	Speed       Speed          `json:"speed"`
	TimeControl TimeControl    `json:"timeControl"`
	// Color is what the challenger asked for himself, FinalColor what he gets.
	Color      Color    `json:"color"`
	FinalColor Color    `json:"finalColor,omitempty"`
	Perf       PerfName `json:"perf"`
	// Direction is "in" or "out" in answers to requests, absent on the event stream.
	Direction string `json:"direction,omitempty"`
	// InitialFEN is set for from-position, Horde, Racing Kings and a chosen Chess960 start.
	InitialFEN       string         `json:"initialFen,omitempty"`
	RematchOf        string         `json:"rematchOf,omitempty"`
	DeclineReason    string         `json:"declineReason,omitempty"` // translated text
	DeclineReasonKey string         `json:"declineReasonKey,omitempty"`
	Open             *OpenChallenge `json:"open,omitempty"`
	Rules            []string       `json:"rules,omitempty"`
	URLWhite         string         `json:"urlWhite,omitempty"` // open challenges only
	URLBlack         string         `json:"urlBlack,omitempty"`
	FullID           string         `json:"fullId,omitempty"` // of an accepted one that is shown
}

// OpenChallenge marks a challenge to nobody in particular.
type OpenChallenge struct {
	UserIDs []string `json:"userIds,omitempty"`
}

// PerfName is a rating category as challenges show it: an icon character and a translated
// name.
type PerfName struct {
	Icon string `json:"icon"`
	Name string `json:"name"`
}

// ChallengeUser is a player of a challenge. Title is "" without one (absent on the wire);
// Rating is that of the challenge's category.
type ChallengeUser struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	Rating      int    `json:"rating,omitempty"`
	Title       string `json:"title,omitempty"`
	Provisional bool   `json:"provisional,omitempty"`
	Patron      bool   `json:"patron,omitempty"`
	PatronColor int    `json:"patronColor,omitempty"`
	Flair       string `json:"flair,omitempty"`
	Online      bool   `json:"online,omitempty"`
	Lag         int    `json:"lag,omitempty"` // 1-4 bars, 4 best; 0 not told
}

// IsBot reports whether the user plays as a bot.
func (u *ChallengeUser) IsBot() bool { return u != nil && u.Title == TitleBot }

// The kinds of time control.
const (
	TimeClock          = "clock"
	TimeCorrespondence = "correspondence"
	TimeUnlimited      = "unlimited"
)

// TimeControl is a challenge's time control. Limit and Increment are seconds and mean
// something for TimeClock only, DaysPerTurn for TimeCorrespondence only.
type TimeControl struct {
	Type        string `json:"type"`
	Limit       int    `json:"limit"`
	Increment   int    `json:"increment"`
	Show        string `json:"show"` // "3+2", "½+0"
	DaysPerTurn int    `json:"daysPerTurn"`
}

// ClockControl is the time control of a clock of limit and increment in seconds.
func ClockControl(limit, increment int) TimeControl {
	return TimeControl{Type: TimeClock, Limit: limit, Increment: increment, Show: ShowClock(limit, increment)}
}

// ShowClock writes a clock as the site does: minutes with ¼ ½ ¾ and 1.5, plus the increment
// in seconds.
func ShowClock(limit, increment int) string {
	var minutes string
	switch limit {
	case 15:
		minutes = "¼"
	case 30:
		minutes = "½"
	case 45:
		minutes = "¾"
	default:
		minutes = strconv.FormatFloat(float64(limit)/60, 'f', -1, 64)
		if len(minutes) > 5 {
			minutes = strconv.FormatFloat(float64(limit)/60, 'f', 2, 64)
		}
	}
	return minutes + "+" + strconv.Itoa(increment)
}

// HasClock reports whether the game is played on a real-time clock.
func (t TimeControl) HasClock() bool { return t.Type == TimeClock }

// Initial and Inc are the clock as durations; 0 without one.
func (t TimeControl) Initial() time.Duration { return time.Duration(t.Limit) * time.Second }

// Inc is the increment per move; 0 without a clock.
func (t TimeControl) Inc() time.Duration { return time.Duration(t.Increment) * time.Second }

// MarshalJSON writes exactly the fields that the kind of time control has: a limit or
// increment of 0 is written for a clock and absent for the others.
func (t TimeControl) MarshalJSON() ([]byte, error) {
	switch t.Type {
	case TimeClock:
		return json.Marshal(struct {
			Type      string `json:"type"`
			Limit     int    `json:"limit"`
			Increment int    `json:"increment"`
			Show      string `json:"show"`
		}{t.Type, t.Limit, t.Increment, t.Show})
	case TimeCorrespondence:
		return json.Marshal(struct {
			Type string `json:"type"`
			Days int    `json:"daysPerTurn"`
		}{t.Type, t.DaysPerTurn})
	}
	return json.Marshal(struct {
		Type string `json:"type"`
	}{t.Type})
}

// Challenges are the pending challenges of the account.
type Challenges struct {
	In  []Challenge `json:"in"`
	Out []Challenge `json:"out"`
}

// AIGame is the answer to a challenge to the server's own engine.
type AIGame struct {
	ID        string     `json:"id"`
	Variant   Variant    `json:"variant"`
	Speed     Speed      `json:"speed"`
	Perf      string     `json:"perf"`
	Rated     bool       `json:"rated"`
	Source    string     `json:"source"`
	CreatedAt int64      `json:"createdAt"` // ms
	FEN       string     `json:"fen"`
	Turns     int        `json:"turns"`
	Status    GameStatus `json:"status"`
	Player    Color      `json:"player"` // whose turn it is
	FullID    string     `json:"fullId"`
}

// Done is the last line of a challenge request that keeps its answer open.
type Done struct {
	Done string `json:"done"` // accepted, declined or canceled
}

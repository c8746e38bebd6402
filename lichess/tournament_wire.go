package lichess

import (
	"encoding/json"
	"time"
)

// The statuses of a tournament in lists.
const (
	TournamentCreated  = 10
	TournamentStarted  = 20
	TournamentFinished = 30
)

// Tournament is an arena, as far as a player needs to know it. Lists and single answers
// differ in shape; both are read.
type Tournament struct {
	ID        string          `json:"id"`
	FullName  string          `json:"fullName"`
	CreatedBy string          `json:"createdBy"`
	System    string          `json:"system"`
	Minutes   int             `json:"minutes"`
	Clock     TournamentClock `json:"clock"`
	Rated     bool            `json:"rated"`
	Variant   TournamentKey   `json:"variant"`
	Players   int             `json:"nbPlayers"`
	StartsAt  Timestamp       `json:"startsAt"`
	// SecondsToStart is absent once it runs, SecondsToFinish before.
	SecondsToStart  *int `json:"secondsToStart,omitempty"`
	SecondsToFinish *int `json:"secondsToFinish,omitempty"`
	// Status is told in lists, the two flags in single answers.
	Status     int  `json:"status,omitempty"`
	IsStarted  bool `json:"isStarted,omitempty"`
	IsFinished bool `json:"isFinished,omitempty"`
	// BotsAllowed is the entry condition that lets bot accounts play.
	BotsAllowed bool          `json:"botsAllowed,omitempty"`
	Verdicts    *Verdicts     `json:"verdicts,omitempty"`
	Me          *TournamentMe `json:"me,omitempty"`
}

// TournamentClock is the clock of an arena in seconds.
type TournamentClock struct {
	Limit     int `json:"limit"`
	Increment int `json:"increment"`
}

// TournamentMe is our own standing, present once joined.
type TournamentMe struct {
	Rank     int    `json:"rank"`
	Withdraw bool   `json:"withdraw,omitempty"`
	GameID   string `json:"gameId,omitempty"`
}

// Verdicts say whether we fulfil the entry conditions.
type Verdicts struct {
	Accepted bool      `json:"accepted"`
	List     []Verdict `json:"list"`
}

// Verdict is one entry condition and "ok" or why not.
type Verdict struct {
	Condition string `json:"condition"`
	Verdict   string `json:"verdict"`
}

// Tournaments are the current arenas.
type Tournaments struct {
	Created  []Tournament `json:"created"`
	Started  []Tournament `json:"started"`
	Finished []Tournament `json:"finished"`
}

// TournamentKey is a variant key that comes bare in single answers and inside an object in
// lists. It is written bare.
type TournamentKey VariantKey

// UnmarshalJSON reads both forms.
func (k *TournamentKey) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '{' {
		var v Variant
		err := json.Unmarshal(b, &v)
		*k = TournamentKey(v.Key)
		return err
	}
	return json.Unmarshal(b, (*string)(k))
}

// Timestamp is an instant that comes as milliseconds in lists and as text in single
// answers. It is written as milliseconds.
type Timestamp struct{ time.Time }

// MarshalJSON writes milliseconds since 1970.
func (t Timestamp) MarshalJSON() ([]byte, error) { return json.Marshal(t.UnixMilli()) }

// UnmarshalJSON reads both forms.
func (t *Timestamp) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '"' {
		return json.Unmarshal(b, &t.Time)
	}
	var ms int64
	if err := json.Unmarshal(b, &ms); err != nil {
		return err
	}
	t.Time = time.UnixMilli(ms)
	return nil
}

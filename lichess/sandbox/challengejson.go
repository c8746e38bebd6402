package sandbox

import (
	"strings"
	"time"
)

type challengeUserJSON struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	Rating      int    `json:"rating"`
	Title       string `json:"title,omitempty"`
	Provisional bool   `json:"provisional,omitempty"`
	Online      bool   `json:"online,omitempty"`
	Lag         int    `json:"lag,omitempty"`
}

type timeControlJSON struct {
	Type      string `json:"type"`
	Limit     *int   `json:"limit,omitempty"`
	Increment *int   `json:"increment,omitempty"`
	Show      string `json:"show,omitempty"`
	Days      int    `json:"daysPerTurn,omitempty"`
}

type challengePerfJSON struct {
	Icon string `json:"icon"`
	Name string `json:"name"`
}

type challengeJSON struct {
	ID          string             `json:"id"`
	URL         string             `json:"url"`
	Status      string             `json:"status"`
	Challenger  *challengeUserJSON `json:"challenger"`
	Dest        *challengeUserJSON `json:"destUser"`
	Variant     variantJSON        `json:"variant"`
	Rated       bool               `json:"rated"`
	Speed       string             `json:"speed"`
	TimeControl timeControlJSON    `json:"timeControl"`
	Color       string             `json:"color"`
	FinalColor  string             `json:"finalColor"`
	Perf        challengePerfJSON  `json:"perf"`
	Direction   string             `json:"direction,omitempty"`
	InitialFEN  string             `json:"initialFen,omitempty"`
	RematchOf   string             `json:"rematchOf,omitempty"`
	Decline     string             `json:"declineReason,omitempty"`
	DeclineKey  string             `json:"declineReasonKey,omitempty"`
	Rules       []string           `json:"rules,omitempty"`
	FullID      string             `json:"fullId,omitempty"`
}

func (a *account) challengeJSON(perfKey string, now time.Time) *challengeUserJSON {
	p := a.perf(perfKey)
	u := &challengeUserJSON{ID: a.id, Name: a.name, Rating: p.shown(), Title: a.title, Provisional: p.provisional(), Online: a.isOnline(now)}
	if u.Online {
		u.Lag = 4
	}
	return u
}

func (t TimeControl) json() timeControlJSON {
	switch {
	case t.Clock:
		limit, increment := int(t.Limit/time.Second), int(t.Increment/time.Second)
		return timeControlJSON{Type: "clock", Limit: &limit, Increment: &increment, Show: t.show()}
	case t.Days > 0:
		return timeControlJSON{Type: "correspondence", Days: t.Days}
	}
	return timeControlJSON{Type: "unlimited"}
}

// json is the challenge as events carry it. The caller holds the server's mutex.
func (ch *challenge) json(s *Server, now time.Time) challengeJSON {
	key := perfKey(ch.Variant, ch.speed())
	v := challengeJSON{
		ID: ch.id, URL: s.opts.URL + "/" + ch.id, Status: string(ch.state(now)),
		Challenger: ch.challenger.challengeJSON(key, now), Dest: ch.dest.challengeJSON(key, now),
		Variant: variantShort(ch.Variant), Rated: ch.Rated, Speed: ch.speed(), TimeControl: ch.Control.json(),
		Color: ch.Color, FinalColor: ch.finalColor.String(), Perf: challengePerfJSON{perfNames[key][1], perfNames[key][0]},
		InitialFEN: ch.FEN, RematchOf: ch.RematchOf, Rules: ch.Rules,
	}
	if ch.decided == challengeDeclined {
		v.Decline, v.DeclineKey = declineTexts()[ch.reason], strings.ToLower(ch.reason)
	}
	return v
}

// jsonFor adds the direction, as answers (not events) carry it.
func (ch *challenge) jsonFor(a *account, s *Server, now time.Time) challengeJSON {
	v := ch.json(s, now)
	switch {
	case a != nil && a == ch.challenger:
		v.Direction = "out"
	case a != nil && a == ch.dest:
		v.Direction = "in"
	}
	return v
}

package sandbox

import (
	"net/http"
	"slices"
	"time"
)

// TournamentSpec is an arena. The sandbox keeps its list of players; games of it are
// started with StartGame (Source "arena", Tournament = its id).
type TournamentSpec struct {
	Name     string
	Control  TimeControl
	Variant  Variant // "" = Standard
	Rated    bool
	Starts   time.Time     // zero = now
	Length   time.Duration // 0 = one hour
	NoBots   bool          // bots cannot join
	Password string
}

// tournament is an arena. The server's mutex guards it.
type tournament struct {
	TournamentSpec
	id      string
	players []*arenaPlayer
}

type arenaPlayer struct {
	account   *account
	withdrawn bool
}

// AddTournament adds an arena and returns its id.
func (s *Server) AddTournament(spec TournamentSpec) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if spec.Variant == "" {
		spec.Variant = Standard
	}
	if spec.Starts.IsZero() {
		spec.Starts = time.Now()
	}
	if spec.Length == 0 {
		spec.Length = time.Hour
	}
	t := &tournament{TournamentSpec: spec, id: s.newID(8)}
	s.tournaments = append(s.tournaments, t)
	return t.id
}

// TournamentPlayers are the names of those who have joined and not withdrawn.
func (s *Server) TournamentPlayers(id string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var names []string
	if t := s.tournament(id); t != nil {
		for _, p := range t.players {
			if !p.withdrawn {
				names = append(names, p.account.name)
			}
		}
	}
	return names
}

// tournament finds an arena; the caller holds mu.
func (s *Server) tournament(id string) *tournament {
	for _, t := range s.tournaments {
		if t.id == id {
			return t
		}
	}
	return nil
}

func (t *tournament) status(now time.Time) int {
	switch {
	case now.Before(t.Starts):
		return 10
	case now.Before(t.Starts.Add(t.Length)):
		return 20
	}
	return 30
}

type tournamentPerfJSON struct {
	Key  string `json:"key"`
	Name string `json:"name"`
	Icon string `json:"icon"`
}

type arenaClockJSON struct {
	Limit     int `json:"limit"`
	Increment int `json:"increment"`
}

type tournamentJSON struct {
	ID             string             `json:"id"`
	CreatedBy      string             `json:"createdBy"`
	System         string             `json:"system"`
	Minutes        int                `json:"minutes"`
	Clock          arenaClockJSON     `json:"clock"`
	Rated          bool               `json:"rated"`
	FullName       string             `json:"fullName"`
	Players        int                `json:"nbPlayers"`
	Variant        any                `json:"variant"` // an object in lists, a key in details
	StartsAt       any                `json:"startsAt"`
	FinishesAt     int64              `json:"finishesAt,omitempty"`
	Status         int                `json:"status,omitempty"`
	Perf           tournamentPerfJSON `json:"perf"`
	SecondsToStart int                `json:"secondsToStart,omitempty"`
	SecondsLeft    int                `json:"secondsToFinish,omitempty"`
	IsFinished     bool               `json:"isFinished,omitempty"`
	IsStarted      bool               `json:"isStarted,omitempty"`
	BotsAllowed    bool               `json:"botsAllowed,omitempty"`
	Me             *arenaMeJSON       `json:"me,omitempty"`
}

type arenaMeJSON struct {
	Rank     int  `json:"rank"`
	Withdraw bool `json:"withdraw,omitempty"`
}

func (t *tournament) json(now time.Time) tournamentJSON {
	key := perfKey(t.Variant, t.Control.speed())
	v := tournamentJSON{
		ID: t.id, CreatedBy: "lichess", System: "arena", Minutes: int(t.Length / time.Minute),
		Clock: arenaClockJSON{int(t.Control.Limit / time.Second), int(t.Control.Increment / time.Second)},
		Rated: t.Rated, FullName: t.Name, Variant: variantShort(t.Variant), StartsAt: t.Starts.UnixMilli(),
		FinishesAt: t.Starts.Add(t.Length).UnixMilli(), Status: t.status(now),
		Perf: tournamentPerfJSON{key, perfNames[key][0], perfNames[key][1]}, BotsAllowed: !t.NoBots,
	}
	for _, p := range t.players {
		if !p.withdrawn {
			v.Players++
		}
	}
	if wait := t.Starts.Sub(now); wait > 0 {
		v.SecondsToStart = int(wait / time.Second)
	}
	return v
}

func (c *call) listTournaments() reply {
	c.s.mu.Lock()
	defer c.s.mu.Unlock()
	answer := map[string][]tournamentJSON{"created": {}, "started": {}, "finished": {}}
	names := map[int]string{10: "created", 20: "started", 30: "finished"}
	for _, t := range c.s.tournaments {
		name := names[t.status(c.at)]
		answer[name] = append(answer[name], t.json(c.at))
	}
	return jsonReply(http.StatusOK, answer)
}

func (c *call) getTournament() reply {
	c.s.mu.Lock()
	defer c.s.mu.Unlock()
	t := c.s.tournament(c.gameID)
	if t == nil {
		return refuse(http.StatusNotFound, "Not found.").reply()
	}
	v := t.json(c.at)
	v.Variant, v.StartsAt = string(t.Variant), t.Starts.UTC().Format(time.RFC3339)
	v.FinishesAt, v.Status = 0, 0
	switch t.status(c.at) {
	case 20:
		v.IsStarted = true
		v.SecondsLeft = int(t.Starts.Add(t.Length).Sub(c.at) / time.Second)
	case 30:
		v.IsFinished = true
	}
	for i, p := range t.players {
		if p.account == c.account {
			v.Me = &arenaMeJSON{Rank: i + 1, Withdraw: p.withdrawn}
		}
	}
	return jsonReply(http.StatusOK, v)
}

// inTournament finds the arena of a call and the caller in it.
func (c *call) inTournament() (*tournament, *arenaPlayer) {
	t := c.s.tournament(c.gameID)
	if t == nil {
		return nil, nil
	}
	if i := slices.IndexFunc(t.players, func(p *arenaPlayer) bool { return p.account == c.account }); i >= 0 {
		return t, t.players[i]
	}
	return t, nil
}

func (c *call) joinTournament() reply {
	s := c.s
	s.mu.Lock()
	defer s.mu.Unlock()
	t, me := c.inTournament()
	if t == nil {
		return refuse(http.StatusNotFound, "Not found.").reply()
	}
	ok, _ := c.account.limits.joins.spend(c.at, 10*time.Minute, s.opts.Limits.Joins, 1)
	switch {
	case !ok:
		return tooMany().reply()
	case c.account.bot() && t.NoBots:
		return refuse(http.StatusBadRequest, "This tournament is not open to bots").reply()
	case t.Password != "" && c.form.Get("password") != t.Password:
		return refuse(http.StatusBadRequest, "Wrong password").reply()
	case t.status(c.at) == 30:
		return refuse(http.StatusBadRequest, "This tournament is over").reply()
	case me == nil:
		t.players = append(t.players, &arenaPlayer{account: c.account})
	default:
		me.withdrawn = false
	}
	return okReply()
}

func (c *call) withdrawTournament() reply {
	c.s.mu.Lock()
	defer c.s.mu.Unlock()
	t, me := c.inTournament()
	switch {
	case t == nil:
		return refuse(http.StatusNotFound, "Not found.").reply()
	case me == nil:
		return refuse(http.StatusBadRequest, "You are not in this tournament").reply()
	}
	me.withdrawn = true
	return okReply()
}

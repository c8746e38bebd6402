package sandbox

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

func (c *call) getAccount() reply {
	s := c.s
	playing := s.playingIDs(c.account)
	s.mu.Lock()
	defer s.mu.Unlock()
	if ok, _ := c.account.limits.accountReads.spend(c.at, 5*time.Minute, s.opts.Limits.AccountReads, 1); !ok {
		return tooMany().reply()
	}
	return jsonReply(http.StatusOK, c.account.fullProfile(s.opts.URL, playing))
}

func (s *Server) playingIDs(a *account) []string {
	var ids []string
	for _, g := range s.urgentGames(a) {
		ids = append(ids, g.id)
	}
	return ids
}

func (c *call) getUser() reply {
	a := c.s.account(c.params["name"])
	if a == nil {
		return refuse(http.StatusNotFound, "Not found.").reply()
	}
	playing := c.s.playingIDs(a)
	c.s.mu.Lock()
	defer c.s.mu.Unlock()
	return jsonReply(http.StatusOK, a.fullProfile(c.s.opts.URL, playing))
}

func (c *call) getPlaying() reply {
	n, err := strconv.Atoi(c.form.Get("nb"))
	if err != nil {
		n = 9
	}
	n = min(max(n, 1), 50)
	type playingJSON struct {
		MyTurn int        `json:"nbMyTurn"`
		Games  []gameJSON `json:"nowPlaying"`
	}
	answer := playingJSON{Games: []gameJSON{}}
	for _, g := range c.s.urgentGames(c.account) {
		g.mu.Lock()
		info := g.infoJSON(g.seatOf(c.account), c.at)
		over := g.status.Over()
		g.mu.Unlock()
		if over {
			continue
		}
		if info.IsMyTurn {
			answer.MyTurn++
		}
		if len(answer.Games) < n {
			answer.Games = append(answer.Games, info)
		}
	}
	return jsonReply(http.StatusOK, answer)
}

// maxTested is how many tokens one test may list.
const maxTested = 1000

func (c *call) testTokens() reply {
	text := c.form.Get("")
	if text == "" { // sent as a form: the tokens are its only name
		for name := range c.form {
			text = name
		}
	}
	type tokenJSON struct {
		User    string `json:"userId"`
		Scopes  string `json:"scopes"`
		Expires *int64 `json:"expires"`
	}
	answer := map[string]*tokenJSON{}
	c.s.mu.Lock()
	defer c.s.mu.Unlock()
	for i, value := range strings.Split(text, ",") {
		value = strings.TrimSpace(value)
		if value == "" || i >= maxTested {
			continue
		}
		answer[value] = nil
		if t := c.s.tokens[value]; t != nil && !t.revoked && !t.account.closed {
			answer[value] = &tokenJSON{User: t.account.id, Scopes: strings.Join(t.scopes, ",")}
		}
	}
	return jsonReply(http.StatusOK, answer)
}

func (c *call) upgrade() reply {
	c.s.mu.Lock()
	defer c.s.mu.Unlock()
	if c.account.counts.all > 0 {
		return refuse(http.StatusBadRequest, "You already have games played. Make a new account.").reply()
	}
	c.account.upgrade()
	return okReply()
}

func (c *call) usersStatus() reply {
	ids := strings.FieldsFunc(c.form.Get("ids"), func(r rune) bool { return r == ',' })
	if len(ids) == 0 {
		return refuse(http.StatusBadRequest, "No user ids provided").reply()
	}
	if len(ids) > 100 {
		return refuse(http.StatusBadRequest, "Too many user ids, the maximum is 100").reply()
	}
	type statusJSON struct {
		ID        string `json:"id"`
		Name      string `json:"name"`
		Title     string `json:"title,omitempty"`
		Online    bool   `json:"online,omitempty"`
		Playing   bool   `json:"playing,omitempty"`
		PlayingID string `json:"playingId,omitempty"`
		Signal    int    `json:"signal,omitempty"`
	}
	list := []statusJSON{}
	for _, id := range ids {
		a := c.s.account(strings.TrimSpace(id))
		if a == nil {
			continue
		}
		playing := c.s.playingIDs(a)
		c.s.mu.Lock()
		st := statusJSON{ID: a.id, Name: a.name, Title: a.title, Online: a.isOnline(c.at), Playing: len(playing) > 0}
		c.s.mu.Unlock()
		if isYes(c.form.Get("withGameIds")) && len(playing) > 0 {
			st.PlayingID = playing[0]
		}
		if isYes(c.form.Get("withSignal")) && st.Online {
			st.Signal = 4
		}
		list = append(list, st)
	}
	return jsonReply(http.StatusOK, list)
}

func (c *call) botsOnline() reply {
	n, err := strconv.Atoi(c.form.Get("nb"))
	if err != nil {
		n = 100
	}
	n = min(max(n, 1), 512)
	c.s.mu.Lock()
	defer c.s.mu.Unlock()
	var bots []*account
	for _, a := range c.s.accounts {
		if a.bot() && !a.closed && a.isOnline(c.at) {
			bots = append(bots, a)
		}
	}
	slices.SortFunc(bots, func(a, b *account) int { return strings.Compare(a.id, b.id) })
	var body []byte
	for _, a := range bots[:min(n, len(bots))] {
		body = append(append(body, encode(a.profile())...), '\n')
	}
	return reply{status: http.StatusOK, kind: "application/x-ndjson", body: body}
}

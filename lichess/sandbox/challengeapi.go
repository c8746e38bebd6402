package sandbox

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"zeitnot/engine/position"
)

// parseControl reads the time control of a form.
func (c *call) parseControl() (TimeControl, *apiError) {
	limit, increment, days := c.form.Get("clock.limit"), c.form.Get("clock.increment"), c.form.Get("days")
	switch {
	case limit != "" || increment != "":
		l, err1 := strconv.Atoi(limit)
		i, err2 := strconv.Atoi(increment)
		if err1 != nil || err2 != nil || !validLimit(l) || i < 0 || i > 180 {
			return TimeControl{}, refuseForm("clock", "Invalid clock")
		}
		return ClockControl(time.Duration(l)*time.Second, time.Duration(i)*time.Second), nil
	case days != "":
		d, err := strconv.Atoi(days)
		if err != nil || !slices.Contains([]int{1, 2, 3, 5, 7, 10, 14}, d) {
			return TimeControl{}, refuseForm("days", "Invalid days")
		}
		return TimeControl{Days: d}, nil
	}
	return TimeControl{}, nil
}

// validLimit: 0, 15, 30, 45, 60, 90 seconds or whole minutes up to 180.
func validLimit(s int) bool {
	return slices.Contains([]int{0, 15, 30, 45, 60, 90}, s) || (s >= 120 && s <= 10800 && s%60 == 0)
}

// parseChallenge reads the form of a challenge.
func (c *call) parseChallenge() (Challenge, *apiError) {
	control, refused := c.parseControl()
	if refused != nil {
		return Challenge{}, refused
	}
	ch := Challenge{
		Control: control, Variant: Variant(c.form.Get("variant")), FEN: strings.ReplaceAll(c.form.Get("fen"), "_", " "),
		Rated: isYes(c.form.Get("rated")), Color: c.form.Get("color"),
	}
	if rules := c.form.Get("rules"); rules != "" {
		ch.Rules = strings.Split(rules, ",")
	}
	return ch, nil
}

func (c *call) challenge() reply {
	spec, refused := c.parseChallenge()
	if refused != nil {
		return refused.reply()
	}
	spec.From, spec.To = c.account.name, c.params["name"]
	keep := isYes(c.form.Get("keepAliveStream"))
	spec.Deserted = !keep
	ch, refused := c.s.makeChallenge(spec, true)
	if refused != nil {
		return refused.reply()
	}
	c.gameID = ch.id
	c.s.mu.Lock()
	body := ch.jsonFor(c.account, c.s, c.at)
	c.s.mu.Unlock()
	if !keep {
		return jsonReply(http.StatusOK, body)
	}
	return reply{stream: func(c *call) { c.keepAlive(ch, body) }}
}

// keepAlive holds a challenge's answer open until it is decided. When the client leaves,
// the challenge stays and goes offline in its time.
func (c *call) keepAlive(ch *challenge, first challengeJSON) {
	c.w.Header().Set("Content-Type", "application/x-ndjson")
	c.w.WriteHeader(http.StatusOK)
	flush := http.NewResponseController(c.w).Flush
	send := func(data []byte) bool {
		_, err := c.w.Write(append(data, '\n'))
		return err == nil && flush() == nil
	}
	tick := time.NewTicker(c.s.opts.ChallengeKeepAlive)
	defer tick.Stop()
	ok := send(encode(first))
	for ok {
		select {
		case <-ch.done:
			c.s.mu.Lock()
			state := ch.decided
			c.s.mu.Unlock()
			send(encode(map[string]string{"done": string(state)}))
			return
		case <-tick.C:
			ok = send(nil)
		case <-c.r.Context().Done():
			ok = false
		}
	}
	c.s.mu.Lock()
	ch.Deserted, ch.seen = true, time.Now()
	c.s.mu.Unlock()
}

func (c *call) acceptChallenge() reply {
	if refused := c.s.accept(c.gameID, c.account); refused != nil {
		return refused.reply()
	}
	return okReply()
}

func (c *call) declineChallenge() reply {
	c.s.mu.Lock()
	ch := c.s.challenges[c.gameID]
	rematch := ch != nil && ch.RematchOf != ""
	c.s.mu.Unlock()
	if rematch && !sleep(c.r.Context(), time.Second) {
		return refuse(http.StatusBadRequest, "gone").reply()
	}
	if refused := c.s.decline(c.gameID, c.account, c.form.Get("reason")); refused != nil {
		return refused.reply()
	}
	return okReply()
}

func (c *call) cancelChallenge() reply {
	if refused := c.s.cancel(c.gameID, c.account); refused != nil {
		return refused.reply()
	}
	return okReply()
}

func (c *call) listChallenges() reply {
	s := c.s
	s.mu.Lock()
	defer s.mu.Unlock()
	answer := map[string][]challengeJSON{"in": {}, "out": {}}
	for _, ch := range s.challengeIn {
		if !ch.active(c.at) {
			continue
		}
		switch v := ch.jsonFor(c.account, s, c.at); {
		case v.Direction != "" && len(answer[v.Direction]) < 300:
			answer[v.Direction] = append(answer[v.Direction], v)
		}
	}
	return jsonReply(http.StatusOK, answer)
}

func (c *call) showChallenge() reply {
	s := c.s
	g := s.game(c.gameID)
	s.mu.Lock()
	defer s.mu.Unlock()
	ch := s.challenges[c.gameID]
	if ch == nil {
		return refuse(http.StatusNotFound, "Not found.").reply()
	}
	v := ch.jsonFor(c.account, s, c.at)
	if g != nil && c.account != nil {
		if st := g.seatOf(c.account); st != nil {
			v.FullID = g.id + st.id
		}
	}
	return jsonReply(http.StatusOK, v)
}

func (c *call) challengeAI() reply {
	s := c.s
	level, err := strconv.Atoi(c.form.Get("level"))
	if err != nil || level < 1 || level > 8 {
		return refuseForm("level", "error.invalid").reply()
	}
	spec, refused := c.parseChallenge()
	if refused == nil {
		refused = spec.shape()
	}
	if refused == nil && !spec.Variant.playable() {
		refused = refuseForm("variant", "Invalid variant")
	}
	if refused != nil {
		return refused.reply()
	}
	s.mu.Lock()
	ok := true
	if c.account.bot() {
		ok, _ = c.account.limits.aiGames.spend(c.at, botDay, s.opts.Limits.AIGamesPerDay, 1)
	}
	white := spec.Color == "white" || spec.Color == "random" && s.rng.IntN(2) == 0
	s.mu.Unlock()
	if !ok {
		return tooMany().reply()
	}
	gs := gameSpec{ai: level, variant: spec.Variant, fen: spec.FEN, control: spec.Control, source: "ai"}
	color := position.White
	if white {
		gs.white = c.account
	} else {
		gs.black, color = c.account, position.Black
	}
	g, err := s.newGame(gs)
	if err != nil {
		return refuse(http.StatusBadRequest, "%v", err).reply()
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	return jsonReply(http.StatusCreated, struct {
		ID      string      `json:"id"`
		Variant variantJSON `json:"variant"`
		Speed   string      `json:"speed"`
		Perf    string      `json:"perf"`
		Rated   bool        `json:"rated"`
		Source  string      `json:"source"`
		Created int64       `json:"createdAt"`
		FEN     string      `json:"fen"`
		Turns   int         `json:"turns"`
		Status  statusJSON  `json:"status"`
		Player  string      `json:"player"`
		FullID  string      `json:"fullId"`
	}{
		g.id, variantShort(g.variant), g.speed, g.perfKey, g.rated, g.source, g.created.UnixMilli(),
		g.play.Position().FEN(), g.ply(),
		statusJSON{int(g.status), g.status.String()},
		g.turn().String(), g.id + g.seats[color].id,
	})
}

// startClocks lets the clock run before both have moved, when both players' tokens ask.
func (c *call) startClocks() reply {
	g := c.s.game(c.gameID)
	if g == nil {
		return refuse(http.StatusNotFound, "No such game").reply()
	}
	c.s.mu.Lock()
	one, two := c.s.tokens[c.form.Get("token1")], c.s.tokens[c.form.Get("token2")]
	c.s.mu.Unlock()
	switch {
	case one == nil || g.seatOf(one.account) == nil || !g.withAI() && (two == nil || g.seatOf(two.account) == nil):
		return refuse(http.StatusUnauthorized, "No such token").reply()
	case two != nil && one.account == two.account:
		return refuse(http.StatusUnauthorized, "Both tokens belong to the same user").reply()
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.clock != nil && !g.clock.running && !g.status.Over() {
		g.clock.start(g.turn(), c.at)
		g.pushState()
	}
	return okReply()
}

func (c *call) addTime() reply {
	seconds, err := strconv.Atoi(c.params["seconds"])
	if err != nil || seconds < 5 || seconds > 60 {
		return refuse(http.StatusBadRequest, "Invalid number of seconds").reply()
	}
	g := c.s.game(c.gameID)
	if g == nil || g.seatOf(c.account) == nil {
		return refuse(http.StatusNotFound, "No such game").reply()
	}
	if refused := g.giveTime(g.seatOf(c.account), time.Duration(seconds)*time.Second); refused != nil {
		return refused.reply()
	}
	return okReply()
}

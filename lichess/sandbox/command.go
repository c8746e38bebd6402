package sandbox

import "time"

// inGame finds the game of a call and the caller's seat, checking what every command of
// the bot API checks, in its order.
func (c *call) inGame() (*game, *seat, *apiError) {
	g := c.s.game(c.gameID)
	if g == nil {
		return nil, nil, refuse(404, "No such game")
	}
	st := g.seatOf(c.account)
	switch {
	case st == nil:
		return nil, nil, refuse(404, "Not your game")
	case !c.isBot():
		return nil, nil, refuse(400, "This endpoint can only be used with a Bot account. See https://lichess.org/api#operation/botAccountUpgrade")
	case !g.botPlayable():
		return nil, nil, refuse(400, "This game cannot be played with the Bot API.")
	}
	return g, st, nil
}

func (c *call) isBot() bool {
	c.s.mu.Lock()
	defer c.s.mu.Unlock()
	return c.account.bot()
}

// command runs one command of the bot API.
func (c *call) command(do func(*game, *seat) *apiError) reply {
	g, st, refused := c.inGame()
	if refused == nil {
		refused = do(g, st)
	}
	if refused != nil {
		return refused.reply()
	}
	return okReply()
}

func (c *call) move() reply {
	return c.command(func(g *game, st *seat) *apiError {
		if g.withAI() && !sleep(c.r.Context(), 500*time.Millisecond) {
			return refuse(400, "gone")
		}
		return g.move(st, c.params["uci"], isYes(c.form.Get("offeringDraw")))
	})
}

func (c *call) abort() reply { return c.command((*game).abort) }

func (c *call) resign() reply { return c.command((*game).resign) }

func (c *call) draw() reply {
	return c.command(func(g *game, st *seat) *apiError {
		g.answerDraw(st, isYes(c.params["accept"]))
		return nil
	})
}

func (c *call) takeback() reply {
	return c.command(func(g *game, st *seat) *apiError {
		g.answerTakeback(st, isYes(c.params["accept"]))
		return nil
	})
}

func (c *call) claimVictory() reply { return c.claim("victory", true) }
func (c *call) claimDraw() reply    { return c.claim("draw", false) }

func (c *call) claim(what string, win bool) reply {
	return c.command(func(g *game, st *seat) *apiError {
		if !sleep(c.r.Context(), claimDelay) {
			return refuse(400, "gone")
		}
		return g.claim(st, what, win)
	})
}

func (c *call) berserk() reply {
	return c.command(func(*game, *seat) *apiError { return refuse(400, "Cannot berserk") })
}

func (c *call) chat() reply {
	return c.command(func(g *game, st *seat) *apiError {
		return g.speak(st, c.form.Get("room"), c.form.Get("text"))
	})
}

func (c *call) chatHistory() reply {
	g, _, refused := c.inGame()
	if refused != nil {
		return refused.reply()
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	type lineJSON struct {
		Text string `json:"text"`
		User string `json:"user"`
	}
	lines := []lineJSON{}
	for _, l := range g.chat {
		if l.room == roomPlayer {
			lines = append(lines, lineJSON{l.text, l.user})
		}
	}
	return jsonReply(200, lines)
}

func (c *call) unknownCommand() reply {
	return c.command(func(*game, *seat) *apiError { return refuse(404, "No such command") })
}

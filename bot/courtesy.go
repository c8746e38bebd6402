package bot

import (
	"context"
	"slices"
	"strings"

	"zeitnot/lichess"
)

// courtesy is how a game stands with the opponent as a person: offers made and answered.
type courtesy struct {
	drawSeen     bool // the standing draw offer has been answered
	takebackSeen bool // the standing takeback proposal has been answered
	granted      int  // takebacks granted
	granting     bool // one has been granted, and the stream has not shown it
	lastOffer    int  // ply of our last draw offer
	leaving      bool // an unplayable game is being left
	looked       bool // the stream was asked about an end that only the event stream told
	again        bool // the game may have been begun by an earlier process, or before a crash
}

// answerOffers answers each draw offer and each takeback proposal once and at once; a
// running search goes on until the move list changes.
func (g *game) answerOffers() {
	them := g.me.Other()
	if offered := g.state.DrawOffered(them); offered && !g.courtesy.drawSeen {
		g.answerDraw()
		g.courtesy.drawSeen = true
	} else if !offered {
		g.courtesy.drawSeen = false
	}
	if proposed := g.state.TakebackProposed(them); proposed && !g.courtesy.takebackSeen {
		g.answerTakeback()
		g.courtesy.takebackSeen = true
	} else if !proposed {
		g.courtesy.takebackSeen, g.courtesy.granting = false, false
	}
}

// answerDraw accepts by the same rule by which we would offer.
func (g *game) answerDraw() {
	accept := g.options.Draw.Accept && g.drawn()
	g.log.Info().Bool("accept", accept).Msg("draw offered")
	g.request(
		func(ctx context.Context) error { return g.client.Draw(ctx, g.id, accept) },
		func(err error) { g.note(err, "answer to a draw offer") })
}

// answerTakeback grants as many as the rule says, in casual games.
func (g *game) answerTakeback() {
	accept := !g.full.Rated && g.courtesy.granted < g.options.Takeback.Casual
	if accept {
		g.courtesy.granted++
		g.courtesy.granting = true
	}
	g.log.Info().Bool("accept", accept).Msg("takeback proposed")
	g.request(
		func(ctx context.Context) error { return g.client.Takeback(ctx, g.id, accept) },
		func(err error) { g.note(err, "answer to a takeback proposal") })
}

// drawn tells whether the game is a draw by our rule.
func (g *game) drawn() bool {
	pos := g.root.Position()
	return g.options.Draw.drawn(&g.book, pos.FullmoveNumber(), pos.Occupied().Count())
}

// wantsDraw tells whether the move that goes out now offers a draw.
func (g *game) wantsDraw() bool {
	plies := g.root.Len()
	return g.options.Draw.Offer && g.drawn() && plies >= 2 &&
		plies-g.courtesy.lastOffer >= drawOfferGap &&
		g.full.Player(g.me.Other()).AILevel == 0
}

// resign gives the game up; should the server not have it, the move goes out.
func (g *game) resign(p *pendingMove) {
	g.log.Info().Str("score", p.Score.String()).Int("moves", g.book.lost).Msg("resigning")
	g.request(
		func(ctx context.Context) error { return g.client.Resign(ctx, g.id) },
		func(err error) {
			if err != nil && g.pending == p {
				g.note(err, "resign")
				g.attempt()
			}
		})
}

// leaveUnplayable ends a game that we cannot play: aborted when that is still possible, else
// resigned at once. When neither succeeds the next stream has us try again.
func (g *game) leaveUnplayable() {
	if g.courtesy.leaving {
		return
	}
	g.courtesy.leaving = true
	g.log.Error().Str("variant", string(g.full.Variant.Key)).Msg("we cannot play this game, leaving it")
	g.request(func(ctx context.Context) error {
		if err := g.client.Abort(ctx, g.id); err == nil {
			return nil
		}
		return g.client.Resign(ctx, g.id)
	}, func(err error) {
		if g.note(err, "leave the game"); err != nil {
			g.courtesy.leaving = false
			g.follow.reopen()
		}
	})
}

// heardChat answers commands; our own lines and the server's are no talk.
func (g *game) heardChat(line *lichess.ChatLine) {
	if strings.EqualFold(line.Username, g.account) || line.Username == "lichess" {
		return
	}
	g.chat.command(string(line.Room), line.Text, &g.book)
}

// spoken tells whether we have said something to the opponent.
func (g *game) spoken(ctx context.Context) (bool, error) {
	said, err := g.client.ReadChat(ctx, g.id)
	return slices.ContainsFunc(said, func(m lichess.ChatMessage) bool { return strings.EqualFold(m.User, g.account) }), err
}

// note logs a request that came to nothing and matters little.
func (g *game) note(err error, what string) {
	if err != nil && g.ctx.Err() == nil {
		g.log.Info().Err(err).Msg(what)
	}
}

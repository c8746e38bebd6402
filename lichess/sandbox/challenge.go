package sandbox

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"zeitnot/engine/position"
)

// challengeState is how a challenge stands, in the protocol's words.
type challengeState string

const (
	challengeCreated  challengeState = "created"
	challengeOffline  challengeState = "offline"
	challengeCanceled challengeState = "canceled"
	challengeDeclined challengeState = "declined"
	challengeAccepted challengeState = "accepted"
)

const (
	// offlineAfter is how long a real-time challenge nobody keeps alive stays created.
	offlineAfter = 20 * time.Second
	// challengeLife is when a challenge is forgotten.
	challengeLife = 14 * 24 * time.Hour
	botDay        = 24 * time.Hour
	maxOngoing    = 200
)

// Challenge is one to be made.
type Challenge struct {
	From, To  string
	Control   TimeControl
	Variant   Variant // "" = Standard
	FEN       string  // start position; turns Standard into FromPosition
	Rated     bool
	Color     string   // "white", "black", "random" or "" for the challenger
	RematchOf string   // the finished game that this is a rematch of
	Rules     []string // noAbort, noRematch, noGiveTime, noClaimWin, noEarlyDraw
	// Deserted means that nobody keeps the challenge alive, so that it goes offline after
	// 20 s, as one made by the API without keepAliveStream does.
	Deserted bool
}

// challenge is one that was made. The server's mutex guards it.
type challenge struct {
	Challenge
	id         string
	challenger *account
	dest       *account
	finalColor position.Color
	made       time.Time
	seen       time.Time
	decided    challengeState // "" while it stands
	reason     string         // of a decline, as the form spells it
	done       chan struct{}  // closed when decided
}

// state is how the challenge stands at now.
func (ch *challenge) state(now time.Time) challengeState {
	switch {
	case ch.decided != "":
		return ch.decided
	case ch.Deserted && ch.Control.Clock && now.Sub(ch.seen) > offlineAfter:
		return challengeOffline
	}
	return challengeCreated
}

// active tells whether the challenge can still be answered.
func (ch *challenge) active(now time.Time) bool {
	return ch.decided == "" && now.Sub(ch.made) < challengeLife
}

func (ch *challenge) decide(state challengeState) {
	ch.decided = state
	close(ch.done)
}

// declineTexts are what the server says for the reasons of a decline.
func declineTexts() map[string]string {
	return map[string]string{
		"generic":     "I'm not accepting challenges at the moment.",
		"later":       "This is not the right time for me, please ask again later.",
		"tooFast":     "This time control is too fast for me, please challenge again with a slower game.",
		"tooSlow":     "This time control is too slow for me, please challenge again with a faster game.",
		"timeControl": "I'm not accepting challenges with this time control.",
		"rated":       "Please send me a rated challenge instead.",
		"casual":      "Please send me a casual challenge instead.",
		"standard":    "I'm not accepting variant challenges right now.",
		"variant":     "I'm not willing to play this variant right now.",
		"noBot":       "I'm not accepting challenges from bots.",
		"onlyBot":     "I'm only accepting challenges from bots.",
	}
}

// declineReason finds a reason whatever its case; an unknown one is generic.
func declineReason(s string) string {
	for reason := range declineTexts() {
		if strings.EqualFold(reason, s) {
			return reason
		}
	}
	return "generic"
}

// shape checks what was asked and settles variant, position and mode.
func (c *Challenge) shape() *apiError {
	if c.Variant == "" {
		c.Variant = Standard
	}
	switch {
	case !c.Variant.known():
		return refuseForm("variant", "Invalid variant")
	case c.Color != "" && c.Color != "white" && c.Color != "black" && c.Color != "random":
		return refuseForm("color", "error.unknown")
	case c.Control.Clock && (c.Control.Limit < 0 || c.Control.Increment < 0 || c.Control.Limit+c.Control.Increment == 0):
		return refuseForm("clock", "Invalid clock")
	}
	if c.Color == "" {
		c.Color = "random"
	}
	if c.FEN != "" {
		if c.Variant == Standard {
			c.Variant = FromPosition
		}
		p, err := position.ParseFEN(c.FEN)
		if err != nil || !p.HasLegalMove() {
			return refuseForm("fen", "invalidFen")
		}
		switch c.Variant {
		case Chess960:
			if !isChess960Start(c.FEN) {
				return refuseForm("fen", "invalidFen")
			}
		case FromPosition:
			c.FEN = p.FEN()
		}
	} else if c.Variant == FromPosition {
		return refuseForm("fen", "invalidFen")
	}
	if !ratable(c.Variant, c.Control) {
		c.Rated = false
	}
	return nil
}

// makeChallenge makes a challenge between two accounts and tells both.
func (s *Server) makeChallenge(c Challenge, byAPI bool) (*challenge, *apiError) {
	if refused := c.shape(); refused != nil {
		return nil, refused
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	from, to := s.accounts[accountID(c.From)], s.accounts[accountID(c.To)]
	if refused := s.mayChallenge(from, to, c, byAPI, now); refused != nil {
		return nil, refused
	}
	ch := &challenge{
		Challenge: c, id: s.newID(8), challenger: from, dest: to, made: now, seen: now, done: make(chan struct{}),
	}
	ch.finalColor = position.Color(s.rng.IntN(2))
	switch c.Color {
	case "white":
		ch.finalColor = position.White
	case "black":
		ch.finalColor = position.Black
	}
	s.challenges[ch.id] = ch
	s.challengeIn = append(s.challengeIn, ch)
	s.publishChallenge("challenge", ch, now)
	s.notify()
	if to.opponent != nil {
		s.spawnLocked(func(ctx context.Context) { s.answerChallenge(ctx, to, ch) })
	} else if f, hit := s.faults.happens(Withdraw, to.id, ch.id); hit {
		s.spawnLocked(func(ctx context.Context) {
			if sleep(ctx, f.After) {
				_ = s.cancel(ch.id, ch.challenger) // too late when it was declined or is being played
			}
		})
	}
	return ch, nil
}

// mayChallenge checks who challenges whom. The caller holds mu.
func (s *Server) mayChallenge(from, to *account, c Challenge, byAPI bool, now time.Time) *apiError {
	switch {
	case to == nil || to.closed:
		return refuse(http.StatusBadRequest, "No such user: %s", c.To)
	case from == nil:
		return refuse(http.StatusBadRequest, "No such user: %s", c.From)
	case from == to:
		return refuse(http.StatusBadRequest, "You cannot challenge yourself")
	case c.Control.Clock && c.speed() == "ultraBullet" && from.bot():
		return refuseForm("clock", "Invalid speed")
	case c.Control.Clock && c.speed() == "ultraBullet" && to.bot():
		return refuse(http.StatusBadRequest, "Bots cannot play UltraBullet. Choose a slower time control.")
	case to.bot() && len(c.Rules) > 0:
		return refuse(http.StatusBadRequest, "Rules not applicable for bots")
	case to.refuses != "":
		return refuse(http.StatusBadRequest, "%s", to.refuses)
	case c.Control.Clock && (s.ongoing(from) >= maxOngoing || s.ongoing(to) >= maxOngoing):
		return refuse(http.StatusBadRequest, "Challenge not created")
	}
	if byAPI {
		cost := 5
		switch {
		case slices.Contains(to.follows, from.id):
			cost = 0
		case to.bot():
			cost = 1
		}
		l := &from.limits
		minute, _ := l.challengeMinute.fits(now, time.Minute, s.opts.Limits.ChallengesPerMinute, cost)
		day, _ := l.challengeDay.fits(now, botDay, s.opts.Limits.ChallengesPerDay, cost)
		if !minute || !day {
			return tooMany()
		}
		l.challengeMinute.take(now, cost)
		l.challengeDay.take(now, cost)
	}
	return s.botCap(from, to, now)
}

func (c *Challenge) speed() string { return c.Control.speed() }

// ongoing counts an account's running games. The caller holds mu.
func (s *Server) ongoing(a *account) int {
	n := 0
	for g := range s.live {
		if g.seatOf(a) != nil {
			n++
		}
	}
	return n
}

// botCap is the limit on games between bots; actor is who asks. The caller holds mu.
func (s *Server) botCap(actor, other *account, now time.Time) *apiError {
	if !actor.bot() || !other.bot() {
		return nil
	}
	limit := s.opts.Limits.BotGamesPerDay
	if ok, wait := actor.limits.botGames.fits(now, botDay, limit, 1); !ok {
		return refuseLimit(http.StatusTooManyRequests,
			fmt.Sprintf("You played %d games against other bots today, please wait before challenging another bot.", limit), "bot.vsBot.day", wait)
	}
	if ok, wait := other.limits.botGames.fits(now, botDay, limit, 1); !ok {
		return refuseLimit(http.StatusBadRequest,
			fmt.Sprintf("%s played %d games against other bots today, please wait before challenging it.", other.name, limit), "bot.vsBot.day", wait)
	}
	return nil
}

// publishChallenge tells both sides. The caller holds mu.
func (s *Server) publishChallenge(what string, ch *challenge, now time.Time) {
	for _, a := range []*account{ch.challenger, ch.dest} {
		event := challengeEventJSON{Type: what, Challenge: ch.json(s, now)}
		if what == "challenge" || what == "challengeCanceled" && ch.RematchOf != "" {
			event.Compat = &compatJSON{
				Bot:   a.bot() && ch.Variant.known() && ch.speed() != "ultraBullet",
				Board: ch.speed() != "ultraBullet" && ch.speed() != "bullet",
			}
		}
		a.publish(encode(event), now)
	}
}

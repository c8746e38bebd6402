package bot_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"zeitnot/bot"
	"zeitnot/clock"
	"zeitnot/engine"
	"zeitnot/engine/position"
	"zeitnot/lichess"
)

// One daemon with one slot lives through all of them, twice: whatever an end leaves behind
// would show in the games after it.
func TestSlotIsFreeAfterEveryKindOfEnd(t *testing.T) {
	finish := func(r *rig, id string, s lichess.Status) {
		r.mu.Lock()
		info := r.games[id].info()
		r.mu.Unlock()
		info.Status = lichess.GameStatusOf(s)
		r.send(lichess.Event{Type: lichess.EventGameFinish, Game: &info})
	}
	ends := []struct {
		name  string
		moves string // on the board; we have White
		end   func(r *rig, id string)
	}{
		{"mate", "", func(r *rig, id string) { r.end(id, lichess.StatusMate, lichess.Black) }},
		{"resignation", "e2e4 e7e5", func(r *rig, id string) { r.end(id, lichess.StatusResign, lichess.White) }},
		{"flag", "e2e4 e7e5", func(r *rig, id string) { r.end(id, lichess.StatusOutOfTime, lichess.Black) }},
		{"aborted", "", func(r *rig, id string) { r.end(id, lichess.StatusAborted, "") }},
		{"status of the future", "", func(r *rig, id string) { r.end(id, "futureName", "") }},
		{"two final lines", "", func(r *rig, id string) {
			r.push(id, func(s *lichess.GameState) { s.Status = lichess.StatusAborted })
			r.end(id, lichess.StatusAborted, "")
		}},
		{"final line while we think", "", func(r *rig, id string) {
			r.reply(id, "e7e5")
			r.after(time.Millisecond)
			r.end(id, lichess.StatusResign, lichess.White)
		}},
		{"end of the stream, game gone", "", func(r *rig, id string) {
			r.mu.Lock()
			g := r.games[id]
			delete(r.games, id)
			g.lines <- io.EOF
			r.mu.Unlock()
		}},
		{"end of the stream without a final line", "", func(r *rig, id string) {
			r.mu.Lock()
			r.games[id].full.State.Status = lichess.StatusResign
			r.mu.Unlock()
			r.cut(id, io.EOF)
		}},
		{"reset of the stream without a final line", "", func(r *rig, id string) {
			r.mu.Lock()
			r.games[id].full.State.Status = lichess.StatusAborted
			r.mu.Unlock()
			r.cut(id, errors.New("connection reset by peer"))
		}},
		{"gameFinish alone", "", func(r *rig, id string) {
			r.mu.Lock()
			r.games[id].hidden = true
			r.mu.Unlock()
			finish(r, id, lichess.StatusResign)
		}},
		{"gameFinish, and the stream's end lost", "", func(r *rig, id string) {
			r.mu.Lock()
			r.games[id].full.State.Status = lichess.StatusOutOfTime
			r.mu.Unlock()
			finish(r, id, lichess.StatusOutOfTime)
		}},
		{"move refused by an ended game", "", func(r *rig, id string) {
			r.on("move", func(string, int) error {
				r.on("move", nil)
				r.end(id, lichess.StatusResign, lichess.White)
				return status(400, 0)
			})
			r.reply(id, "e7e5")
		}},
		{"search that panics in the last position", "", func(r *rig, id string) {
			r.think.mu.Lock()
			r.think.answer = func(context.Context, position.Game, engine.Limits, func(engine.Info)) (engine.Result, error) {
				r.end(id, lichess.StatusAborted, "")
				panic("test")
			}
			r.think.mu.Unlock()
			r.reply(id, "e7e5")
		}},
		{"search that never ends", "", func(r *rig, id string) {
			r.think.mu.Lock()
			r.think.answer = plays(nil, time.Hour)
			r.think.mu.Unlock()
			r.reply(id, "e7e5")
			r.after(time.Second)
			r.end(id, lichess.StatusOutOfTime, lichess.Black)
		}},
		{"abort refused, then aborted all the same", "", func(r *rig, id string) {
			r.on("abort", func(string, int) error { return status(400, 0) })
			r.after(31 * time.Second)
			r.end(id, lichess.StatusAborted, "")
		}},
		{"opponent who left, and a claim", "e2e4 e7e5", func(r *rig, id string) {
			r.on("claim", func(string, int) error { r.end(id, lichess.StatusTimeout, lichess.White); return nil })
			r.line(id, gone(1))
		}},
		{"panic of the runner, and an end meanwhile", "", func(r *rig, id string) {
			r.push(id, func(s *lichess.GameState) { s.WTime = panicClock; s.Moves += " e7e5" })
			r.after(50 * time.Millisecond)
			r.end(id, lichess.StatusResign, lichess.White)
		}},
		{"panic of the runner, and none of the game is left", "", func(r *rig, id string) {
			r.push(id, func(s *lichess.GameState) { s.WTime = panicClock; s.Moves += " e7e5" })
			r.mu.Lock()
			delete(r.games, id)
			r.mu.Unlock()
		}},
		{"game of somebody else", "", func(r *rig, id string) {
			r.mu.Lock()
			r.games[id].full.White.ID = "another"
			r.mu.Unlock()
			r.cut(id, io.EOF)
			r.after(time.Second)
			r.mu.Lock()
			delete(r.games, id)
			r.mu.Unlock()
		}},
	}
	inVirtualTime(t, func(_ *stub, o *bot.Options) { o.Clock = panicky{o.Clock} }, func(r *rig) {
		for round := range 2 {
			for i, end := range ends {
				id := fmt.Sprintf("game%d%03d", round, i)
				c := challenge(id, "someone")
				r.send(challenged(c))
				r.after(5 * time.Second)
				if got := r.made("accept " + id); len(got) != 1 {
					t.Errorf("%s: the challenge after it was not accepted within 5s", ends[(i+len(ends)-1)%len(ends)].name)
				}
				r.game(id, lichess.White, end.moves)
				r.start(id)
				r.after(2 * time.Second)
				if got := r.slotsUsed(); got != 1 {
					t.Errorf("%s: got %d slots used while playing, want 1", end.name, got)
				}
				end.end(r, id)
				r.after(5 * time.Second)
				if got := r.slotsUsed(); got != 0 {
					t.Errorf("%s: got %d slots used after the end, want 0", end.name, got)
				}
				for _, kind := range []string{"move", "abort", "claim"} {
					r.on(kind, nil)
				}
				r.think.mu.Lock()
				r.think.answer = nil
				r.think.mu.Unlock()
			}
		}
	})
}

func TestGameRunnerThatPanicsIsTakenUpAgain(t *testing.T) {
	inVirtualTime(t, func(_ *stub, o *bot.Options) { o.Clock = panicky{o.Clock} }, func(r *rig) {
		r.game("abcd1234", lichess.White, "").full.State.WTime = panicClock
		r.start("abcd1234")
		r.after(50 * time.Millisecond)
		r.want("streams", r.streams("abcd1234"), 1)
		r.after(10 * time.Second)
		if opens := r.streams("abcd1234"); opens < 2 || opens > 5 {
			t.Errorf("streams: got %d, want a few more, each later than the one before", opens)
		}
		r.end("abcd1234", lichess.StatusAborted, "")
		r.after(2 * time.Minute)
		r.want("slots", r.slotsUsed(), 0)
	})
}

// panicky is a policy that fails inside the game's own loop when our clock shows panicClock.
type panicky struct{ clock.Policy }

const panicClock = 77777

func (p panicky) Budget(s clock.State) clock.Budget {
	if s.Remaining == panicClock*time.Millisecond {
		panic("test")
	}
	return p.Policy.Budget(s)
}

func TestBurstOfChallengesNeverBeatsTheSlots(t *testing.T) {
	inVirtualTime(t, nil, func(r *rig) {
		r.on("accept", func(string, int) error {
			time.Sleep(800 * time.Millisecond)
			return nil
		})
		for i, user := range []string{"one", "two", "three", "three", "three"} {
			r.send(challenged(challenge(fmt.Sprintf("c%d", i+1), user)))
			r.after(10 * time.Millisecond)
		}
		r.after(time.Second)
		r.want("accepts", r.made("accept"), "[accept c1]")
		r.want("declines: the third user waits once only", r.made("decline"), "[decline c4 later decline c5 later]")
		r.game("c1", lichess.Black, "")
		r.start("c1")
		r.after(2 * time.Second)
		r.want("accepts with the game running", len(r.made("accept")), 1)
		r.end("c1", lichess.StatusResign, lichess.Black)
		r.after(time.Second)
		r.want("accepts after the game", r.made("accept"), "[accept c1 accept c2]")
		r.after(25 * time.Second)
		r.want("declines of those who waited too long", r.made("decline c3"), "[decline c3 later]")
	})
}

func TestReservationOfAGameThatNeverStartsEnds(t *testing.T) {
	inVirtualTime(t, nil, func(r *rig) {
		r.send(challenged(challenge("c1", "one")))
		r.after(20 * time.Second)
		r.want("slots", r.slotsUsed(), 1)
		r.after(10 * time.Second)
		r.want("slots", r.slotsUsed(), 0)
		r.send(challenged(challenge("c2", "two")))
		r.after(time.Second)
		r.want("accepts", r.made("accept"), "[accept c1 accept c2]")
	})
}

func TestChallengeThatIsGoneReleasesItsSlotAtOnce(t *testing.T) {
	inVirtualTime(t, nil, func(r *rig) {
		r.on("accept", func(_ string, n int) error {
			if n == 0 {
				return status(404, 0)
			}
			return nil
		})
		r.send(challenged(challenge("c1", "one")))
		r.send(challenged(challenge("c2", "two")))
		r.after(time.Second)
		r.want("accepts", r.made("accept"), "[accept c1 accept c2]")
		r.game("c2", lichess.Black, "")
		r.start("c2")
		c3 := challenge("c3", "three")
		r.send(challenged(c3))
		r.after(time.Second)
		r.send(lichess.Event{Type: lichess.EventChallengeCanceled, Challenge: c3})
		r.after(time.Second)
		r.end("c2", lichess.StatusAborted, "")
		r.after(time.Second)
		r.want("no accept for a cancelled one", r.made("accept c3"), "[]")
		r.send(challenged(challenge("c4", "four")))
		r.send(challenged(challenge("c5", "four")))
		r.after(time.Second)
		r.want("one of two by the same user", append(r.made("accept c4"), r.made("accept c5")...), "[accept c4]")
	})
}

func TestUserWithAGameWaitsForTheNextOne(t *testing.T) {
	inVirtualTime(t, func(_ *stub, o *bot.Options) { o.Concurrency = 3 }, func(r *rig) {
		r.send(challenged(challenge("c1", "one")))
		r.after(time.Second)
		r.game("c1", lichess.Black, "").full.White.ID = "one"
		r.start("c1")
		r.send(challenged(challenge("c2", "One")))
		r.send(challenged(challenge("c3", "two")))
		r.after(5 * time.Second)
		r.want("accepts", r.made("accept"), "[accept c1 accept c3]")
		r.end("c1", lichess.StatusResign, lichess.Black)
		r.after(2 * time.Second)
		r.want("accepts after the user's game", r.made("accept"), "[accept c1 accept c3 accept c2]")
	})
}

func TestLimitedAcceptReleasesItsSlotAtOnce(t *testing.T) {
	inVirtualTime(t, nil, func(r *rig) {
		r.on("accept", func(_ string, n int) error {
			if n == 0 {
				return &lichess.Error{Status: 429, RetryAfter: 86398 * time.Second, RateLimitKey: lichess.BotVsBotKey}
			}
			return nil
		})
		byBot := func(id string) lichess.Event {
			c := challenge(id, "bot-"+id)
			c.Challenger.Title = lichess.TitleBot
			return challenged(c)
		}
		r.send(byBot("c1"))
		r.after(time.Second)
		r.send(byBot("c2"))
		r.send(challenged(challenge("c3", "human")))
		r.after(time.Second)
		r.want("accepts: people still, bots no more", r.made("accept"), "[accept c1 accept c3]")
		r.want("declines", r.made("decline"), "[decline c1 later decline c2 later]")
	})
}

func TestReplayedChallengesAreDecidedOnce(t *testing.T) {
	inVirtualTime(t, nil, func(r *rig) {
		no := challenge("c1", "one")
		no.Variant = lichess.VariantOf(lichess.Atomic)
		for range 5 {
			r.send(challenged(no))
			r.send(challenged(challenge("c2", "two")))
		}
		r.after(time.Second)
		r.want("declines", r.made("decline"), "[decline c1 variant]")
		r.want("accepts", r.made("accept"), "[accept c2]")
	})
}

func TestOwnChallengeIsNoneToAnswer(t *testing.T) {
	inVirtualTime(t, nil, func(r *rig) {
		own := challenge("o1", me)
		own.DestUser = &lichess.ChallengeUser{ID: "other"}
		r.send(challenged(own))
		r.after(time.Minute)
		r.want("answers", append(r.made("accept"), r.made("decline")...), "[]")
		// Somebody accepts it late, while all slots are taken: it is played.
		r.game("abcd1234", lichess.White, "")
		r.game("o1", lichess.White, "")
		r.start("abcd1234")
		r.start("o1")
		r.after(time.Second)
		r.want("moves in the late game", len(r.made("move o1")), 1)
	})
}

func TestAnonymousChallengerIsAnswered(t *testing.T) {
	inVirtualTime(t, nil, func(r *rig) {
		c := challenge("c1", "")
		c.Challenger = nil
		r.send(challenged(c))
		r.after(time.Second)
		r.want("accepts", r.made("accept"), "[accept c1]")
	})
}

func TestGamesAboveTheLimitArePlayedAndNothingIsAccepted(t *testing.T) {
	inVirtualTime(t, func(_ *stub, o *bot.Options) { o.Concurrency = 2 }, func(r *rig) {
		r.think.answer = plays(nil, time.Second)
		for i := range 5 {
			id := fmt.Sprintf("game000%d", i)
			g := r.game(id, lichess.White, "e2e4 e7e5 g1f3 b8c6 f1c4 f8c5 b2b4 c5b4 c2c3 b4a5")
			g.full.State.WTime = 60000
			r.start(id)
		}
		r.send(challenged(challenge("c1", "one")))
		r.after(10 * time.Second)
		r.want("moves", len(r.made("move")), 5)
		r.want("searches at a time", r.think.most, 1)
		for i := range 3 {
			r.end(fmt.Sprintf("game000%d", i), lichess.StatusResign, lichess.White)
		}
		r.after(time.Second)
		r.want("accepts at the limit", len(r.made("accept")), 0)
		r.end("game0003", lichess.StatusResign, lichess.White)
		r.after(time.Second)
		r.want("accepts below the limit", len(r.made("accept")), 1)
	})
}

func TestOrphanedGameIsAdopted(t *testing.T) {
	inVirtualTime(t, nil, func(r *rig) {
		r.game("abcd1234", lichess.White, "e2e4 e7e5") // its gameStart is lost
		r.after(time.Minute)
		r.want("moves", len(r.made("move")), 1)
	})
}

func TestGameThatEndedUnheardIsLookedAt(t *testing.T) {
	inVirtualTime(t, nil, func(r *rig) {
		g := r.game("abcd1234", lichess.Black, "")
		r.start("abcd1234")
		r.after(time.Second)
		r.mu.Lock()
		g.full.State.Status = lichess.StatusResign // and no line says so
		r.mu.Unlock()
		r.after(70 * time.Second)
		r.want("slots", r.slotsUsed(), 0)
	})
}

func TestRestartTakesUpItsGamesWithoutAGreeting(t *testing.T) {
	inVirtualTime(t, func(s *stub, o *bot.Options) {
		o.Chat.Greeting = "Hello {opponent}"
		s.game("abcd1234", lichess.White, "e2e4 e7e5 g1f3 b8c6").full.State.WTime = 30000
		s.game("efgh5678", lichess.White, "e2e4")
	}, func(r *rig) {
		r.after(2 * time.Second)
		r.want("moves", len(r.made("move abcd1234")), 1)
		r.want("search", r.think.asked()[0], "e2e4 e7e5 g1f3 b8c6")
		r.want("chat", r.made("chat"), "[]")
		r.want("moves where it is not our turn", len(r.made("move efgh5678")), 0)
	})
}

// Whoever has not moved yet may have been greeted all the same: the chat knows.
func TestARestartBeforeTheFirstMoveGreetsOnce(t *testing.T) {
	for name, before := range map[string]string{"greeted": "Hello Opp", "not greeted": ""} {
		t.Run(name, func(t *testing.T) {
			inVirtualTime(t, func(s *stub, o *bot.Options) {
				o.Chat.Greeting = "Hello {opponent}"
				s.game("abcd1234", lichess.Black, "")
				if before != "" {
					s.Chat(t.Context(), "abcd1234", lichess.RoomPlayer, before)
				}
			}, func(r *rig) {
				r.after(2 * time.Second)
				r.want("chat", r.made("chat"), "[chat abcd1234 player Hello Opp]")
			})
		})
	}
}

// A game that comes of a challenge accepted just now is new: nothing is asked before the greeting.
func TestANewGameIsGreetedWithoutAQuestion(t *testing.T) {
	inVirtualTime(t, func(_ *stub, o *bot.Options) { o.Chat.Greeting = "Hello {opponent}" }, func(r *rig) {
		r.game("abcd1234", lichess.White, "")
		r.send(challenged(challenge("abcd1234", "opp")))
		r.after(time.Second)
		r.start("abcd1234")
		r.after(time.Second)
		r.want("chat", r.made("chat"), "[chat abcd1234 player Hello Opp]")
		r.want("questions", r.made("read chat"), "[]")
	})
}

func TestEventStreamIsReopenedOnAnyEndAndNeverTooOften(t *testing.T) {
	inVirtualTime(t, nil, func(r *rig) {
		r.on("events", func(string, int) error { return status(502, 0) })
		r.game("abcd1234", lichess.Black, "e2e4")
		r.start("abcd1234")
		r.after(10 * time.Second)
		r.send(io.EOF)
		before := len(r.made("event stream"))
		r.after(2 * time.Minute)
		if n := len(r.made("event stream")) - before; n > 24 {
			t.Errorf("openings in two minutes: got %d, want at most twelve a minute", n)
		}
		r.reply("abcd1234", "g1f3")
		r.after(time.Second)
		r.want("moves of the running game", len(r.made("move")), 2)
		r.on("events", nil)
		r.after(90 * time.Second)
		r.send(challenged(challenge("c1", "one")))
		r.end("abcd1234", lichess.StatusResign, lichess.Black)
		r.after(time.Second)
		r.want("accepts after it is back", r.made("accept"), "[accept c1]")
	})
}

func TestSiteDownAtTheStartIsWaitedFor(t *testing.T) {
	var down atomic.Bool
	down.Store(true)
	inVirtualTime(t, func(s *stub, o *bot.Options) {
		s.answers["token"] = func(string, int) error {
			if down.Load() {
				return &lichess.Error{Op: "token test", Err: errors.New("no such host")}
			}
			return nil
		}
	}, func(r *rig) {
		r.after(10 * time.Minute)
		if n := len(r.made("token")); n < 10 || n > 30 {
			t.Errorf("tries in ten minutes: got %d, want one in a minute at the end", n)
		}
		if !r.daemon.Health().Healthy {
			t.Error("waiting for the site: got unhealthy, want healthy")
		}
		select {
		case <-r.daemon.Ready():
			t.Error("ready before the site answered")
		default:
		}
		down.Store(false)
		r.after(2 * time.Minute)
		<-r.daemon.Ready()
	})
}

func TestAccountThatCannotPlayIsATypedError(t *testing.T) {
	for name, c := range map[string]struct {
		change func(s *stub)
		want   bot.Access
	}{
		"unknown token":  {func(s *stub) { s.token = nil }, bot.TokenRefused},
		"refused token":  {func(s *stub) { s.answers["account"] = func(string, int) error { return status(401, 0) } }, bot.TokenRefused},
		"no scope":       {func(s *stub) { s.token.Scopes = "challenge:read, preference:read" }, bot.ScopeMissing},
		"not a bot":      {func(s *stub) { s.title = "" }, bot.NotBot},
		"scope, blanks ": {func(s *stub) { s.token.Scopes = "email:read, bot:play" }, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newStub()
				c.change(s)
				_, err := bot.CheckAccess(t.Context(), s)
				var access *bot.AccessError
				if errors.As(err, &access); access == nil && c.want != 0 || access != nil && access.Reason != c.want {
					t.Errorf("got %v, want reason %d", err, c.want)
				}
				if c.want == 0 {
					return
				}
				d := bot.New(bot.Options{Client: s, Clock: fixed{}})
				if err := d.Run(t.Context()); !errors.As(err, &access) {
					t.Errorf("Run: got %v, want an AccessError", err)
				}
			})
		})
	}
}

func TestRefusedTokenInMidRunStopsNewWorkOnly(t *testing.T) {
	inVirtualTime(t, nil, func(r *rig) {
		r.game("abcd1234", lichess.Black, "e2e4")
		r.start("abcd1234")
		r.after(10 * time.Second)
		r.on("events", func(string, int) error { return status(401, 0) })
		r.send(status(401, 0))
		before := len(r.made("event stream"))
		r.after(10 * time.Minute)
		if n := len(r.made("event stream")) - before; n > 10 {
			t.Errorf("openings in ten minutes: got %d, want at most one a minute", n)
		}
		if h := r.daemon.Health(); !h.Unauthorized || !h.Healthy {
			t.Errorf("health: got %+v, want unauthorized and healthy", h)
		}
		r.reply("abcd1234", "g1f3")
		r.after(time.Second)
		r.want("moves", len(r.made("move")), 2)
		r.on("events", nil)
		r.after(3 * time.Minute)
		if r.daemon.Health().Unauthorized {
			t.Error("still unauthorized after the token was accepted again")
		}
	})
}

func TestWaitsAreAsDrawn(t *testing.T) {
	for random, want := range map[float64][]time.Duration{
		0:    {750 * time.Millisecond, 2250 * time.Millisecond, 5250 * time.Millisecond},
		0.75: {1125 * time.Millisecond, 3375 * time.Millisecond, 7875 * time.Millisecond},
	} {
		inVirtualTime(t, func(_ *stub, o *bot.Options) { o.Random = func() float64 { return random } }, func(r *rig) {
			r.after(time.Minute)
			r.on("events", func(string, int) error { return status(502, 0) })
			began, opened := time.Now(), len(r.made("event stream"))
			r.send(io.EOF)
			r.after(9 * time.Second)
			r.want("openings", r.times("event stream", began)[opened:], want)
		})
	}
}

// The event stream stays open all the while, so nothing else shows that the token is good.
func TestRefusalOfOneRequestStopsNewWorkForAMinuteOnly(t *testing.T) {
	inVirtualTime(t, nil, func(r *rig) {
		r.on("accept", func(_ string, n int) error {
			if n == 0 {
				return status(403, 0)
			}
			return nil
		})
		r.send(challenged(challenge("c1", "one")))
		r.after(time.Second)
		if !r.daemon.Health().Unauthorized {
			t.Error("a refused accept is taken for nothing")
		}
		r.after(2 * time.Minute)
		r.send(challenged(challenge("c2", "two")))
		r.after(time.Second)
		r.want("accepts", r.made("accept"), "[accept c1 accept c2]")
	})
}

func TestTokenThatIsRefusedEverywhereIsAskedForOnceAMinute(t *testing.T) {
	kinds := map[string]string{
		"events": "event stream", "game stream": "game stream", "move": "move", "playing": "playing",
		"account": "account", "token": "token", "accept": "accept",
	}
	inVirtualTime(t, nil, func(r *rig) {
		r.game("abcd1234", lichess.White, "e2e4 e7e5")
		r.start("abcd1234")
		r.after(time.Hour)
		for kind := range kinds {
			r.on(kind, func(string, int) error { return status(401, 0) })
		}
		r.reply("abcd1234", "a7a6")
		r.after(time.Second)
		r.cut("abcd1234", io.EOF)
		r.send(status(401, 0))
		before := map[string]int{}
		for kind, text := range kinds {
			before[kind] = len(r.made(text))
		}
		r.after(10 * time.Minute)
		for kind, text := range kinds {
			most := 11
			if kind == "move" {
				most = 20 // while its clock runs a move is worth a few more
			}
			if n := len(r.made(text)) - before[kind]; n > most {
				t.Errorf("%s in ten minutes: got %d, want %d at most", kind, n, most)
			}
		}
		if h := r.daemon.Health(); !h.Unauthorized || !h.Healthy {
			t.Errorf("health: got %+v, want unauthorized and healthy", h)
		}
		for kind := range kinds {
			r.on(kind, nil)
		}
		r.after(2 * time.Minute)
		r.want("moves once the token is accepted again", len(strings.Fields(r.list("abcd1234"))), 5)
		if r.daemon.Health().Unauthorized {
			t.Error("still unauthorized after the token was accepted again")
		}
	})
}

func TestDrainPlaysOnAndEndsWithTheLastGame(t *testing.T) {
	inVirtualTime(t, nil, func(r *rig) {
		own := challenge("o1", me)
		r.send(challenged(own))
		r.game("abcd1234", lichess.Black, "e2e4")
		g := r.game("corr0001", lichess.Black, "e2e4")
		g.full.Clock, g.full.Speed = nil, lichess.Correspondence
		r.start("abcd1234")
		r.start("corr0001")
		r.send(challenged(challenge("c0", "zero")))
		r.after(time.Second)
		r.daemon.Drain()
		r.daemon.Drain()
		r.after(time.Second)
		r.send(challenged(challenge("c1", "one")))
		r.reply("abcd1234", "g1f3")
		r.after(time.Second)
		r.want("declines", r.made("decline"), "[decline c0 later decline c1 later]")
		r.want("own challenge", r.made("cancel"), "[cancel o1]")
		r.want("moves", len(r.made("move abcd1234")), 2)
		select {
		case err := <-r.done:
			t.Fatalf("Run ended with %v while a game was running", err)
		default:
		}
		r.end("abcd1234", lichess.StatusResign, lichess.Black)
		r.after(2 * time.Second)
		r.wantEnded("after the last game on a clock")
	})
}

func TestDrainWithNothingToDoEndsAtOnce(t *testing.T) {
	for _, down := range []bool{false, true} {
		inVirtualTime(t, func(s *stub, _ *bot.Options) {
			if down {
				s.answers["token"] = func(string, int) error { return status(502, 0) }
			}
		}, func(r *rig) {
			r.daemon.Drain()
			r.after(2 * time.Second)
			r.wantEnded(fmt.Sprintf("with nothing to do, site down: %v", down))
		})
	}
}

func TestDrainTimeoutLeavesTheGames(t *testing.T) {
	inVirtualTime(t, func(_ *stub, o *bot.Options) { o.DrainTimeout = time.Minute }, func(r *rig) {
		r.game("abcd1234", lichess.Black, "e2e4")
		r.start("abcd1234")
		r.after(time.Second)
		r.daemon.Drain()
		r.after(59 * time.Second)
		select {
		case <-r.done:
			t.Fatal("left before the timeout")
		default:
		}
		r.after(5 * time.Second)
		r.wantEnded("after the drain timeout")
	})
}

func TestCancelledRunLeavesNowAndNamesItsGames(t *testing.T) {
	inVirtualTime(t, nil, func(r *rig) {
		r.think.answer = plays(nil, time.Hour)
		r.on("chat", func(string, int) error { time.Sleep(time.Second); return nil })
		r.game("abcd1234", lichess.White, "e2e4 e7e5")
		r.start("abcd1234")
		r.after(time.Second)
		r.leave()
		r.after(100 * time.Millisecond)
		select {
		case err := <-r.done:
			if !errors.Is(err, bot.ErrGamesLeft) || !strings.Contains(err.Error(), "abcd1234") {
				t.Errorf("Run: got %v, want games left: abcd1234", err)
			}
			r.done <- nil
		default:
			t.Error("Run goes on after its context ended")
		}
	})
}

func TestSearchSlotGoesToTheEarliestDeadlineFirst(t *testing.T) {
	inVirtualTime(t, nil, func(r *rig) {
		r.think.answer = thinkOut
		long := r.game("long0001", lichess.White, "e2e4 e7e5")
		long.full.Clock, long.full.Speed = nil, lichess.Correspondence
		long.full.State.WTime = lichess.UnlimitedMillis
		r.start("long0001")
		r.after(100 * time.Millisecond)
		r.game("fast0001", lichess.White, "d2d4 d7d5")
		r.start("fast0001")
		r.after(10 * time.Second)
		r.want("moves, none without a search", r.made("move"), "[move long0001 h2h3 move fast0001 h2h3]")
		if at := r.times("move fast0001", r.start0); at[0] > 2*time.Second+200*time.Millisecond {
			t.Errorf("fast game's move after %v, want it not to wait for a search without a clock", at[0])
		}
	})
}

// slowToForget is a searcher with a table that takes a second to clear.
type slowToForget struct {
	*thinks
	forgot atomic.Int32 // how often
}

func (*slowToForget) SetHash(int) error    { return nil }
func (*slowToForget) SetThreads(int) error { return nil }

func (s *slowToForget) NewGame() {
	time.Sleep(time.Second)
	s.forgot.Add(1)
}

func TestOtherGamesAreForgottenBeforeTheFirstMoveIsDue(t *testing.T) {
	s := &slowToForget{thinks: &thinks{}}
	slot := func(_ *stub, o *bot.Options) { o.Searchers = []engine.Searcher{s} }
	inVirtualTime(t, slot, func(r *rig) {
		due := func(id, list string) {
			t.Helper()
			start := time.Now()
			r.moves(id, list)
			r.after(5 * time.Second)
			r.want("moves of "+id+" after", r.times("move "+id, start), "[100ms]")
		}
		r.game("first001", lichess.Black, "")
		r.start("first001")
		due("first001", "e2e4")
		r.want("times that a new searcher has forgotten", s.forgot.Load(), 0)
		r.end("first001", lichess.StatusResign, lichess.Black)
		r.after(time.Second)

		r.game("second01", lichess.Black, "")
		r.start("second01")
		r.after(2 * time.Second)
		due("second01", "d2d4")
		r.want("times that the first game was forgotten", s.forgot.Load(), 1)

		// Both go on: the new one finds no searcher that it alone has, and does not wait long.
		r.game("third001", lichess.White, "")
		start := time.Now()
		r.start("third001")
		r.after(5 * time.Second)
		r.want("move of the third game after", r.times("move third001", start), "[1.1s]")
		r.want("times that something was forgotten", s.forgot.Load(), 2)
	})
}

// thinkOut uses its soft limit, answers at once when told to, and plays h2h3, which no
// last resort would.
func thinkOut(ctx context.Context, g position.Game, l engine.Limits, _ func(engine.Info)) (engine.Result, error) {
	soft := *l.Soft
	if passed := *l.Hard - (*l.Deadline - engine.Now()); passed > 0 {
		soft -= passed
	}
	r, err := pause(ctx, g, l, soft)
	if err == nil {
		r.Best, err = g.Position().ParseUCI("h2h3")
	}
	return r, err
}

func TestGamesThatWaitForOneSearchSlotShareTheTime(t *testing.T) {
	inVirtualTime(t, func(_ *stub, o *bot.Options) {
		o.Clock = fixed{Soft: 2 * time.Second, Hard: 6 * time.Second}
	}, func(r *rig) {
		var spans []time.Duration // one search at a time: no lock
		r.think.answer = func(ctx context.Context, g position.Game, l engine.Limits, onInfo func(engine.Info)) (engine.Result, error) {
			start := time.Now()
			defer func() { spans = append(spans, time.Since(start)) }()
			return thinkOut(ctx, g, l, onInfo)
		}
		for i := range 5 {
			id := fmt.Sprintf("game000%d", i)
			r.game(id, lichess.White, "e2e4 e7e5")
			r.start(id)
		}
		r.after(7 * time.Second)
		for i := range 5 {
			id := fmt.Sprintf("game000%d", i)
			r.want("moves", r.made("move "+id), "[move "+id+" h2h3]")
		}
		r.want("searches at a time", r.think.most, 1)
		for i, span := range spans {
			if span < 900*time.Millisecond {
				t.Errorf("search %d had %v, want about a second", i, span)
			}
		}
	})
}

// Sixty games over days, all with us to move, one of them nearly out of time and the last of
// the list; and somebody wants a game on a clock meanwhile.
func TestGamesOverDaysAreServedByUrgencyAndLeaveTheSlotToGamesOnAClock(t *testing.T) {
	const games, urgent = 60, "game0059"
	inVirtualTime(t, func(s *stub, o *bot.Options) {
		o.NoClockThink = 30 * time.Second
		for i := range games {
			g := s.game(fmt.Sprintf("game%04d", i), lichess.White, "e2e4 e7e5")
			g.full.Clock, g.full.Speed = nil, lichess.Correspondence
			g.full.State.WTime, g.full.State.WInc, g.full.State.BInc = 86400000, 0, 0
		}
		s.games[urgent].full.State.WTime = 90000
		o.Searchers[0].(*thinks).answer = thinkOut
	}, func(r *rig) {
		began := time.Now()
		r.after(10 * time.Second)
		live := challenge("live0001", "someone")
		r.send(challenged(live))
		r.after(2 * time.Second)
		r.want("accepts", r.made("accept"), "[accept live0001]")
		r.game("live0001", lichess.White, "e2e4 e7e5")
		r.start("live0001")
		started := time.Now()
		r.after(3 * time.Second)
		if at := r.times("move live0001", started); len(at) != 1 || at[0] > 2*time.Second+50*time.Millisecond {
			t.Errorf("move on a clock: got %v, want one within its two seconds", at)
		}
		if at := r.times("move "+urgent, began); len(at) != 1 || at[0] > 45*time.Second {
			t.Errorf("urgent move: got %v, want one long before its ninety seconds are over", at)
		}
		// One other search may have been under way already.
		if i := slices.Index(r.made("move"), "move "+urgent+" h2h3"); i > 1 {
			t.Errorf("urgent move: it was number %d, want it to be the first that could", i+1)
		}
		r.after(35 * time.Minute)
		for i := range games {
			id := fmt.Sprintf("game%04d", i)
			r.want("moves", r.made("move "+id), "[move "+id+" h2h3]")
		}
	})
}

func TestHealthIsBadWhenTheMainLoopStands(t *testing.T) {
	inVirtualTime(t, func(s *stub, o *bot.Options) {
		o.Policy.Human.Variants = []lichess.VariantKey{lichess.Standard}
	}, func(r *rig) {
		if h := r.daemon.Health(); !h.Healthy || h.Stream != "open" {
			t.Fatalf("health: got %+v, want healthy and open", h)
		}
		r.after(time.Hour)
		if h := r.daemon.Health(); !h.Healthy {
			t.Errorf("after an hour: got %+v, want healthy", h)
		}
		r.leave()
		<-r.done
		time.Sleep(5 * time.Minute)
		if r.daemon.Health().Healthy {
			t.Error("nothing runs: got healthy")
		}
		r.done <- nil
	})
}

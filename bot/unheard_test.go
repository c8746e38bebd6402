package bot_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"
	"time"

	"zeitnot/bot"
	"zeitnot/lichess"
	"zeitnot/lichess/sandbox"
)

// What the streams do not say, or say too late, or in the wrong order.

func TestOldStateThatComesLateIsNoTakeback(t *testing.T) {
	inVirtualTime(t, nil, func(r *rig) {
		r.game("abcd1234", lichess.White, "e2e4 e7e5")
		r.start("abcd1234")
		r.after(100 * time.Millisecond)
		old := lichess.GameState{Moves: "e2e4", WTime: 180000, BTime: 180000, Status: lichess.StatusStarted}
		r.line("abcd1234", lichess.GameLine{State: &old})
		r.after(5 * time.Second)
		r.want("searches", r.think.asked(), "[e2e4 e7e5]")
		r.want("moves", len(r.made("move")), 1)
		r.want("streams", r.streams("abcd1234"), 2)
	})
}

func TestTurnThatOnlyTheListOfGamesShowsIsPlayed(t *testing.T) {
	inVirtualTime(t, nil, func(r *rig) {
		g := r.game("abcd1234", lichess.White, "e2e4")
		r.start("abcd1234")
		r.after(time.Second)
		r.mu.Lock()
		g.full.State.Moves += " e7e5" // and no line says so
		r.mu.Unlock()
		r.after(time.Minute)
		r.want("moves", len(r.made("move")), 1)
	})
}

func TestStreamWithoutItsFirstLineIsReopened(t *testing.T) {
	inVirtualTime(t, nil, func(r *rig) {
		g := r.game("abcd1234", lichess.White, "e2e4")
		g.noFull = 1
		r.start("abcd1234")
		r.after(time.Second)
		r.reply("abcd1234", "e7e5")
		r.after(5 * time.Second)
		r.want("moves", len(r.made("move")), 1)
		r.want("streams", r.streams("abcd1234"), 2)
	})
}

func TestListOfGamesThatFailsIsAskedForAgainSoon(t *testing.T) {
	inVirtualTime(t, func(s *stub, _ *bot.Options) {
		s.on("playing", func(_ string, n int) error {
			if n < 5 {
				return status(502, 0)
			}
			return nil
		})
	}, func(r *rig) {
		r.game("abcd1234", lichess.White, "e2e4 e7e5") // its gameStart is lost
		r.after(45 * time.Second)
		r.want("moves", len(r.made("move")), 1)
		if n := len(r.made("playing")); n > 9 {
			t.Errorf("lists asked for in 45 s: got %d, want at most 12 a minute", n)
		}
	})
}

func TestListOfGamesWaitsAsLongAsTheServerAsks(t *testing.T) {
	inVirtualTime(t, func(s *stub, _ *bot.Options) {
		s.on("playing", func(string, int) error { return status(429, 40*time.Second) })
	}, func(r *rig) {
		r.after(2 * time.Minute)
		// One at the start, one when the event stream opens, and then one each 40 s.
		if n := len(r.made("playing")); n < 3 || n > 5 {
			t.Errorf("lists asked for in two minutes: got %d, want 3 to 5", n)
		}
	})
}

func TestRefusedMoveIsSentAgainWhenNoStreamExplainsIt(t *testing.T) {
	for _, answer := range []error{status(400, 0), nil} {
		t.Run(fmt.Sprint(answer), func(t *testing.T) {
			inVirtualTime(t, nil, func(r *rig) {
				g := r.game("abcd1234", lichess.White, "e2e4 e7e5")
				g.full.State.WTime = 20000
				g.noEcho = true
				r.on("move", func(_ string, n int) error {
					if n == 0 {
						r.mu.Lock()
						g.noFull = 100 // every stream from now on breaks in its first line
						r.mu.Unlock()
						return answer
					}
					return nil
				})
				r.start("abcd1234")
				r.after(10 * time.Second)
				if n := len(r.made("move")); n < 2 || n > 4 {
					t.Errorf("moves: got %v, want the same once or twice more", r.made("move"))
				}
			})
		})
	}
}

func TestShortClockIsNotSpentOnWaitingForTheStream(t *testing.T) {
	for _, c := range []struct {
		left        lichess.Millis
		least, most int // streams opened in ten seconds
	}{
		{180000, 4, 8},
		{10000, 12, 23},
	} {
		inVirtualTime(t, nil, func(r *rig) {
			g := r.game("abcd1234", lichess.White, "e2e4")
			g.full.State.WTime = c.left
			r.start("abcd1234")
			r.after(time.Second)
			r.on("game stream", func(string, int) error { return status(502, 0) })
			before := len(r.made("game stream"))
			r.cut("abcd1234", errors.New("connection reset by peer"))
			r.after(10 * time.Second)
			if n := len(r.made("game stream")) - before; n < c.least || n > c.most {
				t.Errorf("with %v on the clock the stream was asked for %d times, want %d to %d", c.left.Duration(), n, c.least, c.most)
			}
		})
	}
}

func TestEventStreamFollowsAGamesStreamAfterAnOutage(t *testing.T) {
	inVirtualTime(t, nil, func(r *rig) {
		r.game("abcd1234", lichess.White, "e2e4")
		r.start("abcd1234")
		r.after(time.Second)
		down := func(string, int) error { return status(502, 0) }
		r.on("events", down)
		r.on("game stream", down)
		r.send(io.EOF)
		r.cut("abcd1234", io.EOF)
		r.after(5 * time.Minute)
		r.on("events", nil)
		r.on("game stream", nil)
		r.mu.Lock()
		before := r.opens
		r.mu.Unlock()
		r.after(11 * time.Second)
		r.mu.Lock()
		defer r.mu.Unlock()
		r.want("event streams", r.opens-before, 1)
	})
}

func TestChallengeIsAcceptedBesideGamesThatSpendEveryToken(t *testing.T) {
	o := sandbox.Options{Seed: 1, Limits: sandbox.Limits{BotGamesPerDay: -1}}
	for i := range 5 {
		o.Opponents = append(o.Opponents, sandbox.OpponentSpec{
			Name: fmt.Sprintf("Fast%d", i), New: sandbox.Script{Think: 50 * time.Millisecond, ResignAt: 150, Seed: uint64(i)}.Player,
			Plans: []sandbox.Plan{{Challenge: sandbox.Challenge{To: "Zeitnot", Control: sandbox.ClockControl(2*time.Minute, time.Second)}, Count: 20, Persist: true}},
		})
	}
	o.Opponents = append(o.Opponents, sparring(sandbox.Script{ResignAt: 5}))
	inSandbox(t, o, func(o *bot.Options) {
		o.Concurrency = 6
		o.Searchers = append(o.Searchers, o.Searchers[0], o.Searchers[0], o.Searchers[0])
	}, func(h *house) {
		time.Sleep(30 * time.Second)
		for range 3 {
			began := time.Now()
			id := h.challenge(sandbox.Challenge{})
			ctx, cancel := context.WithTimeout(h.ctx, 3*time.Second)
			r, err := h.WaitChallenge(ctx, id)
			cancel()
			if err != nil || r.State != "accepted" {
				t.Fatalf("challenge: %s after %v (%v), want it accepted within 3 s", r.State, time.Since(began), err)
			}
			h.wantWon(h.finished(id, time.Minute))
			time.Sleep(5 * time.Second)
		}
		if n := h.CountRequests(sandbox.EndpointMove, "zeitnot"); n < 4*45 {
			t.Errorf("moves in three quarters of a minute: got %d, want more than there are tokens for", n)
		}
	})
}

package bot_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"zeitnot/bot"
	"zeitnot/bot/record"
	"zeitnot/clock"
	"zeitnot/engine"
	"zeitnot/engine/position"
	"zeitnot/lichess"
)

func TestGameStartOftenGivesOneRunnerAndOneMove(t *testing.T) {
	inVirtualTime(t, nil, func(r *rig) {
		r.game("abcd1234", lichess.White, "")
		for _, reopened := range []bool{false, true, true} {
			if reopened {
				r.send(io.EOF)
				r.after(time.Minute / 2)
			}
			for range 100 {
				r.start("abcd1234")
			}
		}
		r.after(time.Second)
		r.want("streams of the game", r.streams("abcd1234"), 1)
		r.want("searches", len(r.think.asked()), 1)
		r.want("moves", len(r.made("move")), 1)
		r.want("slots", r.slotsUsed(), 1)
	})
}

func TestEveryStatusButCreatedAndStartedEndsTheGame(t *testing.T) {
	for _, s := range []lichess.Status{
		"outoftime", "aborted", "timeout", "draw", "mate", "resign", "stalemate", "noStart", "cheat", "variantEnd",
		"insufficientMaterialClaim", "unknownFinish", "futureName",
	} {
		t.Run(string(s), func(t *testing.T) {
			inVirtualTime(t, nil, func(r *rig) {
				g := r.game("abcd1234", lichess.White, "")
				g.full.State.Status = s
				r.send(lichess.Event{Type: lichess.EventGameStart, Game: &lichess.GameInfo{GameID: "abcd1234"}})
				r.after(time.Minute)
				r.want("streams", r.streams("abcd1234"), 1)
				r.want("searches", len(r.think.asked()), 0)
				r.want("moves", len(r.made("move")), 0)
				r.want("slots", r.slotsUsed(), 0)
			})
		})
	}
}

func TestRefusedMoveOfAnEndedGameIsQuietlyForgotten(t *testing.T) {
	for _, c := range []struct {
		name  string
		moves int
		ends  time.Duration // after the start; our search takes a second
	}{
		{"the end comes while we think", 0, 900 * time.Millisecond},
		{"the end comes with the refusal", 1, time.Second},
		{"the end comes after the refusal", 1, 2500 * time.Millisecond},
	} {
		t.Run(c.name, func(t *testing.T) {
			var log lines
			inVirtualTime(t, func(_ *stub, o *bot.Options) { o.Log = log.logger() }, func(r *rig) {
				r.think.answer = plays(nil, time.Second)
				r.on("move", func(string, int) error { return status(400, 0) })
				r.game("abcd1234", lichess.White, "e2e4 e7e5")
				r.start("abcd1234")
				r.after(c.ends)
				r.end("abcd1234", lichess.StatusResign, lichess.White)
				r.after(10 * time.Second)
				r.want("moves", len(r.made("move")), c.moves)
				r.want("slots", r.slotsUsed(), 0)
				r.send(challenged(challenge("c1", "someone")))
				r.after(time.Second)
				r.want("accepts", r.made("accept"), "[accept c1]")
			})
			if n := log.count(`"level":"error"`) + log.count(`"level":"warn"`); n > 0 {
				t.Errorf("log: got %d warnings and errors, want none:\n%s", n, log.String())
			}
		})
	}
}

// A game may come with next to nothing in its lines.
func TestGameOfWhichLittleIsKnownIsPlayed(t *testing.T) {
	inVirtualTime(t, func(_ *stub, o *bot.Options) { o.Chat.Greeting = "Good luck, {opponent}!" }, func(r *rig) {
		g := r.game("abcd1234", lichess.White, "")
		g.full = lichess.GameFull{ID: "abcd1234", White: lichess.Player{ID: me}, State: lichess.GameState{
			WTime: lichess.UnlimitedMillis, BTime: lichess.UnlimitedMillis, Status: lichess.StatusStarted,
		}}
		g.full.Variant.Key = lichess.Standard
		r.send(lichess.Event{Type: lichess.EventGameStart, Game: &lichess.GameInfo{GameID: "abcd1234"}})
		r.after(time.Second)
		r.want("moves", len(r.made("move")), 1)
		r.reply("abcd1234", "e7e5")
		r.after(time.Second)
		r.want("moves", len(r.made("move")), 2)
		r.end("abcd1234", "", "")
		r.end("abcd1234", lichess.StatusResign, "")
		r.want("slots", r.slotsUsed(), 0)
	})
}

func TestLostReplyIsRecognisedFromTheStream(t *testing.T) {
	inVirtualTime(t, nil, func(r *rig) {
		r.think.answer = plays(map[int]string{0: "e2e4", 2: "g1f3"}, 50*time.Millisecond)
		r.on("move", func(text string, n int) error {
			if n == 0 {
				r.play("abcd1234", "e2e4")
				time.Sleep(200 * time.Millisecond)
				r.reply("abcd1234", "e7e5")
				time.Sleep(10 * time.Second)
				return &lichess.Error{Err: lichess.ErrTimeout}
			}
			return nil
		})
		r.game("abcd1234", lichess.White, "")
		r.start("abcd1234")
		r.after(20 * time.Second)
		r.want("moves", r.made("move"), "[move abcd1234 e2e4 move abcd1234 g1f3]")
		if at := r.times("move", r.start0); at[1] > time.Second+100*time.Millisecond {
			t.Errorf("second move after %v, want within a second of the reply", at[1])
		}
	})
}

func TestServerFaultsOnAMoveAreRetriedWithinASecond(t *testing.T) {
	inVirtualTime(t, nil, func(r *rig) {
		r.on("move", func(_ string, n int) error {
			if n < 3 {
				return status(502, 0)
			}
			return nil
		})
		r.game("abcd1234", lichess.White, "")
		r.start("abcd1234")
		r.after(10 * time.Second)
		at := r.times("move", r.start0)
		r.want("moves", len(at), 4)
		if d := at[3] - at[0]; d > time.Second {
			t.Errorf("fourth attempt after %v, want within a second", d)
		}
		r.want("list", len(strings.Fields(r.list("abcd1234"))), 1)
	})
}

func TestRateLimitedMoveIsKeptAndSentAgain(t *testing.T) {
	for _, c := range []struct {
		name   string
		clock  lichess.Millis
		stated time.Duration
		want   time.Duration
	}{
		{"clock is long enough for the stated time", 180000, 45 * time.Second, 45 * time.Second},
		{"clock is shorter: half of it", 30000, time.Minute, (30*time.Second - 100*time.Millisecond - 500*time.Millisecond) / 2},
		{"clock is short: five seconds", 8000, time.Minute, 5 * time.Second},
		{"clock is shorter than that: all but the guard", 2000, time.Minute, 2*time.Second - 600*time.Millisecond},
	} {
		t.Run(c.name, func(t *testing.T) {
			inVirtualTime(t, nil, func(r *rig) {
				r.on("move", func(_ string, n int) error {
					if n == 0 {
						return status(429, c.stated)
					}
					return nil
				})
				g := r.game("abcd1234", lichess.White, "e2e4 e7e5")
				g.full.State.WTime = c.clock
				r.start("abcd1234")
				r.after(2 * time.Minute)
				made, at := r.made("move"), r.times("move", r.start0)
				if len(at) != 2 || made[0] != made[1] {
					t.Fatalf("moves: got %v, want the same twice", made)
				}
				if got := at[1] - at[0]; got != c.want {
					t.Errorf("pause: got %v, want %v", got, c.want)
				}
			})
		})
	}
}

// A server that refuses at once and goes on refusing, while our clock runs out and beyond.
func TestRefusedMoveIsNeverSentWithoutAPause(t *testing.T) {
	for _, code := range []int{401, 403, 429} {
		inVirtualTime(t, nil, func(r *rig) {
			r.on("move", func(string, int) error { return status(code, 0) })
			r.game("abcd1234", lichess.White, "e2e4 e7e5").full.State.WTime = 20000
			r.start("abcd1234")
			r.after(20 * time.Second)
			while := len(r.made("move"))
			if while < 3 || while > 20 {
				t.Errorf("%d: got %d requests in twenty seconds, want a few", code, while)
			}
			r.after(10 * time.Minute)
			if n := len(r.made("move")) - while; n > 12 {
				t.Errorf("%d: got %d requests in ten minutes after the clock was gone, want one a minute", code, n)
			}
		})
	}
}

func TestAcceptedMoveThatTheStreamDoesNotShowReopensTheStream(t *testing.T) {
	inVirtualTime(t, nil, func(r *rig) {
		g := r.game("abcd1234", lichess.White, "")
		g.noEcho = true
		r.start("abcd1234")
		r.after(5 * time.Second)
		r.want("streams", r.streams("abcd1234"), 2)
		r.want("moves", len(r.made("move")), 1)
		g.noEcho = false
		r.reply("abcd1234", "e7e5")
		r.after(5 * time.Second)
		r.want("moves after the reply", len(r.made("move")), 2)
	})
}

func TestMoveRefusedAlthoughItIsOurTurnIsReplacedByAnother(t *testing.T) {
	inVirtualTime(t, nil, func(r *rig) {
		r.think.answer = func(ctx context.Context, g position.Game, l engine.Limits, _ func(engine.Info)) (engine.Result, error) {
			return pause(ctx, g, l, 10*time.Millisecond)
		}
		r.on("move", func(text string, n int) error {
			if n < 2 {
				return status(400, 0)
			}
			return nil
		})
		r.game("abcd1234", lichess.White, "")
		r.start("abcd1234")
		r.after(30 * time.Second)
		made := r.made("move")
		if len(made) != 3 || made[0] != made[1] || made[1] == made[2] {
			t.Errorf("moves: got %v, want the same twice and then another", made)
		}
	})
}

func TestGameStreamIsReopenedOnAnyEnd(t *testing.T) {
	for name, end := range map[string]error{
		"clean end":  io.EOF,
		"reset":      errors.New("connection reset by peer"),
		"silence":    &lichess.Error{Err: lichess.ErrSilent},
		"rate limit": status(429, 30*time.Second),
		"502":        status(502, 0),
	} {
		t.Run(name, func(t *testing.T) {
			inVirtualTime(t, nil, func(r *rig) {
				g := r.game("abcd1234", lichess.Black, "e2e4")
				r.start("abcd1234")
				r.after(time.Second)
				r.want("moves", len(r.made("move")), 1)
				r.cut("abcd1234", end)
				r.mu.Lock() // two plies are missed while nobody listens
				g.full.State.Moves += " g1f3"
				r.mu.Unlock()
				r.after(time.Minute)
				r.want("moves", len(r.made("move")), 2)
				r.want("streams", r.streams("abcd1234"), 2)
				r.end("abcd1234", lichess.StatusResign, lichess.Black)
				r.after(time.Second)
				r.want("slots", r.slotsUsed(), 0)
				r.want("streams after the end", r.streams("abcd1234"), 2)
			})
		})
	}
}

func TestSamePositionAgainDisturbsNoSearch(t *testing.T) {
	inVirtualTime(t, nil, func(r *rig) {
		r.think.answer = plays(nil, 1500*time.Millisecond)
		r.game("abcd1234", lichess.White, "b2b3 d7d6")
		r.start("abcd1234")
		r.after(100 * time.Millisecond)
		r.push("abcd1234", func(s *lichess.GameState) { s.BDraw = true })
		r.push("abcd1234", func(s *lichess.GameState) { s.BTakeback = true })
		r.moves("abcd1234", "b2b3 d7d6")
		r.after(5 * time.Second)
		r.want("searches", r.think.asked(), "[b2b3 d7d6]")
		r.want("moves", len(r.made("move")), 1)
		r.want("answers", r.made("draw"), "[draw abcd1234 false]")
		r.want("answers", r.made("takeback"), "[takeback abcd1234 false]")
	})
}

func TestMateOnTheBoardStartsNoSearch(t *testing.T) {
	inVirtualTime(t, nil, func(r *rig) {
		r.game("abcd1234", lichess.White, "f2f3 e7e5 g2g4 d8h4")
		r.start("abcd1234")
		r.after(100 * time.Millisecond)
		r.end("abcd1234", lichess.StatusMate, lichess.Black)
		r.after(time.Second)
		r.want("searches", len(r.think.asked()), 0)
		r.want("streams", r.streams("abcd1234"), 1)
		r.want("slots", r.slotsUsed(), 0)
	})
}

func TestThreefoldOnTheBoardIsTheServersToDecide(t *testing.T) {
	const threefold = "g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8"
	t.Run("still started: we move", func(t *testing.T) {
		inVirtualTime(t, nil, func(r *rig) {
			r.game("abcd1234", lichess.White, threefold)
			r.start("abcd1234")
			r.after(time.Second)
			r.want("moves", len(r.made("move")), 1)
		})
	})
	t.Run("one move short of it: we move", func(t *testing.T) {
		inVirtualTime(t, nil, func(r *rig) {
			r.think.answer = plays(map[int]string{7: "f6g8"}, 10*time.Millisecond)
			r.game("abcd1234", lichess.Black, strings.TrimSuffix(threefold, " f6g8"))
			r.start("abcd1234")
			r.after(time.Second)
			r.want("moves", r.made("move"), "[move abcd1234 f6g8]")
			r.want("claims and offers", len(r.made("claim"))+len(r.made("draw")), 0)
		})
	})
	t.Run("draw by a second line: quiet end", func(t *testing.T) {
		inVirtualTime(t, nil, func(r *rig) {
			r.game("abcd1234", lichess.White, threefold)
			r.start("abcd1234")
			r.after(5 * time.Millisecond)
			r.end("abcd1234", lichess.StatusDraw, "")
			r.after(time.Second)
			r.want("moves", len(r.made("move")), 0)
			r.want("slots", r.slotsUsed(), 0)
		})
	})
}

func TestSearchHasTheWholeGameFromItsInitialPosition(t *testing.T) {
	inVirtualTime(t, nil, func(r *rig) {
		repetitions := 0
		r.think.answer = func(ctx context.Context, g position.Game, l engine.Limits, _ func(engine.Info)) (engine.Result, error) {
			repetitions = g.Repetitions()
			return pause(ctx, g, l, 0)
		}
		g := r.game("abcd1234", lichess.White, "e1d2 e8d7 d2e1 d7e8 e1f2 e8f7 f2e1 f7e8")
		g.full.InitialFEN, g.full.Variant = "4k3/8/8/8/8/4P3/8/4K3 w - - 0 1", lichess.VariantOf(lichess.FromPosition)
		r.start("abcd1234")
		r.after(time.Second)
		r.want("occurrences of the position", repetitions, 3)
	})
}

func TestBothCastlingNotationsAreTheSameMoves(t *testing.T) {
	inVirtualTime(t, nil, func(r *rig) {
		r.think.answer = plays(map[int]string{6: "e1g1"}, 10*time.Millisecond)
		r.game("abcd1234", lichess.White, "e2e4 e7e5 g1f3 b8c6 f1c4 f8c5")
		r.on("move", func(string, int) error {
			r.reply("abcd1234", "e1h1") // the echo, in the other notation
			time.Sleep(time.Hour)
			return nil
		})
		r.start("abcd1234")
		r.after(time.Second)
		r.want("moves", r.made("move"), "[move abcd1234 e1g1]")
		r.cut("abcd1234", io.EOF)
		r.mu.Lock()
		r.games["abcd1234"].full.State.Moves = "e2e4 e7e5 g1f3 b8c6 f1c4 f8c5 e1g1 g8f6"
		r.mu.Unlock()
		r.after(time.Second)
		asked := r.think.asked()
		r.want("last search", asked[len(asked)-1], "e2e4 e7e5 g1f3 b8c6 f1c4 f8c5 e1g1 g8f6")
	})
}

func TestChess960CastlingGoesOutAsKingTakesRook(t *testing.T) {
	for _, c := range []struct{ name, fen, variant, move string }{
		{"chess960", "rk5r/pppppppp/8/8/8/8/PPPPPPPP/RK5R w KQkq - 0 1", "chess960", "b1h1"},
		{"from position, Shredder letters", "4kr2/pppppppp/8/8/8/8/PPPPPPPP/4KR2 w Ff - 0 1", "fromPosition", "e1f1"},
		{"from position, X-FEN", "4k1r1/pppppppp/8/8/8/8/PPPPPPPP/4K1R1 w Kk - 0 1", "fromPosition", "e1g1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			inVirtualTime(t, nil, func(r *rig) {
				r.think.answer = plays(map[int]string{0: c.move}, 10*time.Millisecond)
				g := r.game("abcd1234", lichess.White, "")
				g.full.InitialFEN, g.full.Variant = c.fen, lichess.VariantOf(lichess.VariantKey(c.variant))
				r.start("abcd1234")
				r.after(time.Second)
				r.want("moves", r.made("move"), "[move abcd1234 "+c.move+"]")
			})
		})
	}
}

func TestGameThatNoEnginePlaysIsLeftAtOnce(t *testing.T) {
	for _, c := range []struct {
		variant lichess.VariantKey
		moves   string
		refused bool // the abort is
		want    string
	}{
		{"newVariant2027", "", false, "[abort abcd1234]"},
		{lichess.Atomic, "", false, "[abort abcd1234]"},
		{lichess.Atomic, "e2e4 e7e5 d2d4 d7d5", true, "[abort abcd1234 resign abcd1234]"},
		// Moves that are none in chess.
		{"crazyhouse", "e2e4 d7d5 e4d5 d8d5 P@d4 d5d4", true, "[abort abcd1234 resign abcd1234]"},
	} {
		inVirtualTime(t, nil, func(r *rig) {
			if c.refused {
				r.on("abort", func(string, int) error { return status(400, 0) })
			}
			g := r.game("abcd1234", lichess.White, c.moves)
			g.full.Variant = lichess.Variant{Key: c.variant}
			r.start("abcd1234")
			r.after(time.Second)
			r.want(string(c.variant), append(r.made("abort"), r.made("resign")...), c.want)
			r.after(time.Minute)
			r.want("moves", len(r.made("move")), 0)
			r.end("abcd1234", lichess.StatusResign, lichess.Black)
			r.want("slots", r.slotsUsed(), 0)
		})
	}
}

func TestGameWhoseMovesMakeNoSenseIsLeft(t *testing.T) {
	for name, moves := range map[string]string{
		"no such move":   "e2e4 e7e5 e4e5",
		"no move at all": "e2e4 castles",
		"out of turn":    "e2e4 d2d4",
	} {
		t.Run(name, func(t *testing.T) {
			inVirtualTime(t, nil, func(r *rig) {
				r.on("abort", func(string, int) error { return status(400, 0) })
				r.on("resign", func(_ string, n int) error {
					if n < 2 {
						return status(400, 0)
					}
					r.end("abcd1234", lichess.StatusResign, lichess.Black)
					return nil
				})
				r.game("abcd1234", lichess.White, moves)
				r.start("abcd1234")
				r.after(time.Second)
				r.want("streams before it is left", r.streams("abcd1234") > 2, true)
				r.after(time.Minute)
				r.want("resignations", len(r.made("resign")), 3)
				r.want("slots", r.slotsUsed(), 0)
			})
		})
	}
}

func TestMovesThatMakeSenseAgainArePlayedOn(t *testing.T) {
	inVirtualTime(t, nil, func(r *rig) {
		r.game("abcd1234", lichess.White, "e2e4 e7e5")
		r.start("abcd1234")
		r.after(2 * time.Second)
		garbled := lichess.GameState{Moves: "e2e4 e7e5 g1f3 b8c6 h9h9", WTime: 180000, BTime: 180000, Status: lichess.StatusStarted}
		r.line("abcd1234", lichess.GameLine{State: &garbled})
		r.after(2 * time.Second)
		r.reply("abcd1234", "b8c6")
		r.after(5 * time.Second)
		r.want("moves", len(r.made("move")), 2)
		r.want("aborts and resignations", len(r.made("abort"))+len(r.made("resign")), 0)
	})
}

func TestGameThatTheServerDoesNotListIsGivenUp(t *testing.T) {
	inVirtualTime(t, nil, func(r *rig) {
		g := r.game("abcd1234", lichess.White, "e2e4")
		r.start("abcd1234")
		r.after(time.Second)
		r.mu.Lock()
		g.hidden, g.noFull = true, 1000 // its streams are open and say nothing
		r.mu.Unlock()
		r.after(30 * time.Second)
		r.want("slots after one list at most", r.slotsUsed(), 1)
		r.after(3 * time.Minute)
		r.want("slots", r.slotsUsed(), 0)
	})
}

func TestHungSearchIsAnsweredByTheWatchdogOnce(t *testing.T) {
	for _, c := range []struct{ name, want string }{
		{"best so far", "move abcd1234 d2d4"},
		{"nothing reported", "move abcd1234 "},
	} {
		t.Run(c.name, func(t *testing.T) {
			inVirtualTime(t, func(_ *stub, o *bot.Options) { o.Clock = fixed{Soft: 500 * time.Millisecond, Hard: time.Second} }, func(r *rig) {
				r.think.answer = func(ctx context.Context, g position.Game, l engine.Limits, onInfo func(engine.Info)) (engine.Result, error) {
					if c.name == "best so far" {
						m, _ := g.Position().ParseUCI("d2d4")
						onInfo(engine.Info{Depth: 3, Bound: engine.BoundExact, PV: []position.Move{m}})
					}
					time.Sleep(3 * time.Second) // deaf to its context
					return pause(ctx, g, l, 0)
				}
				r.game("abcd1234", lichess.White, "")
				r.start("abcd1234")
				r.after(20 * time.Second)
				made, at := r.made("move"), r.times("move", r.start0)
				if len(made) != 1 || !strings.HasPrefix(made[0], c.want) {
					t.Fatalf("moves: got %v, want one that begins with %q", made, c.want)
				}
				if at[0] > time.Second+20*time.Millisecond {
					t.Errorf("move after %v, want 10 ms after the hard limit of a second", at[0])
				}
			})
		})
	}
}

func TestSearchThatPanicsFailsOrAnswersNonsenseStillMoves(t *testing.T) {
	for name, answer := range map[string]func(context.Context, position.Game, engine.Limits, func(engine.Info)) (engine.Result, error){
		"panic": func(context.Context, position.Game, engine.Limits, func(engine.Info)) (engine.Result, error) {
			panic("test")
		},
		"error": func(context.Context, position.Game, engine.Limits, func(engine.Info)) (engine.Result, error) {
			return engine.Result{}, errors.New("test")
		},
		"illegal move": func(context.Context, position.Game, engine.Limits, func(engine.Info)) (engine.Result, error) {
			return engine.Result{Best: position.NewMove(0, 7, position.Normal)}, nil
		},
		"no move": func(context.Context, position.Game, engine.Limits, func(engine.Info)) (engine.Result, error) {
			return engine.Result{}, nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			inVirtualTime(t, nil, func(r *rig) {
				r.think.answer = answer
				r.game("abcd1234", lichess.White, "")
				r.start("abcd1234")
				r.after(50 * time.Millisecond)
				r.want("moves", len(r.made("move")), 1)
				r.reply("abcd1234", "e7e5")
				r.after(50 * time.Millisecond)
				r.want("moves", len(r.made("move")), 2)
			})
		})
	}
}

func TestZeroClockIsAClockAndIsAnsweredAtOnce(t *testing.T) {
	inVirtualTime(t, func(_ *stub, o *bot.Options) { o.Clock = fixed{} }, func(r *rig) {
		r.think.answer = func(ctx context.Context, g position.Game, l engine.Limits, _ func(engine.Info)) (engine.Result, error) {
			if l.Hard == nil || *l.Hard != 0 {
				t.Errorf("hard limit: got %v, want 0", l.Hard)
			}
			return pause(ctx, g, l, time.Minute)
		}
		g := r.game("abcd1234", lichess.White, "e2e4 e7e5")
		g.full.State.WTime, g.full.State.BTime = 0, 0
		r.start("abcd1234")
		r.after(300 * time.Millisecond)
		r.want("moves", len(r.made("move")), 1)
	})
}

func TestGamesWithoutAClockThinkTheSettingCappedByTheTimeLeft(t *testing.T) {
	for _, c := range []struct {
		name string
		left lichess.Millis
		want time.Duration
	}{
		{"unlimited", lichess.UnlimitedMillis, 5 * time.Second},
		{"fourteen days", 1209600000, 5 * time.Second},
		{"ninety seconds", 90000, 450 * time.Millisecond},
	} {
		t.Run(c.name, func(t *testing.T) {
			inVirtualTime(t, nil, func(r *rig) {
				var hard time.Duration
				r.think.answer = func(ctx context.Context, g position.Game, l engine.Limits, _ func(engine.Info)) (engine.Result, error) {
					hard = *l.Hard
					return pause(ctx, g, l, hard)
				}
				g := r.game("abcd1234", lichess.White, "e2e4 e7e5")
				g.full.Clock, g.full.Speed = nil, lichess.Correspondence
				g.full.State.WTime, g.full.State.BTime, g.full.State.WInc, g.full.State.BInc = c.left, c.left, 0, 0
				r.start("abcd1234")
				r.after(10 * time.Second)
				r.want("think", hard, c.want)
				r.want("moves", len(r.made("move")), 1)
			})
		})
	}
}

// Another engine may need half a minute to get ready, more than the server waits.
func TestFirstMoveDoesNotWaitForAnEngineThatIsNotReady(t *testing.T) {
	inVirtualTime(t, func(_ *stub, o *bot.Options) { o.Clock = fixed{Soft: time.Minute, Hard: time.Minute} }, func(r *rig) {
		r.think.answer = func(ctx context.Context, g position.Game, l engine.Limits, _ func(engine.Info)) (engine.Result, error) {
			time.Sleep(25 * time.Second) // deaf to its context
			return pause(ctx, g, l, 0)
		}
		r.game("abcd1234", lichess.White, "").full.State.Expiration = &lichess.Expiration{Idle: 4000, ToMove: 20000}
		r.start("abcd1234")
		r.after(14 * time.Second)
		r.want("moves", len(r.made("move")), 1)
		r.after(20 * time.Second) // its answer comes at last, and is no move
		r.want("moves", len(r.made("move")), 1)
	})
}

// Eighty milliseconds are left and a move costs 600: nothing is left to think with, and what
// is sent at once may still count.
func TestClockBelowTheOverheadIsAnsweredAtOnce(t *testing.T) {
	for _, name := range clock.Names() {
		policy, err := clock.ByName(name, clock.Tuning{})
		if err != nil {
			t.Fatal(err)
		}
		inVirtualTime(t, func(_ *stub, o *bot.Options) {
			o.Clock = policy
			o.Record = knownWay{600 * time.Millisecond}
		}, func(r *rig) {
			r.think.answer = func(ctx context.Context, g position.Game, l engine.Limits, _ func(engine.Info)) (engine.Result, error) {
				if *l.Hard < 0 || *l.Soft < 0 {
					t.Errorf("%s: limits %v, %v", name, *l.Soft, *l.Hard)
				}
				return pause(ctx, g, l, *l.Hard)
			}
			r.game("abcd1234", lichess.White, "e2e4 e7e5").full.State.WTime = 80
			began := time.Now()
			r.start("abcd1234")
			r.after(time.Second)
			if at := r.times("move", began); len(at) != 1 || at[0] > 20*time.Millisecond {
				t.Errorf("%s: got moves after %v, want one at once", name, at)
			}
		})
	}
}

// knownWay is a record that knows what a move costs.
type knownWay struct{ overhead time.Duration }

func (knownWay) GameStarted(record.Game) {}
func (knownWay) Move(record.Move)        {}
func (knownWay) GameEnded(record.End)    {}
func (knownWay) SavePrior(record.Prior)  {}
func (knownWay) Close() error            { return nil }
func (k knownWay) Prior(server string) (record.Prior, error) {
	return record.Prior{Server: server, Saved: time.Now(), Estimator: clock.StartPrior([]time.Duration{k.overhead, k.overhead, k.overhead})}, nil
}

func TestFirstTwoPliesThinkAtMostThreeSecondsAndHalfOfAnExpiration(t *testing.T) {
	inVirtualTime(t, func(_ *stub, o *bot.Options) { o.Clock = fixed{Soft: time.Minute, Hard: time.Minute} }, func(r *rig) {
		r.think.answer = plays(nil, time.Hour)
		r.game("abcd1234", lichess.White, "")
		r.start("abcd1234")
		r.after(3*time.Second + 20*time.Millisecond)
		r.want("moves", len(r.made("move")), 1)
		g := r.game("efgh5678", lichess.White, "")
		g.full.State.Expiration = &lichess.Expiration{Idle: 18000, ToMove: 20000}
		r.start("efgh5678")
		r.after(time.Second + 20*time.Millisecond)
		r.want("moves", len(r.made("move")), 2)
	})
}

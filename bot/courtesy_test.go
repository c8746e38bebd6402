package bot_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"zeitnot/bot"
	"zeitnot/engine"
	"zeitnot/engine/position"
	"zeitnot/lichess"
)

// scores answers with a scored move; score gives it by the number of the search.
func scores(score func(n int) engine.Score) func(context.Context, position.Game, engine.Limits, func(engine.Info)) (engine.Result, error) {
	n := 0
	return func(ctx context.Context, g position.Game, l engine.Limits, _ func(engine.Info)) (engine.Result, error) {
		r, err := pause(ctx, g, l, 10*time.Millisecond)
		r.Score = score(n)
		n++
		return r, err
	}
}

// ending is a king and pawn ending in which endgame plays pairs of moves; we are black.
const ending = "4k3/4p3/8/8/8/8/4P3/4K3 w - - 0 40"

func (r *rig) endgame(pairs int) {
	g := r.game("abcd1234", lichess.Black, "")
	g.full.InitialFEN, g.full.Variant = ending, lichess.VariantOf(lichess.FromPosition)
	r.start("abcd1234")
	r.after(50 * time.Millisecond)
	for i := range pairs {
		r.reply("abcd1234", []string{"e1f1", "f1g1", "g1f1", "f1e1"}[i%4])
		r.after(100 * time.Millisecond)
	}
}

func TestDrawOfferIsAnsweredOnceByTheLastScores(t *testing.T) {
	rule := bot.DrawRule{Accept: true, Score: 10, Moves: 10, MinMove: 30, MaxPieces: 6}
	for _, c := range []struct {
		name  string
		score func(int) engine.Score
		rule  bot.DrawRule
		want  string
	}{
		{"level for long enough", func(int) engine.Score { return 0 }, rule, "[draw abcd1234 true]"},
		{"level, but not for long enough", func(n int) engine.Score { return engine.Score(100 * max(0, 5-n)) }, rule, "[draw abcd1234 false]"},
		{"better", func(int) engine.Score { return 50 }, rule, "[draw abcd1234 false]"},
		{"not wanted", func(int) engine.Score { return 0 }, bot.DrawRule{}, "[draw abcd1234 false]"},
		{"too many men", func(int) engine.Score { return 0 }, bot.DrawRule{Accept: true, Score: 10, Moves: 10, MaxPieces: 3}, "[draw abcd1234 false]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			inVirtualTime(t, func(_ *stub, o *bot.Options) { o.Draw = c.rule }, func(r *rig) {
				r.think.answer = scores(c.score)
				r.endgame(12)
				for range 3 {
					r.push("abcd1234", func(s *lichess.GameState) { s.WDraw = true })
				}
				r.after(time.Second)
				r.want("answers", r.made("draw"), c.want)
			})
		})
	}
}

func TestFailedSearchIsNoReasonForADraw(t *testing.T) {
	inVirtualTime(t, func(_ *stub, o *bot.Options) {
		o.Draw = bot.DrawRule{Accept: true, Offer: true, Score: 10, Moves: 3}
	}, func(r *rig) {
		n := 0
		r.think.answer = func(ctx context.Context, g position.Game, l engine.Limits, _ func(engine.Info)) (engine.Result, error) {
			if n++; n > 4 {
				return engine.Result{}, fmt.Errorf("engine is gone")
			}
			res, err := pause(ctx, g, l, 0)
			return res, err
		}
		r.endgame(6)
		r.push("abcd1234", func(s *lichess.GameState) { s.WDraw = true })
		r.after(time.Second)
		r.want("answers", r.made("draw"), "[draw abcd1234 false]")
	})
}

func TestDrawIsOfferedWithAMoveAndNotTooOften(t *testing.T) {
	inVirtualTime(t, func(_ *stub, o *bot.Options) { o.Draw = bot.DrawRule{Offer: true, Score: 10, Moves: 3} }, func(r *rig) {
		r.think.answer = scores(func(int) engine.Score { return 0 })
		r.endgame(20)
		offers := 0
		made := r.made("move")
		for _, m := range made {
			if strings.HasSuffix(m, " draw") {
				offers++
			}
		}
		r.want("moves", len(made), 20)
		r.want("offers", offers, 2)
	})
}

func TestResigningNeedsARowOfLostScoresAndTheSetting(t *testing.T) {
	rule := bot.ResignRule{Enabled: true, Score: 800, Moves: 5}
	for _, c := range []struct {
		name  string
		rule  bot.ResignRule
		score func(int) engine.Score
		want  int
	}{
		{"one bad score", rule, func(n int) engine.Score { return []engine.Score{30, -900}[min(1, n%7/6)] }, 0},
		{"mated by force", rule, func(int) engine.Score { return engine.MatedIn(6) }, 1},
		{"mating", rule, func(int) engine.Score { return engine.MateIn(5) }, 0},
		{"lost for long", rule, func(int) engine.Score { return -800 }, 1},
		{"off", bot.ResignRule{Score: 800, Moves: 5}, func(int) engine.Score { return -900 }, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			inVirtualTime(t, func(_ *stub, o *bot.Options) { o.Resign = c.rule }, func(r *rig) {
				r.think.answer = scores(c.score)
				r.on("resign", func(string, int) error {
					r.end("abcd1234", lichess.StatusResign, lichess.White)
					return nil
				})
				r.endgame(5)
				r.after(time.Second)
				r.want("resignations", len(r.made("resign")), c.want)
				r.want("moves", len(r.made("move")), 5-c.want)
			})
		})
	}
}

func TestResignationThatIsRefusedIsFollowedByTheMove(t *testing.T) {
	inVirtualTime(t, func(_ *stub, o *bot.Options) { o.Resign = bot.ResignRule{Enabled: true, Score: 800, Moves: 1} }, func(r *rig) {
		r.think.answer = scores(func(int) engine.Score { return -900 })
		r.on("resign", func(string, int) error { return status(400, 0) })
		r.endgame(2)
		r.want("moves", len(r.made("move")), 2)
	})
}

func TestTakebackIsAnsweredOnceAndReplacesThePosition(t *testing.T) {
	for _, c := range []struct {
		name  string
		rated bool
		rule  bot.TakebackRule
		want  string
	}{
		{"casual, granted", false, bot.TakebackRule{Casual: 1}, "[takeback abcd1234 true takeback abcd1234 false]"},
		{"casual, never", false, bot.TakebackRule{}, "[takeback abcd1234 false takeback abcd1234 false]"},
		{"rated", true, bot.TakebackRule{Casual: 3}, "[takeback abcd1234 false takeback abcd1234 false]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			inVirtualTime(t, func(_ *stub, o *bot.Options) { o.Takeback = c.rule }, func(r *rig) {
				g := r.game("abcd1234", lichess.Black, "e2e4 e7e5 g1f3 b8c6")
				g.full.Rated = c.rated
				r.start("abcd1234")
				r.after(100 * time.Millisecond)
				for range 2 {
					r.push("abcd1234", func(s *lichess.GameState) { s.WTakeback = true })
					r.after(100 * time.Millisecond)
				}
				r.moves("abcd1234", "e2e4 e7e5")
				r.after(time.Second)
				r.want("searches on the opponent's turn", len(r.think.asked()), 0)
				r.moves("abcd1234", "e2e4 e7e5 b1c3")
				r.after(time.Second)
				r.want("searches", r.think.asked(), "[e2e4 e7e5 b1c3]")
				r.push("abcd1234", func(s *lichess.GameState) { s.WTakeback = true })
				r.after(time.Second)
				r.want("answers", r.made("takeback"), c.want)
			})
		})
	}
}

func TestTakebackWhileWeThinkEndsTheOldSearchWhenTheListChanges(t *testing.T) {
	inVirtualTime(t, nil, func(r *rig) {
		r.think.answer = plays(nil, 1500*time.Millisecond)
		r.game("abcd1234", lichess.Black, "e2e4 e7e5 g1f3")
		r.start("abcd1234")
		r.after(200 * time.Millisecond)
		r.push("abcd1234", func(s *lichess.GameState) { s.WTakeback = true })
		r.after(200 * time.Millisecond)
		r.want("answers", r.made("takeback"), "[takeback abcd1234 false]")
		r.moves("abcd1234", "e2e4 e7e5")
		r.after(100 * time.Millisecond) // nobody granted it, so a new stream is asked
		r.think.mu.Lock()
		r.want("searches of a position that is gone", r.think.running, 0)
		r.think.mu.Unlock()
		r.after(3 * time.Second)
		r.want("moves for a position that is gone", len(r.made("move")), 0)
		r.moves("abcd1234", "e2e4 e7e5 b1c3")
		r.after(3 * time.Second)
		r.want("moves", len(r.made("move")), 1)
	})
}

func TestNoShowIsAbortedExactlyOnce(t *testing.T) {
	for _, c := range []struct {
		name  string
		color lichess.Color
		moves string
		clock bool
		want  int
	}{
		{"we are black, nothing happens", lichess.Black, "", true, 1},
		{"we are white and have moved", lichess.White, "", true, 1},
		{"both have moved", lichess.White, "e2e4 e7e5 g1f3", true, 0},
		{"correspondence", lichess.Black, "", false, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			inVirtualTime(t, nil, func(r *rig) {
				r.on("abort", func(string, int) error { return status(400, 0) })
				g := r.game("abcd1234", c.color, c.moves)
				if !c.clock {
					g.full.Clock, g.full.Speed = nil, lichess.Correspondence
				}
				r.start("abcd1234")
				r.after(29 * time.Second)
				r.want("aborts too early", len(r.made("abort")), 0)
				r.after(time.Minute)
				r.push("abcd1234", func(*lichess.GameState) {}) // the same again
				r.after(5 * time.Minute)
				r.want("aborts", len(r.made("abort")), c.want)
				r.end("abcd1234", lichess.StatusAborted, "")
				r.after(time.Second)
				r.want("slots", r.slotsUsed(), 0)
			})
		})
	}
}

func gone(seconds int) lichess.GameLine {
	d := time.Duration(seconds) * time.Second
	return lichess.GameLine{Gone: &lichess.OpponentGone{Gone: true, ClaimWinIn: &d}}
}

func TestVictoryIsClaimedWhenTheCountdownIsOver(t *testing.T) {
	inVirtualTime(t, nil, func(r *rig) {
		r.game("abcd1234", lichess.White, "e2e4 e7e5 g1f3")
		r.start("abcd1234")
		r.after(time.Second)
		r.line("abcd1234", gone(8))
		r.after(8 * time.Second)
		r.want("claims too early", len(r.made("claim")), 0)
		r.after(2 * time.Second)
		r.want("claims", r.made("claim"), "[claim victory abcd1234]")
	})
}

func TestClaimIsDroppedWhenTheOpponentIsBack(t *testing.T) {
	for name, back := range map[string]func(r *rig){
		"by a move": func(r *rig) { r.reply("abcd1234", "b8c6") },
		"by a line": func(r *rig) {
			r.line("abcd1234", lichess.GameLine{Gone: &lichess.OpponentGone{}})
		},
	} {
		t.Run(name, func(t *testing.T) {
			inVirtualTime(t, nil, func(r *rig) {
				r.game("abcd1234", lichess.White, "e2e4 e7e5 g1f3")
				r.start("abcd1234")
				r.after(time.Second)
				r.line("abcd1234", gone(8))
				r.after(3 * time.Second)
				back(r)
				r.after(time.Minute)
				r.want("claims", len(r.made("claim")), 0)
			})
		})
	}
}

func TestRefusedClaimsAreRepeatedAFewTimesAtALeisure(t *testing.T) {
	inVirtualTime(t, nil, func(r *rig) {
		r.on("claim", func(_ string, n int) error {
			if n < 2 {
				return status(400, 0)
			}
			r.end("abcd1234", lichess.StatusTimeout, lichess.White)
			return nil
		})
		r.game("abcd1234", lichess.White, "e2e4 e7e5 g1f3")
		r.start("abcd1234")
		r.after(time.Second)
		for range 12 { // the server repeats itself
			r.line("abcd1234", gone(0))
			r.after(5 * time.Second)
		}
		at := r.times("claim", r.start0)
		r.want("claims", len(at), 3)
		for i := range at[1:] {
			if gap := at[i+1] - at[i]; gap < 10*time.Second {
				t.Errorf("gap between claims: got %v, want at least 10 s", gap)
			}
		}
	})
}

func TestDrawIsClaimedWhereWeCannotWin(t *testing.T) {
	inVirtualTime(t, nil, func(r *rig) {
		g := r.game("abcd1234", lichess.White, "e1e2 a7a6 e2e3")
		g.full.InitialFEN, g.full.Variant = "4k3/p7/8/8/8/8/8/4K3 w - - 0 1", lichess.VariantOf(lichess.FromPosition)
		r.start("abcd1234")
		r.after(time.Second)
		r.line("abcd1234", gone(1))
		r.after(3 * time.Second)
		r.want("claims", r.made("claim"), "[claim draw abcd1234]")
	})
}

func TestOpponentGoneOnOurTurnLeavesUsToMove(t *testing.T) {
	inVirtualTime(t, nil, func(r *rig) {
		r.game("abcd1234", lichess.White, "e2e4 e7e5")
		r.start("abcd1234")
		r.line("abcd1234", gone(0))
		r.after(time.Second)
		r.want("moves", len(r.made("move")), 1)
	})
}

func TestChatNeverStandsInTheWayOfAMove(t *testing.T) {
	inVirtualTime(t, func(_ *stub, o *bot.Options) {
		o.Chat = bot.ChatOptions{Greeting: "Good luck, {opponent}!", Commands: true, Name: "zeitnot test"}
	}, func(r *rig) {
		r.on("chat", func(string, int) error { time.Sleep(30 * time.Second); return status(400, 0) })
		r.game("abcd1234", lichess.White, "")
		r.start("abcd1234")
		r.after(200 * time.Millisecond)
		r.want("moves", len(r.made("move")), 1)
		r.want("chat", r.made("chat"), "[chat abcd1234 player Good luck, Opp!]")
		for range 50 {
			r.line("abcd1234", lichess.GameLine{Chat: &lichess.ChatLine{Username: "Watcher", Room: lichess.RoomSpectator, Text: "!eval"}})
		}
		r.reply("abcd1234", "e7e5")
		r.after(200 * time.Millisecond)
		r.want("moves", len(r.made("move")), 2)
		r.after(5 * time.Minute)
		if n := len(r.made("chat abcd1234 spectator")); n < 1 || n > 3 {
			t.Errorf("answers to fifty commands: got %d, want one to three", n)
		}
	})
}

func TestChatAnswersCommandsAndTellsPlayersNoEvaluation(t *testing.T) {
	inVirtualTime(t, func(_ *stub, o *bot.Options) { o.Chat = bot.ChatOptions{Commands: true, Name: "zeitnot test"} }, func(r *rig) {
		r.think.answer = scores(func(int) engine.Score { return 123 })
		r.game("abcd1234", lichess.White, "")
		r.start("abcd1234")
		r.after(200 * time.Millisecond)
		say := func(user string, room lichess.Room, text string) {
			r.line("abcd1234", lichess.GameLine{Chat: &lichess.ChatLine{Username: user, Room: room, Text: text}})
			r.after(15 * time.Second)
		}
		say("Opp", lichess.RoomPlayer, "!name")
		say("Opp", lichess.RoomPlayer, "!eval")
		say("Watcher", lichess.RoomSpectator, "!eval")
		say("Zeitnot", lichess.RoomPlayer, "!name")
		say("lichess", lichess.RoomPlayer, "!name")
		say("Opp", lichess.RoomPlayer, "hello")
		say("Opp", lichess.RoomPlayer, "!unknown")
		got := r.made("chat")
		if len(got) != 3 || got[0] != "chat abcd1234 player zeitnot test" || strings.Contains(got[1], "1.23") || !strings.Contains(got[2], "+1.23") {
			t.Errorf("chat: got %v", got)
		}
		if !slices.ContainsFunc(got, func(s string) bool { return strings.HasPrefix(s, "chat abcd1234 spectator") }) {
			t.Error("spectators were not answered in their room")
		}
	})
}

package sandbox_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"zeitnot/lichess/sandbox"
)

// against plays a game between two of the server's own players and returns it.
func against(t *testing.T, white, black sandbox.OpponentSpec, c sandbox.TimeControl, check func(*world, sandbox.GameRecord)) {
	t.Helper()
	white.Name, black.Name = "White", "Black"
	inBubble(t, sandbox.Options{Opponents: []sandbox.OpponentSpec{white, black}}, func(w *world) {
		id := w.start(sandbox.GameSpec{White: "White", Black: "Black", Control: c})
		ctx, cancel := context.WithTimeout(w.ctx, time.Hour)
		defer cancel()
		r, err := w.s.WaitFinished(ctx, id)
		if err != nil {
			r = w.game(id)
		}
		check(w, r)
	})
}

func TestScriptedOpponents(t *testing.T) {
	random := sandbox.OpponentSpec{New: sandbox.Script{Seed: 1}.Player}
	mated := sandbox.OpponentSpec{New: sandbox.LinePlayer("f2f3", "g2g4")}
	for _, c := range []struct {
		name         string
		white, black sandbox.OpponentSpec
		check        func(r sandbox.GameRecord) bool
	}{
		{"line players mate", mated, sandbox.OpponentSpec{New: sandbox.LinePlayer("e7e5", "d8h4")}, func(r sandbox.GameRecord) bool {
			return r.Status == sandbox.Mate && r.Winner == "black"
		}},
		{"random movers end their game", random, sandbox.OpponentSpec{New: sandbox.Script{Seed: 2}.Player}, func(r sandbox.GameRecord) bool { return r.Over() && len(r.Moves) > 2 }},
		{"resigns instead of the fifth move", random, sandbox.OpponentSpec{New: sandbox.Script{ResignAt: 5}.Player}, func(r sandbox.GameRecord) bool {
			return r.Status == sandbox.Resign && r.Winner == "white" && len(r.Moves) == 9
		}},
		{"offers and accepts a draw", sandbox.OpponentSpec{New: sandbox.Script{OfferDraws: 3}.Player}, sandbox.OpponentSpec{New: sandbox.Script{AcceptDraws: true}.Player}, func(r sandbox.GameRecord) bool {
			return r.Status == sandbox.Draw && len(r.Moves) == 5
		}},
		{"declines draws", sandbox.OpponentSpec{New: sandbox.Script{OfferDraws: 3, ResignAt: 6}.Player}, sandbox.OpponentSpec{New: sandbox.Script{DeclineDraw: true}.Player}, func(r sandbox.GameRecord) bool {
			return r.Status == sandbox.Resign && slices.Contains(r.Chat, "lichess: White offers draw") && slices.Contains(r.Chat, "lichess: Black declines draw")
		}},
		{"takes a move back", sandbox.OpponentSpec{Takebacks: true, New: sandbox.Script{Takebacks: 2, ResignAt: 4}.Player}, sandbox.OpponentSpec{Takebacks: true, New: sandbox.Script{AcceptTakes: true, Think: time.Second}.Player}, func(r sandbox.GameRecord) bool {
			return r.Status == sandbox.Resign && slices.Contains(r.Chat, "lichess: Takeback accepted")
		}},
		{"takes a move back while the other thinks", sandbox.OpponentSpec{Takebacks: true, New: sandbox.Script{Takebacks: 2, ResignAt: 4, Think: time.Second}.Player}, sandbox.OpponentSpec{Takebacks: true, New: sandbox.Script{AcceptTakes: true, Think: 10 * time.Second}.Player}, func(r sandbox.GameRecord) bool {
			return r.Status == sandbox.Resign && slices.Contains(r.Chat, "lichess: Takeback accepted")
		}},
		{"no-show", sandbox.OpponentSpec{New: sandbox.Script{NoShow: true}.Player}, random, func(r sandbox.GameRecord) bool { return !r.Over() && len(r.Moves) == 0 }},
		{"sleeps on the first move", sandbox.OpponentSpec{New: sandbox.Script{FirstMove: 20 * time.Second, ResignAt: 2}.Player}, random, func(r sandbox.GameRecord) bool {
			return len(r.Moves) == 2 && r.Moves[0].Took == 20*time.Second
		}},
		{"thinks", sandbox.OpponentSpec{New: sandbox.Script{Think: 2 * time.Second, Spread: time.Second, ResignAt: 4}.Player}, random, func(r sandbox.GameRecord) bool {
			return r.Moves[4].Took >= 2*time.Second && r.Moves[4].Took < 3*time.Second && r.Moves[4].Charged > 1900*time.Millisecond
		}},
		{"is claimed after leaving", sandbox.OpponentSpec{New: sandbox.Script{LeaveAt: 3}.Player}, sandbox.OpponentSpec{New: sandbox.Script{Claims: true}.Player}, func(r sandbox.GameRecord) bool {
			return r.Status == sandbox.Timeout && r.Winner == "black" && len(r.Moves) == 4
		}},
		{"comes back", sandbox.OpponentSpec{New: sandbox.Script{LeaveAt: 3, LeaveFor: 8 * time.Second, LosesLine: true, ResignAt: 5}.Player}, sandbox.OpponentSpec{New: sandbox.Script{Claims: true}.Player}, func(r sandbox.GameRecord) bool {
			return r.Status == sandbox.Resign && len(r.Moves) == 8 && r.Moves[4].Took >= 8*time.Second
		}},
		{"chats", sandbox.OpponentSpec{New: sandbox.Script{Greeting: "hello", Farewell: "bye", ResignAt: 3}.Player}, sandbox.OpponentSpec{New: sandbox.Script{Echo: true}.Player}, func(r sandbox.GameRecord) bool {
			return slices.Contains(r.Chat, "White: hello") && slices.Contains(r.Chat, "Black: hello")
		}},
		{"an illegal move resigns", sandbox.OpponentSpec{New: func(sandbox.GameInfo) sandbox.Opponent {
			return sandbox.OpponentFunc(func(_ context.Context, v sandbox.View) (sandbox.Action, error) {
				if len(v.Moves) == 2 {
					return sandbox.Action{Move: "e1e8"}, nil
				}
				return sandbox.Action{Move: "e2e4"}, nil
			})
		}}, random, func(r sandbox.GameRecord) bool { return r.Status == sandbox.Resign && r.Winner == "black" }},
		{"a failing player resigns", random, sandbox.OpponentSpec{New: func(sandbox.GameInfo) sandbox.Opponent {
			return sandbox.OpponentFunc(func(_ context.Context, v sandbox.View) (sandbox.Action, error) {
				if len(v.Moves) >= 3 {
					return sandbox.Action{}, errors.New("engine died")
				}
				return sandbox.Action{Move: map[bool]string{true: "e7e6"}[v.MyTurn]}, nil
			})
		}}, func(r sandbox.GameRecord) bool { return r.Status == sandbox.Resign && r.Winner == "white" }},
	} {
		t.Run(c.name, func(t *testing.T) {
			against(t, c.white, c.black, clock(180, 0), func(w *world, r sandbox.GameRecord) {
				if !c.check(r) {
					var line []string
					for _, m := range r.Moves {
						line = append(line, fmt.Sprintf("%s(%v)", m.UCI, m.Took))
					}
					w.t.Errorf("%v won by %q after %d plies; chat %q; %s", r.Status, r.Winner, len(r.Moves), r.Chat, strings.Join(line, " "))
				}
			})
		})
	}
}

func TestGamesOfASeedRepeat(t *testing.T) {
	play := func() (moves string) {
		against(t, sandbox.OpponentSpec{New: sandbox.Script{Seed: 1}.Player}, sandbox.OpponentSpec{New: sandbox.Script{Seed: 2}.Player}, clock(180, 0),
			func(_ *world, r sandbox.GameRecord) {
				for _, m := range r.Moves {
					moves += m.UCI + " "
				}
			})
		return moves
	}
	if a, b := play(), play(); a != b || a == "" {
		t.Errorf("two runs of a seed differ:\n%s\n%s", a, b)
	}
}

func TestOpponentContextEndsWithItsPosition(t *testing.T) {
	var ended atomic.Int32
	thinker := func(sandbox.GameInfo) sandbox.Opponent {
		return sandbox.OpponentFunc(func(ctx context.Context, v sandbox.View) (sandbox.Action, error) {
			if !v.MyTurn {
				return sandbox.Action{}, nil
			}
			<-ctx.Done()
			ended.Add(1)
			return sandbox.Action{Move: "e7e5"}, nil
		})
	}
	inBubble(t, sandbox.Options{Opponents: []sandbox.OpponentSpec{{Name: "Thinker", Takebacks: true, New: thinker}}}, func(w *world) {
		id := w.start(sandbox.GameSpec{White: "JaneDoe", Black: "Thinker", Control: clock(180, 0)})
		w.do(id, "JaneDoe", "e2e4")
		time.Sleep(time.Second)
		if err := w.s.Do(id, "JaneDoe", sandbox.Action{Chat: "still there?"}); err != nil {
			w.t.Fatal(err)
		}
		time.Sleep(time.Second)
		if n := ended.Load(); n != 0 {
			w.t.Errorf("a chat line ended the thinking")
		}
		if err := w.s.Do(id, "JaneDoe", sandbox.Action{Resign: true}); err != nil {
			w.t.Fatal(err)
		}
		time.Sleep(time.Second)
		if n := ended.Load(); n != 1 {
			w.t.Errorf("thinking ended %d times at the end of the game, want once", n)
		}
	})
}

func TestHumansFlagAtTheEndOfTheGrace(t *testing.T) {
	spec := sandbox.OpponentSpec{Name: "Human", FlagsOthers: true, New: sandbox.LinePlayer("e7e5")}
	inBubble(t, sandbox.Options{Opponents: []sandbox.OpponentSpec{spec}}, func(w *world) {
		id := w.start(sandbox.GameSpec{White: "GoBot", Black: "Human", Control: clock(30, 0)})
		w.do(id, "GoBot", "e2e4")
		began := time.Now()
		r, err := w.s.WaitFinished(w.ctx, id)
		if took := time.Since(began); err != nil || r.Status != sandbox.OutOfTime || took != 30*time.Second+810*time.Millisecond {
			w.t.Errorf("%v after %v (%v), want outoftime after 30.81 s", r.Status, took, err)
		}
	})
}

func TestPlansChallengeTheBot(t *testing.T) {
	spec := sandbox.OpponentSpec{Name: "Eager", New: sandbox.Script{ResignAt: 3}.Player, Plans: []sandbox.Plan{{
		Challenge: sandbox.Challenge{To: "GoBot", Control: clock(60, 0), Color: "white", Rated: true},
		Count:     3, Start: 5 * time.Second, Every: 10 * time.Second, Swap: true, Persist: true,
	}}}
	inBubble(t, sandbox.Options{Opponents: []sandbox.OpponentSpec{spec}}, func(w *world) {
		time.Sleep(time.Hour) // nothing happens before the bot is there
		if n := len(w.s.Challenges()); n != 0 {
			w.t.Fatalf("%d challenges to a bot that is not online", n)
		}
		bot := w.as("GoBot")
		events := bot.stream("/api/stream/event")
		refused := false
		for {
			v := events.next()
			switch v["type"] {
			case "challenge":
				id := fmt.Sprint(v["challenge"].(map[string]any)["id"])
				if !refused {
					refused = true
					bot.ok("/api/challenge/"+id+"/decline", "reason", "later")
					continue
				}
				bot.ok("/api/challenge/" + id + "/accept")
			case "gameStart":
				id := fmt.Sprint(v["game"].(map[string]any)["id"])
				l := bot.stream("/api/bot/game/stream/" + id)
				state := l.next()["state"].(map[string]any)
				player := sandbox.Script{Seed: 7}
				color := fmt.Sprint(v["game"].(map[string]any)["color"])
				op := player.Player(sandbox.GameInfo{Color: color})
				for state["status"] == "started" {
					r := w.game(id)
					if mine := (len(r.Moves)%2 == 0) == (color == "white"); mine && !r.Over() {
						a, _ := op.Act(w.ctx, sandbox.View{GameInfo: sandbox.GameInfo{Color: color}, FEN: r.FEN, MyTurn: true})
						bot.call("POST", "/api/bot/game/"+id+"/move/"+a.Move)
					}
					state = l.until("gameState")
				}
			}
			if games := w.s.Games(); len(games) == 3 && games[2].Over() {
				break
			}
		}
		games, err := w.s.WaitGames(w.ctx, 3)
		if err != nil {
			w.t.Fatal(err)
		}
		var whites []string
		for _, g := range games {
			whites = append(whites, g.White)
		}
		if got := strings.Join(whites, " "); got != "Eager GoBot Eager" {
			w.t.Errorf("White was %s, want Eager GoBot Eager", got)
		}
		time.Sleep(time.Hour)
		if n := len(w.s.Challenges()); n != 4 {
			w.t.Errorf("%d challenges, want 4: one declined, three played", n)
		}
	})
}

func TestUnansweredChallengesAreWithdrawn(t *testing.T) {
	spec := sandbox.OpponentSpec{Name: "Eager", New: sandbox.LinePlayer(), Plans: []sandbox.Plan{{
		Challenge: sandbox.Challenge{To: "GoBot", Control: clock(60, 0)}, Count: 2, Patience: 15 * time.Second, Every: time.Minute,
	}}}
	inBubble(t, sandbox.Options{Opponents: []sandbox.OpponentSpec{spec}}, func(w *world) {
		events := w.as("GoBot").stream("/api/stream/event")
		for range 2 {
			events.until("challenge")
			began := time.Now()
			events.until("challengeCanceled")
			if took := time.Since(began); took != 15*time.Second {
				w.t.Errorf("withdrawn after %v, want 15 s", took)
			}
		}
	})
}

func TestOpponentsAnswerChallenges(t *testing.T) {
	spec := sandbox.OpponentSpec{
		Name: "Picky", Title: "BOT", New: sandbox.LinePlayer(), AnswerDelay: 3 * time.Second,
		Answer: func(c sandbox.ChallengeRecord) string {
			if c.Control.Limit < 3*time.Minute {
				return "tooFast"
			}
			return ""
		},
	}
	inBubble(t, sandbox.Options{Opponents: []sandbox.OpponentSpec{spec}}, func(w *world) {
		bot := w.as("GoBot")
		events := bot.stream("/api/stream/event")
		began := time.Now()
		bot.want(200, "POST", "/api/challenge/Picky", "clock.limit", "60", "clock.increment", "0")
		events.until("challenge")
		v := events.until("challengeDeclined")["challenge"].(map[string]any)
		if v["declineReasonKey"] != "toofast" || time.Since(began) != 3*time.Second {
			w.t.Errorf("%v after %v", v, time.Since(began))
		}
		bot.want(200, "POST", "/api/challenge/Picky", "clock.limit", "180", "clock.increment", "0")
		events.until("gameStart")
	})
}

func TestHundredGamesAtOnce(t *testing.T) {
	white := sandbox.OpponentSpec{Name: "White", Title: "BOT", New: sandbox.Script{Seed: 1, Think: 300 * time.Millisecond, Spread: 200 * time.Millisecond}.Player}
	black := sandbox.OpponentSpec{Name: "Black", New: sandbox.Script{Seed: 2, Think: 100 * time.Millisecond, Spread: 900 * time.Millisecond}.Player}
	inBubble(t, sandbox.Options{Opponents: []sandbox.OpponentSpec{white, black}}, func(w *world) {
		const games = 100
		for range games {
			w.start(sandbox.GameSpec{White: "White", Black: "Black", Control: clock(60, 1), Rated: true})
		}
		list, err := w.s.WaitGames(w.ctx, games)
		if err != nil {
			w.t.Fatal(err)
		}
		for _, g := range list {
			if !g.Over() || g.FlagFallen() != "" || g.Status == sandbox.Resign {
				w.t.Errorf("game %s ended by %v, flag %q", g.ID, g.Status, g.FlagFallen())
			}
		}
	})
}

func TestRefusedPlansAskAgainOnceASecond(t *testing.T) {
	caller := sandbox.OpponentSpec{
		Name: "Caller", New: sandbox.Script{}.Player,
		Plans: []sandbox.Plan{{Challenge: sandbox.Challenge{To: "GoBot", Control: clock(60, 0)}, Persist: true}},
	}
	inBubble(t, sandbox.Options{Opponents: []sandbox.OpponentSpec{caller}}, func(w *world) {
		bot := w.as("GoBot")
		events := bot.stream("/api/stream/event")
		asked := 0
		for start := time.Now(); time.Since(start) < 10*time.Second; asked++ {
			id := events.until("challenge")["challenge"].(map[string]any)["id"].(string)
			bot.ok("/api/challenge/"+id+"/decline", "reason", "later")
		}
		if asked < 10 || asked > 12 {
			w.t.Errorf("asked %d times in ten seconds, want once a second", asked)
		}
	})
}

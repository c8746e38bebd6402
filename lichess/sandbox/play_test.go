package sandbox_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"zeitnot/lichess/sandbox"
)

// status posts a command and returns status and error text.
func (c *client) status(path string) string {
	c.w.t.Helper()
	code, body := c.call("POST", path)
	body = strings.TrimSuffix(strings.TrimPrefix(body, `{"error":"`), `"}`)
	return fmt.Sprint(code, " ", body)
}

const fine = `200 {"ok":true}`

func TestMoveAnswers(t *testing.T) {
	inBubble(t, sandbox.Options{}, func(w *world) {
		id := w.start(sandbox.GameSpec{Control: clock(60, 0)})
		promo := w.start(sandbox.GameSpec{Control: clock(60, 0), FEN: "8/P6k/8/8/8/8/8/K7 w - - 0 1"})
		chess960 := w.start(sandbox.GameSpec{Control: clock(60, 0), FEN: "rk5r/pppppppp/8/8/8/8/PPPPPPPP/RK5R w KQkq - 0 1"})
		castle := w.start(sandbox.GameSpec{Control: clock(60, 0), FEN: "4k2r/8/8/8/8/8/8/4K2R w Kk - 0 1"})
		bot, other := w.as("GoBot"), w.as("OtherBot")
		for _, c := range []struct {
			cl         *client
			id, move   string
			want, last string
		}{
			{bot, "nosuchid", "e2e4", "404 No such game", ""},
			{other, id, "e7e5", "400 Not your turn, or game already over", ""},
			{bot, id, "e2", "400 Invalid UCI: e2", ""},
			{bot, id, "e2e9", "400 Invalid UCI: e2e9", ""},
			{bot, id, "e7e8x", "400 Invalid UCI: e7e8x", ""},
			{bot, id, "e2e5", "400 Piece on e2 cannot move to e5", ""},
			{bot, id, "e4e5", "400 No piece on e4", ""},
			{bot, id, "e7e5", "400 Not my piece on e7", ""},
			{bot, id, "N@f3", "400 No N to drop on f3", ""},
			{bot, id, "e2e4", fine, "e2e4"},
			{bot, id, "e2e4", "400 Not your turn, or game already over", "e2e4"},
			{bot, id + "Ab1c", "d2d4", "400 Not your turn, or game already over", "e2e4"},
			{other, id + "Ab1c", "e7e5", fine, "e7e5"},
			{bot, promo, "a7a8", fine, "a7a8q"},
			{bot, chess960, "b1g1", "400 Piece on b1 cannot move to g1", ""},
			{bot, chess960, "b1h1", fine, "b1h1"},
			{other, chess960, "b8d8", "400 Piece on b8 cannot move to d8", "b1h1"},
			{other, chess960, "b8a8", fine, "b8a8"},
			{bot, castle, "e1g1", fine, "e1h1"},
			{other, castle, "e8d8", fine, "e8d8"},
		} {
			if got := c.cl.status("/api/bot/game/" + c.id + "/move/" + c.move); got != c.want {
				w.t.Errorf("%s in %s: got %s, want %s", c.move, c.id, got, c.want)
			}
			if c.id == "nosuchid" {
				continue
			}
			moves := w.game(c.id[:8]).Moves
			last := ""
			if len(moves) > 0 {
				last = moves[len(moves)-1].UCI
			}
			if last != c.last {
				w.t.Errorf("after %s in %s the last move is %q, want %q", c.move, c.id, last, c.last)
			}
		}
		if got := bot.status("/api/bot/game/" + id + "/dance"); got != "404 No such command" {
			w.t.Errorf("unknown command: %s", got)
		}
		if got := bot.status("/api/bot/game/" + id + "/berserk"); got != "400 Cannot berserk" {
			w.t.Errorf("berserk: %s", got)
		}
	})
}

func TestCastlingNotation(t *testing.T) {
	for _, rook := range []bool{false, true} {
		inBubble(t, sandbox.Options{RookCastling: rook}, func(w *world) {
			line := []string{"e2e4", "e7e5", "g1f3", "b8c6", "f1c4", "f8c5"}
			for _, in := range []string{"e1g1", "e1h1"} {
				id := w.start(sandbox.GameSpec{Control: clock(60, 0), Moves: line})
				l := w.as("GoBot").stream("/api/bot/game/stream/" + id)
				l.next()
				w.as("GoBot").ok("/api/bot/game/" + id + "/move/" + in)
				want := "e1g1"
				if rook {
					want = "e1h1"
				}
				if got := fmt.Sprint(l.next()["moves"]); got != strings.Join(line, " ")+" "+want {
					w.t.Errorf("%s in, RookCastling %v: got %s", in, rook, got)
				}
				v := w.as("GoBot").want(200, "GET", "/api/account/playing?nb=50")
				for _, g := range v["nowPlaying"].([]any) {
					if g := g.(map[string]any); g["gameId"] == id && g["lastMove"] != "e1g1" {
						w.t.Errorf("lastMove %v, want e1g1", g["lastMove"])
					}
				}
			}
			id := w.start(sandbox.GameSpec{Control: clock(60, 0), Variant: sandbox.Chess960, FEN: "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", Moves: line})
			if got := w.as("GoBot").status("/api/bot/game/" + id + "/move/e1g1"); got != "400 Piece on e1 cannot move to g1" {
				w.t.Errorf("e1g1 in Chess960: %s", got)
			}
			w.do(id, "GoBot", "e1h1")
			moves := w.game(id).Moves
			if got := moves[len(moves)-1]; got.UCI != "e1h1" || got.SAN != "O-O" {
				w.t.Errorf("Chess960 castling is %s %s", got.UCI, got.SAN)
			}
		})
	}
}

func TestAutomaticEnds(t *testing.T) {
	shuffle := strings.Fields("g1f3 g8f6 f3g1 f6g8")
	repeat := func(n int) (list []string) {
		for range n {
			list = append(list, shuffle...)
		}
		return list
	}
	for _, c := range []struct {
		name   string
		spec   sandbox.GameSpec
		move   string
		status string
		winner any
		lines  int // gameState lines from the last move to the end
	}{
		{"mate", sandbox.GameSpec{Moves: []string{"f2f3", "e7e5", "g2g4"}}, "d8h4", "mate", "black", 1},
		{"stalemate", sandbox.GameSpec{FEN: "7k/8/5KQ1/8/8/8/8/8 w - - 0 1"}, "g6f7", "stalemate", nil, 1},
		{"bare kings", sandbox.GameSpec{FEN: "7k/8/8/8/8/8/p7/K7 w - - 0 1"}, "a1a2", "draw", nil, 1},
		{"fifty moves", sandbox.GameSpec{FEN: "3k4/8/8/8/8/4R3/8/4K3 w - - 99 80"}, "e3f3", "draw", nil, 1},
		{"mate beats fifty moves", sandbox.GameSpec{FEN: "7k/8/6K1/8/8/8/8/R7 w - - 99 80"}, "a1a8", "mate", "white", 1},
		{"threefold with a bot comes in two lines", sandbox.GameSpec{Moves: repeat(2)[:7]}, "f6g8", "draw", nil, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			inBubble(t, sandbox.Options{}, func(w *world) {
				c.spec.Control = clock(180, 2)
				id := w.start(c.spec)
				l := w.as("GoBot").stream("/api/bot/game/stream/" + id)
				l.until("gameFull")
				who := "GoBot"
				if len(c.spec.Moves)%2 == 1 {
					who = "OtherBot"
				}
				w.do(id, who, c.move)
				var v map[string]any
				for i := range c.lines {
					v = l.next()
					if started := v["status"] == "started"; started != (i < c.lines-1) {
						w.t.Errorf("line %d of %d has status %v", i+1, c.lines, v["status"])
					}
				}
				if v["status"] != c.status || v["winner"] != c.winner || !strings.HasSuffix(fmt.Sprint(v["moves"]), c.move) {
					w.t.Errorf("got %v, want %s won by %v", v, c.status, c.winner)
				}
				if err := l.closed(); err != nil {
					w.t.Errorf("stream ended with %v", err)
				}
			})
		})
	}
	t.Run("humans repeat until the fifth time", func(t *testing.T) {
		inBubble(t, sandbox.Options{Accounts: []sandbox.AccountSpec{{Name: "Ann"}, {Name: "Bob"}}}, func(w *world) {
			id := w.start(sandbox.GameSpec{White: "Ann", Black: "Bob", Control: clock(180, 2), Moves: repeat(4)[:15]})
			w.do(id, "Bob", "f6g8")
			if r := w.game(id); r.Status != sandbox.Draw {
				w.t.Errorf("status %v after the fifth occurrence, want draw", r.Status)
			}
		})
	})
	t.Run("more than 600 plies are a draw, answered 200", func(t *testing.T) {
		inBubble(t, sandbox.Options{Accounts: []sandbox.AccountSpec{{Name: "GoBot", Title: "BOT"}, {Name: "Bob"}}}, func(w *world) {
			// A tour that repeats nothing and moves a pawn now and then would be long; the
			// game is given instead: legal moves without judging each position.
			id := w.start(sandbox.GameSpec{White: "GoBot", Black: "Bob", Control: clock(180, 2), Moves: append(repeat(150), "e2e4", "e7e5")[:602]})
			if got := w.as("GoBot").status("/api/bot/game/" + id + "/move/d2d4"); got != fine {
				w.t.Errorf("got %s", got)
			}
			if r := w.game(id); r.Status != sandbox.Draw || len(r.Moves) != 602 {
				w.t.Errorf("%v after %d plies, want a draw after 602", r.Status, len(r.Moves))
			}
		})
	})
}

func TestFirstTwoPliesAreFreeAndEarnNothing(t *testing.T) {
	inBubble(t, sandbox.Options{}, func(w *world) {
		id := w.start(sandbox.GameSpec{Control: clock(60, 2)})
		w.as("OtherBot").stream("/api/bot/game/stream/" + id).next()
		l := w.as("GoBot").stream("/api/bot/game/stream/" + id)
		l.next()
		for _, c := range []struct {
			who, move    string
			wait         time.Duration
			wtime, btime float64
		}{
			{"GoBot", "e2e4", 50 * time.Second, 60000, 60000},
			{"OtherBot", "e7e5", 55 * time.Second, 60000, 60000},
			{"GoBot", "g1f3", 10*time.Second + 3*time.Millisecond, 52000, 60000},
			{"OtherBot", "b8c6", 7 * time.Millisecond, 52000, 61990},
		} {
			time.Sleep(c.wait)
			w.do(id, c.who, c.move)
			if v := l.next(); v["wtime"] != c.wtime || v["btime"] != c.btime {
				w.t.Errorf("after %s: %v %v, want %v %v", c.move, v["wtime"], v["btime"], c.wtime, c.btime)
			}
		}
		time.Sleep(5 * time.Second)
		if v := w.as("GoBot").stream("/api/bot/game/stream/" + id).next()["state"].(map[string]any); v["wtime"] != 47000.0 {
			w.t.Errorf("white's clock shows %v after 5 s of thought, want 47000", v["wtime"])
		}
	})
}

func TestFlagFallsOnlyAtTicksAndMoves(t *testing.T) {
	start := func(w *world) (string, *lines) {
		id := w.start(sandbox.GameSpec{Control: clock(30, 0), Moves: []string{"e2e4", "e7e5"}})
		l := w.as("GoBot").stream("/api/bot/game/stream/" + id)
		l.next()
		w.as("OtherBot").stream("/api/bot/game/stream/" + id).next()
		return id, l
	}
	t.Run("at the first tick after flag and grace", func(t *testing.T) {
		inBubble(t, sandbox.Options{}, func(w *world) {
			_, l := start(w) // flag at 30 s, grace 0.81 s, ticks at 28 and 35 s
			began := time.Now()
			v := l.next()
			if at := time.Since(began); at != 35*time.Second || v["status"] != "outoftime" || v["winner"] != "black" || v["wtime"] != 0.0 {
				w.t.Errorf("after %v: %v", at, v)
			}
			l.closed()
		})
	})
	t.Run("a move past the grace is answered 200 and not played", func(t *testing.T) {
		inBubble(t, sandbox.Options{}, func(w *world) {
			id, l := start(w)
			time.Sleep(31 * time.Second)
			if got := w.as("GoBot").status("/api/bot/game/" + id + "/move/g1f3"); got != fine {
				w.t.Errorf("got %s", got)
			}
			if v := l.next(); v["status"] != "outoftime" || v["moves"] != "e2e4 e7e5" || v["winner"] != "black" {
				w.t.Errorf("got %v", v)
			}
		})
	})
	t.Run("a move within the grace does not save it", func(t *testing.T) {
		inBubble(t, sandbox.Options{}, func(w *world) {
			id, l := start(w)
			time.Sleep(30*time.Second + 400*time.Millisecond)
			if got := w.as("GoBot").status("/api/bot/game/" + id + "/move/g1f3"); got != fine {
				w.t.Errorf("got %s", got)
			}
			if v := l.next(); v["status"] != "outoftime" || v["moves"] != "e2e4 e7e5" {
				w.t.Errorf("got %v", v)
			}
		})
	})
	t.Run("a move with a centisecond left is played", func(t *testing.T) {
		inBubble(t, sandbox.Options{}, func(w *world) {
			id, l := start(w)
			time.Sleep(30*time.Second - 10*time.Millisecond)
			w.do(id, "GoBot", "g1f3")
			if v := l.next(); v["status"] != "started" || v["wtime"] != 10.0 {
				w.t.Errorf("got %v", v)
			}
		})
	})
	t.Run("without a stream the clean-up sees it", func(t *testing.T) {
		inBubble(t, sandbox.Options{}, func(w *world) {
			id := w.start(sandbox.GameSpec{Control: clock(30, 0), Moves: []string{"e2e4", "e7e5"}})
			began := time.Now()
			r, err := w.s.WaitFinished(w.ctx, id)
			if took := time.Since(began); err != nil || r.Status != sandbox.OutOfTime || took > 36*time.Second || r.FlagFallen() != "GoBot" {
				w.t.Errorf("%v after %v (%v), flag of %s", r.Status, took, err, r.FlagFallen())
			}
		})
	})
	t.Run("a draw offer of the other makes it a draw", func(t *testing.T) {
		inBubble(t, sandbox.Options{}, func(w *world) {
			id, _ := start(w)
			if err := w.s.Do(id, "OtherBot", sandbox.Action{Draw: sandbox.Yes}); err != nil {
				w.t.Fatal(err)
			}
			if r, _ := w.s.WaitFinished(w.ctx, id); r.Status != sandbox.Draw || r.Winner != "" {
				w.t.Errorf("%v won by %q, want a draw", r.Status, r.Winner)
			}
		})
	})
	t.Run("nobody wins without mating material", func(t *testing.T) {
		inBubble(t, sandbox.Options{}, func(w *world) {
			id := w.start(sandbox.GameSpec{Control: clock(30, 0), FEN: "3k4/8/8/8/8/4R3/8/4K3 w - - 0 1", Moves: []string{"e1f1", "d8c8"}})
			r, _ := w.s.WaitFinished(w.ctx, id)
			if r.Status != sandbox.OutOfTime || r.Winner != "" || r.FlagFallen() != "GoBot" {
				w.t.Errorf("%v won by %q, flag of %q", r.Status, r.Winner, r.FlagFallen())
			}
		})
	})
	t.Run("days run out in correspondence games", func(t *testing.T) {
		inBubble(t, sandbox.Options{}, func(w *world) {
			id := w.start(sandbox.GameSpec{Control: sandbox.TimeControl{Days: 1}, Moves: []string{"e2e4", "e7e5"}})
			began := time.Now()
			r, _ := w.s.WaitFinished(w.ctx, id)
			if took := time.Since(began); r.Status != sandbox.OutOfTime || took < 24*time.Hour || took > 24*time.Hour+10*time.Second {
				w.t.Errorf("%v after %v", r.Status, took)
			}
		})
	})
}

func TestFriendGamesNeverExpireAndArenaGamesDo(t *testing.T) {
	inBubble(t, sandbox.Options{}, func(w *world) {
		friend := w.start(sandbox.GameSpec{Control: clock(60, 0)})
		arena := w.start(sandbox.GameSpec{Control: clock(60, 0), Source: "arena", Tournament: "abcd1234"})
		l := w.as("GoBot").stream("/api/bot/game/stream/" + arena)
		v := l.next()
		if v["tournamentId"] != "abcd1234" || fmt.Sprint(v["state"].(map[string]any)["expiration"]) != "map[idleMillis:0 millisToMove:16000]" {
			w.t.Errorf("got %v", v)
		}
		began := time.Now()
		v = l.next()
		if took := time.Since(began); v["status"] != "noStart" || v["winner"] != "black" || took < 16*time.Second || took > 17*time.Second {
			w.t.Errorf("%v after %v", v, took)
		}
		time.Sleep(20 * time.Minute)
		if r := w.game(friend); r.Over() {
			w.t.Errorf("a friend game ended by itself: %v", r.Status)
		}
	})
}

func TestAbortAndResign(t *testing.T) {
	inBubble(t, sandbox.Options{DoubleAbort: true}, func(w *world) {
		bot := w.as("GoBot")
		events := bot.stream("/api/stream/event")
		for _, command := range []string{"abort", "resign"} {
			id := w.start(sandbox.GameSpec{Control: clock(60, 0), Moves: []string{"e2e4"}, Rated: true})
			l := bot.stream("/api/bot/game/stream/" + id)
			l.next()
			bot.ok("/api/bot/game/" + id + "/" + command)
			for range 2 {
				if v := l.next(); v["status"] != "aborted" || v["winner"] != nil {
					w.t.Errorf("%s: %v", command, v)
				}
			}
			l.closed()
			events.until("gameFinish")
			if r := w.game(id); r.WhiteDiff != 0 || r.Result() != "*" {
				w.t.Errorf("%s: aborted game has result %s", command, r.Result())
			}
		}
		id := w.start(sandbox.GameSpec{Control: clock(60, 0), Moves: []string{"e2e4", "e7e5"}, Rated: true})
		if got := bot.status("/api/bot/game/" + id + "/abort"); got != "400 This game can no longer be aborted" {
			w.t.Errorf("abort after two plies: %s", got)
		}
		bot.ok("/api/bot/game/" + id + "/resign")
		g := events.until("gameFinish")["game"].(map[string]any)
		if g["winner"] != "black" || g["ratingDiff"] == nil || g["opponent"].(map[string]any)["ratingDiff"] == nil || g["isMyTurn"] != false {
			w.t.Errorf("got %v", g)
		}
		for _, command := range []string{"abort", "resign"} {
			if got := bot.status("/api/bot/game/" + id + "/" + command); !strings.HasPrefix(got, "400 This game can") {
				w.t.Errorf("%s of a finished game: %s", command, got)
			}
		}
		if got := bot.status("/api/bot/game/" + id + "/move/d2d4"); got != "400 Not your turn, or game already over" {
			w.t.Errorf("move in a finished game: %s", got)
		}
		v := bot.want(200, "GET", "/api/account")
		if blitz := v["perfs"].(map[string]any)["bullet"].(map[string]any); blitz["games"] != 1.0 || blitz["rating"].(float64) >= 2000 {
			w.t.Errorf("after a lost game: %v", blitz)
		}
		if count := v["count"].(map[string]any); count["all"] != 1.0 || count["loss"] != 1.0 || count["rated"] != 1.0 {
			w.t.Errorf("counts: %v", count)
		}
	})
}

func TestExport(t *testing.T) {
	inBubble(t, sandbox.Options{}, func(w *world) {
		id := w.start(sandbox.GameSpec{Control: clock(60, 1), Rated: true, Moves: []string{"f2f3", "e7e5", "g2g4"}})
		w.do(id, "OtherBot", "d8h4")
		code, pgn := w.as("GoBot").call("GET", "/game/export/"+id)
		for _, want := range []string{
			`[Site "https://lichess.org/` + id + `"]`, `[White "GoBot"]`, `[WhiteTitle "BOT"]`, `[Result "0-1"]`, `[TimeControl "60+1"]`,
			`[WhiteElo "2000"]`, `[Variant "Standard"]`, `[Termination "Normal"]`, "\n\n1. f3 e5 2. g4 Qh4# 0-1\n",
		} {
			if code != 200 || !strings.Contains(pgn, want) {
				w.t.Errorf("%d, no %s in\n%s", code, want, pgn)
			}
		}
		black := w.start(sandbox.GameSpec{Control: clock(60, 1), FEN: "4k3/8/8/8/8/4P3/8/4K3 b - - 0 9"})
		w.do(black, "OtherBot", "e8d8")
		w.do(black, "GoBot", "e3e4")
		_, pgn = w.as("GoBot").call("GET", "/game/export/"+black+"?clocks=true")
		for _, want := range []string{`[FEN "4k3/8/8/8/8/4P3/8/4K3 b - - 0 9"]`, `[SetUp "1"]`, "9... Kd8 { [%clk 0:01:00] } 10. e4 { [%clk 0:01:00] } *"} {
			if !strings.Contains(pgn, want) {
				w.t.Errorf("no %s in\n%s", want, pgn)
			}
		}
		w.as("GoBot").want(404, "GET", "/game/export/nosuchid")
	})
}

func TestKidAccountsSeeNoPlayerChat(t *testing.T) {
	accounts := []sandbox.AccountSpec{{Name: "GoBot", Title: "BOT", Kid: true}, {Name: "OtherBot", Title: "BOT"}}
	inBubble(t, sandbox.Options{Accounts: accounts}, func(w *world) {
		id := w.start(sandbox.GameSpec{Control: clock(60, 1)})
		l := w.as("GoBot").stream("/api/bot/game/stream/" + id)
		l.next()
		if err := w.s.Do(id, "OtherBot", sandbox.Action{Chat: "hello"}); err != nil {
			w.t.Fatal(err)
		}
		w.as("OtherBot").ok("/api/bot/game/"+id+"/chat", "room", "spectator", "text", "hi all")
		if v := l.next(); v["room"] != "spectator" {
			w.t.Errorf("got %v, want the spectators' line alone", v)
		}
	})
}

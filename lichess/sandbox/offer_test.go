package sandbox_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"zeitnot/lichess/sandbox"
)

var opening = strings.Fields("e2e4 e7e5 g1f3 b8c6")

func TestDrawOffers(t *testing.T) {
	inBubble(t, sandbox.Options{}, func(w *world) {
		bot, other := w.as("GoBot"), w.as("OtherBot")
		early := w.start(sandbox.GameSpec{Control: clock(60, 0), Moves: opening[:1]})
		bot.ok("/api/bot/game/" + early + "/draw/yes")
		if r := w.game(early); len(r.Chat) != 0 {
			w.t.Errorf("an offer before the second ply was taken: %v", r.Chat)
		}

		id := w.start(sandbox.GameSpec{Control: clock(60, 0), Moves: opening})
		path := "/api/bot/game/" + id
		l := other.stream("/api/bot/game/stream/" + id)
		l.next()
		bot.ok(path + "/draw/yes")
		if v := l.next(); v["text"] != "White offers draw" || v["username"] != "lichess" || v["room"] != "player" {
			w.t.Errorf("got %v", v)
		}
		if v := l.next(); v["wdraw"] != true || v["bdraw"] != nil {
			w.t.Errorf("got %v", v)
		}
		other.ok(path + "/draw/no")
		if v := l.next(); v["text"] != "Black declines draw" {
			w.t.Errorf("got %v", v)
		}
		bot.ok(path + "/draw/yes") // within 20 plies of the last offer: nothing happens
		w.do(id, "GoBot", "f1c4")
		if v := l.next(); v["type"] != "gameState" || v["wdraw"] != nil || !strings.HasSuffix(fmt.Sprint(v["moves"]), "f1c4") {
			w.t.Errorf("a declined offer is still shown, or declining it pushed a state: %v", v)
		}

		id = w.start(sandbox.GameSpec{Control: clock(60, 0), Moves: opening})
		l = other.stream("/api/bot/game/stream/" + id)
		l.next()
		bot.ok("/api/bot/game/" + id + "/move/f1c4?offeringDraw=true")
		if v := l.until("gameState"); v["wdraw"] != true || strings.HasSuffix(fmt.Sprint(v["moves"]), "f1c4") {
			w.t.Errorf("the offer comes before its move: %v", v)
		}
		if v := l.until("gameState"); v["wdraw"] != true || !strings.HasSuffix(fmt.Sprint(v["moves"]), "f1c4") {
			w.t.Errorf("the offer stands after its move: %v", v)
		}
		other.ok("/api/bot/game/" + id + "/move/f8c5")
		if v := l.until("gameState"); v["wdraw"] != nil {
			w.t.Errorf("moving declines the offer: %v", v)
		}

		id = w.start(sandbox.GameSpec{Control: clock(60, 0), Moves: opening})
		bot.ok("/api/bot/game/" + id + "/draw/yes")
		w.do(id, "GoBot", "f1c4")
		other.ok("/api/bot/game/" + id + "/move/f8c5?offeringDraw=true")
		if r := w.game(id); r.Status != sandbox.Draw || len(r.Moves) != 5 {
			w.t.Errorf("accepting with a move: %v after %d plies, want a draw and the move dropped", r.Status, len(r.Moves))
		}
		bot.ok("/api/bot/game/" + id + "/draw/yes") // over: nothing, 200
	})
}

func TestDrawIsClaimedWhereItIsDue(t *testing.T) {
	accounts := []sandbox.AccountSpec{{Name: "Ann"}, {Name: "Bob"}}
	inBubble(t, sandbox.Options{Accounts: accounts}, func(w *world) {
		shuffle := strings.Fields("g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8")
		id := w.start(sandbox.GameSpec{White: "Ann", Black: "Bob", Control: clock(60, 0), Moves: shuffle})
		if err := w.s.Do(id, "Ann", sandbox.Action{Draw: sandbox.Yes}); err != nil {
			w.t.Fatal(err)
		}
		if r := w.game(id); r.Status != sandbox.Draw {
			w.t.Errorf("threefold claimed by yes: %v, want draw", r.Status)
		}
		id = w.start(sandbox.GameSpec{White: "Ann", Black: "Bob", Control: clock(60, 0), FEN: "3k4/8/8/8/8/4R3/8/4K3 w - - 0 1", Moves: []string{"e1f1", "d8c8"}})
		if err := w.s.Do(id, "Ann", sandbox.Action{Draw: sandbox.Yes}); err != nil {
			w.t.Fatal(err)
		}
		if r := w.game(id); r.Status != sandbox.InsufficientMaterialClaim || r.Winner != "" {
			w.t.Errorf("other side has a bare king: %v, want insufficientMaterialClaim", r.Status)
		}
	})
}

func TestTakebacks(t *testing.T) {
	accounts := []sandbox.AccountSpec{{Name: "GoBot", Title: "BOT", Takebacks: true}, {Name: "OtherBot", Title: "BOT"}, {Name: "JaneDoe", Takebacks: true}}
	inBubble(t, sandbox.Options{Accounts: accounts}, func(w *world) {
		bot := w.as("GoBot")
		id := w.start(sandbox.GameSpec{White: "JaneDoe", Black: "GoBot", Control: clock(60, 0), Moves: opening})
		path := "/api/bot/game/" + id
		l := bot.stream("/api/bot/game/stream/" + id)
		l.next()
		jane := func(a sandbox.Answer) {
			if err := w.s.Do(id, "JaneDoe", sandbox.Action{Takeback: a}); err != nil {
				w.t.Fatal(err)
			}
		}
		jane(sandbox.Yes)
		if v := l.until("gameState"); v["wtakeback"] != true || v["moves"] != strings.Join(opening, " ") {
			w.t.Errorf("proposed: %v", v)
		}
		bot.ok(path + "/takeback/no")
		if v := l.until("gameState"); v["wtakeback"] != nil {
			w.t.Errorf("declined: %v", v)
		}
		jane(sandbox.Yes) // 10 s must pass after a decline
		time.Sleep(10 * time.Second)
		jane(sandbox.Yes)
		l.until("gameState")
		jane(sandbox.No)
		if v := l.until("gameState"); v["wtakeback"] != nil {
			w.t.Errorf("cancelled: %v", v)
		}
		jane(sandbox.Yes)
		l.until("gameState")
		bot.ok(path + "/takeback/yes")
		if v := l.until("gameState"); v["moves"] != "e2e4 e7e5" || v["wtakeback"] != nil {
			w.t.Errorf("accepted with White to move: %v, want two plies less", v)
		}
		w.do(id, "JaneDoe", "b1c3")
		jane(sandbox.Yes)
		bot.ok(path + "/takeback/yes")
		if got := w.game(id); len(got.Moves) != 2 || got.FEN != "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2" {
			w.t.Errorf("accepted with Black to move: %d plies, %s; want one ply less", len(got.Moves), got.FEN)
		}
		w.do(id, "JaneDoe", "g1f3")
		w.do(id, "GoBot", "b8c6")

		never := w.start(sandbox.GameSpec{Control: clock(60, 0), Moves: opening})
		bot.ok("/api/bot/game/" + never + "/takeback/yes")
		if r := w.game(never); len(r.Chat) != 0 {
			w.t.Errorf("a takeback was proposed to a player who allows none: %v", r.Chat)
		}
	})
}

func TestAbsenceIsCountedDownAndClaimed(t *testing.T) {
	inBubble(t, sandbox.Options{}, func(w *world) {
		bot, other := w.as("GoBot"), w.as("OtherBot")
		id := w.start(sandbox.GameSpec{Control: clock(300, 0), Moves: opening[:3]})
		path := "/api/bot/game/" + id
		theirs := other.stream("/api/bot/game/stream/" + id)
		theirs.next()
		l := bot.stream("/api/bot/game/stream/" + id)
		l.next()
		time.Sleep(10 * time.Second)
		if got := bot.status(path + "/claim-victory"); got != "400 You cannot claim victory in this game" {
			w.t.Errorf("claim while the other is there: %s", got)
		}
		theirs.close()
		left := time.Now()
		var counts []int
		for range 7 {
			v := l.until("opponentGone")
			if v["gone"] != true {
				w.t.Fatalf("got %v", v)
			}
			counts = append(counts, int(v["claimWinInSeconds"].(float64)))
		}
		for i := 1; i < len(counts); i++ {
			if d := counts[i-1] - counts[i]; d != 5 {
				w.t.Errorf("countdown %v goes down by %d, want 5", counts, d)
			}
		}
		if counts[0] < 30 || counts[0] > 36 {
			w.t.Errorf("countdown begins at %d, want a bit above 30 (40 less the first absence)", counts[0])
		}
		if got := bot.status(path + "/claim-draw"); got != "400 You cannot claim draw in this game" {
			w.t.Errorf("claim after %v: %s", time.Since(left), got)
		}
		back := other.stream("/api/bot/game/stream/" + id)
		back.next()
		if v := l.until("opponentGone"); v["gone"] != false || v["claimWinInSeconds"] != nil {
			w.t.Errorf("came back: %v", v)
		}
		back.close()
		time.Sleep(42 * time.Second)
		began := time.Now()
		if got := bot.status(path + "/claim-victory"); got != fine || time.Since(began) != 500*time.Millisecond {
			w.t.Errorf("claim: %s after %v, want 200 after 500 ms", got, time.Since(began))
		}
		if r := w.game(id); r.Status != sandbox.Timeout || r.Winner != "white" {
			w.t.Errorf("%v won by %q", r.Status, r.Winner)
		}
	})
}

func TestClaimIsRefusedOnMyTurnAndWinsNothingWithoutMaterial(t *testing.T) {
	inBubble(t, sandbox.Options{}, func(w *world) {
		bot := w.as("GoBot")
		mine := w.start(sandbox.GameSpec{Control: clock(600, 0), Moves: opening})
		bare := w.start(sandbox.GameSpec{Control: clock(180, 0), FEN: "3k4/8/8/8/8/4r3/8/5K2 w - - 0 1", Moves: []string{"f1g1", "d8c8", "g1f1"}})
		draw := w.start(sandbox.GameSpec{Control: clock(180, 0), Moves: opening[:3]})
		time.Sleep(60 * time.Second)
		if got := bot.status("/api/bot/game/" + mine + "/claim-victory"); got != "400 This is not the time to claim victory" {
			w.t.Errorf("my turn: %s", got)
		}
		bot.ok("/api/bot/game/" + bare + "/claim-victory")
		if r := w.game(bare); r.Status != sandbox.Timeout || r.Winner != "" {
			w.t.Errorf("bare king claims: %v won by %q, want nobody", r.Status, r.Winner)
		}
		bot.ok("/api/bot/game/" + draw + "/claim-draw")
		if r := w.game(draw); r.Status != sandbox.Timeout || r.Winner != "" {
			w.t.Errorf("draw claimed: %v won by %q, want nobody", r.Status, r.Winner)
		}
	})
}

func TestChat(t *testing.T) {
	inBubble(t, sandbox.Options{}, func(w *world) {
		bot, other := w.as("GoBot"), w.as("OtherBot")
		id := w.start(sandbox.GameSpec{Control: clock(60, 0)})
		path := "/api/bot/game/" + id + "/chat"
		l := other.stream("/api/bot/game/stream/" + id)
		l.next()
		for _, c := range []struct{ room, text, want string }{
			{"player", "", `400 {"error":{"text":["error.required"]},"text":["error.required"]}`},
			{"player", strings.Repeat("ü", 141), `400 {"error":{"text":["error.maxLength"]},"text":["error.maxLength"]}`},
			{"nowhere", "hi", `400 {"error":{"room":["error.invalid"]},"room":["error.invalid"]}`},
			{"player", "see https://example.org", "200 {\"ok\":true}"}, // dropped without a word
			{"player", strings.Repeat("ü", 140), "200 {\"ok\":true}"},
			{"spectator", "é♞", "200 {\"ok\":true}"},
		} {
			code, body := bot.call("POST", path, "room", c.room, "text", c.text)
			if got := fmt.Sprint(code, " ", body); got != c.want {
				w.t.Errorf("%s %.20q: got %s, want %s", c.room, c.text, got, c.want)
			}
		}
		if v := l.next(); v["type"] != "chatLine" || v["room"] != "player" || v["username"] != "GoBot" || v["text"] != strings.Repeat("ü", 140) {
			w.t.Errorf("got %v", v)
		}
		if v := l.next(); v["room"] != "spectator" || v["text"] != "é♞" {
			w.t.Errorf("got %v", v)
		}
		if _, body := bot.call("GET", path); body != `[{"text":"`+strings.Repeat("ü", 140)+`","user":"GoBot"}]` {
			w.t.Errorf("history: %s", body)
		}
	})
}

func TestGivenTime(t *testing.T) {
	inBubble(t, sandbox.Options{}, func(w *world) {
		bot, other := w.as("GoBot"), w.as("OtherBot")
		id := w.start(sandbox.GameSpec{Control: clock(60, 0), Moves: opening})
		l := bot.stream("/api/bot/game/stream/" + id)
		l.next()
		other.ok("/api/round/" + id + "/add-time/15")
		if v := l.until("gameState"); v["wtime"] != 75000.0 {
			w.t.Errorf("got %v", v)
		}
		other.want(400, "POST", "/api/round/"+id+"/add-time/61")
	})
}

func TestClocksCanBeStartedByBothPlayers(t *testing.T) {
	inBubble(t, sandbox.Options{}, func(w *world) {
		id := w.start(sandbox.GameSpec{Control: clock(60, 1)})
		bot := w.as("GoBot")
		bot.want(401, "POST", "/api/challenge/"+id+"/start-clocks?token1=lip_gobot&token2=lip_gobot")
		bot.want(401, "POST", "/api/challenge/"+id+"/start-clocks?token1=lip_gobot&token2=lip_janedoe")
		time.Sleep(10 * time.Second)
		bot.ok("/api/challenge/" + id + "/start-clocks?token1=lip_gobot&token2=lip_otherbot")
		time.Sleep(5 * time.Second)
		w.do(id, "GoBot", "e2e4")
		if got := w.game(id).WhiteClock; got != 56*time.Second {
			w.t.Errorf("white has %v after 5 s on a started clock, want 56 s (with the increment)", got)
		}
	})
}

package sandbox_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"zeitnot/lichess/sandbox"
)

func TestChallengeIsAcceptedAndBecomesTheGame(t *testing.T) {
	inBubble(t, sandbox.Options{}, func(w *world) {
		bot, other := w.as("GoBot"), w.as("OtherBot")
		mine, theirs := bot.stream("/api/stream/event"), other.stream("/api/stream/event")
		v := bot.want(200, "POST", "/api/challenge/OtherBot", "rated", "true", "clock.limit", "180", "clock.increment", "2", "color", "black")
		if v["direction"] != "out" || v["status"] != "created" || v["color"] != "black" || v["finalColor"] != "black" || v["rated"] != true {
			w.t.Errorf("answer %v", v)
		}
		id := fmt.Sprint(v["id"])
		for _, l := range []*lines{mine, theirs} {
			ch := l.next()["challenge"].(map[string]any)
			if ch["id"] != id || ch["challenger"].(map[string]any)["id"] != "gobot" {
				w.t.Errorf("event %v", ch)
			}
			tc, _ := json.Marshal(ch["timeControl"])
			if string(tc) != `{"increment":2,"limit":180,"show":"3+2","type":"clock"}` {
				w.t.Errorf("time control %s", tc)
			}
		}
		bot.want(404, "POST", "/api/challenge/"+id+"/accept")
		other.ok("/api/challenge/" + id + "/accept")
		for color, l := range map[string]*lines{"black": mine, "white": theirs} {
			v := l.next()
			if g := v["game"].(map[string]any); v["type"] != "gameStart" || g["id"] != id || g["color"] != color || g["source"] != "friend" ||
				g["secondsLeft"] != 180.0 || len(g["fullId"].(string)) != 12 || g["isMyTurn"] != (color == "white") || g["lastMove"] != "" {
				w.t.Errorf("%s: %v", color, v)
			}
		}
		if v := other.want(400, "POST", "/api/challenge/"+id+"/accept"); v["error"] != "The challenge has already been accepted" {
			w.t.Errorf("second accept: %v", v)
		}
		if v := bot.want(200, "GET", "/api/challenge/"+id+"/show"); v["status"] != "accepted" || v["fullId"] == nil {
			w.t.Errorf("show: %v", v)
		}
		bot.ok("/api/challenge/" + id + "/cancel") // the unplayed game is aborted
		if v := mine.next(); v["type"] != "gameFinish" || fmt.Sprint(v["game"].(map[string]any)["status"]) != "map[id:25 name:aborted]" {
			w.t.Errorf("got %v", v)
		}
	})
}

func TestDeclineReasons(t *testing.T) {
	inBubble(t, sandbox.Options{}, func(w *world) {
		bot := w.as("GoBot")
		events := bot.stream("/api/stream/event")
		for sent, want := range map[string]string{
			"generic": "generic", "later": "later", "tooFast": "toofast", "toofast": "toofast", "TOOSLOW": "tooslow", "timeControl": "timecontrol",
			"rated": "rated", "casual": "casual", "standard": "standard", "variant": "variant", "noBot": "nobot", "onlyBot": "onlybot", "nonsense": "generic", "": "generic",
		} {
			id, err := w.s.Challenge(sandbox.Challenge{From: "JaneDoe", To: "GoBot", Control: clock(60, 0)})
			if err != nil {
				w.t.Fatal(err)
			}
			events.until("challenge")
			bot.ok("/api/challenge/"+id+"/decline", "reason", sent)
			v := events.next()
			ch := v["challenge"].(map[string]any)
			if v["type"] != "challengeDeclined" || ch["status"] != "declined" || ch["declineReasonKey"] != want || ch["declineReason"] == "" || v["compat"] != nil {
				w.t.Errorf("reason %q: %v, want %s", sent, v, want)
			}
			bot.want(404, "POST", "/api/challenge/"+id+"/decline")
			if v := bot.want(400, "POST", "/api/challenge/"+id+"/accept"); v["error"] != "The challenge has been declined." {
				w.t.Errorf("accept after decline: %v", v)
			}
		}
		bot.want(404, "POST", "/api/challenge/nosuchid/decline")
		bot.want(404, "POST", "/api/challenge/nosuchid/accept")
		bot.want(404, "POST", "/api/challenge/nosuchid/cancel")
	})
}

func TestCancelledChallenge(t *testing.T) {
	inBubble(t, sandbox.Options{}, func(w *world) {
		bot := w.as("GoBot")
		events := bot.stream("/api/stream/event")
		id, err := w.s.Challenge(sandbox.Challenge{From: "JaneDoe", To: "GoBot", Control: clock(60, 0)})
		if err != nil {
			w.t.Fatal(err)
		}
		events.until("challenge")
		if v := bot.want(200, "GET", "/api/challenge"); len(v["in"].([]any)) != 1 || len(v["out"].([]any)) != 0 {
			w.t.Errorf("list: %v", v)
		}
		if err := w.s.CancelChallenge(id); err != nil {
			w.t.Fatal(err)
		}
		if v := events.next(); v["type"] != "challengeCanceled" || v["compat"] != nil {
			w.t.Errorf("got %v", v)
		}
		if v := bot.want(400, "POST", "/api/challenge/"+id+"/accept"); v["error"] != "The challenge has been canceled." {
			w.t.Errorf("accept: %v", v)
		}
	})
}

func TestChallengeRefusals(t *testing.T) {
	accounts := append(defaultAccounts(), sandbox.AccountSpec{Name: "Shy", Refuses: "Shy only accepts challenges from friends."})
	inBubble(t, sandbox.Options{Accounts: accounts, Limits: sandbox.Limits{ChallengesPerMinute: -1}}, func(w *world) {
		bot := w.as("GoBot")
		for _, c := range []struct {
			to, form, text string
		}{
			{"nobody", "clock.limit=60&clock.increment=0", `{"error":"No such user: nobody"}`},
			{"GoBot", "clock.limit=60&clock.increment=0", `{"error":"You cannot challenge yourself"}`},
			{"JaneDoe", "clock.limit=15&clock.increment=0", `{"clock":["Invalid speed"],"error":{"clock":["Invalid speed"]}}`},
			{"JaneDoe", "clock.limit=61&clock.increment=0", `{"clock":["Invalid clock"],"error":{"clock":["Invalid clock"]}}`},
			{"JaneDoe", "clock.limit=60&clock.increment=200", `{"clock":["Invalid clock"],"error":{"clock":["Invalid clock"]}}`},
			{"JaneDoe", "clock.limit=0&clock.increment=0", `{"clock":["Invalid clock"],"error":{"clock":["Invalid clock"]}}`},
			{"JaneDoe", "days=4", `{"days":["Invalid days"],"error":{"days":["Invalid days"]}}`},
			{"JaneDoe", "variant=losers", `{"error":{"variant":["Invalid variant"]},"variant":["Invalid variant"]}`},
			{"JaneDoe", "variant=fromPosition&clock.limit=60&clock.increment=0", `{"error":{"fen":["invalidFen"]},"fen":["invalidFen"]}`},
			{"JaneDoe", "fen=junk&clock.limit=60&clock.increment=0", `{"error":{"fen":["invalidFen"]},"fen":["invalidFen"]}`},
			{"OtherBot", "rules=noAbort&clock.limit=60&clock.increment=0", `{"error":"Rules not applicable for bots"}`},
			{"Shy", "clock.limit=60&clock.increment=0", `{"error":"Shy only accepts challenges from friends."}`},
		} {
			r, err := newRequest("POST", w.base+"/api/challenge/"+c.to, c.form, "application/x-www-form-urlencoded")
			if err != nil {
				w.t.Fatal(err)
			}
			r.Header.Set("Authorization", "Bearer lip_gobot")
			resp, err := bot.http.Do(r)
			if err != nil {
				w.t.Fatal(err)
			}
			body, _ := json.Marshal(decode(w.t, resp.Body))
			if resp.StatusCode != 400 || string(body) != c.text {
				w.t.Errorf("%s %s: %d %s, want 400 %s", c.to, c.form, resp.StatusCode, body, c.text)
			}
		}
		if v := w.as("JaneDoe").want(400, "POST", "/api/challenge/GoBot", "clock.limit", "15", "clock.increment", "0"); v["error"] != "Bots cannot play UltraBullet. Choose a slower time control." {
			w.t.Errorf("ultraBullet by a human: %v", v)
		}
	})
}

func TestChallengeBodyMayBeJSON(t *testing.T) {
	inBubble(t, sandbox.Options{}, func(w *world) {
		bot := w.as("GoBot")
		r, err := newRequest("POST", w.base+"/api/challenge/JaneDoe", `{"rated":true,"clock":{"limit":300,"increment":3},"color":"white"}`, "application/json")
		if err != nil {
			w.t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer lip_gobot")
		resp, err := bot.http.Do(r)
		if err != nil {
			w.t.Fatal(err)
		}
		if v := decode(w.t, resp.Body); v["rated"] != true || v["finalColor"] != "white" || v["timeControl"].(map[string]any)["show"] != "5+3" {
			w.t.Errorf("got %v", v)
		}
	})
}

func TestUnratableChallengesBecomeCasual(t *testing.T) {
	inBubble(t, sandbox.Options{}, func(w *world) {
		for _, c := range []struct {
			ch    sandbox.Challenge
			rated bool
		}{
			{sandbox.Challenge{Control: clock(60, 0)}, true},
			{sandbox.Challenge{Control: clock(0, 1), Variant: sandbox.Chess960}, false},
			{sandbox.Challenge{Control: clock(0, 2), Variant: sandbox.Chess960}, true},
			{sandbox.Challenge{Control: clock(60, 0), Variant: sandbox.Chess960}, true},
			{sandbox.Challenge{Control: clock(60, 0), FEN: "4k3/8/8/8/8/4P3/8/4K3 w - - 0 1"}, false},
			{sandbox.Challenge{}, false},
		} {
			c.ch.From, c.ch.To, c.ch.Rated = "JaneDoe", "GoBot", true
			if _, err := w.s.Challenge(c.ch); err != nil {
				w.t.Fatal(err)
			}
			list := w.s.Challenges()
			if got := list[len(list)-1]; got.Rated != c.rated {
				w.t.Errorf("%+v: rated %v, want %v", c.ch, got.Rated, c.rated)
			}
		}
	})
}

func TestChallengeGoesOfflineAfterTwentySecondsAndCanStillBeAccepted(t *testing.T) {
	inBubble(t, sandbox.Options{}, func(w *world) {
		bot, other := w.as("GoBot"), w.as("OtherBot")
		id := fmt.Sprint(bot.want(200, "POST", "/api/challenge/OtherBot", "clock.limit", "60", "clock.increment", "1")["id"])
		status := func() any { return bot.want(200, "GET", "/api/challenge/"+id+"/show")["status"] }
		time.Sleep(20 * time.Second)
		if got := status(); got != "created" {
			w.t.Errorf("after 20 s: %v, want created", got)
		}
		time.Sleep(time.Second)
		if got := status(); got != "offline" {
			w.t.Errorf("after 21 s: %v, want offline", got)
		}
		other.ok("/api/challenge/" + id + "/accept")
		w.game(id)
	})
}

func TestKeepAliveStreamTellsTheOutcome(t *testing.T) {
	inBubble(t, sandbox.Options{}, func(w *world) {
		bot, other := w.as("GoBot"), w.as("OtherBot")
		for outcome, answer := range map[string]func(string){
			"accepted": func(id string) { other.ok("/api/challenge/" + id + "/accept") },
			"declined": func(id string) { other.ok("/api/challenge/" + id + "/decline") },
			"canceled": func(id string) { bot.ok("/api/challenge/" + id + "/cancel") },
		} {
			l := bot.streamForm("POST", "/api/challenge/OtherBot", "clock.limit", "60", "clock.increment", "1", "keepAliveStream", "true")
			id := fmt.Sprint(l.next()["id"])
			began := time.Now()
			if s, ok := l.raw(); s != "" || !ok || time.Since(began) != 50*time.Second {
				w.t.Errorf("got %q %v after %v, want a blank line after 50 s", s, ok, time.Since(began))
			}
			if got := bot.want(200, "GET", "/api/challenge/"+id+"/show")["status"]; got != "created" {
				w.t.Errorf("kept alive for 50 s: %v", got)
			}
			answer(id)
			if v := l.next(); v["done"] != outcome || len(v) != 1 {
				w.t.Errorf("got %v, want done %s", v, outcome)
			}
			if err := l.closed(); err != nil {
				w.t.Errorf("ended with %v", err)
			}
		}
		l := bot.streamForm("POST", "/api/challenge/OtherBot", "clock.limit", "60", "clock.increment", "1", "keepAliveStream", "true")
		id := fmt.Sprint(l.next()["id"])
		l.close()
		time.Sleep(21 * time.Second)
		if got := bot.want(200, "GET", "/api/challenge/"+id+"/show")["status"]; got != "offline" {
			w.t.Errorf("21 s after the stream was closed: %v, want offline", got)
		}
	})
}

func TestBotAgainstBotCap(t *testing.T) {
	accounts := append(defaultAccounts(), sandbox.AccountSpec{Name: "Fresh", Title: "BOT"})
	inBubble(t, sandbox.Options{Accounts: accounts, Limits: sandbox.Limits{BotGamesPerDay: 2}}, func(w *world) {
		bot, fresh := w.as("GoBot"), w.as("Fresh")
		late, err := w.s.Challenge(sandbox.Challenge{From: "Fresh", To: "GoBot", Control: clock(60, 0)})
		if err != nil {
			w.t.Fatal(err)
		}
		for range 2 {
			w.start(sandbox.GameSpec{Control: clock(60, 0)})
			time.Sleep(time.Hour)
		}
		form := []string{"clock.limit", "60", "clock.increment", "0"}
		check := func(v map[string]any) {
			limit, _ := v["ratelimit"].(map[string]any)
			if limit["key"] != "bot.vsBot.day" || limit["seconds"] != float64(22*3600) {
				w.t.Errorf("got %v, want bot.vsBot.day for 22 hours", v)
			}
		}
		check(bot.want(429, "POST", "/api/challenge/Fresh", form...))
		check(fresh.want(400, "POST", "/api/challenge/GoBot", form...))
		check(bot.want(429, "POST", "/api/challenge/"+late+"/accept"))
		bot.want(200, "POST", "/api/challenge/JaneDoe", form...) // humans do not count
		time.Sleep(22 * time.Hour)
		bot.want(200, "POST", "/api/challenge/Fresh", form...)
	})
}

func TestChallengeBudget(t *testing.T) {
	accounts := append(defaultAccounts(), sandbox.AccountSpec{Name: "Fan", Follows: []string{"gobot"}})
	inBubble(t, sandbox.Options{Accounts: accounts}, func(w *world) {
		bot := w.as("GoBot")
		form := []string{"clock.limit", "60", "clock.increment", "0"}
		for range 4 {
			bot.want(200, "POST", "/api/challenge/JaneDoe", form...) // 5 each
		}
		for range 5 {
			bot.want(200, "POST", "/api/challenge/OtherBot", form...) // 1 each
		}
		if v := bot.want(429, "POST", "/api/challenge/OtherBot", form...); v["ratelimit"] != nil {
			w.t.Errorf("got %v", v)
		}
		bot.want(200, "POST", "/api/challenge/Fan", form...) // follows the bot: free
		time.Sleep(time.Minute)
		bot.want(200, "POST", "/api/challenge/JaneDoe", form...)
	})
}

func TestHumanRematch(t *testing.T) {
	inBubble(t, sandbox.Options{}, func(w *world) {
		bot := w.as("GoBot")
		events := bot.stream("/api/stream/event")
		first := w.start(sandbox.GameSpec{White: "JaneDoe", Black: "GoBot", Variant: sandbox.Chess960, Control: clock(60, 0)})
		if err := w.s.Do(first, "JaneDoe", sandbox.Action{Abort: true}); err != nil {
			w.t.Fatal(err)
		}
		id, err := w.s.Challenge(sandbox.Challenge{
			From: "JaneDoe", To: "GoBot", Variant: sandbox.Chess960, Control: clock(60, 0), Color: "black", RematchOf: first,
		})
		if err != nil {
			w.t.Fatal(err)
		}
		ch := events.until("challenge")["challenge"].(map[string]any)
		if ch["rematchOf"] != first || ch["id"] != id || ch["color"] != "black" {
			w.t.Errorf("got %v", ch)
		}
		bot.ok("/api/challenge/" + id + "/accept")
		events.until("gameStart")
		a, b := w.game(first), w.game(id)
		if a.InitialFEN != b.InitialFEN || b.White != "GoBot" {
			w.t.Errorf("rematch of %s starts from %s with %s as White", a.InitialFEN, b.InitialFEN, b.White)
		}
		l := bot.stream("/api/bot/game/stream/" + first)
		if got := l.next()["state"].(map[string]any)["rematch"]; got != id {
			w.t.Errorf("old game shows rematch %v, want %s", got, id)
		}
	})
}

func TestUnplayableVariantsCanBeProposedAndDeclinedOnly(t *testing.T) {
	inBubble(t, sandbox.Options{}, func(w *world) {
		id, err := w.s.Challenge(sandbox.Challenge{From: "JaneDoe", To: "GoBot", Variant: "atomic", Control: clock(60, 0)})
		if err != nil {
			w.t.Fatal(err)
		}
		bot := w.as("GoBot")
		bot.want(400, "POST", "/api/challenge/"+id+"/accept")
		bot.ok("/api/challenge/"+id+"/decline", "reason", "standard")
	})
}

func TestStartDelay(t *testing.T) {
	inBubble(t, sandbox.Options{StartDelay: 2 * time.Second}, func(w *world) {
		bot := w.as("GoBot")
		events := bot.stream("/api/stream/event")
		id, err := w.s.Challenge(sandbox.Challenge{From: "JaneDoe", To: "GoBot", Control: clock(60, 0)})
		if err != nil {
			w.t.Fatal(err)
		}
		events.next()
		began := time.Now()
		bot.ok("/api/challenge/" + id + "/accept")
		if took := time.Since(began); took != 0 {
			w.t.Errorf("accept took %v", took)
		}
		events.until("gameStart")
		if took := time.Since(began); took != 2*time.Second {
			w.t.Errorf("gameStart after %v, want 2 s", took)
		}
	})
}

func TestChallengeTheComputer(t *testing.T) {
	inBubble(t, sandbox.Options{}, func(w *world) {
		bot := w.as("GoBot")
		v := bot.want(201, "POST", "/api/challenge/ai", "level", "1", "clock.limit", "60", "clock.increment", "0", "color", "white")
		id := fmt.Sprint(v["id"])
		if v["source"] != "ai" || v["turns"] != 0.0 || !strings.HasPrefix(fmt.Sprint(v["fullId"]), id) {
			w.t.Errorf("got %v", v)
		}
		began := time.Now()
		bot.ok("/api/bot/game/" + id + "/move/e2e4")
		if took := time.Since(began); took != 500*time.Millisecond {
			w.t.Errorf("a move against the AI took %v, want 500 ms", took)
		}
		if _, err := w.s.WaitGame(w.ctx, id, func(r sandbox.GameRecord) bool { return len(r.Moves) == 2 }); err != nil {
			w.t.Error(err)
		}
		bot.want(400, "POST", "/api/challenge/ai", "level", "9")
	})
}

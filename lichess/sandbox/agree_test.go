package sandbox_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"zeitnot/lichess"
	"zeitnot/lichess/sandbox"
)

// agree reads text as T and writes it again; nothing may be lost on the way, so that the
// client knows every field that the server sends.
func agree[T any](t *testing.T, what string, text string) {
	t.Helper()
	var v T
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Errorf("%s: client cannot read %s: %v", what, text, err)
		return
	}
	again, err := json.Marshal(v)
	if err != nil {
		t.Errorf("%s: %v", what, err)
		return
	}
	var sent, kept any
	if json.Unmarshal([]byte(text), &sent) != nil || json.Unmarshal(again, &kept) != nil {
		t.Fatalf("%s: %s or %s is no JSON", what, text, again)
	}
	if d := cmp.Diff(sent, kept); d != "" {
		t.Errorf("%s: client keeps something else (-sent +kept):\n%s", what, d)
	}
}

func TestClientKeepsEveryFieldThatTheServerSends(t *testing.T) {
	inBubble(t, sandbox.Options{}, func(w *world) {
		bot, other := w.as("GoBot"), w.as("OtherBot")
		events := bot.stream("/api/stream/event")
		event := func() {
			w.t.Helper()
			s, ok := events.raw()
			for ok && s == "" {
				s, ok = events.raw()
			}
			agree[lichess.Event](w.t, "event", s)
		}
		for _, c := range []sandbox.Challenge{
			{Control: clock(180, 2), Rated: true},
			{Control: clock(30, 0), Variant: sandbox.Chess960},
			{},
			{Control: sandbox.TimeControl{Days: 3}},
			{Control: clock(60, 0), FEN: "4k3/8/8/8/8/4P3/8/4K3 w - - 0 1"},
			{Control: clock(60, 0), Variant: "atomic"},
		} {
			c.From, c.To = "JaneDoe", "GoBot"
			id, err := w.s.Challenge(c)
			if err != nil {
				w.t.Fatal(err)
			}
			event()
			_, body := bot.call("GET", "/api/challenge/"+id+"/show")
			agree[lichess.Challenge](w.t, "challenge", body)
			bot.ok("/api/challenge/"+id+"/decline", "reason", "tooFast")
			event()
		}
		id := w.start(sandbox.GameSpec{Control: clock(180, 2), Rated: true, Moves: opening})
		event()
		game := other.stream("/api/bot/game/stream/" + id)
		s, _ := game.raw()
		agree[lichess.GameFull](w.t, "gameFull", s)
		bot.ok("/api/bot/game/"+id+"/chat", "room", "player", "text", "hello")
		s, _ = game.raw()
		agree[lichess.ChatLine](w.t, "chatLine", s)
		bot.ok("/api/bot/game/" + id + "/move/f1c4?offeringDraw=true")
		game.raw() // the offer in the chat
		for range 2 {
			s, _ = game.raw()
			agree[lichess.GameState](w.t, "gameState", s)
		}
		for s, _ = game.raw(); s == ""; s, _ = game.raw() { // nobody watches White's side
		}
		agree[lichess.OpponentGone](w.t, "opponentGone", s)
		_, body := bot.call("GET", "/api/account/playing")
		agree[lichess.Playing](w.t, "playing", body)
		other.ok("/api/bot/game/" + id + "/resign")
		event()
		bot.call("POST", "/api/challenge/ai", "level", "2", "clock.limit", "60", "clock.increment", "0", "color", "white")
		event()
		games := w.s.Games()
		s, _ = bot.stream("/api/bot/game/stream/" + games[len(games)-1].ID).raw()
		agree[lichess.GameFull](w.t, "gameFull of the AI", s)
		arena := w.start(sandbox.GameSpec{Control: clock(60, 0), Source: "arena", Tournament: "abcd1234"})
		event()
		s, _ = bot.stream("/api/bot/game/stream/" + arena).raw()
		agree[lichess.GameFull](w.t, "gameFull of an arena", s)
		_, body = bot.call("GET", "/api/account")
		agree[lichess.Account](w.t, "account", strings.NewReplacer(`,"followable":true,"following":false,"blocking":false`, "").Replace(body))
		_, body = bot.call("GET", "/api/users/status?ids=gobot,janedoe,otherbot&withGameIds=true")
		agree[[]lichess.UserStatus](w.t, "users status", body)
	})
}

func TestClientReadsTournaments(t *testing.T) {
	inBubble(t, sandbox.Options{}, func(w *world) {
		bot := w.as("GoBot")
		id := w.s.AddTournament(sandbox.TournamentSpec{Name: "Hourly", Control: clock(60, 0), Rated: true})
		bot.ok("/api/tournament/" + id + "/join")
		var list lichess.Tournaments
		_, body := bot.call("GET", "/api/tournament")
		if err := json.Unmarshal([]byte(body), &list); err != nil || len(list.Started) != 1 || list.Started[0].ID != id || !list.Started[0].BotsAllowed {
			w.t.Errorf("list %+v %v of %s", list, err, body)
		}
		var one lichess.Tournament
		_, body = bot.call("GET", "/api/tournament/"+id)
		if err := json.Unmarshal([]byte(body), &one); err != nil || one.ID != id || one.Me == nil {
			w.t.Errorf("tournament %+v %v of %s", one, err, body)
		}
	})
}

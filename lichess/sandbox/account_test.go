package sandbox_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"zeitnot/lichess/sandbox"
)

func TestAuthenticationRefusals(t *testing.T) {
	accounts := append(defaultAccounts(),
		sandbox.AccountSpec{Name: "Reader", Title: "BOT", Scopes: []string{"challenge:read", "preference:read"}},
		sandbox.AccountSpec{Name: "Player", Title: "BOT", Scopes: []string{"email:read", "bot:play"}},
	)
	inBubble(t, sandbox.Options{Accounts: accounts}, func(w *world) {
		w.s.CloseAccount("OtherBot")
		if err := w.s.AddToken("GoBot", "lip_old"); err != nil {
			w.t.Fatal(err)
		}
		w.s.RevokeToken("lip_old")
		for _, c := range []struct {
			name, token, agent, method, path string
			status                           int
			text                             string
		}{
			{"no header", "", "x", "GET", "/api/account", 401, "Missing authorization header"},
			{"unknown token", "lip_nobody", "x", "GET", "/api/account", 401, "No such token"},
			{"revoked token", "lip_old", "x", "GET", "/api/account", 401, "No such token"},
			{"closed account", "lip_otherbot", "x", "GET", "/api/account", 401, "No such user"},
			{"agent of another user", "lip_gobot", "lib/1 user:OtherBot", "GET", "/api/account", 401, "The user in the user-agent doesn't match the token bearer"},
			{"agent as: another user", "lip_gobot", "lib/1 as: somebody", "GET", "/api/account", 401, "The user in the user-agent doesn't match the token bearer"},
			{"agent of the same user", "lip_gobot", "lib/1 user:gobot", "GET", "/api/account", 200, ""},
			{"any scope reads the account", "lip_reader", "x", "GET", "/api/account", 200, ""},
			{"no bot:play", "lip_reader", "x", "POST", "/api/bot/game/abcd1234/move/e2e4", 403, "Missing scope: bot:play"},
			{"the list of challenges needs challenge:read", "lip_player", "x", "GET", "/api/challenge", 403, "Missing scope: challenge:read"},
			{"tournaments by bot:play", "lip_player", "x", "POST", "/api/tournament/none0000/join", 404, "Not found."},
			{"unknown path", "lip_gobot", "x", "GET", "/api/nothing", 404, "Not found."},
			{"unknown path below a known one", "lip_gobot", "x", "GET", "/api/account/x/y", 404, "Not found."},
		} {
			cl := w.as("GoBot")
			cl.token, cl.agent = c.token, c.agent
			v := cl.want(c.status, c.method, c.path)
			if c.text != "" && v["error"] != c.text {
				w.t.Errorf("%s: error %v, want %q", c.name, v["error"], c.text)
			}
		}
		resp, err := w.as("Player").request(w.ctx, "POST", "/api/bot/game/none0000/abort", nil)
		if err != nil {
			w.t.Fatal(err)
		}
		resp.Body.Close()
		if got := resp.Header.Get("X-OAuth-Scopes"); got != "email:read, bot:play" {
			w.t.Errorf("X-OAuth-Scopes %q", got)
		}
		if got := resp.Header.Get("X-Accepted-OAuth-Scopes"); got != "bot:play" {
			w.t.Errorf("X-Accepted-OAuth-Scopes %q", got)
		}
	})
}

func TestTokenTest(t *testing.T) {
	inBubble(t, sandbox.Options{}, func(w *world) {
		cl := w.as("GoBot")
		cl.token = ""
		for _, kind := range []string{"text/plain", "application/x-www-form-urlencoded", ""} {
			r, err := newRequest("POST", w.base+"/api/token/test", "lip_gobot,lip_junk", kind)
			if err != nil {
				w.t.Fatal(err)
			}
			resp, err := cl.http.Do(r)
			if err != nil {
				w.t.Fatal(err)
			}
			v := decode(w.t, resp.Body)
			if resp.StatusCode != 200 || v["lip_junk"] != nil || len(v) != 2 {
				w.t.Fatalf("content type %q: %d %v", kind, resp.StatusCode, v)
			}
			mine := v["lip_gobot"].(map[string]any)
			if mine["userId"] != "gobot" || mine["scopes"] != "bot:play,challenge:read,challenge:write,tournament:write" {
				w.t.Errorf("got %v", mine)
			}
			if expires, ok := mine["expires"]; !ok || expires != nil {
				w.t.Errorf("expires is %v %v, want null", expires, ok)
			}
		}
	})
}

func TestUpgradeToBot(t *testing.T) {
	accounts := append(defaultAccounts(), sandbox.AccountSpec{Name: "Veteran", Played: 3})
	inBubble(t, sandbox.Options{Accounts: accounts}, func(w *world) {
		old := w.as("Veteran").want(400, "POST", "/api/bot/account/upgrade")
		if old["error"] != "You already have games played. Make a new account." {
			w.t.Errorf("got %v", old)
		}
		jane := w.as("JaneDoe")
		if v := jane.want(200, "GET", "/api/account"); v["title"] != nil {
			w.t.Errorf("title before is %v, want none", v["title"])
		}
		for range 2 {
			jane.ok("/api/bot/account/upgrade")
		}
		v := jane.want(200, "GET", "/api/account")
		blitz := v["perfs"].(map[string]any)["blitz"].(map[string]any)
		if v["title"] != "BOT" || blitz["rating"] != 2000.0 || blitz["rd"] != 500.0 || blitz["prov"] != true {
			w.t.Errorf("after the upgrade: title %v blitz %v", v["title"], blitz)
		}
	})
}

func TestStatusAndOnlineBots(t *testing.T) {
	inBubble(t, sandbox.Options{}, func(w *world) {
		bot := w.as("GoBot")
		status := func() string {
			_, body := bot.call("GET", "/api/users/status?ids=GoBot,janedoe,nobody")
			return body
		}
		if got, want := status(), `[{"id":"gobot","name":"GoBot","title":"BOT"},{"id":"janedoe","name":"JaneDoe"}]`; got != want {
			w.t.Errorf("offline: got %s, want %s", got, want)
		}
		events := bot.stream("/api/stream/event")
		id := w.start(sandbox.GameSpec{Control: clock(60, 0)})
		if got := status(); !strings.Contains(got, `"online":true,"playing":true`) {
			w.t.Errorf("online: got %s", got)
		}
		if _, body := bot.call("GET", "/api/bot/online"); strings.Count(body, "\n") != 1 || !strings.Contains(body, `"gobot"`) {
			w.t.Errorf("bots online: %s", body)
		}
		w.do(id, "GoBot", "e2e4")
		if err := w.s.Do(id, "GoBot", sandbox.Action{Abort: true}); err != nil {
			w.t.Fatal(err)
		}
		events.close()
		time.Sleep(5 * time.Second)
		if got := status(); !strings.Contains(got, `"online":true`) || strings.Contains(got, "playing") {
			w.t.Errorf("5 s after the stream: got %s, want still online", got)
		}
		time.Sleep(6 * time.Second)
		if got := status(); strings.Contains(got, "online") {
			w.t.Errorf("11 s after the stream: got %s, want offline", got)
		}
		bot.want(400, "GET", "/api/users/status")
		if v := bot.want(200, "GET", "/api/user/gobot"); v["username"] != "GoBot" || v["count"] == nil {
			w.t.Errorf("user: %v", v)
		}
		bot.want(404, "GET", "/api/user/nobody")
	})
}

func TestAccountReadsAreLimited(t *testing.T) {
	inBubble(t, sandbox.Options{}, func(w *world) {
		bot := w.as("GoBot")
		for range 30 {
			bot.want(200, "GET", "/api/account")
		}
		if v := bot.want(429, "GET", "/api/account"); v["error"] != "Too many requests. Try again later." {
			w.t.Errorf("got %v", v)
		}
		time.Sleep(5 * time.Minute)
		bot.want(200, "GET", "/api/account")
	})
}

func TestPlayingListsUrgentGamesFirst(t *testing.T) {
	inBubble(t, sandbox.Options{}, func(w *world) {
		var ids []string
		for i := range 60 {
			spec := sandbox.GameSpec{Control: sandbox.TimeControl{Days: 1}}
			switch i {
			case 10:
				spec.Control, spec.WhiteClock = clock(600, 0), 90*time.Second
			case 20:
				spec.Control, spec.White, spec.Black = clock(60, 0), "OtherBot", "GoBot"
			case 30:
				spec.Control = sandbox.TimeControl{}
			}
			ids = append(ids, w.start(spec))
		}
		v := w.as("GoBot").want(200, "GET", "/api/account/playing?nb=50")
		games := v["nowPlaying"].([]any)
		if v["nbMyTurn"] != 59.0 || len(games) != 50 {
			w.t.Fatalf("nbMyTurn %v, %d games; want 59 and 50", v["nbMyTurn"], len(games))
		}
		first := games[0].(map[string]any)
		if first["gameId"] != ids[10] || first["secondsLeft"] != 90.0 || first["isMyTurn"] != true {
			w.t.Errorf("first is %v, want the game with 90 s", first)
		}
		for _, g := range games {
			if g.(map[string]any)["compat"] != nil || g.(map[string]any)["id"] != nil {
				w.t.Fatalf("%v carries compat or id", g)
			}
		}
		if v := w.as("GoBot").want(200, "GET", "/api/account/playing"); len(v["nowPlaying"].([]any)) != 9 {
			w.t.Errorf("without nb %d games, want 9", len(v["nowPlaying"].([]any)))
		}
	})
}

func TestAccountsTellTheirTokens(t *testing.T) {
	s, err := sandbox.New(sandbox.Options{Accounts: defaultAccounts(), Opponents: []sandbox.OpponentSpec{{Name: "Engine", New: sandbox.LinePlayer()}}})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, a := range s.Accounts() {
		got = append(got, fmt.Sprint(a.Name, "=", a.Token))
	}
	if want := "GoBot=lip_gobot JaneDoe=lip_janedoe OtherBot=lip_otherbot Engine="; strings.Join(got, " ") != want {
		t.Errorf("got %q, want %q", strings.Join(got, " "), want)
	}
	for _, o := range []sandbox.Options{
		{Accounts: []sandbox.AccountSpec{{Name: "A"}}},
		{Accounts: []sandbox.AccountSpec{{Name: "Some One"}}},
		{Accounts: []sandbox.AccountSpec{{Name: "Same"}, {Name: "same"}}},
		{Accounts: []sandbox.AccountSpec{{Name: "One", Token: "t"}, {Name: "Two", Token: "t"}}},
		{Opponents: []sandbox.OpponentSpec{{Name: "NoPlayer"}}},
		{Faults: []sandbox.Fault{{Kind: "nonsense"}}},
	} {
		if _, err := sandbox.New(o); err == nil {
			t.Errorf("New(%+v) took it", o)
		}
	}
}

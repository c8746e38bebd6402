package sandbox_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"zeitnot/lichess/sandbox"
)

func TestBothStreamsSendABlankLineEverySevenSeconds(t *testing.T) {
	inBubble(t, sandbox.Options{}, func(w *world) {
		bot := w.as("GoBot")
		id := w.start(sandbox.GameSpec{Control: clock(180, 0)})
		for _, path := range []string{"/api/stream/event", "/api/bot/game/stream/" + id} {
			began := time.Now()
			l := bot.stream(path)
			l.next()
			for i := 1; i <= 5; i++ {
				s, ok := l.raw()
				if s != "" || !ok {
					w.t.Fatalf("%s: got %q %v, want a blank line", path, s, ok)
				}
				if at, want := time.Since(began), time.Duration(i)*7*time.Second; at != want {
					w.t.Errorf("%s: blank line %d after %v, want %v", path, i, at, want)
				}
			}
			l.close()
		}
	})
}

func TestKeepAlivePeriodIsASetting(t *testing.T) {
	inBubble(t, sandbox.Options{KeepAlive: 100 * time.Millisecond}, func(w *world) {
		began := time.Now()
		l := w.as("GoBot").stream("/api/stream/event")
		if s, ok := l.raw(); s != "" || !ok || time.Since(began) != 100*time.Millisecond {
			w.t.Errorf("got %q %v after %v", s, ok, time.Since(began))
		}
	})
}

func TestEventStreamEndsTheOneOfTheSameTokenCleanly(t *testing.T) {
	inBubble(t, sandbox.Options{}, func(w *world) {
		if err := w.s.AddToken("GoBot", "lip_second"); err != nil {
			w.t.Fatal(err)
		}
		bot, second := w.as("GoBot"), w.as("GoBot")
		second.token = "lip_second"
		first := bot.stream("/api/stream/event")
		other := second.stream("/api/stream/event")
		again := bot.stream("/api/stream/event")
		if err := first.closed(); err != nil {
			w.t.Errorf("the first stream ended with %v, want a clean end", err)
		}
		w.start(sandbox.GameSpec{Control: clock(60, 0)})
		for _, l := range []*lines{other, again} {
			if v := l.next(); v["type"] != "gameStart" {
				w.t.Errorf("got %v", v)
			}
		}
		if n := w.s.OpenStreams("GoBot"); n.Events != 2 || n.Games != 0 {
			w.t.Errorf("open streams %+v, want 2 event streams", n)
		}
	})
}

func TestEventStreamConnectsAreLimited(t *testing.T) {
	inBubble(t, sandbox.Options{}, func(w *world) {
		bot := w.as("GoBot")
		for range 30 {
			bot.stream("/api/stream/event").close()
		}
		v := bot.want(429, "GET", "/api/stream/event")
		if !strings.HasPrefix(fmt.Sprint(v["error"]), "Please don't poll this endpoint, ") {
			w.t.Errorf("got %v", v)
		}
		time.Sleep(10 * time.Minute)
		bot.stream("/api/stream/event")
	})
}

func TestReplayHasGamesThenChallengesWithoutCompat(t *testing.T) {
	inBubble(t, sandbox.Options{}, func(w *world) {
		challenge := func(from, to string, deserted bool) string {
			id, err := w.s.Challenge(sandbox.Challenge{From: from, To: to, Control: clock(180, 2), Deserted: deserted})
			if err != nil {
				w.t.Fatal(err)
			}
			return id
		}
		in := challenge("JaneDoe", "GoBot", false)
		challenge("GoBot", "JaneDoe", false) // own ones are not replayed
		challenge("OtherBot", "GoBot", true) // will have gone offline
		waiting := w.start(sandbox.GameSpec{White: "OtherBot", Black: "GoBot", Control: clock(60, 0)})
		mine := w.start(sandbox.GameSpec{Control: clock(180, 0)})
		time.Sleep(21 * time.Second)
		l := w.as("GoBot").stream("/api/stream/event")
		for _, id := range []string{mine, waiting} {
			v := l.next()
			g := v["game"].(map[string]any)
			if v["type"] != "gameStart" || g["id"] != id || g["gameId"] != id || g["compat"] == nil {
				w.t.Fatalf("got %v, want gameStart of %s", v, id)
			}
		}
		v := l.next()
		if ch := v["challenge"].(map[string]any); v["type"] != "challenge" || ch["id"] != in || v["compat"] != nil {
			w.t.Fatalf("got %v, want challenge %s without compat", v, in)
		}
		live := challenge("OtherBot", "GoBot", false)
		v = l.next()
		if ch := v["challenge"].(map[string]any); ch["id"] != live || v["compat"] == nil || ch["direction"] != nil {
			w.t.Errorf("got %v, want challenge %s with compat and without direction", v, live)
		}
	})
}

func TestFullQueueDropsItsOldestLines(t *testing.T) {
	for slots, want := range map[int]int{0: 32, -1: 40} {
		inBubble(t, sandbox.Options{QueueSlots: slots}, func(w *world) {
			for range 40 {
				w.start(sandbox.GameSpec{Control: clock(60, 0)})
			}
			l := w.as("GoBot").stream("/api/stream/event")
			n := 0
			for s, ok := l.raw(); ok && s != ""; s, ok = l.raw() {
				n++
			}
			if n != want {
				w.t.Errorf("%d slots: %d of 40 games replayed, want %d", slots, n, want)
			}
		})
	}
}

func TestAClientThatDoesNotReadHoldsUpNobody(t *testing.T) {
	inBubble(t, sandbox.Options{}, func(w *world) {
		id := w.start(sandbox.GameSpec{Control: clock(600, 0)})
		stuck, other := w.as("GoBot"), w.as("OtherBot")
		stuck.stream("/api/bot/game/stream/" + id) // never read again
		l := other.stream("/api/bot/game/stream/" + id)
		l.next()
		long := strings.Repeat("x", 140)
		began := time.Now()
		for i := range 3000 {
			if err := w.s.Do(id, "OtherBot", sandbox.Action{Chat: long}); err != nil {
				w.t.Fatal(err)
			}
			if v := l.next(); v["type"] != "chatLine" {
				w.t.Fatalf("line %d: %v", i, v)
			}
		}
		if took := time.Since(began); took != 0 {
			w.t.Errorf("lines took %v, want no time", took)
		}
	})
}

func TestGameStreamEndsTheOneOfSameSideAndAgent(t *testing.T) {
	inBubble(t, sandbox.Options{}, func(w *world) {
		id := w.start(sandbox.GameSpec{Control: clock(60, 0)})
		path := "/api/bot/game/stream/" + id
		bot, agent, other := w.as("GoBot"), w.as("GoBot"), w.as("OtherBot")
		agent.agent = "another agent"
		other.agent = bot.agent[:4] // any agent, but not user:GoBot
		first, parallel, theirs := bot.stream(path), agent.stream(path), other.stream(path)
		for _, l := range []*lines{first, parallel, theirs} {
			l.until("gameFull")
		}
		again := bot.stream(path)
		again.until("gameFull")
		if err := first.closed(); err != nil {
			w.t.Errorf("ended with %v, want a clean end", err)
		}
		w.do(id, "GoBot", "e2e4")
		for _, l := range []*lines{again, parallel, theirs} {
			if v := l.next(); v["moves"] != "e2e4" {
				w.t.Errorf("got %v", v)
			}
		}
		if n := w.s.OpenStreams(""); n.Games != 3 {
			w.t.Errorf("%d game streams open, want 3", n.Games)
		}
	})
}

func TestStreamOfAFinishedGameIsOneLine(t *testing.T) {
	inBubble(t, sandbox.Options{}, func(w *world) {
		id := w.start(sandbox.GameSpec{Control: clock(60, 0), Moves: []string{"f2f3", "e7e5", "g2g4"}})
		w.do(id, "OtherBot", "d8h4")
		l := w.as("GoBot").stream("/api/bot/game/stream/" + id)
		v := l.next()
		state := v["state"].(map[string]any)
		if v["type"] != "gameFull" || state["status"] != "mate" || state["winner"] != "black" || state["type"] != "gameState" {
			w.t.Errorf("got %v", v)
		}
		if err := l.closed(); err != nil {
			w.t.Errorf("ended with %v, want a clean end", err)
		}
	})
}

func TestGameStreamRefusals(t *testing.T) {
	inBubble(t, sandbox.Options{Accounts: append(defaultAccounts(), sandbox.AccountSpec{Name: "Third", Title: "BOT"})}, func(w *world) {
		id := w.start(sandbox.GameSpec{Control: clock(60, 0)})
		ultra, err := w.s.StartGame(sandbox.GameSpec{White: "JaneDoe", Black: "GoBot", Control: clock(15, 0)})
		if err != nil {
			w.t.Fatal(err)
		}
		human := w.start(sandbox.GameSpec{White: "JaneDoe", Black: "GoBot", Control: clock(60, 0)})
		for _, c := range []struct {
			who, id string
			status  int
			text    string
		}{
			{"GoBot", "nosuchid", 404, "No such game"},
			{"Third", id, 404, "Not your game"},
			{"JaneDoe", human, 400, "This endpoint can only be used with a Bot account. See https://lichess.org/api#operation/botAccountUpgrade"},
			{"GoBot", ultra, 400, "This game cannot be played with the Bot API."},
		} {
			if v := w.as(c.who).want(c.status, "GET", "/api/bot/game/stream/"+c.id); v["error"] != c.text {
				w.t.Errorf("%s on %s: %v, want %q", c.who, c.id, v["error"], c.text)
			}
		}
	})
}

func TestGameFullHasEveryShape(t *testing.T) {
	inBubble(t, sandbox.Options{}, func(w *world) {
		bot := w.as("GoBot")
		full := func(id string) map[string]any {
			l := bot.stream("/api/bot/game/stream/" + id)
			defer l.close()
			return l.until("gameFull")
		}
		v := full(w.start(sandbox.GameSpec{Control: clock(0, 2), Rated: true, White: "JaneDoe", Black: "GoBot"}))
		if got := fmt.Sprintf("%v %v %v %v", v["clock"], v["initialFen"], v["speed"], v["rated"]); got != "map[increment:2000 initial:0] startpos bullet true" {
			w.t.Errorf("0+2: %s", got)
		}
		jane, me, state := v["white"].(map[string]any), v["black"].(map[string]any), v["state"].(map[string]any)
		if title, ok := jane["title"]; !ok || title != nil || me["title"] != "BOT" || me["provisional"] != true {
			w.t.Errorf("titles: %v %v", jane, me)
		}
		if state["wtime"] != 3000.0 || state["winc"] != 2000.0 {
			w.t.Errorf("0+2 starts with %v", state)
		}
		for _, key := range []string{"wdraw", "bdraw", "wtakeback", "btakeback", "winner", "rematch", "expiration"} {
			if _, ok := state[key]; ok {
				w.t.Errorf("%s is there though false", key)
			}
		}

		v = full(w.start(sandbox.GameSpec{}))
		state = v["state"].(map[string]any)
		if _, ok := v["clock"]; ok || state["wtime"] != 2147483647.0 || state["btime"] != 2147483647.0 || state["winc"] != 0.0 || v["speed"] != "correspondence" {
			w.t.Errorf("unlimited: %v", v)
		}
		v = full(w.start(sandbox.GameSpec{Control: sandbox.TimeControl{Days: 14}}))
		state = v["state"].(map[string]any)
		if v["daysPerTurn"] != 14.0 || state["wtime"] != 1209600000.0 {
			w.t.Errorf("correspondence: %v", v)
		}
		v = full(w.start(sandbox.GameSpec{Variant: sandbox.Chess960, Control: clock(60, 0)}))
		if fen := fmt.Sprint(v["initialFen"]); !strings.HasSuffix(fen, " w KQkq - 0 1") {
			w.t.Errorf("Chess960 starts from %s", fen)
		}
		v = full(w.start(sandbox.GameSpec{Control: clock(60, 0), FEN: "4k3/8/8/8/8/4P3/8/4K3 w - - 0 1"}))
		if v["initialFen"] != "4k3/8/8/8/8/4P3/8/4K3 w - - 0 1" || v["variant"].(map[string]any)["key"] != "fromPosition" {
			w.t.Errorf("from position: %v", v)
		}
		bot.want(201, "POST", "/api/challenge/ai", "level", "3", "clock.limit", "60", "clock.increment", "0", "color", "white")
		games := w.s.Games()
		v = full(games[len(games)-1].ID)
		if black := v["black"].(map[string]any); len(black) != 1 || black["aiLevel"] != 3.0 {
			w.t.Errorf("AI: %v, want its level alone", black)
		}
	})
}

func TestServerEndsAllStreamsWhenItStops(t *testing.T) {
	inBubble(t, sandbox.Options{}, func(w *world) {
		w.as("GoBot").stream("/api/stream/event")
		synctest.Wait()
		w.close()
		if n := w.s.OpenStreams(""); n.Events != 0 {
			w.t.Errorf("%d streams open after Run, want 0", n.Events)
		}
	})
}

package sandbox_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"zeitnot/lichess/sandbox"
)

func TestParseFaults(t *testing.T) {
	got, err := sandbox.ParseFaults(` latency in=40ms,out=20ms jitter=10 ;
		status move code=429 times=1 body=empty header=30
		cut game ply=11 game=abcd1234; silent event after=1m times=always;;
		lost move as=reset from=3; hang accept for=30s code=504 account=GoBot
		oversize event size=100 times=2; trickle game gap=1ms; dup event count=3
		charge per=600ms jitter=400ms; restart after=30s down=5s
		reorder game chance=0.25 since=1m until=2m # one in four, for a minute; cut game
		burst after=5s every=1h times=3 count=20 gap=10ms account=GoBot; stall event for=3s slots=2; status challenge code=400 limit=bot.vsBot.day seconds=60`)
	if err != nil {
		t.Fatal(err)
	}
	want := []sandbox.Fault{
		{Kind: sandbox.Latency, In: 40 * time.Millisecond, Out: 20 * time.Millisecond, Jitter: 10 * time.Millisecond},
		{Kind: sandbox.Fail, Endpoint: "move", Code: 429, Times: 1, Body: sandbox.BodyEmpty, Header: "30"},
		{Kind: sandbox.Cut, Endpoint: "gameStream", Ply: 11, Game: "abcd1234"},
		{Kind: sandbox.Silent, Endpoint: "eventStream", After: time.Minute, Times: sandbox.Always},
		{Kind: sandbox.Lost, Endpoint: "move", As: sandbox.Reset, From: 3},
		{Kind: sandbox.Hang, Endpoint: "accept", For: 30 * time.Second, Code: 504, Account: "GoBot"},
		{Kind: sandbox.Oversize, Endpoint: "eventStream", Size: 100, Times: 2},
		{Kind: sandbox.Trickle, Endpoint: "gameStream", Gap: time.Millisecond},
		{Kind: sandbox.Duplicate, Endpoint: "eventStream", Count: 3},
		{Kind: sandbox.Charge, Per: 600 * time.Millisecond, Jitter: 400 * time.Millisecond},
		{Kind: sandbox.RestartAt, After: 30 * time.Second, Down: 5 * time.Second},
		{Kind: sandbox.Reorder, Endpoint: "gameStream", Chance: 0.25, Since: time.Minute, Until: 2 * time.Minute},
		{Kind: sandbox.Burst, After: 5 * time.Second, Every: time.Hour, Times: 3, Count: 20, Gap: 10 * time.Millisecond, Account: "GoBot"},
		{Kind: sandbox.Stall, Endpoint: "eventStream", For: 3 * time.Second, Slots: 2},
		{Kind: sandbox.Fail, Endpoint: "challenge", Code: 400, Limit: "bot.vsBot.day", Seconds: 60},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("faults differ (-want +got):\n%s", d)
	}
}

func TestParseFaultsNamesWhatIsWrong(t *testing.T) {
	for spec, want := range map[string]string{
		"explode":                      `faults "explode": unknown kind "explode", want one of blackhole, burst, charge, cut, drop, dup, garbage, halfclose, halfline, hang, latency, lost, nofinal, offline, oversize, reorder, reset, restart, silent, slowaccept, stall, startlate, status, surplus, trickle, unknown, withdraw`,
		"status code=502":              `faults "status code=502": fault status: say which endpoint, like "status move"`,
		"status moves":                 `fault status: unknown endpoint "moves", want one of account, playing,`,
		"cut game event":               `faults "cut game event": two endpoints, "gameStream" and "event"`,
		"cut game in=5s":               `cut has no "in", only ply, after, from, times, chance, since, until, game, account`,
		"cut move":                     `fault cut: hits eventStream or gameStream, not "move"`,
		"lost game":                    `fault lost: hits calls, not the stream "gameStream"`,
		"status move code=429 code=4":  `code is given twice`,
		"status move times=0":          `times=0: want a positive number`,
		"status move times=many":       `times=many: want a whole number`,
		"status move code=42":          `fault status: code 42 is no final HTTP status`,
		"status move body=xml":         `fault status: body "xml", want json, html or empty`,
		"latency in=fast":              `in=fast: want a time like 250ms or 5s`,
		"latency in=-5s":               `in=-5s: want a time that is not negative`,
		"lost move as=smoke":           `fault lost: as=smoke, want reset`,
		"cut event ply=3":              `fault cut: the event stream shows no plies; use after`,
		"restart game":                 `fault restart: takes no endpoint, got "gameStream"`,
		"cut game account=":            `account=: want a value`,
		"drop":                         `fault drop: say which stream, game or event`,
		"drop move":                    `fault drop: hits eventStream or gameStream, not "move"`,
		"burst move":                   `fault burst: takes no endpoint, got "move"`,
		"cut game chance=2":            `chance=2: want a probability above 0, at most 1, like 0.05`,
		"cut game chance=NaN":          `chance=NaN: want a probability`,
		"cut game since=5s until=5s":   `fault cut: until 5s is not after since 5s`,
		"restart every=1ms":            `fault restart: every 1ms is below a second`,
		strings.Repeat("x", 100_000):   `x"...: one fault is longer than 1000 bytes`,
		"stall game slots=0":           `slots=0: want a positive number`,
		"oversize event size=99999999": `fault oversize: size 99999999 is above 64 MiB`,
	} {
		_, err := sandbox.ParseFaults(spec)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %s", spec, err, want)
		}
	}
}

func FuzzParseFaults(f *testing.F) {
	for _, seed := range []string{"", ";", "latency in=1ms", "cut game ply=1;restart down=1s", "status move code=429 body=html times=always", "dup,count=2,event", "hang move for=1h\nreset game after=0", "cut game chance=1e-3 # x", "burst every=1s times=2"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, spec string) {
		faults, err := sandbox.ParseFaults(spec)
		if err != nil {
			return
		}
		s, err := sandbox.New(sandbox.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, fault := range faults {
			if _, err := s.Inject(fault); err != nil {
				t.Errorf("%q parses to %+v, which cannot be set: %v", spec, fault, err)
			}
		}
	})
}

// faulty runs a test in a world where a game stands at its fourth ply and GoBot is to move.
func faulty(t *testing.T, spec string, test func(w *world, bot *client, id string)) {
	t.Helper()
	inBubble(t, sandbox.Options{Seed: 5}, func(w *world) {
		id := w.start(sandbox.GameSpec{Control: clock(180, 2), Moves: opening})
		if err := w.s.InjectSpec(spec); err != nil {
			w.t.Fatal(err)
		}
		test(w, w.as("GoBot"), id)
	})
}

func TestStatusFaults(t *testing.T) {
	for _, c := range []struct {
		spec, kind, body string
		status           int
	}{
		{"status move code=429", "application/json", `{"error":"Too many requests. Try again later."}`, 429},
		{"status move code=429 body=empty", "", "", 429},
		{"status move code=429 limit=move seconds=30", "application/json", `{"error":"Too many requests. Try again later.","ratelimit":{"key":"move","seconds":30}}`, 429},
		{"status move code=400", "application/json", `{"error":"This request is invalid because a fault was asked for"}`, 400},
		{"status move code=400 text=game_over", "application/json", `{"error":"game over"}`, 400},
		{"status move", "text/html", "<html>", 502},
		{"status move code=504 body=json", "application/json", `{"error":`, 504},
	} {
		faulty(t, c.spec+" from=2 times=2 header=7", func(w *world, bot *client, id string) {
			path := "/api/bot/game/" + id + "/move/"
			bot.ok(path + "f1c4")
			for i := range 2 {
				resp, err := bot.request(w.ctx, "POST", path+"d2d3", nil)
				if err != nil {
					w.t.Fatal(err)
				}
				body, _ := io.ReadAll(resp.Body)
				resp.Body.Close()
				if resp.StatusCode != c.status || !strings.HasPrefix(string(body), c.body) || resp.Header.Get("Content-Type") != c.kind || resp.Header.Get("Retry-After") != "7" {
					w.t.Errorf("%s, call %d: %d %s %.60s, want %d %s", c.spec, i+2, resp.StatusCode, resp.Header, body, c.status, c.body)
				}
				if len(w.game(id).Moves) != 5 {
					w.t.Errorf("%s: the refused move was played", c.spec)
				}
			}
			if got := bot.status(path + "d2d3"); got != "400 Not your turn, or game already over" {
				w.t.Errorf("%s: the fault does not wear off: %s", c.spec, got)
			}
		})
	}
}

func TestFaultsAreAimedByGameAndAccount(t *testing.T) {
	inBubble(t, sandbox.Options{}, func(w *world) {
		bot, other := w.as("GoBot"), w.as("OtherBot")
		id := w.start(sandbox.GameSpec{Control: clock(180, 2), Moves: opening})
		if _, err := w.s.Inject(sandbox.Fault{Kind: sandbox.Fail, Endpoint: sandbox.EndpointMove, Game: id, Account: "GoBot", Times: sandbox.Always}); err != nil {
			w.t.Fatal(err)
		}
		free := w.start(sandbox.GameSpec{Control: clock(180, 2), Moves: opening})
		bot.want(502, "POST", "/api/bot/game/"+id+"/move/f1c4")
		bot.ok("/api/bot/game/" + free + "/move/f1c4")
		other.want(400, "POST", "/api/bot/game/"+id+"/move/f8c5") // not his turn, but not hit
	})
}

func TestInjectedFaultsCanBeTakenAway(t *testing.T) {
	inBubble(t, sandbox.Options{}, func(w *world) {
		remove, err := w.s.Inject(sandbox.Fault{Kind: sandbox.Fail, Endpoint: sandbox.EndpointPlaying, Times: sandbox.Always})
		if err != nil {
			w.t.Fatal(err)
		}
		w.as("GoBot").want(502, "GET", "/api/account/playing")
		remove()
		w.as("GoBot").want(200, "GET", "/api/account/playing")
	})
}

func TestLostAndHungAnswers(t *testing.T) {
	for _, c := range []struct {
		spec   string
		played bool
		check  func(err error, status int, took time.Duration) bool
	}{
		{"lost move as=reset", true, func(err error, _ int, took time.Duration) bool {
			return errors.Is(err, syscall.ECONNRESET) && took == 0
		}},
		{"lost move for=3s", true, func(err error, _ int, took time.Duration) bool { return err != nil && took == 3*time.Second }},
		{"lost move code=504 for=60s", true, func(err error, status int, took time.Duration) bool {
			return err == nil && status == 504 && took == time.Minute
		}},
		{"lost move code=502", true, func(err error, status int, took time.Duration) bool { return err == nil && status == 502 && took == 0 }},
		{"hang move for=5s", false, func(err error, _ int, took time.Duration) bool { return err != nil && took == 5*time.Second }},
		{"hang move for=5s code=504", false, func(err error, status int, took time.Duration) bool {
			return err == nil && status == 504 && took == 5*time.Second
		}},
		{"reset move", false, func(err error, _ int, took time.Duration) bool {
			return errors.Is(err, syscall.ECONNRESET) && took == 0
		}},
	} {
		faulty(t, c.spec, func(w *world, bot *client, id string) {
			began := time.Now()
			resp, err := bot.request(w.ctx, "POST", "/api/bot/game/"+id+"/move/f1c4", nil)
			took, status := time.Since(began), 0
			if err == nil {
				status = resp.StatusCode
				resp.Body.Close()
			}
			if !c.check(err, status, took) {
				w.t.Errorf("%s: %d %v after %v", c.spec, status, err, took)
			}
			if played := len(w.game(id).Moves) == 5; played != c.played {
				w.t.Errorf("%s: played %v, want %v", c.spec, played, c.played)
			}
			reqs := w.s.Requests(func(r sandbox.Request) bool { return r.Endpoint == sandbox.EndpointMove })
			if len(reqs) != 1 || reqs[0].Fault == "" || !reqs[0].Done {
				w.t.Errorf("%s: logged %+v", c.spec, reqs)
			}
		})
	}
}

func TestLatencyIsOnTheWayThereAndBack(t *testing.T) {
	faulty(t, "latency in=40ms out=20ms jitter=10ms", func(w *world, bot *client, id string) {
		l := bot.stream("/api/bot/game/stream/" + id)
		l.next()
		began := time.Now()
		bot.ok("/api/bot/game/" + id + "/move/f1c4")
		took := time.Since(began)
		if took < 60*time.Millisecond || took >= 80*time.Millisecond {
			w.t.Errorf("the call took %v, want 60-80 ms", took)
		}
		began = time.Now()
		w.do(id, "OtherBot", "f8c5")
		for range 2 {
			l.until("gameState")
		}
		if took := time.Since(began); took < 20*time.Millisecond || took >= 30*time.Millisecond {
			w.t.Errorf("the line took %v, want 20-30 ms", took)
		}
		charged := w.game(id).Moves[4].Charged
		if charged < 100*time.Millisecond || charged > 120*time.Millisecond {
			w.t.Errorf("charged %v: both ways in (stream and move), want 100-120 ms", charged)
		}
	})
}

func TestChargeTakesMoreThanPassed(t *testing.T) {
	faulty(t, "charge per=600ms jitter=400ms account=GoBot", func(w *world, bot *client, id string) {
		w.do(id, "GoBot", "f1c4")
		w.do(id, "OtherBot", "f8c5")
		moves := w.game(id).Moves
		if c := moves[4].Charged; c < 600*time.Millisecond || c > time.Second {
			w.t.Errorf("charged %v, want 600-1000 ms", c)
		}
		if c := moves[5].Charged; c != 0 {
			w.t.Errorf("the other was charged %v", c)
		}
	})
}

func TestSeededFaultsRepeat(t *testing.T) {
	run := func() (list []time.Duration) {
		faulty(t, "latency in=10ms jitter=50ms", func(w *world, bot *client, _ string) {
			for range 10 {
				began := time.Now()
				bot.want(200, "GET", "/api/account/playing")
				list = append(list, time.Since(began))
			}
		})
		return list
	}
	a, b := run(), run()
	if d := cmp.Diff(a, b); d != "" || a[0] == a[1] {
		t.Errorf("two runs of a seed differ, or all delays are equal: %v %v", a, b)
	}
}

func TestStreamsEnd(t *testing.T) {
	for _, c := range []struct {
		spec  string
		plies int // that the stream shows before its end; -1 = a reset may lose the last line
		check func(error) bool
	}{
		{"cut game ply=5", 5, func(err error) bool { return err == nil }},
		{"reset game ply=5", -1, func(err error) bool { return errors.Is(err, syscall.ECONNRESET) }},
		{"halfclose game ply=5", 5, func(err error) bool { return errors.Is(err, io.ErrUnexpectedEOF) }},
		{"halfline game ply=5", 4, func(err error) bool { return errors.Is(err, io.ErrUnexpectedEOF) }},
		{"cut game after=3s", 4, func(err error) bool { return err == nil }},
		{"cut game", 0, func(err error) bool { return err == nil }},
	} {
		faulty(t, c.spec, func(w *world, bot *client, id string) {
			l := bot.stream("/api/bot/game/stream/" + id)
			go func() {
				time.Sleep(10 * time.Second)
				_ = w.s.Do(id, "GoBot", sandbox.Action{Move: "f1c4"})
			}()
			plies := 0
			for s, ok := l.raw(); ok; s, ok = l.raw() {
				if i := strings.Index(s, `"moves":"`); i >= 0 {
					moves, _, _ := strings.Cut(s[i+9:], `"`)
					if n := len(strings.Fields(moves)); strings.HasSuffix(s, "}") {
						plies = n
					}
				}
			}
			if !c.check(l.end) || c.plies >= 0 && plies != c.plies || plies > 5 {
				w.t.Errorf("%s: ended with %v at ply %d, want ply %d", c.spec, l.end, plies, c.plies)
			}
			time.Sleep(10 * time.Second)
			again := bot.stream("/api/bot/game/stream/" + id) // the fault has worn off
			again.until("gameFull")
			for range 3 {
				if _, ok := again.raw(); !ok {
					w.t.Errorf("%s: the second stream ended too: %v", c.spec, again.end)
				}
			}
		})
	}
}

func TestSilentStreamStaysOpenAndSaysNothing(t *testing.T) {
	faulty(t, "silent game ply=4", func(w *world, bot *client, id string) {
		l := bot.stream("/api/bot/game/stream/" + id)
		l.next()
		w.do(id, "GoBot", "f1c4")
		again := bot.stream("/api/bot/game/stream/" + id) // ends the first one, of which its client hears nothing
		again.until("gameFull")
		timer := time.After(10 * time.Minute)
		select {
		case s, ok := <-l.c:
			w.t.Errorf("got %q %v", s, ok)
		case <-timer:
		}
		if r := w.game(id); r.Status != sandbox.OutOfTime {
			w.t.Errorf("%v after ten minutes of silence, want outoftime", r.Status)
		}
	})
}

func TestFaultSetLaterHitsOpenStreams(t *testing.T) {
	faulty(t, "", func(w *world, bot *client, id string) {
		l := bot.stream("/api/bot/game/stream/" + id)
		l.next()
		if err := w.s.InjectSpec("cut game ply=5; cut event"); err != nil {
			w.t.Fatal(err)
		}
		w.do(id, "GoBot", "f1c4")
		l.until("gameState")
		if err := l.closed(); err != nil {
			w.t.Errorf("ended with %v", err)
		}
		events := bot.stream("/api/stream/event")
		events.closed()
		events = bot.stream("/api/stream/event")
		events.until("gameStart")
		if n := w.s.CutStreams("GoBot", "", sandbox.Cut); n != 1 {
			w.t.Errorf("cut %d streams, want 1", n)
		}
		events.closed()
	})
}

func TestNoFinalLine(t *testing.T) {
	faulty(t, "nofinal game", func(w *world, bot *client, id string) {
		l := bot.stream("/api/bot/game/stream/" + id)
		l.next()
		if err := w.s.Do(id, "OtherBot", sandbox.Action{Resign: true}); err != nil {
			w.t.Fatal(err)
		}
		if err := l.closed(); err != nil {
			w.t.Errorf("ended with %v", err)
		}
		again := bot.stream("/api/bot/game/stream/" + id)
		if v := again.next()["state"].(map[string]any); v["status"] != "resign" {
			w.t.Errorf("got %v", v)
		}
	})
}

func TestDisturbedLines(t *testing.T) {
	faulty(t, "dup event count=3; garbage event times=2; unknown event times=1; oversize event size=3000 times=1; trickle event gap=1ms", func(w *world, bot *client, id string) {
		l := bot.stream("/api/stream/event")
		var kinds []string
		for range 7 {
			s, ok := l.raw()
			if !ok {
				w.t.Fatalf("stream ended: %v", l.end)
			}
			switch {
			case s == "":
				continue // the bytes of a long line take their time
			case len(s) > 3000:
				s = "oversize"
			case strings.Contains(s, "gameStart"):
				s = "gameStart"
			}
			kinds = append(kinds, s)
		}
		want := "{}|{\"type\":\"somethingNew1\",\"x\":1}|oversize|gameStart|gameStart|gameStart"
		if got := strings.Join(kinds[:min(6, len(kinds))], "|"); got != want {
			w.t.Errorf("got %s, want %s", got, want)
		}
	})
}

func TestRawLinesCanBePushed(t *testing.T) {
	faulty(t, "", func(w *world, bot *client, id string) {
		events, game := bot.stream("/api/stream/event"), bot.stream("/api/bot/game/stream/"+id)
		events.next()
		game.next()
		w.s.PushEvent("GoBot", "not json")
		w.s.PushLine(id, `{"type":"chatLine"}`)
		for l, want := range map[*lines]string{events: "not json", game: `{"type":"chatLine"}`} {
			if s, _ := l.raw(); s != want {
				w.t.Errorf("got %q, want %q", s, want)
			}
		}
	})
}

func TestRestart(t *testing.T) {
	inBubble(t, sandbox.Options{}, func(w *world) {
		bot := w.as("GoBot")
		id := w.start(sandbox.GameSpec{Control: clock(60, 0), Moves: opening})
		unclocked := w.start(sandbox.GameSpec{Moves: opening})
		events := bot.stream("/api/stream/event")
		game := bot.stream("/api/bot/game/stream/" + id)
		game.next()
		time.Sleep(time.Second)
		w.s.Restart(30 * time.Second)
		for s, ok := events.raw(); ok; s, ok = events.raw() {
			if s != "" && !strings.Contains(s, "gameStart") {
				w.t.Errorf("got %s", s)
			}
		}
		game.closed()
		for range 3 {
			code, body := bot.call("GET", "/api/account")
			if code != 502 || !strings.HasPrefix(body, "<html>") || len(body) < 1600 {
				w.t.Errorf("down: %d %.80s", code, body)
			}
			time.Sleep(9 * time.Second)
		}
		time.Sleep(3 * time.Second)
		state := bot.stream("/api/bot/game/stream/" + id).next()["state"].(map[string]any)
		if state["wtime"] != float64(60000+20000-31000) || state["btime"] != 70000.0 {
			w.t.Errorf("after the restart: %v, want 20 s and 10 s more less the time that passed", state)
		}
		if state := bot.stream("/api/bot/game/stream/" + unclocked).next()["state"].(map[string]any); state["wtime"] != 2147483647.0 {
			w.t.Errorf("unlimited: %v", state)
		}
		again := bot.stream("/api/stream/event")
		again.until("gameStart")
	})
}

func TestFlagDuringARestartAborts(t *testing.T) {
	inBubble(t, sandbox.Options{}, func(w *world) {
		id := w.start(sandbox.GameSpec{Control: clock(30, 0), Moves: opening})
		w.s.Restart(55 * time.Second)
		r, err := w.s.WaitFinished(w.ctx, id)
		if err != nil || r.Status != sandbox.Aborted {
			w.t.Errorf("%v %v, want aborted", r.Status, err)
		}
	})
}

func TestRestartByFault(t *testing.T) {
	inBubble(t, sandbox.Options{Faults: []sandbox.Fault{{Kind: sandbox.RestartAt, After: 10 * time.Second, Down: 5 * time.Second}}}, func(w *world) {
		bot := w.as("GoBot")
		bot.want(200, "GET", "/api/account/playing")
		time.Sleep(11 * time.Second)
		bot.want(502, "GET", "/api/account/playing")
		time.Sleep(5 * time.Second)
		bot.want(200, "GET", "/api/account/playing")
	})
}

func TestFaultsOverTCP(t *testing.T) {
	onLoopback(t, sandbox.Options{KeepAlive: 20 * time.Millisecond}, func(w *world) {
		bot := w.as("GoBot")
		id := w.start(sandbox.GameSpec{Control: clock(180, 2), Moves: opening})
		if err := w.s.InjectSpec("reset game ply=5; lost move as=reset; cut event after=30ms"); err != nil {
			w.t.Fatal(err)
		}
		l := bot.stream("/api/bot/game/stream/" + id)
		l.next()
		if _, err := bot.request(w.ctx, "POST", "/api/bot/game/"+id+"/move/f1c4", nil); err == nil {
			w.t.Error("the lost answer arrived")
		}
		for s, ok := l.raw(); ok; s, ok = l.raw() {
			_ = s
		}
		if l.end == nil {
			w.t.Error("the reset game stream ended cleanly")
		}
		events := bot.stream("/api/stream/event")
		for _, ok := events.raw(); ok; _, ok = events.raw() { // on a busy machine it is cut before its first line
		}
		if events.end != nil {
			w.t.Errorf("the cut event stream ended with %v", events.end)
		}
		if got := fmt.Sprint(len(w.game(id).Moves)); got != "5" {
			w.t.Errorf("%s plies, want 5", got)
		}
	})
}

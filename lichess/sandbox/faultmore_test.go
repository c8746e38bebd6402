package sandbox_test

import (
	"errors"
	"flag"
	"net"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"zeitnot/lichess/sandbox"
)

var update = flag.Bool("update", false, "write the table of faults in docs/reliability.md anew")

func TestFaultLanguageIsDocumented(t *testing.T) {
	const file, begin, end = "../../docs/reliability.md", "<!-- faults: written by a test -->\n", "<!-- end of faults -->"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok1 := strings.Cut(string(text), begin)
	got, after, ok2 := strings.Cut(rest, end)
	switch {
	case !ok1 || !ok2:
		t.Fatalf("%s has no place between %q and %q", file, begin, end)
	case *update:
		if err := os.WriteFile(file, []byte(before+begin+sandbox.FaultDocs()+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
	case got != sandbox.FaultDocs():
		t.Errorf("%s does not tell the faults as they are; go test ./lichess/sandbox -run FaultLanguage -update writes it", file)
	}
	_, examples, _ := strings.Cut(after, "Each of these lines")
	examples, _, _ = strings.Cut(examples, "\n\nTests in Go")
	_, examples, _ = strings.Cut(examples, "\n")
	if faults, err := sandbox.ParseFaults(examples); err != nil || len(faults) < 5 {
		t.Errorf("the examples of %s: %d faults, %v", file, len(faults), err)
	}
	var keys []string
	for line := range strings.Lines(sandbox.FaultKinds()) {
		keys = append(keys, strings.Fields(line)[1:]...)
	}
	_, table, _ := strings.Cut(sandbox.FaultDocs(), "| key |")
	var told []string
	for line := range strings.Lines(table) {
		if cells := strings.Split(line, " | "); len(cells) == 3 {
			told = append(told, strings.Split(strings.TrimPrefix(cells[0], "| "), ", ")...)
		}
	}
	for _, key := range keys {
		if !slices.Contains(told, key) {
			t.Errorf("key %s is not explained", key)
		}
	}
	for _, key := range told {
		if !slices.Contains(keys, key) {
			t.Errorf("key %s is explained and no kind has it", key)
		}
	}
}

// Every kind of the language can be set as it is told, with each of its keys.
func TestEveryFaultKindCanBeSpelt(t *testing.T) {
	values := map[string]string{"body": "html", "text": "no", "limit": "x", "header": "3", "as": "reset", "account": "GoBot", "game": "abcd1234", "chance": "0.5", "code": "500", "until": "1h", "every": "1h"}
	for line := range strings.Lines(sandbox.FaultKinds()) {
		words := strings.Fields(line)
		for _, key := range words[1:] {
			value := values[key]
			if value == "" {
				value = "3"
			}
			spelt := 0
			for _, endpoint := range []string{"", " game", " event", " move"} {
				faults, err := sandbox.ParseFaults(words[0] + endpoint + " " + key + "=" + value)
				if err == nil && len(faults) == 1 {
					spelt++
				}
			}
			if spelt == 0 {
				t.Errorf("%s with %s=%s is refused everywhere", words[0], key, value)
			}
		}
	}
}

func TestChanceIsDrawnFromTheSeed(t *testing.T) {
	run := func(seed uint64) (hit []bool) {
		inBubble(t, sandbox.Options{Seed: seed}, func(w *world) {
			if err := w.s.InjectSpec("status playing chance=0.3 times=always"); err != nil {
				w.t.Fatal(err)
			}
			bot := w.as("GoBot")
			for range 200 {
				code, _ := bot.call("GET", "/api/account/playing")
				hit = append(hit, code == 502)
			}
		})
		return hit
	}
	a, b, c := run(1), run(1), run(2)
	if !slices.Equal(a, b) || slices.Equal(a, c) {
		t.Error("a seed does not decide which calls are hit")
	}
	if n := len(slices.DeleteFunc(slices.Clone(a), func(hit bool) bool { return !hit })); n < 40 || n > 80 {
		t.Errorf("%d of 200 calls were hit, want about 60", n)
	}
}

func TestFaultsHaveTheirTime(t *testing.T) {
	inBubble(t, sandbox.Options{}, func(w *world) {
		if err := w.s.InjectSpec("status playing times=always since=10s until=20s"); err != nil {
			w.t.Fatal(err)
		}
		bot := w.as("GoBot")
		for _, want := range []int{200, 502, 200} {
			bot.want(want, "GET", "/api/account/playing")
			time.Sleep(10 * time.Second)
		}
	})
}

func TestLineComesAfterTheNextOne(t *testing.T) {
	faulty(t, "reorder game from=2", func(w *world, bot *client, id string) {
		l := bot.stream("/api/bot/game/stream/" + id)
		l.next()
		w.do(id, "GoBot", "f1c4")
		w.do(id, "OtherBot", "f8c5")
		for _, want := range []string{"f1c4 f8c5", "f1c4"} {
			if moves := l.until("gameState")["moves"].(string); !strings.HasSuffix(moves, want) {
				w.t.Errorf("got %s, want it to end with %s", moves, want)
			}
		}
	})
	faulty(t, "reorder game from=2", func(w *world, bot *client, id string) {
		l := bot.stream("/api/bot/game/stream/" + id)
		l.next()
		began := time.Now()
		w.do(id, "GoBot", "f1c4")
		l.until("gameState")
		if took := time.Since(began); took <= 0 || took > 7*time.Second {
			w.t.Errorf("with nothing behind it the line came after %v, want it with the next blank line", took)
		}
	})
}

func TestLineIsLost(t *testing.T) {
	faulty(t, "drop game from=2 times=always", func(w *world, bot *client, id string) {
		l := bot.stream("/api/bot/game/stream/" + id)
		l.next()
		w.do(id, "GoBot", "f1c4")
		w.do(id, "OtherBot", "f8c5")
		if err := w.s.Do(id, "OtherBot", sandbox.Action{Resign: true}); err != nil {
			w.t.Fatal(err)
		}
		if v := l.until("gameState"); v["status"] != "resign" {
			w.t.Errorf("got %v, want the final line alone", v)
		}
	})
}

func TestStalledStreamLosesItsOldestLines(t *testing.T) {
	for slots, want := range map[string]string{"": "5 6 7 8", "slots=2": "7 8", "slots=3": "5 6 7 8"} {
		faulty(t, "stall game from=2 for=3s "+slots, func(w *world, bot *client, id string) {
			l := bot.stream("/api/bot/game/stream/" + id)
			l.next()
			began := time.Now()
			w.do(id, "GoBot", "f1c4")
			synctest.Wait()
			w.do(id, "OtherBot", "f8c5")
			w.do(id, "GoBot", "e1g1")
			w.do(id, "OtherBot", "g8f6")
			var got []string
			for len(got) < len(strings.Fields(want)) {
				v := l.until("gameState")
				got = append(got, string('0'+rune(len(strings.Fields(v["moves"].(string))))))
			}
			if g := strings.Join(got, " "); g != want {
				w.t.Errorf("stall %s: plies %s, want %s", slots, g, want)
			}
			if took := time.Since(began); took != 3*time.Second {
				w.t.Errorf("stall %s: lines came after %v, want 3 s", slots, took)
			}
		})
	}
}

func TestHalfClosedStreamLeavesTheOtherDirectionOpen(t *testing.T) {
	faulty(t, "halfclose event after=3s", func(w *world, bot *client, _ string) {
		l := bot.stream("/api/stream/event")
		l.until("gameStart")
		if err := l.closed(); err == nil {
			w.t.Error("the stream ended cleanly")
		}
		bot.stream("/api/stream/event").until("gameStart")
	})
}

func TestChallengesAreWithdrawnAndStartLate(t *testing.T) {
	inBubble(t, sandbox.Options{}, func(w *world) {
		if err := w.s.InjectSpec("withdraw after=2s account=GoBot; startlate from=2 for=9s"); err != nil {
			w.t.Fatal(err)
		}
		bot := w.as("GoBot")
		challenge := func() string {
			id, err := w.s.Challenge(sandbox.Challenge{From: "JaneDoe", To: "GoBot", Control: clock(180, 2)})
			if err != nil {
				w.t.Fatal(err)
			}
			return id
		}
		gone := challenge()
		began := time.Now()
		r, err := w.s.WaitChallenge(w.ctx, gone)
		if err != nil || r.State != "canceled" || time.Since(began) != 2*time.Second {
			w.t.Errorf("got %v (%v) after %v, want it withdrawn after 2 s", r.State, err, time.Since(began))
		}
		for n, wait := range []time.Duration{0, 9 * time.Second} {
			id := challenge()
			began := time.Now()
			bot.ok("/api/challenge/" + id + "/accept")
			if _, err := w.s.WaitGame(w.ctx, id, func(sandbox.GameRecord) bool { return true }); err != nil || time.Since(began) != wait {
				w.t.Errorf("game %d started after %v (%v), want %v", n, time.Since(began), err, wait)
			}
		}
	})
}

func TestCrowdsComeAtTheirTimes(t *testing.T) {
	inBubble(t, sandbox.Options{}, func(w *world) {
		if err := w.s.InjectSpec("burst after=10s count=7; surplus after=20s every=1m times=2 count=2 account=GoBot"); err != nil {
			w.t.Fatal(err)
		}
		challenges := func() int {
			return len(slices.DeleteFunc(w.s.Challenges(), func(c sandbox.ChallengeRecord) bool { return c.To != "GoBot" }))
		}
		for _, want := range [][2]int{{0, 0}, {7, 0}, {7, 2}, {7, 4}, {7, 4}} {
			if c, g := challenges(), len(w.s.Games()); c != want[0] || g != want[1] {
				w.t.Errorf("%d challenges and %d games, want %v", c, g, want)
			}
			time.Sleep(10*time.Second + 500*time.Millisecond)
			if want[1] > 0 {
				time.Sleep(time.Minute)
			}
		}
	})
}

func TestBlackholeSwallowsWhatExists(t *testing.T) {
	inBubble(t, sandbox.Options{}, func(w *world) {
		bot, other := w.as("GoBot"), w.as("GoBot")
		events := bot.stream("/api/stream/event")
		if err := w.s.InjectSpec("blackhole after=20s"); err != nil {
			w.t.Fatal(err)
		}
		for range 2 {
			events.raw()
		}
		time.Sleep(7 * time.Second)
		timer := time.After(10 * time.Minute)
		select {
		case s, ok := <-events.c:
			w.t.Errorf("a swallowed stream says %q %v", s, ok)
		case <-timer:
		}
		other.want(200, "GET", "/api/account/playing")
	})
}

func TestOfflineHasNoNewConnections(t *testing.T) {
	inBubble(t, sandbox.Options{}, func(w *world) {
		if err := w.s.InjectSpec("offline after=5s down=30s"); err != nil {
			w.t.Fatal(err)
		}
		old, fresh := w.as("GoBot"), w.as("GoBot")
		old.want(200, "GET", "/api/account/playing")
		time.Sleep(6 * time.Second)
		old.want(200, "GET", "/api/account/playing")
		_, err := fresh.request(w.ctx, "GET", "/api/account/playing", nil)
		if dns, ok := errors.AsType[*net.DNSError](err); !ok || !dns.IsNotFound {
			w.t.Errorf("got %v, want no such host", err)
		}
		time.Sleep(30 * time.Second)
		fresh.want(200, "GET", "/api/account/playing")
	})
	onLoopback(t, sandbox.Options{}, func(w *world) {
		if err := w.s.InjectSpec("offline down=1h"); err != nil {
			w.t.Fatal(err)
		}
		for until := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
			resp, err := w.as("GoBot").request(w.ctx, "GET", "/api/account/playing", nil)
			if err == nil {
				resp.Body.Close() // the fault has not begun
				if time.Now().Before(until) {
					continue
				}
			}
			if !errors.Is(err, syscall.ECONNRESET) && !errors.Is(err, syscall.EPIPE) && !strings.Contains(err.Error(), "EOF") {
				w.t.Errorf("got %v, want a reset", err)
			}
			return
		}
	})
}

func TestOfTwoFaultsAtATimeTheLaterEndCounts(t *testing.T) {
	for spec, failing := range map[string]string{
		"offline after=5s down=30s; offline after=15s down=5s":  "no such host",
		"offline after=5s down=10s; offline after=10s down=25s": "no such host",
		"restart after=5s down=30s; restart after=15s down=5s":  "502",
	} {
		inBubble(t, sandbox.Options{}, func(w *world) {
			if err := w.s.InjectSpec(spec); err != nil {
				w.t.Fatal(err)
			}
			ask := func() string {
				answer, err := w.as("GoBot").request(w.ctx, "GET", "/api/account/playing", nil)
				if err != nil {
					return err.Error()
				}
				answer.Body.Close()
				return answer.Status
			}
			for _, at := range []struct {
				wait time.Duration
				want string
			}{{4 * time.Second, "200"}, {13 * time.Second, failing}, {5 * time.Second, failing}, {12 * time.Second, failing}, {2 * time.Second, "200"}} {
				time.Sleep(at.wait)
				if got := ask(); !strings.Contains(got, at.want) {
					w.t.Errorf("%s, %v later: got %q, want %s", spec, at.wait, got, at.want)
				}
			}
		})
	}
}

func TestSlowAcceptKeepsANewConnectionWaiting(t *testing.T) {
	inBubble(t, sandbox.Options{}, func(w *world) {
		if err := w.s.InjectSpec("slowaccept for=4s from=2"); err != nil {
			w.t.Fatal(err)
		}
		for _, want := range []time.Duration{0, 4 * time.Second, 0} {
			began := time.Now()
			w.as("GoBot").want(200, "GET", "/api/account/playing")
			if took := time.Since(began); took != want {
				w.t.Errorf("took %v, want %v", took, want)
			}
		}
		synctest.Wait()
	})
}

func TestForgottenGameIsNowhere(t *testing.T) {
	faulty(t, "", func(w *world, bot *client, id string) {
		l := bot.stream("/api/bot/game/stream/" + id)
		l.next()
		w.s.Forget(id)
		for range 3 {
			if s, ok := l.raw(); !ok || s != "" {
				w.t.Errorf("the stream says %q %v, want blank lines", s, ok)
			}
		}
		bot.want(404, "GET", "/api/bot/game/stream/"+id)
		bot.want(404, "POST", "/api/bot/game/"+id+"/move/f1c4")
		if list := bot.want(200, "GET", "/api/account/playing")["nowPlaying"].([]any); len(list) != 0 {
			w.t.Errorf("listed: %v", list)
		}
	})
}

package sandbox_test

import (
	"errors"
	"fmt"
	"net"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"zeitnot/lichess/sandbox"
)

func TestHooksSeeEverything(t *testing.T) {
	var mu sync.Mutex
	var seen []string
	note := func(format string, args ...any) {
		mu.Lock()
		defer mu.Unlock()
		seen = append(seen, fmt.Sprintf(format, args...))
	}
	o := sandbox.Options{
		OnMove:    func(m sandbox.MoveRecord) { note("move %s", m.SAN) },
		OnFinish:  func(g sandbox.GameRecord) { note("finish %v %s", g.Status, g.Result()) },
		OnRequest: func(r sandbox.Request) { note("request %s %d", r.Endpoint, r.Status) },
	}
	inBubble(t, o, func(w *world) {
		id := w.start(sandbox.GameSpec{Control: clock(60, 1), Moves: []string{"f2f3", "e7e5", "g2g4"}})
		w.as("OtherBot").ok("/api/bot/game/" + id + "/move/d8h4")
	})
	if got, want := fmt.Sprint(seen), "[move Qh4# finish mate 0-1 request move 200]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestStatesAreToldOnceTheyAreWritten(t *testing.T) {
	var mu sync.Mutex
	var seen []string
	o := sandbox.Options{OnState: func(l sandbox.StateSent) {
		mu.Lock()
		defer mu.Unlock()
		seen = append(seen, fmt.Sprintf("%s %s %d", l.GameID, l.Account, l.Ply))
	}}
	inBubble(t, o, func(w *world) {
		id := w.start(sandbox.GameSpec{Control: clock(60, 1), Moves: []string{"f2f3", "e7e5", "g2g4"}})
		l := w.as("GoBot").stream("/api/bot/game/stream/" + id)
		l.next()
		synctest.Wait()                        // until it is one of the open streams
		w.s.CutStreams("", "", sandbox.Silent) // what is not written is not told
		dead := w.as("OtherBot").stream("/api/bot/game/stream/" + id)
		dead.next()
		w.as("OtherBot").ok("/api/bot/game/" + id + "/move/d8h4")
		synctest.Wait()
		mu.Lock()
		defer mu.Unlock()
		if want := []string{id + " gobot 3", id + " otherbot 3", id + " otherbot 4"}; !slices.Equal(seen, want) {
			w.t.Errorf("got %q, want %q", seen, want)
		}
	})
}

func TestRequestLogKeepsTheLast(t *testing.T) {
	inBubble(t, sandbox.Options{LogSize: 10, Limits: sandbox.Limits{AccountReads: -1}}, func(w *world) {
		bot := w.as("GoBot")
		for i := range 100 {
			bot.want(200, "GET", fmt.Sprintf("/api/account?n=%d", i))
		}
		list := w.s.Requests(nil)
		last := list[len(list)-1]
		if len(list) > 10 || last.Form.Get("n") != "99" || last.Account != "gobot" || last.Status != 200 || !last.Done {
			w.t.Errorf("%d entries, last %+v", len(list), last)
		}
	})
}

func TestOnlyOneRunAtATime(t *testing.T) {
	inBubble(t, sandbox.Options{}, func(w *world) {
		w.as("GoBot").want(200, "GET", "/api/account/playing")
		if err := w.s.Run(w.ctx); err == nil || err.Error() != "run sandbox: it is running already" {
			w.t.Errorf("second Run: %v", err)
		}
	})
}

func TestOfDayAndNight(t *testing.T) {
	if testing.Short() {
		t.Skip("a day of virtual time, skipped by -short")
	}
	sc := sandbox.Script{Seed: 4, Think: 200 * time.Millisecond, Spread: 3 * time.Second}
	rival := sandbox.OpponentSpec{Name: "Rival", Title: "BOT", New: sc.Player}
	spec := sandbox.OpponentSpec{Name: "Caller", New: sandbox.Script{Seed: 5, Think: time.Second}.Player}
	inBubble(t, sandbox.Options{Opponents: []sandbox.OpponentSpec{rival, spec}, Limits: sandbox.Limits{BotGamesPerDay: -1}}, func(w *world) {
		began := time.Now()
		for n := 0; time.Since(began) < 24*time.Hour; n++ {
			id, err := w.s.Challenge(sandbox.Challenge{From: "Caller", To: "Rival", Control: clock(60, 1), Rated: true})
			if err != nil {
				w.t.Fatal(err)
			}
			if _, err := w.s.WaitFinished(w.ctx, id); err != nil {
				w.t.Fatal(err)
			}
			time.Sleep(30 * time.Minute)
		}
		for _, g := range w.s.Games() {
			if !g.Over() || g.Status == sandbox.Resign || g.Status == sandbox.Aborted {
				w.t.Errorf("game %s: %v", g.ID, g.Status)
			}
		}
	})
}

func TestRunEndsWithItsListener(t *testing.T) {
	s, err := sandbox.New(sandbox.Options{})
	if err != nil {
		t.Fatal(err)
	}
	l := sandbox.Listen()
	l.Close()
	if err := s.Run(t.Context(), l); !errors.Is(err, net.ErrClosed) {
		t.Errorf("Run on a closed listener ended with %v, want net.ErrClosed", err)
	}
}

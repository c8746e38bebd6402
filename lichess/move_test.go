package lichess_test

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"zeitnot/lichess"
)

// moveServer answers the n-th move request, from 1, with what reply does; it notes when each came.
func moveServer(t *testing.T, reply func(n int, w http.ResponseWriter, r *http.Request)) (c *lichess.Client, came func() []time.Duration, dials func() int) {
	t.Helper()
	start := time.Now()
	times := make(chan time.Duration, 100)
	var n atomic.Int32 // each connection has its own goroutine
	c, dials = connectCounting(t, func(w http.ResponseWriter, r *http.Request) {
		times <- time.Since(start)
		reply(int(n.Add(1)), w, r)
	})
	return c, func() (all []time.Duration) {
		for len(times) > 0 {
			all = append(all, <-times)
		}
		return all
	}, dials
}

var e2e4 = lichess.MoveRequest{GameID: "g1", UCI: "e2e4"}

const ms = time.Millisecond

func wantTimes(t *testing.T, got []time.Duration, want ...time.Duration) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("requests came at (-want +got):\n%s", diff)
	}
}

// The server may have played a move whose answer is lost, and only its stream tells: the
// attempt is not repeated.
func TestMoveWithALostAnswerIsSentOnce(t *testing.T) {
	for name, lose := range map[string]func(w http.ResponseWriter, r *http.Request){
		"silence": func(_ http.ResponseWriter, r *http.Request) { hold(r) },
		"reset":   func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
		"504":     func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(504) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c, came, _ := moveServer(t, func(_ int, w http.ResponseWriter, r *http.Request) { lose(w, r) })
				times, err := c.SendMove(t.Context(), e2e4)
				if !lichess.Retryable(err) {
					t.Errorf("got %v, want a retryable error", err)
				}
				if times.Written.IsZero() || times.Answered.IsZero() != (name != "504") {
					t.Errorf("times: got %+v", times)
				}
				wantTimes(t, came(), 0)
			})
		})
	}
}

func TestRefusedMoveSaysWhy(t *testing.T) {
	for _, status := range []int{400, 401, 403, 404, 429} {
		synctest.Test(t, func(t *testing.T) {
			c, came, _ := moveServer(t, func(_ int, w http.ResponseWriter, _ *http.Request) {
				answer(w, status, `{"error":"Piece on e2 cannot move to e5"}`)
			})
			_, err := c.SendMove(t.Context(), e2e4)
			wantError(t, err, fmt.Sprintf("move e2e4 in g1: status %d: Piece on e2 cannot move to e5", status))
			if lichess.StatusOf(err) != status || lichess.Retryable(err) != (status == 429) {
				t.Errorf("%d: got %v, retryable %v", status, err, lichess.Retryable(err))
			}
			wantTimes(t, came(), 0)
		})
	}
}

func TestAttemptHasItsOwnTimeAndTheNextAFreshConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var conns []net.Conn
		ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{GotConn: func(i httptrace.GotConnInfo) { conns = append(conns, i.Conn) }})
		c, came, _ := moveServer(t, func(n int, w http.ResponseWriter, r *http.Request) {
			if n == 2 || n == 3 {
				hold(r)
				return
			}
			answer(w, 200, `{"ok":true}`)
		})
		if _, err := c.SendMove(ctx, e2e4); err != nil {
			t.Fatal(err)
		}
		fast := e2e4
		fast.Timeout = 250 * ms
		for range 2 {
			if _, err := c.SendMove(ctx, fast); !errors.Is(err, lichess.ErrTimeout) {
				t.Errorf("got %v, want no answer in time", err)
			}
		}
		start := time.Now()
		times, err := c.SendMove(ctx, fast)
		if err != nil || times.Written != start || times.Answered.Before(times.Written) {
			t.Errorf("got %+v, %v, want success at %v", times, err, start)
		}
		wantTimes(t, came(), 0, 0, 250*ms, 500*ms)
		if conns[0] != conns[1] || conns[1] == conns[2] || conns[2] == conns[3] {
			t.Error("connections: want the first to serve two, and each later attempt to have its own")
		}
	})
	synctest.Test(t, func(t *testing.T) {
		c, _, _ := moveServer(t, func(_ int, _ http.ResponseWriter, r *http.Request) { hold(r) })
		start := time.Now()
		_, err := c.SendMove(t.Context(), e2e4)
		if time.Since(start) != lichess.DefaultMoveTimeout || !lichess.Retryable(err) {
			t.Errorf("got %v after %v, want a retryable error after %v", err, time.Since(start), lichess.DefaultMoveTimeout)
		}
		wantError(t, err, "move e2e4 in g1: no answer in time")
	})
}

func TestRateLimitOnAMoveHoldsBackWhatCanWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var seen []string
		refused := false
		c := connect(t, func(w http.ResponseWriter, r *http.Request) {
			seen = append(seen, r.URL.Path)
			if strings.Contains(r.URL.Path, "/g1/move/") && !refused {
				refused = true
				w.WriteHeader(429)
				return
			}
			answer(w, 200, `{"ok":true,"id":"x"}`)
		})
		ctx := t.Context()
		_, err := c.SendMove(ctx, e2e4)
		if !lichess.IsRateLimited(err) || lichess.RetryAfterOf(err) != time.Minute {
			t.Fatalf("got %v, want a rate limit of a minute", err)
		}
		seen = nil
		for name, call := range map[string]func() error{
			"chat":        func() error { return c.Chat(ctx, "g2", lichess.RoomPlayer, "hi") },
			"lookup":      func() error { _, err := c.Playing(ctx); return err },
			"matchmaking": func() error { _, err := c.CreateChallenge(ctx, "x", lichess.ChallengeRequest{}); return err },
		} {
			if err := call(); !lichess.IsRateLimited(err) {
				t.Errorf("%s in the pause: got %v, want a rate limit", name, err)
			}
		}
		if len(seen) > 0 {
			t.Errorf("requests in the pause: %v", seen)
		}
		for name, call := range map[string]func() error{
			"another game's move": func() error {
				_, err := c.SendMove(ctx, lichess.MoveRequest{GameID: "g2", UCI: "e2e4"})
				return err
			},
			"the same move, if its caller wants": func() error { _, err := c.SendMove(ctx, e2e4); return err },
			"accept":                             func() error { return c.AcceptChallenge(ctx, "c1") },
			"resign":                             func() error { return c.Resign(ctx, "g1") },
		} {
			if err := call(); err != nil {
				t.Errorf("%s in the pause: got %v", name, err)
			}
		}
		time.Sleep(time.Minute)
		if err := c.Chat(ctx, "g2", lichess.RoomPlayer, "hi"); err != nil {
			t.Errorf("chat after the pause: %v", err)
		}
	})
}

// The daily limit of games between bots stops our challenges for the stated time and nothing else.
func TestDailyLimitOfBotGamesStopsMatchmakingAlone(t *testing.T) {
	const body = `{"error":"You played 100 games against other bots today, please wait before challenging another bot.","ratelimit":{"key":"bot.vsBot.day","seconds":86398}}`
	for _, path := range []string{"/api/challenge/x", "/api/challenge/c1/accept"} {
		synctest.Test(t, func(t *testing.T) {
			refused := false
			c := connect(t, func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				if r.URL.Path == path && !refused {
					refused = true
					answer(w, 429, body)
					return
				}
				answer(w, 200, `{"ok":true,"id":"x"}`)
			})
			ctx := t.Context()
			create := func() error {
				_, err := c.CreateChallenge(ctx, "x", lichess.ChallengeRequest{})
				return err
			}
			err := create()
			if strings.HasSuffix(path, "accept") {
				err = c.AcceptChallenge(ctx, "c1")
			}
			if !lichess.IsBotLimit(err) || lichess.RetryAfterOf(err) != 86398*time.Second {
				t.Fatalf("%s: got %v", path, err)
			}
			if err := c.AcceptChallenge(ctx, "c2"); err != nil {
				t.Errorf("accept: %v", err)
			}
			if err := c.Chat(ctx, "g1", lichess.RoomPlayer, "hi"); err != nil {
				t.Errorf("chat: %v", err)
			}
			if _, err := c.SendMove(ctx, e2e4); err != nil {
				t.Errorf("move: %v", err)
			}
			time.Sleep(86397 * time.Second)
			if err := create(); !lichess.IsRateLimited(err) {
				t.Errorf("challenge a second too early: got %v", err)
			}
			if left := c.PauseLeft(lichess.KindMatchmaking); left != time.Second {
				t.Errorf("left: got %v, want 1s", left)
			}
			time.Sleep(time.Second)
			if err := create(); err != nil {
				t.Errorf("challenge after the pause: %v", err)
			}
		})
	}
}

func TestPauseCanBeRestored(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := connect(t, func(w http.ResponseWriter, _ *http.Request) { answer(w, 200, `{"id":"x"}`) })
		c.Pause(lichess.KindMatchmaking, time.Hour)
		c.Pause(lichess.KindMatchmaking, time.Minute) // a shorter one does not end it
		if left := c.PauseLeft(lichess.KindMatchmaking); left != time.Hour {
			t.Errorf("left: got %v, want 1h", left)
		}
		if _, err := c.Account(t.Context()); err != nil {
			t.Errorf("lookup: %v", err)
		}
	})
}

// 30 book moves against an instant opponent go out at once; over ten minutes of a steady
// stream the bucket is deep in debt, and still no move waits.
func TestMovesNeverWaitForTheBucket(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := connect(t, func(w http.ResponseWriter, _ *http.Request) { answer(w, 200, `{"ok":true,"id":"x"}`) })
		if got := c.Debt(); got != 0 {
			t.Errorf("debt before anything was sent: got %v, want none", got)
		}
		start := time.Now()
		for range 500 {
			if _, err := c.SendMove(t.Context(), e2e4); err != nil {
				t.Fatal(err)
			}
		}
		if got := time.Since(start); got != 0 {
			t.Errorf("500 moves took %v, want no wait", got)
		}
		if got := c.Debt(); got != 20*time.Second {
			t.Errorf("debt: got %v, want 20s, one burst", got)
		}
		// The debt is one burst: a lookup waits for 61 tokens at three a second, not for 500.
		if _, err := c.Account(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := time.Since(start); got < 20*time.Second || got > 21*time.Second {
			t.Errorf("lookup after them: waited %v, want 20.3s", got)
		}
	})
}

// Lookups that hang, more than any pool has connections, do not delay a move.
func TestHangingLookupsDoNotDelayAMove(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := connect(t, func(w http.ResponseWriter, r *http.Request) {
			if strings.Contains(r.URL.Path, "/move/") {
				answer(w, 200, `{"ok":true}`)
				return
			}
			_, _ = io.Copy(io.Discard, r.Body)
			hold(r)
		})
		done := make(chan error)
		for range 40 {
			go func() { done <- c.Chat(t.Context(), "g1", lichess.RoomPlayer, "hi") }()
		}
		synctest.Wait()
		start := time.Now()
		if _, err := c.SendMove(t.Context(), e2e4); err != nil || time.Since(start) != 0 {
			t.Errorf("got %v after %v", err, time.Since(start))
		}
		for range 40 {
			wantError(t, <-done, "no answer in time")
		}
		if got := time.Since(start); got != 6*time.Second {
			t.Errorf("requests gave up after %v, want 6s", got)
		}
	})
}

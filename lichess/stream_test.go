package lichess_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rs/zerolog"

	"zeitnot/lichess"
)

// hold keeps a stream open until the other side goes.
func hold(r *http.Request) { <-r.Context().Done() }

// describe names a game line in a word.
func describe(l lichess.GameLine) string {
	switch {
	case l.Full != nil:
		return "full"
	case l.State != nil:
		return "state " + l.State.Moves
	case l.Chat != nil:
		return "chat " + l.Chat.Text
	case l.Gone != nil:
		return fmt.Sprint("gone ", l.Gone.Gone)
	}
	return "."
}

// readGame reads the stream of game g1 to its end.
func readGame(t *testing.T, c *lichess.Client) (lines []string, err error) {
	t.Helper()
	err = c.StreamGame(t.Context(), "g1", func(l lichess.GameLine) { lines = append(lines, describe(l)) })
	return lines, err
}

func wantLines(t *testing.T, got []string, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
}

func TestGameStreamToItsCleanEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var request string
		c := connect(t, func(w http.ResponseWriter, r *http.Request) {
			request = r.Method + " " + r.RequestURI + " " + r.Header.Get("Accept") + " " + r.Header.Get("Accept-Encoding")
			send(w, full+"\n")
			send(w, "\n")
			send(w, state+"\r\n"+chat+"\n"+`{"type":"new"}`+"\n"+gone+"\n"+mated+"\n")
		})
		lines, err := readGame(t, c)
		if !errors.Is(err, io.EOF) || err != io.EOF {
			t.Errorf("got %v, want the bare io.EOF", err)
		}
		wantLines(t, lines, ".", "full", ".", "state e2e4 c7c5 g1f3", "chat White offers draw é♞", "gone true", "state f2f3 e7e5 g2g4 d8h4")
		if want := "GET /api/bot/game/stream/g1 application/x-ndjson "; request != want {
			t.Errorf("request: got %q, want %q", request, want)
		}
	})
}

func TestLinesSurviveAnyPacketSplitAndACut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := connect(t, func(w http.ResponseWriter, _ *http.Request) {
			for _, b := range []byte(full + "\n" + chat + "\n" + state[:40]) {
				send(w, string([]byte{b}))
			}
			panic(http.ErrAbortHandler) // the connection goes in the middle of a line
		})
		lines, err := readGame(t, c)
		wantLines(t, lines, ".", "full", "chat White offers draw é♞")
		if !errors.Is(err, io.ErrUnexpectedEOF) || !lichess.Retryable(err) {
			t.Errorf("got %v, want a retryable io.ErrUnexpectedEOF", err)
		}
		if want := "game stream g1: unexpected EOF"; err.Error() != want {
			t.Errorf("got %q, want %q", err, want)
		}
	})
}

func TestPartialLastLineIsDroppedQuietly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		c := connect(t, func(w http.ResponseWriter, _ *http.Request) { send(w, full+"\n"+state) }, logTo(&log))
		lines, err := readGame(t, c)
		wantLines(t, lines, ".", "full")
		if err != io.EOF || log.Len() > 0 {
			t.Errorf("got %v, log %s", err, log.String())
		}
	})
}

func logTo(b *bytes.Buffer) func(*lichess.Options) {
	return func(o *lichess.Options) { o.Logger = zerolog.New(b).Level(zerolog.WarnLevel) }
}

func TestOversizeLinesAreSkippedAndLogged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		long := func(n int) string {
			return `{"type":"chatLine","room":"player","username":"x","text":"` + strings.Repeat("a", n) + `"}` + "\n"
		}
		c := connect(t, func(w http.ResponseWriter, _ *http.Request) {
			send(w, long(70000))   // longer than a scanner takes, and sound
			send(w, long(1<<20+5)) // too long
			send(w, state+"\n"+long(3<<20)+mated+"\n")
		}, logTo(&log))
		lines, err := readGame(t, c)
		wantLines(t, lines, ".", "chat "+strings.Repeat("a", 70000), ".", "state e2e4 c7c5 g1f3", ".", "state f2f3 e7e5 g2g4 d8h4")
		if err != io.EOF {
			t.Errorf("got %v, want io.EOF", err)
		}
		for _, want := range []string{
			fmt.Sprintf(`"bytes":%d`, len(long(1<<20+5))), fmt.Sprintf(`"bytes":%d`, len(long(3<<20))), "line too long",
		} {
			if !strings.Contains(log.String(), want) {
				t.Errorf("log has no %s:\n%s", want, log.String())
			}
		}
	})
}

func TestOddLinesDoNotEndTheEventStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		c := connect(t, func(w http.ResponseWriter, _ *http.Request) {
			for _, line := range []string{
				`{"error":"Missing scope for ` + testToken + `"}`, `{"type":"somethingNew","x":1}`, `{}`, `[]`, `42`, `not json ` + testToken + strings.Repeat("x", 3000),
				`not json` + strings.Repeat(" ", 385) + testToken, // neither is a part of it shown
				`{"type":"gameStart","game":{"gameId":"abcd1234","id":"abcd1234"}}`,
			} {
				send(w, line+"\n")
			}
		}, logTo(&log))
		var games []string
		err := c.StreamEvents(t.Context(), func(l lichess.EventLine) {
			if l.Event != nil {
				games = append(games, l.Event.Game.GameID)
			}
		})
		wantLines(t, games, "abcd1234")
		// The line that was an error instead of a message is how the call ended.
		wantError(t, err, "event stream: status 200: Missing scope for ***")
		if strings.Contains(log.String(), testToken[:5]) || !strings.Contains(log.String(), "unreadable line") || log.Len() > 1200 {
			t.Errorf("log of %d bytes: %s", log.Len(), log.String())
		}
	})
}

func TestSilentStreamsEnd(t *testing.T) {
	type open = func(context.Context, *lichess.Client) error
	event := func(ctx context.Context, c *lichess.Client) error {
		return c.StreamEvents(ctx, func(lichess.EventLine) {})
	}
	game := func(ctx context.Context, c *lichess.Client) error {
		return c.StreamGame(ctx, "g1", func(lichess.GameLine) {})
	}
	afterTwoBlanks := func(w http.ResponseWriter, r *http.Request) {
		send(w, "\n")
		time.Sleep(7 * time.Second)
		send(w, "\n")
		hold(r)
	}
	for name, c := range map[string]struct {
		open   open
		server http.HandlerFunc
		want   time.Duration
	}{
		"event stream, after two blank lines":       {event, afterTwoBlanks, 52 * time.Second},
		"game stream, after two blank lines":        {game, afterTwoBlanks, 22 * time.Second},
		"event stream, no answer at all":            {event, func(_ http.ResponseWriter, r *http.Request) { hold(r) }, 45 * time.Second},
		"game stream, no answer at all":             {game, func(_ http.ResponseWriter, r *http.Request) { hold(r) }, 15 * time.Second},
		"game stream, a header and no line":         {game, func(w http.ResponseWriter, r *http.Request) { send(w, ""); hold(r) }, 15 * time.Second},
		"game stream, silent inside a line":         {game, func(w http.ResponseWriter, r *http.Request) { send(w, state[:20]); hold(r) }, 15 * time.Second},
		"game stream, silent in a refusal's body":   {game, func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(502); send(w, "<ht"); hold(r) }, 15 * time.Second},
		"game stream, one byte every ten seconds..": {game, func(w http.ResponseWriter, r *http.Request) { trickle(w, state, 10*time.Second, 4); hold(r) }, 45 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				client := connect(t, c.server)
				start := time.Now()
				err := c.open(t.Context(), client)
				if got := time.Since(start); got != c.want {
					t.Errorf("ended after %v, want %v", got, c.want)
				}
				if !strings.Contains(name, "refusal") && !errors.Is(err, lichess.ErrSilent) || !lichess.Retryable(err) {
					t.Errorf("got %v, want ErrSilent, retryable", err)
				}
			})
		})
	}
}

// trickle sends the first n bytes of a text, one at a time.
func trickle(w http.ResponseWriter, text string, pause time.Duration, n int) {
	for i := range n {
		if i > 0 {
			time.Sleep(pause)
		}
		send(w, text[i:i+1])
	}
}

func TestBlankLinesKeepAStreamAlive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := connect(t, func(w http.ResponseWriter, _ *http.Request) {
			for range 1000 {
				send(w, "\n")
				time.Sleep(7 * time.Second)
			}
		})
		alive := 0
		start := time.Now()
		err := c.StreamGame(t.Context(), "g1", func(l lichess.GameLine) {
			if l.Alive() {
				alive++
			}
		})
		if err != io.EOF || alive != 1001 || time.Since(start) != 7000*time.Second {
			t.Errorf("got %v after %v with %d signs of life, want io.EOF after 7000s with 1001", err, time.Since(start), alive)
		}
	})
}

func TestWatchdogRestsWhileALineIsHandled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := connect(t, func(w http.ResponseWriter, _ *http.Request) { send(w, full+"\n"+state+"\n") })
		n := 0
		err := c.StreamGame(t.Context(), "g1", func(lichess.GameLine) { n++; time.Sleep(time.Minute) })
		if err != io.EOF || n != 3 {
			t.Errorf("got %v after %d lines, want io.EOF after 3", err, n)
		}
	})
}

func TestCancellingAStreamIsQuiet(t *testing.T) {
	for name, server := range map[string]http.HandlerFunc{
		"before the answer": func(_ http.ResponseWriter, r *http.Request) { hold(r) },
		"while reading":     func(w http.ResponseWriter, r *http.Request) { send(w, full+"\n"); hold(r) },
		"after an error line": func(w http.ResponseWriter, r *http.Request) {
			send(w, `{"error":"x"}`+"\n")
			hold(r)
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := connect(t, server)
				ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
				defer cancel()
				stop, stopNow := context.WithCancel(ctx)
				time.AfterFunc(time.Second, stopNow)
				start := time.Now()
				if err := c.StreamGame(stop, "g1", func(lichess.GameLine) {}); err != context.Canceled || time.Since(start) != time.Second {
					t.Errorf("got %v after %v, want the bare context.Canceled after 1s", err, time.Since(start))
				}
				if err := c.StreamEvents(ctx, func(lichess.EventLine) {}); err != context.DeadlineExceeded {
					t.Errorf("got %v, want the bare context.DeadlineExceeded", err)
				}
			})
		})
	}
}

func TestLinesAreStampedWhenTheirLastByteCame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := connect(t, func(w http.ResponseWriter, _ *http.Request) {
			time.Sleep(time.Second)
			send(w, full+"\n"+state[:30])
			time.Sleep(2 * time.Second)
			send(w, state[30:]+"\n"+chat+"\n"+gone[:5])
			time.Sleep(20 * time.Millisecond)
			send(w, gone[5:])
			time.Sleep(time.Millisecond)
			send(w, "\n")
		})
		start := time.Now()
		var got []time.Duration
		_ = c.StreamGame(t.Context(), "g1", func(l lichess.GameLine) {
			got = append(got, l.Arrived.Sub(start))
			if l.State != nil {
				time.Sleep(10 * time.Millisecond) // the next line has come already
			}
		})
		want := []time.Duration{time.Second, time.Second, 3 * time.Second, 3 * time.Second, 3021 * time.Millisecond}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("arrivals (-want +got):\n%s", diff)
		}
	})
}

func TestEachStreamHasAConnectionOfItsOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, dials := connectCounting(t, func(w http.ResponseWriter, _ *http.Request) { send(w, full+"\n") })
		for range 3 {
			if _, err := readGame(t, c); err != io.EOF {
				t.Fatal(err)
			}
		}
		if got := dials(); got != 3 {
			t.Errorf("got %d connections for 3 streams", got)
		}
	})
}

func TestRefusedStreamPausesThatGameAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		requests := 0
		c := connect(t, func(w http.ResponseWriter, r *http.Request) {
			requests++
			if strings.HasSuffix(r.URL.Path, "g1") && requests == 1 {
				w.Header().Set("Content-Type", "text/html")
				w.WriteHeader(429)
				send(w, "<html>"+strings.Repeat("x", 1700)+"</html>")
				return
			}
			send(w, full+"\n")
		})
		_, err := readGame(t, c)
		if want := "game stream g1: status 429: HTML page (retry after 1m0s)"; err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
		time.Sleep(20 * time.Second)
		if _, err = readGame(t, c); !errors.Is(err, lichess.ErrPaused) || lichess.RetryAfterOf(err) != 40*time.Second || requests != 1 {
			t.Errorf("during the pause: got %v and %d requests, want ErrPaused with 40s left and 1", err, requests)
		}
		if err := c.StreamGame(t.Context(), "g2", func(lichess.GameLine) {}); err != io.EOF {
			t.Errorf("another game: got %v", err)
		}
		time.Sleep(40 * time.Second)
		if _, err = readGame(t, c); err != io.EOF {
			t.Errorf("after the pause: got %v", err)
		}
	})
}

// The server allows 30 openings of the event stream in ten minutes.
func TestEventStreamIsNotOpenedTooOften(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		opened := 0
		c := connect(t, func(http.ResponseWriter, *http.Request) { opened++ })
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
		defer cancel()
		for ctx.Err() == nil {
			_ = c.StreamEvents(ctx, func(lichess.EventLine) {})
		}
		if opened < 25 || opened > 29 {
			t.Errorf("opened %d times in ten minutes, want 8 at once and 20 more", opened)
		}
	})
}

func TestChallengeThatIsKeptAlive(t *testing.T) {
	one := `{"id":"Zx9Cv8Bn","url":"u","status":"created"}`
	for name, c := range map[string]struct{ stream, outcome, err string }{
		"accepted": {one + "\n\n" + `{"done":"accepted"}` + "\n", "accepted", ""},
		"declined": {one + "\nnot json\n" + `{"done":"declined"}` + "\n", "declined", ""},
		"cut":      {one + "\n", "", "ended without an outcome"},
		"refused":  {`{"error":"no"}` + "\n", "", "status 200: no"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var form string
				client := connect(t, func(w http.ResponseWriter, r *http.Request) {
					form = r.FormValue("keepAliveStream") + r.FormValue("clock.limit")
					send(w, c.stream)
				})
				var made []string
				outcome, err := client.OfferChallenge(t.Context(), "Mary", lichess.ChallengeRequest{Time: lichess.ClockControl(60, 0)}, func(c *lichess.Challenge) { made = append(made, c.ID) })
				wantError(t, err, c.err)
				if outcome != c.outcome || form != "true60" {
					t.Errorf("got %q with form %q, want %q", outcome, form, c.outcome)
				}
				if name != "refused" {
					wantLines(t, made, "Zx9Cv8Bn")
				}
			})
		})
	}
}

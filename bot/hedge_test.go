package bot_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"zeitnot/lichess"
	"zeitnot/lichess/sandbox"
)

func TestMoveWithoutAnAnswerIsHedgedOnce(t *testing.T) {
	const first, hedge = "move abcd1234 a2a3", "move abcd1234 a2a3 hedge"
	timeout := func() error {
		time.Sleep(4 * time.Second)
		return &lichess.Error{Err: lichess.ErrTimeout}
	}
	for _, c := range []struct {
		name   string
		answer func(r *rig, n int) error
		made   []string
		at     []time.Duration // after the first
		played int
		opens  int // of the stream
	}{
		{
			name: "the server never had it",
			answer: func(_ *rig, n int) error {
				if n == 0 {
					return timeout()
				}
				return nil
			},
			made: []string{first, hedge}, at: []time.Duration{0, 300 * time.Millisecond}, played: 1, opens: 1,
		},
		{
			name: "played but not shown, then not our turn",
			answer: func(r *rig, n int) error {
				if n == 0 {
					r.mu.Lock()
					r.games["abcd1234"].noEcho = true
					r.mu.Unlock()
					r.play("abcd1234", "a2a3")
					return timeout()
				}
				return status(400, 0)
			},
			made: []string{first, hedge}, at: []time.Duration{0, 300 * time.Millisecond}, played: 1, opens: 2,
		},
		{
			name: "both hang: no second hedge, a retry after the timeouts",
			answer: func(_ *rig, n int) error {
				if n < 2 {
					return timeout()
				}
				return nil
			},
			made:   []string{first, hedge, first},
			at:     []time.Duration{0, 300 * time.Millisecond, 4400 * time.Millisecond},
			played: 1, opens: 1,
		},
		{
			name: "the hedge is answered 502: retried at once, without another hedge",
			answer: func(_ *rig, n int) error {
				switch n {
				case 0, 2:
					return timeout()
				case 1:
					return status(502, 0)
				}
				return nil
			},
			made:   []string{first, hedge, first, first},
			at:     []time.Duration{0, 300 * time.Millisecond, 400 * time.Millisecond, 4600 * time.Millisecond},
			played: 1, opens: 1,
		},
		{
			name: "a refusal is no silence",
			answer: func(_ *rig, n int) error {
				if n < 2 {
					time.Sleep(100 * time.Millisecond)
					return status(502, 0)
				}
				return nil
			},
			made:   []string{first, first, first},
			at:     []time.Duration{0, 200 * time.Millisecond, 500 * time.Millisecond},
			played: 1, opens: 1,
		},
		{
			name: "the late answer of a move that was refused and then accepted changes nothing",
			answer: func(r *rig, n int) error {
				if n == 0 {
					time.Sleep(500 * time.Millisecond)
					return status(400, 0)
				}
				return nil
			},
			made: []string{first, hedge}, at: []time.Duration{0, 300 * time.Millisecond}, played: 1, opens: 1,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			inVirtualTime(t, nil, func(r *rig) {
				r.think.answer = plays(map[int]string{2: "a2a3"}, 50*time.Millisecond)
				r.on("move", func(_ string, n int) error { return c.answer(r, n) })
				r.game("abcd1234", lichess.White, "e2e4 e7e5")
				r.start("abcd1234")
				r.after(20 * time.Second)
				r.want("requests", fmt.Sprint(r.made("move")), fmt.Sprint(c.made))
				at := r.times("move", r.start0)
				for i := range at {
					if i < len(c.at) && at[i]-at[0] != c.at[i] {
						t.Errorf("request %d: after %v, want %v", i, at[i]-at[0], c.at[i])
					}
				}
				r.want("moves played", len(r.list("abcd1234")), len("e2e4 e7e5 a2a3"))
				r.want("streams", r.streams("abcd1234"), c.opens)
			})
		})
	}
}

func TestHungRequestOfAHedgedMoveIsGivenUp(t *testing.T) {
	inVirtualTime(t, nil, func(r *rig) {
		ended := make(chan time.Duration, 1)
		var hung atomic.Bool
		r.hang = func(ctx context.Context, m lichess.MoveRequest) bool {
			if m.Hedge || hung.Swap(true) {
				return false
			}
			<-ctx.Done()
			ended <- time.Since(r.start0)
			return true
		}
		r.game("abcd1234", lichess.White, "e2e4 e7e5")
		r.start("abcd1234")
		r.after(20 * time.Second)
		if got := <-ended; got > 500*time.Millisecond {
			t.Errorf("the hung request ended after %v, want it given up once the stream showed the move", got)
		}
	})
}

func TestLostMoveCostsLittleAtOrdinaryLatency(t *testing.T) {
	const think = 50 * time.Millisecond
	for _, c := range []struct{ name, faults string }{
		{"request lost", "hang move from=12"},
		{"answer lost", "lost move from=12"},
		{"reset before it was taken", "reset move from=12"},
		{"answered 502", "status move code=502 from=12"},
	} {
		t.Run(c.name, func(t *testing.T) {
			faults, err := sandbox.ParseFaults("latency account=zeitnot in=30ms out=30ms; " + c.faults)
			if err != nil {
				t.Fatal(err)
			}
			o := sandbox.Options{Seed: 1, Faults: faults, Opponents: []sandbox.OpponentSpec{sparring(sandbox.Script{Think: 50 * time.Millisecond, ResignAt: 25, Seed: 3})}}
			inSandbox(t, o, nil, func(h *house) {
				r := h.finished(h.challenge(sandbox.Challenge{}), time.Hour)
				h.wantWon(r)
				// The move costs its round trip in any case.
				if got := slowest(r) - think - 60*time.Millisecond; got > 400*time.Millisecond {
					t.Errorf("the move that was lost cost %v, want at most 400ms", got)
				}
				h.wantIdle()
			})
		})
	}
}

func TestStreamMayTakeAsLongAsTheNetworkDoes(t *testing.T) {
	// Every move costs a second here: two seconds without an echo prove nothing.
	faults, err := sandbox.ParseFaults("latency account=zeitnot in=500ms out=500ms")
	if err != nil {
		t.Fatal(err)
	}
	o := sandbox.Options{Seed: 1, Faults: faults, Opponents: []sandbox.OpponentSpec{sparring(sandbox.Script{ResignAt: 20, Seed: 3})}}
	inSandbox(t, o, nil, func(h *house) {
		h.wantWon(h.finished(h.challenge(sandbox.Challenge{}), time.Hour))
		if n := h.CountRequests(sandbox.EndpointGame, "zeitnot"); n != 1 {
			t.Errorf("game streams: got %d, want 1", n)
		}
		if n, want := h.CountRequests(sandbox.EndpointMove, "zeitnot"), 20; n > want {
			t.Errorf("move requests: got %d, want %d at most: slow is not lost", n, want)
		}
	})
}

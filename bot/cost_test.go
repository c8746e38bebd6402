package bot_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"zeitnot/bot"
	"zeitnot/clock"
	"zeitnot/engine"
	extern "zeitnot/engine/external"
	"zeitnot/engine/position"
	"zeitnot/engine/scripted"
	"zeitnot/lichess"
	"zeitnot/lichess/sandbox"
)

// moveLog keeps the lines that moves get in the log.
type moveLog struct {
	mu    sync.Mutex // guards text
	text  bytes.Buffer
	moves []moveLine
}

// moveLine is such a line; times in ms.
type moveLine struct {
	Message   string   `json:"message"`
	Ply       int      `json:"ply"`
	Move      string   `json:"move"`
	Source    string   `json:"source"`
	Hard      float64  `json:"hard"`
	Overhead  *float64 `json:"overhead"`
	Mean      float64  `json:"overhead_mean"`
	Q90       float64  `json:"overhead_q90"`
	Guard     float64  `json:"guard"`
	Unused    string   `json:"overhead_unused"`
	Stalled   bool     `json:"stalled"`
	Red       bool     `json:"red"`
	PonderHit bool     `json:"ponder_hit"`
	Attempts  int      `json:"attempts"`
}

func (l *moveLog) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *moveLog) logger() zerolog.Logger { return zerolog.New(l).Level(zerolog.InfoLevel) }

// lines are the moves so far.
func (l *moveLog) lines(t *testing.T) []moveLine {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, line := range strings.Split(strings.TrimSpace(l.text.String()), "\n") {
		var m moveLine
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			t.Fatalf("log line %q: %v", line, err)
		}
		if m.Message == "move" {
			l.moves = append(l.moves, m)
		}
	}
	l.text.Reset()
	return l.moves
}

func TestOverheadOfMovesIsMeasured(t *testing.T) {
	for _, c := range []struct {
		name, faults string
		start        float64 // ms, from the start-up requests
		want, spread float64 // ms
	}{
		{"no latency", "", 0, 0, 10},
		{"60 ms round trip", "latency account=zeitnot in=30ms out=30ms", 60, 60, 15},
		{"the server charges 600 ms more", "latency account=zeitnot in=30ms out=30ms; charge per=600ms", 60, 660, 40},
	} {
		t.Run(c.name, func(t *testing.T) {
			var log moveLog
			faults, err := sandbox.ParseFaults(c.faults)
			if err != nil {
				t.Fatal(err)
			}
			o := sandbox.Options{Seed: 1, Faults: faults, Opponents: []sandbox.OpponentSpec{sparring(sandbox.Script{Think: 50 * time.Millisecond, ResignAt: 30, Seed: 3})}}
			inSandbox(t, o, func(o *bot.Options) { o.Log = log.logger() }, func(h *house) {
				h.wantWon(h.finished(h.challenge(sandbox.Challenge{}), time.Hour))
			})
			moves := log.lines(t)
			if len(moves) < 28 {
				t.Fatalf("moves in the log: got %d, want 28 at least", len(moves))
			}
			if moves[0].Unused == "" || math.Abs(moves[0].Mean-c.start) > 1 {
				t.Errorf("first move: got %+v, want its overhead unused and a mean of %v", moves[0], c.start)
			}
			last := moves[len(moves)-1]
			if last.Overhead == nil || math.Abs(*last.Overhead-c.want) > c.spread || math.Abs(last.Mean-c.want) > c.spread {
				t.Errorf("last move: got %+v (overhead %v), want about %v ms", last, last.Overhead, c.want)
			}
			if last.Guard < last.Mean+100 || last.Q90 < last.Mean-c.spread {
				t.Errorf("last move: got %+v, want a guard and a quantile above the mean", last)
			}
		})
	}
}

func TestWhatIsNotTheNetworksIsNotLearnt(t *testing.T) {
	for _, c := range []struct {
		name string
		do   func(r *rig) // makes our second move happen, after the first one of the game
		want string       // why it is unused; "-": nothing can be told at all
	}{
		{"an ordinary move", func(r *rig) { r.reply("abcd1234", "e7e5") }, ""},
		{"a stream that opened in mid-turn", func(r *rig) {
			r.mu.Lock()
			r.games["abcd1234"].full.State.Moves += " e7e5"
			r.mu.Unlock()
			r.cut("abcd1234", errors.New("connection reset by peer"))
		}, "stream opened in mid-turn"},
		{"time given", func(r *rig) {
			r.push("abcd1234", func(s *lichess.GameState) { s.Moves += " e7e5" })
			r.push("abcd1234", func(s *lichess.GameState) { s.WTime += 15000 })
		}, "time was given"},
		{"moves taken back", func(r *rig) {
			r.reply("abcd1234", "e7e5")
			r.push("abcd1234", func(s *lichess.GameState) { s.BTakeback = true })
			r.after(50 * time.Millisecond)
			r.moves("abcd1234", "")
		}, "moves were taken back"},
		{"a pause that the server asked for", func(r *rig) {
			r.on("move", func(_ string, n int) error {
				if n == 1 {
					return status(429, 3*time.Second)
				}
				return nil
			})
			r.reply("abcd1234", "e7e5")
		}, "-"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var log moveLog
			inVirtualTime(t, func(_ *stub, o *bot.Options) { o.Log, o.Takeback.Casual = log.logger(), 1 }, func(r *rig) {
				r.game("abcd1234", lichess.White, "")
				r.start("abcd1234")
				r.after(time.Second)
				c.do(r)
				r.after(10 * time.Second)
			})
			moves := log.lines(t)
			last := moves[len(moves)-1]
			// Only an overhead that counts is shown.
			if counts := c.want == ""; counts != (last.Overhead != nil) || c.want != "-" && last.Unused != c.want {
				t.Errorf("got %+v, want unused %q", last, c.want)
			}
		})
	}
}

func TestAdaptiveNeverFlagsWhereMovesAreDear(t *testing.T) {
	for _, c := range []struct {
		name, faults string
		control      sandbox.TimeControl
	}{
		{"600 to 1000 ms a move at 1+1", "charge per=600ms jitter=400ms", sandbox.ClockControl(time.Minute, time.Second)},
		{"600 to 1000 ms a move at 1+0", "charge per=600ms jitter=400ms", sandbox.ClockControl(time.Minute, 0)},
		{"300 ms round trip at 1+0", "latency account=zeitnot in=150ms out=150ms jitter=60ms", sandbox.ClockControl(time.Minute, 0)},
		{"60 ms round trip at 0+1", "latency account=zeitnot in=30ms out=30ms", sandbox.ClockControl(0, time.Second)},
		{"5 s of silence at 2+1", "latency account=zeitnot in=30ms out=30ms; hang move from=9 times=2 for=5s code=502", sandbox.ClockControl(2*time.Minute, time.Second)},
	} {
		t.Run(c.name, func(t *testing.T) {
			faults, err := sandbox.ParseFaults(c.faults)
			if err != nil {
				t.Fatal(err)
			}
			policy, err := clock.ByName("adaptive", clock.Tuning{})
			if err != nil {
				t.Fatal(err)
			}
			// The rival's own clock is generous by its instant moves.
			o := sandbox.Options{Seed: 5, Faults: faults, Opponents: []sandbox.OpponentSpec{sparring(sandbox.Script{ResignAt: 45, Seed: 8})}}
			inSandbox(t, o, func(o *bot.Options) {
				o.Clock, o.Searchers = policy, []engine.Searcher{scripted.Sleeper{Share: 1, Seed: 2}}
			}, func(h *house) {
				r := h.finished(h.challenge(sandbox.Challenge{Control: c.control}), time.Hour)
				if s := r.Status.String(); s == "outoftime" || len(r.Moves) < 60 {
					t.Errorf("game: got %v, winner %q of %d plies; clocks %v %v", s, r.Winner, len(r.Moves), r.WhiteClock, r.BlackClock)
				}
			})
		})
	}
}

// marathon makes a game last: both sides avoid captures, checks, mates and repetitions, and
// move a pawn now and then.
type marathon struct{ scripted.Sleeper }

func (m marathon) Search(ctx context.Context, g position.Game, l engine.Limits, onInfo func(engine.Info)) (engine.Result, error) {
	r, err := m.Sleeper.Search(ctx, g, l, onInfo)
	r.Best = m.move(g)
	return r, err
}

func (m marathon) move(g position.Game) position.Move {
	pos := g.Position()
	var all position.MoveList
	pos.Legal(&all)
	best, least := position.NoMove, math.MaxInt
	for i, move := range all.Slice() {
		after := g.Play(move)
		cost := (i*31+g.Len()*17)%7 + 10*after.Repetitions()
		pawn := pos.PieceAt(move.From()).Type() == position.Pawn
		switch {
		case !after.Position().HasLegalMove():
			cost += 10000
		case pos.IsCapture(move) || move.IsPromotion():
			cost += 1000
		case after.Position().InCheck():
			cost += 500
		case pawn == (pos.HalfmoveClock() > 50):
		default:
			cost += 100
		}
		if cost < least {
			best, least = move, cost
		}
	}
	return best
}

// runner is the opponent in such a game, who gives up at last.
type runner struct{ plies int }

func (r runner) Act(_ context.Context, v sandbox.View) (sandbox.Action, error) {
	switch {
	case !v.MyTurn:
		return sandbox.Action{}, nil
	case len(v.Moves) >= r.plies:
		return sandbox.Action{Resign: true}, nil
	}
	g, err := position.ParseGame(v.InitialFEN, false, v.Moves)
	if err != nil {
		return sandbox.Action{}, err
	}
	return sandbox.Action{Move: g.Position().UCI(marathon{}.move(g), true)}, nil
}

// wasteful is another engine that has no idea of an overhead: it takes 10 ms more than it is
// given.
type wasteful struct{ faultyEngine }

func (w *wasteful) Search(ctx context.Context, g position.Game, l engine.Limits, onInfo func(engine.Info)) (engine.Result, error) {
	r, err := marathon{w.Sleeper}.Search(ctx, g, l, onInfo)
	time.Sleep(10 * time.Millisecond)
	return r, err
}

// The whole of long games at 600 to 1000 ms a move that nobody can think in.
func TestLongGamesAreNotLostOnTimeWhereMovesAreDear(t *testing.T) {
	for _, c := range []struct {
		name    string
		control sandbox.TimeControl
		plies   int
	}{
		{"60+0", sandbox.ClockControl(time.Hour, 0), 240},
		{"15+0", sandbox.ClockControl(15*time.Minute, 0), 200},
		{"1+1", sandbox.ClockControl(time.Minute, time.Second), 240},
	} {
		for _, external := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, external %v", c.name, external), func(t *testing.T) {
				faults, err := sandbox.ParseFaults("charge per=600ms jitter=400ms")
				if err != nil {
					t.Fatal(err)
				}
				policy, err := clock.ByName("adaptive", clock.Tuning{})
				if err != nil {
					t.Fatal(err)
				}
				o := sandbox.Options{Seed: 5, Faults: faults, Opponents: []sandbox.OpponentSpec{{
					Name: rival, Rating: 1900, New: func(sandbox.GameInfo) sandbox.Opponent { return runner{c.plies} },
				}}}
				own := scripted.Sleeper{Share: 1, Seed: 2}
				var s *extern.Searcher
				inSandbox(t, o, func(o *bot.Options) {
					o.Clock, o.Searchers = policy, []engine.Searcher{marathon{own}}
					o.Policy.Human.Speeds = append(o.Policy.Human.Speeds, "classical")
					if !external {
						return
					}
					var err error
					s, err = extern.New(t.Context(), extern.Options{
						Start: func(context.Context) (extern.Engine, error) {
							return &wasteful{faultyEngine{Sleeper: own, moves: new(atomic.Int64)}}, nil
						},
						Embedded: marathon{own},
						Report:   func(string, error) {},
					})
					if err != nil {
						t.Fatal(err)
					}
					o.Searchers = []engine.Searcher{s}
				}, func(h *house) {
					if s != nil {
						h.closing = append(h.closing, func() { s.Close() })
					}
					r := h.finished(h.challenge(sandbox.Challenge{Control: c.control, Color: "black"}), 10*time.Hour)
					if s := r.Status.String(); s != "resign" || len(r.Moves) < c.plies {
						t.Errorf("game: got %v, winner %q of %d plies; clocks %v %v", s, r.Winner, len(r.Moves), r.WhiteClock, r.BlackClock)
					}
				})
			})
		}
	}
}

package bot_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"sync"
	"testing"
	"time"

	"zeitnot/bot"
	"zeitnot/clock"
	"zeitnot/engine"
	"zeitnot/engine/instant"
	"zeitnot/engine/position"
	"zeitnot/engine/search"
	"zeitnot/lichess/sandbox"
)

// nodes limits a searcher to so many nodes a move.
type nodes struct {
	engine.Searcher
	most int
}

func (n nodes) Search(ctx context.Context, g position.Game, l engine.Limits, onInfo func(engine.Info)) (engine.Result, error) {
	l.Nodes = &n.most
	return n.Searcher.Search(ctx, g, l, onInfo)
}

// descriptors counts this process's open files; false where that cannot be seen.
func descriptors() (int, bool) {
	entries, err := os.ReadDir("/proc/self/fd")
	return len(entries), err == nil
}

// weak is an opponent who thinks a little, moves within a second or so, and gives up after
// fifty moves.
type weak struct {
	engine.Searcher
	rng *rand.Rand
}

func (w weak) Act(ctx context.Context, v sandbox.View) (sandbox.Action, error) {
	if !v.MyTurn {
		return sandbox.Action{}, nil
	}
	if len(v.Moves) >= 100 {
		return sandbox.Action{Resign: true}, nil
	}
	g, err := position.ParseGame(v.InitialFEN, v.Variant == sandbox.Chess960, v.Moves)
	if err != nil {
		return sandbox.Action{}, err
	}
	r, err := w.Search(ctx, g, engine.Limits{}, nil)
	return sandbox.Action{Move: g.Position().UCI(r.Best, true), After: 200*time.Millisecond + time.Duration(w.rng.Int64N(int64(800*time.Millisecond)))}, err
}

// Nodes limit the thinking, so the games last no longer for the clocks that a slow machine needs.
func TestHundredGamesAtATimeOverLoopback(t *testing.T) {
	if testing.Short() {
		t.Skip("a minute or two of real time")
	}
	games := 100
	if underRace {
		games = 25 // what the detector leaves of two cores
	}
	before, counted := descriptors()
	t.Run("play", func(t *testing.T) { playHundred(t, games) })
	if !counted {
		return
	}
	// Sockets close a moment after their streams end.
	for until := time.Now().Add(time.Minute); ; time.Sleep(100 * time.Millisecond) {
		after, _ := descriptors()
		if after <= before+2 {
			break
		}
		if time.Now().After(until) {
			t.Errorf("descriptors: got %d after, %d before", after, before)
			break
		}
	}
}

func playHundred(t *testing.T, games int) {
	policy, err := clock.ByName("softhard", clock.Tuning{})
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var slow []string
	o := sandbox.Options{
		Seed:   11,
		Limits: sandbox.Limits{ChallengesPerMinute: -1, ChallengesPerDay: -1, BotGamesPerDay: -1},
		Faults: []sandbox.Fault{{Kind: sandbox.Latency, Account: "zeitnot", In: 30 * time.Millisecond, Out: 30 * time.Millisecond, Jitter: 30 * time.Millisecond}},
		OnMove: func(m sandbox.MoveRecord) {
			mu.Lock()
			defer mu.Unlock()
			if m.Ply > 2 && m.Took > 3*time.Second {
				slow = append(slow, fmt.Sprintf("%s ply %d %s: %v", m.GameID, m.Ply, m.Color, m.Took.Round(time.Millisecond)))
			}
		},
	}
	for i := range games {
		o.Opponents = append(o.Opponents, sandbox.OpponentSpec{
			Name: fmt.Sprintf("Rival%d", i), Title: "BOT",
			New: func(info sandbox.GameInfo) sandbox.Opponent {
				return weak{nodes{search.New(search.Options{HashMB: 1}), 300}, rand.New(rand.NewPCG(info.Seed, 0))}
			},
			Plans: []sandbox.Plan{{
				Challenge: sandbox.Challenge{To: "Zeitnot", Control: sandbox.ClockControl(5*time.Minute, 3*time.Second), Rated: true},
				Start:     time.Duration(i) * 50 * time.Millisecond, Persist: true,
			}},
		})
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	h := newHouse(t, o, l, func(o *bot.Options) {
		o.Concurrency, o.QueueSize, o.Clock, o.LastResort = games, games, policy, instant.Mater{}
		o.Searchers = []engine.Searcher{nodes{search.New(search.Options{HashMB: 8}), 2000}, nodes{search.New(search.Options{HashMB: 8}), 2000}}
	})
	h.client.URL = "http://" + l.Addr().String()
	h.client.Burst, h.client.Refill = 1000, 1000 // one address with a hundred games is not what the limiter is made for
	defer h.close()
	h.start()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Minute)
	defer cancel()
	all, err := h.WaitGames(ctx, games)
	if err != nil {
		t.Errorf("not all games ended: %v, %+v", err, h.daemon.Health())
	}
	ours := 0
	for _, g := range all {
		for _, m := range g.Moves {
			if m.Color == g.Color("Zeitnot") {
				ours++
			}
		}
		if !g.Over() || g.FlagFallen() == "Zeitnot" || g.Status.String() == "aborted" {
			t.Errorf("game %s: %v, winner %q, %d plies, clocks %v %v", g.ID, g.Status, g.Winner, len(g.Moves), g.WhiteClock, g.BlackClock)
		}
	}
	// A move may be sent again when its answer takes too long; the first try must be good.
	tried := map[string]bool{}
	for _, q := range h.Requests(func(q sandbox.Request) bool { return q.Endpoint == sandbox.EndpointMove }) {
		if key := q.Game + q.Path; q.Status == 400 && !tried[key] {
			t.Errorf("move refused at its first try: %s", q.Path)
		} else {
			tried[key] = true
		}
	}
	h.wantIdle()
	if got := h.daemon.Health().GamesFinished; got != int64(games) {
		t.Errorf("games finished: got %d, want %d", got, games)
	}
	t.Logf("%d games, %d moves of ours; moves of either side that took over 3 s: %d %v", len(all), ours, len(slow), slow[:min(len(slow), 20)])
}

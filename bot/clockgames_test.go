package bot_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"net"
	"runtime"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"zeitnot/bot"
	"zeitnot/bot/flight"
	"zeitnot/clock"
	"zeitnot/engine"
	"zeitnot/engine/instant"
	"zeitnot/engine/scripted"
	"zeitnot/engine/search"
	"zeitnot/lichess/sandbox"
)

var (
	clockGames = flag.Int("clock.games", 8, "games of each time control that are played on the clock")
	clockReal  = flag.Bool("clock.real", false, "play them in real time, by sockets and with the embedded search")
)

// clockControls are the time controls that the bot is made for.
func clockControls() map[string]sandbox.TimeControl {
	return map[string]sandbox.TimeControl{
		"1+0": sandbox.ClockControl(time.Minute, 0),
		"2+1": sandbox.ClockControl(2*time.Minute, time.Second),
		"3+0": sandbox.ClockControl(3*time.Minute, 0),
		"3+2": sandbox.ClockControl(3*time.Minute, 2*time.Second),
	}
}

// clockNetworks are the ways to the server, there and back: one with a spike of up to
// 0.7 s in a hundredth of the calls, and a slow one.
func clockNetworks() map[string][]sandbox.Fault {
	way := func(each, jitter time.Duration) sandbox.Fault {
		return sandbox.Fault{Kind: sandbox.Latency, Account: "zeitnot", In: each, Out: each, Jitter: jitter}
	}
	return map[string][]sandbox.Fault{
		"60 ms with spikes": {
			way(30*time.Millisecond, 10*time.Millisecond),
			{Kind: sandbox.Latency, Account: "zeitnot", In: 200 * time.Millisecond, Jitter: 500 * time.Millisecond, Chance: 0.01},
		},
		"300 ms": {way(150*time.Millisecond, 50*time.Millisecond)},
	}
}

// longest is for how many of our moves such a game goes on at the most. What a game of 1+0
// is not insured for, and what no clock can carry, is left to the simulator.
func longest(network, control string) int {
	switch {
	case control != "1+0":
		return 250
	case network == "300 ms":
		return 60
	}
	return 90
}

// Eight games at a time under the default policy, against opponents who answer at once, and
// no flag of ours falls. Without -clock.real searches sleep in virtual time, against
// opponents who move at random and resign after 20 moves or later.
func TestNoFlagFallsInGamesOnTheClock(t *testing.T) {
	for network, faults := range clockNetworks() {
		if *clockReal && network != "60 ms with spikes" {
			continue
		}
		for name, control := range clockControls() {
			t.Run(network+"/"+name, func(t *testing.T) {
				c := &clockMatch{control: control, faults: faults, games: *clockGames, longest: longest(network, name)}
				if *clockReal {
					c.real(t)
				} else {
					synctest.Test(t, c.virtual)
				}
			})
		}
	}
}

// clockMatch is so many games of one time control, eight at a time.
type clockMatch struct {
	control sandbox.TimeControl
	faults  []sandbox.Fault
	games   int
	longest int // own moves of a game, in virtual time
	// host sees when the machine did not run us; nil in virtual time.
	host *flight.Canary

	mu    sync.Mutex // guards the rest
	late  []time.Duration
	stuck int // moves that the host kept
}

const clockGamesAtATime = 8

// excusing is the least stall of the host that excuses a flag: shorter ones the guard is for.
const excusing = 500 * time.Millisecond

func (c *clockMatch) virtual(t *testing.T) {
	mem := sandbox.Listen()
	searchers := make([]engine.Searcher, 2)
	for i := range searchers {
		searchers[i] = scripted.Sleeper{Share: 0.9, Seed: uint64(i)}
	}
	h := c.house(t, mem, searchers, func(info sandbox.GameInfo) sandbox.Opponent {
		rng := rand.New(rand.NewPCG(info.Seed, 0))
		return sandbox.Script{Think: 50 * time.Millisecond, ResignAt: 20 + rng.IntN(c.longest-20), Seed: info.Seed}.Player(info)
	})
	h.mem, h.client.URL, h.client.Dial = mem, "http://sandbox", mem.DialContext
	c.play(h)
}

func (c *clockMatch) real(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	searchers := make([]engine.Searcher, runtime.GOMAXPROCS(0))
	for i := range searchers {
		searchers[i] = search.New(search.Options{HashMB: 64})
	}
	h := c.house(t, l, searchers, func(sandbox.GameInfo) sandbox.Opponent {
		return quick{nodes{search.New(search.Options{HashMB: 4}), 4000}}
	})
	h.client.URL = "http://" + l.Addr().String()
	c.host = &flight.Canary{Tick: time.Millisecond, Least: 5 * time.Millisecond, Keep: 1 << 20}
	ctx, cancel := context.WithCancel(t.Context())
	var watch sync.WaitGroup
	watch.Go(func() { c.host.Run(ctx) })
	defer watch.Wait()
	defer cancel()
	c.play(h)
}

// quick answers 50 ms after a search.
type quick struct{ nodes }

func (q quick) Act(ctx context.Context, v sandbox.View) (sandbox.Action, error) {
	a, err := weak{q.nodes, rand.New(rand.NewPCG(0, 0))}.Act(ctx, v)
	a.After = 50 * time.Millisecond
	return a, err
}

func (c *clockMatch) house(t *testing.T, l net.Listener, searchers []engine.Searcher, player func(sandbox.GameInfo) sandbox.Opponent) *house {
	policy, err := clock.ByName(clock.DefaultPolicy, clock.Tuning{})
	if err != nil {
		t.Fatal(err)
	}
	o := sandbox.Options{
		Seed: 1, Faults: c.faults,
		Limits: sandbox.Limits{ChallengesPerMinute: -1, ChallengesPerDay: -1, BotGamesPerDay: -1},
	}
	for i := range min(clockGamesAtATime, c.games) {
		count := c.games / clockGamesAtATime
		if i < c.games%clockGamesAtATime {
			count++
		}
		o.Opponents = append(o.Opponents, sandbox.OpponentSpec{
			Name: fmt.Sprintf("Rival%d", i), Title: "BOT", New: player,
			Plans: []sandbox.Plan{{
				Challenge: sandbox.Challenge{To: "Zeitnot", Control: c.control, Rated: true}, Count: count, Persist: true, Swap: true,
				Start: time.Duration(i) * 300 * time.Millisecond, Every: time.Second,
			}},
		})
	}
	return newHouse(t, o, l, func(o *bot.Options) {
		o.Concurrency, o.QueueSize, o.Clock, o.LastResort = clockGamesAtATime, clockGamesAtATime, policy, instant.Mater{}
		o.Searchers, o.Departed = searchers, c.departed
		o.Resign = bot.ResignRule{}
	})
}

func (c *clockMatch) play(h *house) {
	defer h.close()
	h.start()
	ctx, cancel := context.WithTimeout(h.ctx, time.Duration(c.games/clockGamesAtATime+1)*30*time.Minute)
	defer cancel()
	all, err := h.WaitGames(ctx, c.games)
	if err != nil {
		h.t.Errorf("not all games ended: %v, %+v", err, h.daemon.Health())
	}
	endings, moves, least := map[string]int{}, []int{}, time.Hour
	for _, g := range all {
		us := g.Color("Zeitnot")
		own, last := 0, time.Time{}
		for _, m := range g.Moves {
			last = m.At
			if m.Color == us {
				own++
				least = min(least, map[string]time.Duration{"white": m.White, "black": m.Black}[us])
			}
		}
		moves = append(moves, own)
		endings[g.Status.String()]++
		switch stalled := c.stalled(last, g.Ended); {
		case g.FlagFallen() != "Zeitnot":
		case stalled >= excusing:
			h.t.Logf("game %s: our flag fell while the host stalled for %v", g.ID, stalled)
		default:
			h.t.Errorf("game %s: our flag fell after %d plies, clocks %v %v", g.ID, len(g.Moves), g.WhiteClock, g.BlackClock)
		}
		if !g.Over() || g.Status.String() == "aborted" {
			h.t.Errorf("game %s: %v after %d plies", g.ID, g.Status, len(g.Moves))
		}
	}
	h.wantIdle()
	c.mu.Lock()
	defer c.mu.Unlock()
	slices.Sort(moves)
	if len(c.late)+c.stuck == 0 {
		h.t.Fatal("nothing was played")
	}
	c.late = append(c.late, 0) // on a host that stalled all the time there is none
	slices.Sort(c.late)
	h.t.Logf("%d games, %v; our moves a game: median %d, most %d; least clock %v; %d moves left after their deadlines by 99.9 %% %v, most %v; %d besides while the host stalled",
		len(all), endings, moves[len(moves)/2], moves[len(moves)-1], least, len(c.late)-1, c.late[len(c.late)*999/1000], c.late[len(c.late)-1], c.stuck)
}

// stalled is how long the host kept us from running in that time.
func (c *clockMatch) stalled(from, to time.Time) time.Duration {
	if c.host == nil {
		return 0
	}
	return c.host.Stalled(from, to)
}

// departed notes how long after its deadline a move is written, 0 for one in time.
func (c *clockMatch) departed(d flight.Departure) {
	stalled := c.stalled(d.Arrived, d.Sent) > 0
	c.mu.Lock()
	defer c.mu.Unlock()
	if stalled {
		c.stuck++
		return
	}
	c.late = append(c.late, max(0, d.Sent.Sub(d.Deadline)))
}

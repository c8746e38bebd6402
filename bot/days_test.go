package bot_test

import (
	"errors"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"zeitnot/bot"
	"zeitnot/engine"
	"zeitnot/engine/scripted"
	"zeitnot/lichess/sandbox"
)

var (
	days    = flag.Int("days", 1, "days of virtual time that the bot lives through")
	daySeed = flag.Uint64("dayseed", 1, "what goes wrong in them")
)

// mishaps are faults of which a game loses some seconds at the most.
var mishaps = []string{
	"cut game", "reset game", "halfline game ply=9", "silent game ply=9", "lost move", "lost move as=reset", "reset move", "hang move",
	"status move code=502 times=3", "cut event", "reset event", "silent event", "lost accept", "status accept code=502 times=2",
	"dup event times=20; dup game times=20", "garbage game times=5", "unknown event times=5", "status game code=502 times=3",
}

// TestDaysOfChallengesAtRandom lets the bot live through days with all kinds of opponents,
// faults of the network, restarts of the server and of the bot itself: nothing piles up.
// -days 30 is the long run.
func TestDaysOfChallengesAtRandom(t *testing.T) {
	inSandbox(t, dayVisitors(), func(o *bot.Options) {
		o.Concurrency, o.QueueSize = 2, 4
		o.Takeback.Casual = 1
		o.Draw = bot.DrawRule{Accept: true, Offer: true, Score: 10, Moves: 10, MinMove: 20}
		o.Searchers = []engine.Searcher{scripted.Sleeper{Share: 0.5, Seed: 1}, scripted.Sleeper{Share: 0.5, Seed: 2}}
		o.Clock = fixed{Soft: time.Second, Hard: 2 * time.Second}
		o.Resign, o.Chat.Commands = bot.ResignRule{}, true
	}, func(h *house) {
		l := &life{house: h, rng: rand.New(rand.NewPCG(*daySeed, 0)), done: map[string]int{}}
		for day := range *days {
			l.day(day)
		}
		l.end()
	})
}

// dayVisitors are who challenges us, each in an own rhythm.
func dayVisitors() sandbox.Options {
	o := sandbox.Options{
		Seed:   7,
		Limits: sandbox.Limits{ChallengesPerMinute: -1, ChallengesPerDay: -1, BotGamesPerDay: -1, EventConnects: -1, AccountReads: -1},
	}
	for i, sc := range []sandbox.Script{
		{Think: time.Second, Spread: 4 * time.Second, ResignAt: 30},
		{Think: 2 * time.Second, Spread: 2 * time.Second, ResignAt: 20, OfferDraws: 7, Greeting: "hi"},
		{NoShow: true},
		{Think: time.Second, LeaveAt: 9},
		{Think: time.Second, LeaveAt: 9, LeaveFor: 15 * time.Second, ResignAt: 25, Takebacks: 4},
		{Think: 500 * time.Millisecond, ResignAt: 45, Echo: true},
	} {
		sc.Seed = uint64(i)
		title := []string{"", "BOT"}[i%2]
		// The first has 2+0: with less a mishap could cost a game.
		control := sandbox.ClockControl(time.Duration(max(2, 1+i))*time.Minute, time.Duration(i)*time.Second)
		o.Opponents = append(o.Opponents, sandbox.OpponentSpec{
			Name: fmt.Sprintf("Rival%d", i), Title: title, Rating: 1800, Takebacks: true, New: sc.Player,
			Plans: []sandbox.Plan{{
				Challenge: sandbox.Challenge{To: "Zeitnot", Control: control, Rated: i%2 == 0, Variant: []sandbox.Variant{sandbox.Standard, sandbox.Chess960}[i%2]},
				Count:     sandbox.Always, Start: time.Duration(i) * 17 * time.Second, Every: time.Duration(11+3*i) * time.Minute, Overlap: i%3 == 0, Swap: true,
			}},
		})
	}
	return o
}

// life is what the bot lives through.
type life struct {
	*house
	rng   *rand.Rand
	done  map[string]int // mishaps, by what they were
	least []int          // goroutines, for each day the fewest at any of the looks
	sizes map[string]int // the most of everything that is remembered
}

// day is a day: something goes wrong every hour or so, and the bot is looked at.
func (l *life) day(day int) {
	l.t.Helper()
	least := math.MaxInt
	for hour := range 24 {
		for range 6 {
			time.Sleep(time.Duration(l.rng.Int64N(int64(10 * time.Minute))))
			if l.rng.IntN(6) == 0 {
				l.mishap()
			}
			if l.look(fmt.Sprintf("day %d, hour %d", day, hour)); l.t.Failed() {
				l.t.FailNow()
			}
			least = min(least, runtime.NumGoroutine())
		}
	}
	l.least = append(l.least, least)
}

// mishap is one of many.
func (l *life) mishap() {
	l.t.Helper()
	switch n := l.rng.IntN(len(mishaps) + 4); {
	case n < len(mishaps):
		l.done["faults"]++
		if err := l.InjectSpec(mishaps[n]); err != nil {
			l.t.Fatal(err)
		}
	case n < len(mishaps)+2:
		l.done["restarts of the server"]++
		l.Restart(time.Duration(l.rng.Int64N(int64(15 * time.Second))))
	default:
		l.done["restarts of the bot"]++
		if err := l.stop(); err != nil && !errors.Is(err, bot.ErrGamesLeft) {
			l.t.Errorf("stop: %v", err)
		}
		time.Sleep(time.Duration(l.rng.Int64N(int64(5 * time.Second))))
		l.start()
		time.Sleep(time.Second) // it is well once its loop has begun
	}
}

// look wants a bot that is well, holds nothing of games that are long over, and remembers no
// more than it may.
func (l *life) look(when string) {
	l.t.Helper()
	health := l.daemon.Health()
	// A game that began while we were away comes on top of the two.
	if !health.Healthy || health.SlotsUsed > 4 {
		l.t.Errorf("%s: %+v", when, health)
	}
	for _, id := range health.Games {
		if g, _ := l.Game(id); g.Over() && time.Since(g.Ended) > time.Minute {
			l.t.Errorf("%s: game %s ended %v ago and is still held", when, id, time.Since(g.Ended))
		}
	}
	if l.sizes == nil {
		l.sizes = map[string]int{}
	}
	for what, n := range l.daemon.Sizes(l.ctx) {
		l.sizes[what] = max(l.sizes[what], n)
		if n > 512 {
			l.t.Errorf("%s: %d %s are remembered", when, n, what)
		}
	}
}

// end drains the bot and looks at all that happened.
func (l *life) end() {
	l.t.Helper()
	l.daemon.Drain()
	time.Sleep(30 * time.Minute)
	if err := l.stop(); err != nil {
		l.t.Errorf("Run after %d days: %v", *days, err)
	}
	games := l.Games()
	for _, g := range games {
		switch {
		case !g.Over():
			l.t.Errorf("game %s is left with %d plies", g.ID, len(g.Moves))
		case g.FlagFallen() == "Zeitnot" || g.Winner != "" && g.Winner != g.Color("Zeitnot") && g.Status != sandbox.Mate:
			l.t.Errorf("game %s was lost: %v after %d plies", g.ID, g.Status, len(g.Moves))
		}
	}
	if len(games) < 200**days {
		l.t.Errorf("games in %d days: got %d, want hundreds a day", *days, len(games))
	}
	if last := l.least[len(l.least)-1]; last > l.least[0] {
		l.t.Errorf("goroutines: got at least %d on the last day, %d on the first: %v", last, l.least[0], l.least)
	}
	files, err := filepath.Glob(filepath.Join(l.options.StateDir, "*"))
	if err != nil || len(files) != 1 || filepath.Base(files[0]) != "games.pgn" {
		l.t.Errorf("state folder: got %q (%v), want games.pgn", files, err)
	}
	text, err := os.ReadFile(filepath.Join(l.options.StateDir, "games.pgn"))
	if err != nil {
		l.t.Fatal(err)
	}
	kept := len(readPGN(l.t, string(text)))
	if kept > len(games) || kept < len(games)-l.done["restarts of the bot"]*2 {
		l.t.Errorf("games.pgn: got %d games of %d", kept, len(games))
	}
	l.t.Logf("%d days: %d games, %d of them in games.pgn; %v; goroutines on the first and the last day %d and %d; at most remembered: %v",
		*days, len(games), kept, l.done, l.least[0], l.least[len(l.least)-1], l.sizes)
}

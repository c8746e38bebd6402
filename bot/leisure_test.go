package bot_test

import (
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"zeitnot/bot"
	"zeitnot/engine"
	"zeitnot/engine/instant"
	"zeitnot/lichess/sandbox"
)

// Four instant opponents, an instant searcher and no latency at all: the first moves go out
// in a burst, and a steady stream keeps to the limit without harm to any clock.
func TestInstantMovesKeepToTheLimit(t *testing.T) {
	const rivals, minutes = 4, 10
	var flags atomic.Int32
	o := sandbox.Options{
		Seed:    4,
		LogSize: 100_000,
		Limits:  sandbox.Limits{ChallengesPerMinute: -1, ChallengesPerDay: -1, BotGamesPerDay: -1, EventConnects: -1},
		OnFinish: func(r sandbox.GameRecord) {
			if r.FlagFallen() == "Zeitnot" {
				flags.Add(1)
			}
		},
	}
	for i := range rivals {
		o.Opponents = append(o.Opponents, sandbox.OpponentSpec{
			Name: fmt.Sprintf("Rival%d", i), Rating: 1900, New: sandbox.Script{ResignAt: 100, Seed: uint64(i)}.Player,
			Plans: []sandbox.Plan{{
				Challenge: sandbox.Challenge{To: "Zeitnot", Control: sandbox.ClockControl(3*time.Minute, 0)},
				Count:     1000, Every: 10 * time.Second, Persist: true,
			}},
		})
	}
	inSandbox(t, o, func(o *bot.Options) {
		// Four games that think for so long stay below three moves a second.
		o.Concurrency, o.Clock = rivals, fixed{Soft: 1500 * time.Millisecond, Hard: 3 * time.Second}
		o.Searchers = []engine.Searcher{instant.Greedy{Seed: 1}}
	}, func(h *house) {
		began := time.Now()
		time.Sleep(minutes * time.Minute)
		ours := h.Requests(func(q sandbox.Request) bool { return q.Account == "zeitnot" })
		moves, burst := 0, 0
		for _, q := range ours {
			if q.Endpoint == sandbox.EndpointMove {
				moves++
				if q.At.Sub(began) < time.Second {
					burst++
				}
			}
		}
		// A burst, a debt of one more, and three a second.
		if most := 60 + 60 + 3*60*minutes; len(ours) > most {
			t.Errorf("requests in %d minutes: got %d, want %d at most", minutes, len(ours), most)
		}
		if moves < 2*60*minutes || burst < 30 || flags.Load() > 0 {
			t.Errorf("moves: got %d in all, %d in the first second, and %d flags; want two a second, a burst and no flag", moves, burst, flags.Load())
		}
	})
}

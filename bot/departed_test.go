package bot_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"zeitnot/bot"
	"zeitnot/bot/flight"
	"zeitnot/engine"
	"zeitnot/engine/position"
	"zeitnot/lichess"
)

// departed is what a test looks at of a departure; times count from the arrival.
type departed struct {
	Move                       string
	Ply                        int
	Decided, Deadline, Written time.Duration
	SlotWait                   time.Duration
	NoSlot, Searching          bool
}

func TestDeparturesTellWhereTheTimeWent(t *testing.T) {
	const ms = time.Millisecond
	for _, c := range []struct {
		name string
		// thinks are the times that the searches take, deaf to everything, by the plies on the
		// board; the games have 2 and 4.
		thinks  map[int]time.Duration
		writing time.Duration
		want    map[string]departed // by game
	}{
		{
			"in time",
			map[int]time.Duration{2: 100 * ms},
			0,
			map[string]departed{"abcd1234": {"e1e2", 3, 100 * ms, 2000 * ms, 100 * ms, 0, false, false}},
		},
		{
			"the search does not stop",
			map[int]time.Duration{2: 3000 * ms},
			0,
			map[string]departed{"abcd1234": {"e1e2", 3, 2010 * ms, 2000 * ms, 2010 * ms, 0, false, true}},
		},
		{
			"another game has the slot for a while",
			map[int]time.Duration{2: 500 * ms, 4: 100 * ms},
			0,
			map[string]departed{
				"abcd1234": {"e1e2", 3, 500 * ms, 2000 * ms, 500 * ms, 0, false, false},
				"efgh5678": {"e1d2", 5, 600 * ms, 2000 * ms, 600 * ms, 500 * ms, false, false},
			},
		},
		{
			"and until its move is written",
			map[int]time.Duration{2: 500 * ms, 4: 100 * ms},
			2 * ms,
			map[string]departed{
				"abcd1234": {"e1e2", 3, 500 * ms, 2000 * ms, 502 * ms, 0, false, false},
				"efgh5678": {"e1d2", 5, 602 * ms, 2000 * ms, 604 * ms, 502 * ms, false, false},
			},
		},
		{
			"but not for long",
			map[int]time.Duration{2: 500 * ms, 4: 100 * ms},
			20 * ms,
			map[string]departed{
				"abcd1234": {"e1e2", 3, 500 * ms, 2000 * ms, 520 * ms, 0, false, false},
				"efgh5678": {"e1d2", 5, 605 * ms, 2000 * ms, 625 * ms, 505 * ms, false, false},
			},
		},
		{
			"another game has the slot for too long",
			map[int]time.Duration{2: 3000 * ms, 4: 100 * ms},
			0,
			map[string]departed{
				"abcd1234": {"e1e2", 3, 2010 * ms, 2000 * ms, 2010 * ms, 0, false, true},
				"efgh5678": {"e1d2", 5, 2010 * ms, 2000 * ms, 2010 * ms, 0, true, false},
			},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			var mu sync.Mutex // guards got
			got := map[string]departed{}
			inVirtualTime(t, func(s *stub, o *bot.Options) {
				s.writing = c.writing
				o.Concurrency = 2
				o.Departed = func(d flight.Departure) {
					mu.Lock()
					defer mu.Unlock()
					got[d.Game] = departed{
						d.Move, d.Ply, d.Decided.Sub(d.Arrived), d.Deadline.Sub(d.Arrived), d.Written.Sub(d.Arrived),
						d.SlotWait, d.NoSlot, d.Searching,
					}
				}
			}, func(r *rig) {
				r.think.answer = func(_ context.Context, g position.Game, l engine.Limits, _ func(engine.Info)) (engine.Result, error) {
					time.Sleep(c.thinks[g.Len()])
					return engine.FirstLegal(g, l.SearchMoves), nil
				}
				r.game("abcd1234", lichess.White, "e2e4 e7e5")
				r.start("abcd1234")
				r.after(0)
				if c.thinks[4] > 0 {
					r.game("efgh5678", lichess.White, "e2e4 e7e5 d2d4 d7d5")
					r.start("efgh5678")
				}
				r.after(5 * time.Second)
			})
			mu.Lock()
			defer mu.Unlock()
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("departures (-want +got):\n%s", diff)
			}
		})
	}
}

func TestMovesWithoutAClockHaveNoDeadline(t *testing.T) {
	inVirtualTime(t, func(_ *stub, o *bot.Options) {
		o.Departed = func(d flight.Departure) { t.Errorf("got %+v", d) }
	}, func(r *rig) {
		g := r.game("abcd1234", lichess.White, "e2e4 e7e5")
		g.full.Clock, g.full.Speed = nil, lichess.Correspondence
		g.full.State.WTime, g.full.State.BTime = lichess.UnlimitedMillis, lichess.UnlimitedMillis
		r.start("abcd1234")
		r.after(time.Minute)
		r.want("moves", len(r.made("move")), 1)
	})
}

package bot_test

import (
	"net/http"
	"sync"
	"testing"
	"time"

	"zeitnot/bot"
	"zeitnot/bot/online"
	"zeitnot/engine"
	"zeitnot/engine/scripted"
	"zeitnot/lichess"
	"zeitnot/lichess/sandbox"
)

// silentDatabase is a server that accepts connections and requests and never answers.
type silentDatabase struct {
	mu    sync.Mutex // guards asked
	asked []time.Time
}

func (d *silentDatabase) ServeHTTP(_ http.ResponseWriter, r *http.Request) {
	d.mu.Lock()
	d.asked = append(d.asked, time.Now())
	d.mu.Unlock()
	<-r.Context().Done()
}

func (d *silentDatabase) times() []time.Time {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.asked
}

// before puts lookups at the database before a searcher, until the test's end.
func (d *silentDatabase) before(t *testing.T, s engine.Searcher) (_ engine.Searcher, end func()) {
	t.Helper()
	listener := sandbox.Listen()
	server := &http.Server{Handler: d}
	var serving sync.WaitGroup
	serving.Go(func() { _ = server.Serve(listener) })
	client, err := lichess.New(lichess.Options{URL: "http://database", Dial: listener.DialContext})
	if err != nil {
		t.Fatal(err)
	}
	adviser := online.New(online.Options{
		Sources:  []online.Source{online.Cloud{Client: client, MinDepth: 1, MaxMove: 300}},
		MinClock: 10 * time.Second,
	})
	return engine.NewChain(s, engine.ChainOptions{Adviser: adviser}), func() {
		adviser.Close()
		client.Close()
		_ = server.Close()
		serving.Wait()
	}
}

func TestLookupsThatAreNeverAnsweredCostNoTime(t *testing.T) {
	took := map[bool][]time.Duration{}
	for _, lookups := range []bool{false, true} {
		d := &silentDatabase{}
		o := sandbox.Options{Seed: 1, Opponents: []sandbox.OpponentSpec{sparring(sandbox.Script{Think: 100 * time.Millisecond, ResignAt: 25, Seed: 3})}}
		var end func()
		inSandbox(t, o, func(o *bot.Options) {
			o.Clock = fixed{Soft: 1200 * time.Millisecond, Hard: 3 * time.Second}
			var s engine.Searcher = scripted.Sleeper{Share: 1, Seed: 2}
			end = func() {}
			if lookups {
				s, end = d.before(t, s)
			}
			o.Searchers, o.Ponder = []engine.Searcher{s}, true
		}, func(h *house) {
			play := func() sandbox.GameRecord {
				r := h.finished(h.challenge(sandbox.Challenge{Control: sandbox.ClockControl(time.Minute, 0), Color: "white"}), 5*time.Minute)
				h.wantWon(r)
				return r
			}
			first := play()
			for _, m := range first.Moves {
				if m.Color == first.Color("Zeitnot") {
					took[lookups] = append(took[lookups], m.Took)
				}
			}
			if lookups {
				play()
				asked := d.times()
				if len(asked) != 3 || asked[2].Sub(asked[0]) > 15*time.Second {
					t.Errorf("two games: asked %d times, want 3 times early in the first", len(asked))
				}
				time.Sleep(5 * time.Minute)
				play()
				if asked = d.times(); len(asked) != 4 || asked[3].Sub(asked[2]) < 5*time.Minute {
					t.Errorf("after five minutes: asked %d times, want one more", len(asked))
				}
			}
			_ = h.stop() // before the lookups end
			end()
		})
	}
	without, with := took[false], took[true]
	if len(with) != len(without) || len(with) < 20 {
		t.Fatalf("%d moves with lookups, %d without; want the same game", len(with), len(without))
	}
	for i := range with {
		if d := (with[i] - without[i]).Abs(); d > 10*time.Millisecond {
			t.Errorf("move %d: %v with lookups, %v without", i+1, with[i], without[i])
		}
	}
}

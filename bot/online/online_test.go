package online_test

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"zeitnot/bot/online"
	"zeitnot/engine"
	"zeitnot/engine/position"
	"zeitnot/leaktest"
	"zeitnot/lichess"
	"zeitnot/lichess/sandbox"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// place is a server in virtual time and the requests that it was sent.
type place struct {
	client *lichess.Client

	mu    sync.Mutex // guards asked
	asked []time.Duration
}

// at runs a test in virtual time with a server that answers so.
func at(t *testing.T, handler http.HandlerFunc, test func(t *testing.T, p *place)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		p := &place{}
		began := time.Now()
		listener := sandbox.Listen()
		server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if explorer := []string{"/masters", "/player"}; r.Header.Get("Authorization") != "" && !slices.Contains(explorer, r.URL.Path) {
				t.Errorf("%s was sent a token", r.URL.Path)
			}
			p.mu.Lock()
			p.asked = append(p.asked, time.Since(began))
			p.mu.Unlock()
			handler(w, r)
		})}
		var serving sync.WaitGroup
		serving.Go(func() { _ = server.Serve(listener) })
		token, err := lichess.NewSecret("lip_explorer")
		if err != nil {
			t.Fatal(err)
		}
		p.client, err = lichess.New(lichess.Options{URL: "http://databases", Token: token, Dial: listener.DialContext})
		if err != nil {
			t.Fatal(err)
		}
		test(t, p)
		p.client.Close()
		_ = server.Close()
		serving.Wait()
	})
}

// count is how many requests there were so far.
func (p *place) count() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.asked)
}

// adviser is one of a single source; it is closed with the test.
func (p *place) adviser(s online.Source, change ...func(*online.Options)) *online.Adviser {
	o := online.Options{Sources: []online.Source{s}, MinClock: 20 * time.Second}
	for _, f := range change {
		f(&o)
	}
	return online.New(o)
}

func (p *place) tablebase() online.Source { return online.Tablebase{Client: p.client} }

func (p *place) explorer() online.Source {
	return online.Explorer{Client: p.client, Games: lichess.MasterGames, MinGames: 10, MaxMove: 15}
}

func (p *place) cloud() online.Source {
	return online.Cloud{Client: p.client, MinDepth: 20, MaxMove: 15}
}

func played(t testing.TB, fen string, moves ...string) position.Game {
	t.Helper()
	g, err := position.ParseGame(fen, false, moves)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func clock(d time.Duration) engine.Limits { return engine.Limits{Clock: &d} }

// names are the moves of advice in coordinates.
func names(g position.Game, a engine.Advice) []string {
	var all []string
	for _, m := range a.Moves {
		all = append(all, g.Position().UCI(m, false))
	}
	return all
}

func says(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(body))
	}
}

func never(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }

func refuses(status int, header ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(status)
	}
}

const (
	bare  = "8/8/8/3k4/8/8/2R5/K7 w - - 0 1"
	other = "8/8/8/3k4/8/8/1R6/K7 w - - 0 1"
)

// ending is the n-th of many positions.
func ending(t *testing.T, n int) position.Game {
	return played(t, "8/8/8/3k4/8/8/2R5/K7 w - - "+strconv.Itoa(n%90)+" 60")
}

func TestALookupTakesNoMoreThanItsShareOfTheClock(t *testing.T) {
	for _, c := range []struct {
		limits  engine.Limits
		timeout time.Duration
		want    time.Duration
	}{
		{clock(60 * time.Second), 0, time.Second},
		{clock(20 * time.Second), 0, 20 * time.Second / 30},
		{clock(20*time.Second - 1), 0, 0},
		{clock(0), 0, 0},
		{clock(3 * time.Hour), 0, time.Second},
		{clock(3 * time.Hour), time.Hour, time.Second},
		{clock(3 * time.Hour), 300 * time.Millisecond, 300 * time.Millisecond},
		{engine.Limits{}, 0, 5 * time.Second}, // no clock
		{engine.Limits{Clock: new(time.Minute), Soft: new(10 * time.Millisecond), Hard: new(time.Second)}, 0, 0},
	} {
		at(t, never, func(t *testing.T, p *place) {
			a := p.adviser(p.tablebase(), func(o *online.Options) { o.Timeout = c.timeout })
			defer a.Close()
			began := time.Now()
			_, ok := a.Advise(t.Context(), played(t, bare), c.limits)
			if took := time.Since(began); ok || took != c.want {
				t.Errorf("%v: %v, after %v; want nothing after %v", c.limits, ok, took, c.want)
			}
			if asked := p.count() > 0; asked != (c.want > 0) {
				t.Errorf("%v: asked: %v", c.limits, asked)
			}
		})
	}
}

func TestAServerThatFailsIsLeftAloneForFiveMinutes(t *testing.T) {
	for name, handler := range map[string]http.HandlerFunc{
		"never answers":   never,
		"status 502":      refuses(502),
		"breaks off":      func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
		"token refused":   refuses(401),
		"no JSON":         says("<html>"),
		"no answer in it": says("{}"),
		"illegal moves":   says(`{"category":"win","moves":[{"uci":"a1a8","category":"loss"}]}`),
		"moves missing":   says(`{"category":"win","moves":[{"uci":"c2c3","category":"loss"}]}`),
		"odd category":    says(`{"category":"win","moves":[{"uci":"c2c3","category":"perhaps"}]}`),
	} {
		at(t, handler, func(t *testing.T, p *place) {
			a := p.adviser(p.tablebase())
			defer a.Close()
			began, n := time.Now(), 0
			for ; time.Since(began) < 10*time.Minute; n++ {
				if _, ok := a.Advise(t.Context(), ending(t, n), clock(time.Minute)); ok {
					t.Fatalf("%s: there is advice", name)
				}
				time.Sleep(2 * time.Second)
			}
			p.mu.Lock()
			defer p.mu.Unlock()
			// Three, and then one each time that the rest is over.
			if len(p.asked) < 4 || len(p.asked) > 5 || p.asked[2] > 10*time.Second || p.asked[3]-p.asked[2] < 5*time.Minute {
				t.Errorf("%s: asked at %v, want 3 times, and again after 5 minutes", name, p.asked)
			}
		})
	}
}

func TestASearchThatEndsEarlyIsNoFailureOfTheServer(t *testing.T) {
	slow := func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(200 * time.Millisecond)
		says(`{"depth":30,"pvs":[{"moves":"e2e4","cp":20}]}`)(w, r)
	}
	at(t, slow, func(t *testing.T, p *place) {
		a := p.adviser(p.cloud())
		defer a.Close()
		g := played(t, "")
		for range 10 {
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
			_, ok := a.Advise(ctx, g, clock(time.Minute))
			cancel()
			if ok {
				t.Fatal("there is advice at once")
			}
		}
		if n := p.count(); n != 1 {
			t.Errorf("asked %d times for one position, want once", n)
		}
		time.Sleep(time.Second)
		// The lookup has gone on, and its answer is known by now.
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if advice, ok := a.Advise(ctx, g, clock(time.Minute)); !ok || names(g, advice)[0] != "e2e4" || !advice.Final || advice.Score != 20 {
			t.Errorf("got %v, %+v; want e2e4", ok, advice)
		}
		if n := p.count(); n != 1 {
			t.Errorf("asked %d times, want what is remembered", n)
		}
	})
}

// The explorer reads a player's games once somebody has asked for them.
func TestWhatWasUnknownIsAskedForAgainAfterAnHour(t *testing.T) {
	began := time.Now()
	knows := func(w http.ResponseWriter, r *http.Request) {
		if time.Since(began) < 10*time.Minute {
			says(`{"moves":[]}`)(w, r)
			return
		}
		says(`{"moves":[{"uci":"e2e4","white":30,"draws":20,"black":10}]}`)(w, r)
	}
	at(t, knows, func(t *testing.T, p *place) {
		began = time.Now()
		a := p.adviser(p.explorer())
		defer a.Close()
		for _, c := range []struct {
			at    time.Duration
			knows bool
			asked int
		}{{0, false, 1}, {59 * time.Minute, false, 1}, {61 * time.Minute, true, 2}, {2 * time.Hour, true, 2}, {3 * time.Hour, true, 3}} {
			time.Sleep(time.Until(began.Add(c.at)))
			if _, ok := a.Advise(t.Context(), played(t, ""), clock(time.Minute)); ok != c.knows || p.count() != c.asked {
				t.Errorf("after %v: advice %v, asked %d times; want %v, %d times", c.at, ok, p.count(), c.knows, c.asked)
			}
		}
	})
}

func TestARateLimitIsRespected(t *testing.T) {
	for _, c := range []struct {
		handler http.HandlerFunc
		pause   time.Duration
	}{
		{refuses(429), time.Minute},
		{refuses(429, "Retry-After", "600"), 10 * time.Minute},
		{refuses(429, "Retry-After", "1"), time.Minute},
	} {
		at(t, c.handler, func(t *testing.T, p *place) {
			a := p.adviser(p.tablebase())
			defer a.Close()
			for n := 0; p.count() < 2; n++ {
				a.Advise(t.Context(), ending(t, n), clock(time.Minute))
				time.Sleep(time.Second)
			}
			if gap := p.asked[1] - p.asked[0]; gap < c.pause || gap > c.pause+2*time.Second {
				t.Errorf("asked again after %v, want %v", gap, c.pause)
			}
		})
	}
}

func TestNothingIsAskedWhileTheMainServerWantsPatience(t *testing.T) {
	at(t, never, func(t *testing.T, p *place) {
		a := p.adviser(p.tablebase(), func(o *online.Options) { o.Hold = func() bool { return true } })
		defer a.Close()
		if _, ok := a.Advise(t.Context(), played(t, bare), clock(time.Minute)); ok || p.count() > 0 {
			t.Errorf("asked %d times, want not at all", p.count())
		}
	})
}

func TestOutOfTheOpeningNothingIsAskedAnyMore(t *testing.T) {
	at(t, refuses(404), func(t *testing.T, p *place) {
		a := p.adviser(p.cloud())
		defer a.Close()
		g := played(t, "")
		for _, move := range []string{"a2a3", "a7a6", "b2b3", "b7b6", "c2c3", "c7c6", "d2d3", "d7d6", "e2e3", "e7e6", "f2f3", "f7f6"} {
			a.Advise(t.Context(), g, clock(time.Minute))
			g = g.Play(must(g.Position().ParseUCI(move)))
		}
		if n := p.count(); n != 6 { // three of each side
			t.Errorf("asked %d times, want 3 for each side", n)
		}
		late := played(t, "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 16")
		a.Advise(t.Context(), late, clock(time.Minute))
		fischer, err := position.ParseGame("bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w KQkq - 0 1", true, nil)
		if err != nil {
			t.Fatal(err)
		}
		a.Advise(t.Context(), fischer, clock(time.Minute))
		if n := p.count(); n != 6 {
			t.Errorf("asked for move 16 or for Chess960")
		}
	})
}

func must(m position.Move, err error) position.Move {
	if err != nil {
		panic(err)
	}
	return m
}

func TestCloseEndsWhatRuns(t *testing.T) {
	at(t, never, func(t *testing.T, p *place) {
		a := p.adviser(p.tablebase())
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			time.Sleep(10 * time.Millisecond)
			cancel()
		}()
		began := time.Now()
		a.Advise(ctx, played(t, bare), clock(time.Minute))
		a.Close()
		a.Close()
		a.Advise(t.Context(), played(t, other), clock(time.Minute))
		if took := time.Since(began); took != 10*time.Millisecond || p.count() != 1 {
			t.Errorf("closed after %v with %d requests, want at once with one", took, p.count())
		}
	})
}

func TestSourcesAreAskedInTheirOrder(t *testing.T) {
	at(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/masters" {
			if r.URL.Query().Get("fen") == position.StartFEN {
				says(`{"moves":[{"uci":"d2d4","white":50,"draws":30,"black":20}]}`)(w, r)
				return
			}
			says(`{"moves":[]}`)(w, r)
			return
		}
		says(`{"depth":30,"pvs":[{"moves":"c7c5","cp":20}]}`)(w, r)
	}, func(t *testing.T, p *place) {
		a := p.adviser(p.tablebase(), func(o *online.Options) { o.Sources = append(o.Sources, p.explorer(), p.cloud()) })
		defer a.Close()
		for _, c := range []struct {
			g            position.Game
			move, source string
			score        engine.Score
		}{
			{played(t, ""), "d2d4", "online explorer", 0},
			{played(t, "", "e2e4"), "c7c5", "online cloud", -20},
		} {
			advice, ok := a.Advise(t.Context(), c.g, clock(time.Minute))
			if !ok || !slices.Equal(names(c.g, advice), []string{c.move}) || advice.Source != c.source || advice.Score != c.score {
				t.Errorf("got %v %v from %q, want %s from %s", names(c.g, advice), advice.Score, advice.Source, c.move, c.source)
			}
		}
	})
}

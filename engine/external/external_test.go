package external_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"zeitnot/engine"
	"zeitnot/engine/external"
	"zeitnot/engine/position"
	"zeitnot/engine/uci"
	"zeitnot/leaktest"
)

// world is everything around a Searcher in a test.
type world struct {
	// answer is how the n-th engine, from 1, answers a command; false leaves it to the stub,
	// which is a decent engine that plays e2e4 or the first legal move.
	answer func(n int, command string, say func(string)) bool
	// options are those that the engines have besides; takes is how long a start takes, and
	// only the first so many of them succeed.
	options []string
	takes   time.Duration
	starts  int

	mu       sync.Mutex
	engines  []*stub
	alive    int // engines, and the most of them at a time
	most     int
	reports  []string
	embedded []engine.Limits // that the embedded engine was asked with
	newGames int
	pondered int
}

// stub is one engine.
type stub struct {
	*uci.Client
	w           *world
	in, answers io.Closer
	done        chan struct{}
	mu          sync.Mutex
	told        []string
}

func (w *world) start(ctx context.Context) (external.Engine, error) {
	w.mu.Lock()
	n := len(w.engines) + 1
	w.mu.Unlock()
	select {
	case <-time.After(w.takes):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if w.starts > 0 && n > w.starts {
		return nil, errors.New("the file is gone")
	}
	w.mu.Lock()
	w.alive++
	w.most = max(w.most, w.alive)
	w.mu.Unlock()
	in, inW := io.Pipe()
	outR, out := io.Pipe()
	s := &stub{w: w, in: inW, answers: outR, done: make(chan struct{})}
	go func() {
		defer close(s.done)
		defer out.Close()
		defer in.Close()
		s.run(in, out, n, w)
	}()
	client, err := uci.Connect(ctx, "", outR, inW, uci.Patience{})
	s.Client = client
	if err != nil {
		s.Close()
		return nil, err
	}
	w.mu.Lock()
	w.engines = append(w.engines, s)
	w.mu.Unlock()
	return s, nil
}

// crash is said by an engine that ends.
const crash = "crash"

func (s *stub) run(in io.Reader, out io.Writer, n int, w *world) {
	crashed := false
	say := func(line string) {
		if line == crash {
			crashed = true
			return
		}
		io.WriteString(out, line+"\n")
	}
	lines := bufio.NewScanner(in)
	for !crashed && lines.Scan() {
		command := lines.Text()
		s.mu.Lock()
		s.told = append(s.told, command)
		s.mu.Unlock()
		if w.answer != nil && w.answer(n, command, say) {
			continue
		}
		switch word, _, _ := strings.Cut(command, " "); word {
		case "uci":
			for _, o := range w.options {
				say("option name " + o)
			}
			say("uciok")
		case "isready":
			say("readyok")
		case "go":
			say("info depth 7 score cp 31 nodes 99 pv e2e4 e7e5")
			say("bestmove e2e4 ponder e7e5")
		}
	}
}

func (s *stub) Close() error {
	s.in.Close()
	s.answers.Close()
	<-s.done
	<-s.Ended()
	s.w.mu.Lock()
	s.w.alive--
	s.w.mu.Unlock()
	return nil
}

func (s *stub) commands(words ...string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(s.told), func(c string) bool {
		word, _, _ := strings.Cut(c, " ")
		return !slices.Contains(words, word)
	})
}

// embedded stands for the embedded engine: it uses its soft limit, and plays a2a3.
type embedded struct{ w *world }

func (e embedded) Search(ctx context.Context, g position.Game, l engine.Limits, _ func(engine.Info)) (engine.Result, error) {
	e.w.mu.Lock()
	e.w.embedded = append(e.w.embedded, l)
	e.w.mu.Unlock()
	if l.Soft != nil && *l.Soft > 0 {
		left := min(*l.Soft, *l.Hard)
		if l.Deadline != nil {
			left = *l.Deadline - *l.Hard + left - engine.Now()
		}
		select {
		case <-time.After(left):
		case <-ctx.Done():
		}
	}
	return engine.Result{Best: move(g, "a2a3"), Source: "search"}, nil
}

func (e embedded) Ponder(context.Context, position.Game, engine.Limits, func(engine.Info)) engine.Pondering {
	e.w.mu.Lock()
	defer e.w.mu.Unlock()
	e.w.pondered++
	return nil
}

func (e embedded) NewGame() {
	e.w.mu.Lock()
	defer e.w.mu.Unlock()
	e.w.newGames++
}

// move is a legal move of the game, or another that serves if it is not.
func move(g position.Game, text string) position.Move {
	if m, err := g.Position().ParseUCI(text); err == nil {
		return m
	}
	return engine.FirstLegal(g, nil).Best
}

func (w *world) searcher(t *testing.T) *external.Searcher {
	t.Helper()
	s, err := external.New(t.Context(), external.Options{
		Start: w.start, Embedded: embedded{w},
		Report: func(what string, err error) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.reports = append(w.reports, what)
			if strings.Contains(what, "fail") && err == nil {
				t.Errorf("%q says not why", what)
			}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// engine is the n-th engine that has started, from 0.
func (w *world) engine(n int) *stub {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.engines[n]
}

// count reads one of the world's counters.
func (w *world) count(n *int) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return *n
}

func (w *world) said() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.reports)
}

func game(t testing.TB, fen string, moves ...string) position.Game {
	t.Helper()
	g, err := position.ParseGame(fen, false, moves)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// limits count from now.
func limits(soft, hard time.Duration) engine.Limits {
	return engine.Limits{Soft: &soft, Hard: &hard, Deadline: new(engine.Now() + hard)}
}

// search asks for a move and says who answered: "engine e2e4 after 1s".
func search(t testing.TB, s engine.Searcher, g position.Game, soft, hard time.Duration) string {
	t.Helper()
	began := time.Now()
	r, err := s.Search(t.Context(), g, limits(soft, hard), nil)
	took := time.Since(began)
	if err != nil {
		t.Errorf("error %v", err)
	}
	if took > hard {
		t.Errorf("answered after %v, the hard limit is %v", took, hard)
	}
	return fmt.Sprintf("%s %s after %v", r.Source, g.Position().UCI(r.Best, false), took)
}

func isGo(command string) bool { return strings.HasPrefix(command, "go") }

const (
	failed      = "external engine failed, it is restarted"
	back        = "external engine is back"
	failedAgain = "external engine failed again, the embedded engine plays the rest of this game"
	late        = "external engine is late, its last line or the embedded engine answers"
)

func TestEveryFaultHasALegalMoveInTime(t *testing.T) {
	const soft, hard = time.Second, 3 * time.Second
	for name, c := range map[string]struct {
		// fault is what the first two engines do when they are to search; other commands, but
		// for stop, are answered by a decent engine.
		fault func(say func(string))
		// stop is what they do then.
		stop  func(say func(string))
		first string // the move in spite of the fault
		again string // the engine's second fault; "" if it was none
		says  []string
	}{
		"crash": {
			fault: func(say func(string)) { say(crash) },
			first: "search a2a3 after 1s", again: "search a2a3 after 1s", says: []string{failed, back, failedAgain},
		},
		"crash after a line, with time left": {
			fault: func(say func(string)) { say("info depth 3 score cp 5 pv d2d4"); say(crash) },
			first: "search a2a3 after 1s", again: "search a2a3 after 1s", says: []string{failed, back, failedAgain},
		},
		"crash after a line, without": {
			fault: func(say func(string)) { say("info depth 3 score cp 5 pv d2d4 d7d5"); time.Sleep(soft); say(crash) },
			first: "best so far d2d4 after 1s", again: "best so far d2d4 after 1s", says: []string{failed, back, failedAgain},
		},
		"illegal move": {
			fault: func(say func(string)) { say("bestmove e2e5") },
			first: "search a2a3 after 1s", again: "search a2a3 after 1s", says: []string{failed, back, failedAgain},
		},
		"null move": {
			fault: func(say func(string)) { say("bestmove 0000") },
			first: "search a2a3 after 1s", again: "search a2a3 after 1s", says: []string{failed, back, failedAgain},
		},
		"missing move": {
			fault: func(say func(string)) { time.Sleep(soft); say("bestmove") },
			first: "search a2a3 after 1s", again: "search a2a3 after 1s", says: []string{failed, back, failedAgain},
		},
		"hang without a line": {
			fault: func(func(string)) {},
			stop:  func(func(string)) {},
			first: "search a2a3 after 2.99s", again: "search a2a3 after 2.99s",
			says: []string{late, failed, back, late, failedAgain},
		},
		"hang after a line": {
			fault: func(say func(string)) { say("info depth 3 score cp 5 pv d2d4 d7d5") },
			stop:  func(func(string)) {},
			first: "best so far d2d4 after 2.99s", again: "best so far d2d4 after 2.99s",
			says: []string{late, failed, back, late, failedAgain},
		},
		"late after a stop": {
			fault: func(say func(string)) { say("info depth 3 score cp 5 pv d2d4 d7d5") },
			stop:  func(say func(string)) { time.Sleep(time.Second); say("bestmove h2h3") },
			first: "best so far d2d4 after 2.99s", again: "best so far d2d4 after 2.99s",
			says: []string{late, late},
		},
		"answers only to stop": {
			fault: func(func(string)) {},
			stop:  func(say func(string)) { say("bestmove h2h3") },
			first: "engine h2h3 after 2.98s", again: "engine h2h3 after 2.98s",
		},
		"garbage and long lines": {
			fault: func(say func(string)) {
				for _, line := range []string{"", "info", "info depth x score cp pv e9e9", "\xff\xfe", strings.Repeat("x", 3<<20), "bestmove  E2E4 \r"} {
					say(line)
				}
			},
			first: "engine e2e4 after 0s", again: "engine e2e4 after 0s",
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := &world{answer: func(n int, command string, say func(string)) bool {
					switch {
					case n > 2 || !isGo(command) && (command != "stop" || c.stop == nil):
						return false
					case command == "stop":
						c.stop(say)
					default:
						c.fault(say)
					}
					return true
				}}
				s := w.searcher(t)
				g := game(t, "")
				if got := search(t, s, g, soft, hard); got != c.first {
					t.Errorf("got %s, want %s", got, c.first)
				}
				time.Sleep(10 * time.Second) // the opponent's time, enough for a restart
				if got := search(t, s, g, soft, hard); got != c.again {
					t.Errorf("again: got %s, want %s", got, c.again)
				}
				time.Sleep(10 * time.Second)
				if diff := cmp.Diff(c.says, w.said()); diff != "" {
					t.Errorf("reports (-want +got):\n%s", diff)
				}
				if !slices.Contains(c.says, failedAgain) {
					return
				}
				if got, want := search(t, s, g, soft, hard), "search a2a3 after 1s"; got != want || len(w.engines) != 2 {
					t.Errorf("the rest of the game: got %s of %d engines, want %s and 2", got, len(w.engines), want)
				}
				s.NewGame()
				if got, want := search(t, s, g, soft, hard), "engine e2e4 after 0s"; got != want {
					t.Errorf("the next game: got %s, want %s", got, want)
				}
			})
		})
	}
}

// It is gone without a word, or when nobody expects it.
func TestADeadEngineIsReplacedOnce(t *testing.T) {
	for name, dies := range map[string]func(w *world, search int){
		"on the third go": func(w *world, search int) {
			if search == 3 {
				w.answer = func(_ int, command string, say func(string)) bool {
					if isGo(command) {
						w.answer = nil
						say(crash)
						return true
					}
					return false
				}
			}
		},
		"between two moves": func(w *world, search int) {
			if search == 3 {
				w.engine(0).in.Close()
				<-w.engine(0).done
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := &world{}
				s := w.searcher(t)
				for n := 1; n <= 5; n++ {
					time.Sleep(time.Second)
					dies(w, n)
					want := "engine e2e4 after 0s"
					if n == 3 {
						want = "search a2a3 after 1s"
					}
					if got := search(t, s, game(t, ""), time.Second, 3*time.Second); got != want {
						t.Errorf("search %d: got %s, want %s", n, got, want)
					}
				}
				if diff := cmp.Diff([]string{failed, back}, w.said()); diff != "" {
					t.Errorf("reports (-want +got):\n%s", diff)
				}
			})
		})
	}
}

// However often it fails, there is one of it at a time.
func TestEnginesDoNotPileUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := map[int]int{} // searches by engine
		w := &world{answer: func(n int, command string, say func(string)) bool {
			if !isGo(command) {
				return false
			}
			if asked[n]++; asked[n] == 2 {
				say(crash)
			}
			return asked[n] == 2
		}}
		s := w.searcher(t)
		for range 200 {
			s.NewGame()
			for range 3 {
				search(t, s, game(t, ""), time.Second, 3*time.Second)
			}
		}
		s.Close()
		if started := len(w.engines); w.most != 1 || w.alive != 0 || started < 200 {
			t.Errorf("engines: got %d started, %d at a time, %d left; want hundreds, 1, 0", started, w.most, w.alive)
		}
	})
}

// An engine that answers isready only while it does not search, which is allowed to no one
// and done by some.
func TestAnEngineThatIsReadyOnlyWhenIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		searching := false
		w := &world{options: []string{ponders}, answer: func(_ int, command string, say func(string)) bool {
			switch {
			case isGo(command):
				searching = true
			case command == "stop":
				searching = false
				say("bestmove g1f3")
			case command != "isready" || !searching:
				return false
			}
			return true
		}}
		s := w.searcher(t)
		for range 3 {
			s.NewGame()
			if got, want := search(t, s, game(t, ""), time.Second, 3*time.Second), "engine g1f3 after 2.98s"; got != want {
				t.Errorf("got %s, want %s", got, want)
			}
			p := s.Ponder(t.Context(), game(t, "", "h2h3", "e7e5"), engine.Limits{}, nil)
			time.Sleep(time.Second)
			p.Stop() // the game is over
			if _, err := p.Result(); err != nil {
				t.Error(err)
			}
		}
		if said := w.said(); len(said) > 0 {
			t.Errorf("reports %q, want none", said)
		}
	})
}

func TestTheEngineIsToldItsTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &world{}
		s := w.searcher(t)
		g := game(t, "")
		search(t, s, g, time.Second, 3*time.Second)
		search(t, s, g, 3*time.Second, 3*time.Second)
		search(t, s, g, time.Second, 40*time.Millisecond)
		if got, want := search(t, s, g, 5*time.Millisecond, 9*time.Millisecond), "search a2a3 after 5ms"; got != want {
			t.Errorf("next to no time: got %s, want %s", got, want)
		}
		want := []string{"go movetime 1000", "go movetime 2960", "go movetime 30"}
		if diff := cmp.Diff(want, w.engine(0).commands("go")); diff != "" {
			t.Errorf("the engine was told (-want +got):\n%s", diff)
		}
	})
}

func TestASlowEngineDoesNotKeepAGameWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &world{answer: func(_ int, command string, say func(string)) bool {
			if command == "isready" {
				time.Sleep(5 * time.Second)
			}
			return false
		}}
		s := w.searcher(t)
		s.NewGame()
		if got, want := search(t, s, game(t, ""), time.Second, 3*time.Second), "search a2a3 after 1s"; got != want {
			t.Errorf("not ready: got %s, want %s", got, want)
		}
		time.Sleep(4 * time.Second)
		if got, want := search(t, s, game(t, ""), time.Second, 3*time.Second), "engine e2e4 after 0s"; got != want {
			t.Errorf("ready: got %s, want %s", got, want)
		}
		if diff := cmp.Diff([]string{"uci", "ucinewgame", "isready", "go movetime 1000"}, w.engine(0).commands("uci", "ucinewgame", "isready", "go")); diff != "" {
			t.Errorf("the engine was told (-want +got):\n%s", diff)
		}
		if got := w.count(&w.newGames); got != 1 {
			t.Errorf("the embedded engine was told of %d games, want 1", got)
		}
	})
}

func TestAnEngineThatDoesNotComeBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &world{starts: 1, answer: func(_ int, command string, say func(string)) bool {
			if isGo(command) {
				say(crash)
			}
			return isGo(command)
		}}
		s := w.searcher(t)
		for range 3 {
			if got, want := search(t, s, game(t, ""), time.Second, 3*time.Second), "search a2a3 after 1s"; got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		}
		s.NewGame()
		search(t, s, game(t, ""), time.Second, 3*time.Second)
		want := []string{
			failed, "external engine does not start, the embedded engine plays the rest of this game",
			"external engine does not start, the embedded engine plays this game",
		}
		if diff := cmp.Diff(want, w.said()); diff != "" {
			t.Errorf("reports (-want +got):\n%s", diff)
		}
	})
}

func TestAnotherKindOfChess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &world{}
		s := w.searcher(t)
		odd := game(t, "4kr2/pppppppp/8/8/8/8/PPPPPPPP/4KR2 w Ff - 0 1")
		for range 2 {
			if got, want := search(t, s, odd, time.Second, 3*time.Second), "search a2a3 after 1s"; got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		}
		if got, want := search(t, s, game(t, ""), time.Second, 3*time.Second), "engine e2e4 after 0s"; got != want {
			t.Errorf("usual chess after it: got %s, want %s", got, want)
		}
		if want := []string{"external engine does not play this kind of chess, the embedded engine does"}; !slices.Equal(w.said(), want) {
			t.Errorf("reports %q, want %q", w.said(), want)
		}
	})
}

func TestACancelledSearchAnswers(t *testing.T) {
	for name, c := range map[string]struct {
		stop func(say func(string))
		want string
		took time.Duration
	}{
		"at once":    {func(say func(string)) { say("bestmove h2h3") }, "engine", 0},
		"not at all": {func(func(string)) {}, "best so far", 50 * time.Millisecond},
	} {
		synctest.Test(t, func(t *testing.T) {
			w := &world{answer: func(_ int, command string, say func(string)) bool {
				switch {
				case isGo(command):
					say("info depth 3 score cp 5 pv d2d4 d7d5")
				case command == "stop":
					c.stop(say)
				}
				return isGo(command) || command == "stop"
			}}
			s := w.searcher(t)
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			began := time.Now()
			r, err := s.Search(ctx, game(t, ""), limits(5*time.Second, 9*time.Second), nil)
			if took := time.Since(began) - time.Second; err != nil || r.Source != c.want || took != c.took {
				t.Errorf("%s: got %s, %v %v after the end; want %s after %v", name, r.Source, err, took, c.want, c.took)
			}
			if slices.Contains(w.said(), late) {
				t.Errorf("%s: a cancelled search counts as late", name)
			}
		})
	}
}

// ponders is the option of an engine that can ponder.
const ponders = "Ponder type check default false"

func TestPonder(t *testing.T) {
	position := "position startpos moves e2e4"
	const thinks = "go ponder movetime 36000000"
	for name, c := range map[string]struct {
		options []string
		answer  func(n int, command string, say func(string)) bool
		want    string
		told    []string
	}{
		"the engine ponders": {
			[]string{ponders},
			func(_ int, command string, say func(string)) bool {
				if command == "stop" {
					say("bestmove d7d5")
				}
				return command == "stop" || isGo(command)
			},
			"engine d7d5 after 2s",
			[]string{position, thinks, "ponderhit", "stop"},
		},
		"it cannot": {nil, nil, "engine e7e5 after 0s", []string{position, "go movetime 3000"}},
		"it dies of it": {
			[]string{ponders},
			func(n int, command string, say func(string)) bool {
				if n == 1 && isGo(command) {
					say(crash)
				}
				return n == 1 && isGo(command)
			},
			"search a7a6 after 3s",
			[]string{position, thinks},
		},
		"it hangs": {
			[]string{ponders},
			func(n int, command string, say func(string)) bool { return isGo(command) || command == "stop" },
			"search a7a6 after 4s",
			[]string{position, thinks, "ponderhit", "stop"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := &world{options: c.options, answer: func(n int, command string, say func(string)) bool {
					if c.answer != nil && c.answer(n, command, say) {
						return true
					}
					if isGo(command) {
						say("bestmove e7e5")
						return true
					}
					return false
				}}
				s := w.searcher(t)
				g := game(t, "", "e2e4")
				p := s.Ponder(t.Context(), g, engine.Limits{}, nil)
				time.Sleep(time.Second)
				hit := time.Now()
				p.Hit(limits(3*time.Second, 9*time.Second))
				r, err := p.Result()
				best := g.Position().UCI(r.Best, false)
				if r.Source == "search" {
					best = "a7a6" // whatever the embedded engine plays for Black
				}
				if got := fmt.Sprintf("%s %s after %v", r.Source, best, time.Since(hit)); err != nil || got != c.want {
					t.Errorf("got %s, %v; want %s", got, err, c.want)
				}
				if diff := cmp.Diff(c.told, w.engine(0).commands("position", "go", "ponderhit", "stop")); diff != "" {
					t.Errorf("the engine was told (-want +got):\n%s", diff)
				}
			})
		})
	}
}

// With no time of our own left the engine has long begun all the same.
func TestAPonderHitWithoutTimeIsAnsweredByTheEngine(t *testing.T) {
	for range 30 {
		synctest.Test(t, func(t *testing.T) {
			w := &world{options: []string{ponders}, answer: func(_ int, command string, say func(string)) bool {
				if command == "stop" {
					say("bestmove d7d5")
				}
				return command == "stop" || isGo(command)
			}}
			s := w.searcher(t)
			g := game(t, "", "e2e4")
			p := s.Ponder(t.Context(), g, engine.Limits{}, nil)
			time.Sleep(time.Second)
			p.Hit(limits(0, 100*time.Millisecond))
			r, err := p.Result()
			if got := g.Position().UCI(r.Best, false); err != nil || r.Source != "engine" || got != "d7d5" {
				t.Errorf("got %s of %s, %v; want d7d5 of the engine", got, r.Source, err)
			}
		})
	}
}

// What has ended before the deadline is not late, however late that is noticed.
func TestAnAnswerAtTheDeadlineIsNotLate(t *testing.T) {
	for range 30 {
		synctest.Test(t, func(t *testing.T) {
			w := &world{options: []string{ponders}, answer: func(_ int, command string, say func(string)) bool {
				if isGo(command) {
					say(crash)
				}
				return isGo(command)
			}}
			s := w.searcher(t)
			p := s.Ponder(t.Context(), game(t, "", "e2e4"), engine.Limits{}, nil)
			time.Sleep(time.Second)
			p.Hit(limits(0, 0))
			if r, err := p.Result(); err != nil || r.Source != "search" {
				t.Errorf("got a move of %q, %v; want one of the embedded engine", r.Source, err)
			}
			if diff := cmp.Diff([]string{failed, back}, w.said()); diff != "" {
				t.Errorf("reports (-want +got):\n%s", diff)
			}
		})
	}
}

func TestAPanicIsAnErrorOfItsSearch(t *testing.T) {
	panics := func(engine.Info) { panic("what was that line?") }
	for name, ask := range map[string]func(t *testing.T, s *external.Searcher, g position.Game) (engine.Result, error){
		"search": func(t *testing.T, s *external.Searcher, g position.Game) (engine.Result, error) {
			return s.Search(t.Context(), g, limits(time.Second, 3*time.Second), panics)
		},
		"ponder": func(t *testing.T, s *external.Searcher, g position.Game) (engine.Result, error) {
			p := s.Ponder(t.Context(), g, engine.Limits{}, panics)
			p.Hit(limits(time.Second, 3*time.Second))
			return p.Result()
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := &world{options: []string{ponders}}
				s := w.searcher(t)
				if r, err := ask(t, s, game(t, "")); err != nil || r.Source != "search" {
					t.Errorf("got a move of %q, %v; want one of the embedded engine", r.Source, err)
				}
				synctest.Wait()
				if diff := cmp.Diff([]string{failed, back}, w.said()); diff != "" {
					t.Errorf("reports (-want +got):\n%s", diff)
				}
			})
		})
	}
}

func TestAPonderThatMissedMakesRoom(t *testing.T) {
	for _, options := range [][]string{nil, {ponders}} {
		synctest.Test(t, func(t *testing.T) {
			w := &world{options: options, answer: func(_ int, command string, say func(string)) bool {
				switch {
				case strings.HasPrefix(command, "go ponder"):
					return true
				case command == "stop":
					time.Sleep(300 * time.Millisecond)
					say("bestmove a2a3")
				}
				return false
			}}
			s := w.searcher(t)
			p := s.Ponder(t.Context(), game(t, "", "e2e4", "e7e5"), engine.Limits{}, nil)
			time.Sleep(time.Second)
			began := time.Now()
			p.Stop()
			if r, err := p.Result(); err != nil || r.Best == position.NoMove || time.Since(began) > 50*time.Millisecond {
				t.Errorf("got %v, %v after %v", r.Best, err, time.Since(began))
			}
			// The answer to the stop comes later and is not taken for the next one.
			if got := search(t, s, game(t, ""), time.Second, 3*time.Second); !strings.HasPrefix(got, "engine e2e4") {
				t.Errorf("the next search: got %s", got)
			}
			if len(w.said()) > 0 {
				t.Errorf("reports %q, want none", w.said())
			}
		})
	}
}

func TestTheEmbeddedEnginePondersForOneThatLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &world{options: []string{ponders}, starts: 1, answer: func(_ int, command string, say func(string)) bool {
			if isGo(command) {
				say(crash)
			}
			return isGo(command)
		}}
		s := w.searcher(t)
		search(t, s, game(t, ""), time.Second, 3*time.Second)
		s.Ponder(t.Context(), game(t, ""), engine.Limits{}, nil)
		if got := w.count(&w.pondered); got != 1 {
			t.Errorf("it pondered %d times, want once", got)
		}
	})
}

func TestTheEngineIsToldWhomItPlays(t *testing.T) {
	const option = "UCI_Opponent type string default"
	for _, c := range []struct {
		options  []string
		opponent engine.Opponent
		want     []string
	}{
		{[]string{option}, engine.Opponent{Name: "Anna", Title: "WGM", Rating: 2400}, []string{"setoption name UCI_Opponent value WGM 2400 human Anna"}},
		{[]string{option}, engine.Opponent{Name: "MyBot", Bot: true}, []string{"setoption name UCI_Opponent value none none computer MyBot"}},
		{[]string{option}, engine.Opponent{}, nil},
		{nil, engine.Opponent{Name: "Anna"}, nil},
	} {
		synctest.Test(t, func(t *testing.T) {
			w := &world{options: c.options}
			s := w.searcher(t)
			s.NewGame()
			s.Introduce(engine.Introduction{Opponent: c.opponent})
			for range 2 {
				search(t, s, game(t, ""), time.Second, 3*time.Second)
			}
			if diff := cmp.Diff(c.want, w.engine(0).commands("setoption"), cmp.Transformer("", func(s []string) []string { return append([]string{}, s...) })); diff != "" {
				t.Errorf("%+v: the engine was told (-want +got):\n%s", c.opponent, diff)
			}
		})
	}
}

func TestAGameOfTheEmbeddedEngine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &world{options: []string{ponders}}
		s := w.searcher(t)
		s.NewGame()
		s.Introduce(engine.Introduction{Embedded: true})
		if got, want := search(t, s, game(t, ""), time.Second, 3*time.Second), "search a2a3 after 1s"; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		s.Ponder(t.Context(), game(t, ""), engine.Limits{}, nil)
		if got := w.count(&w.pondered); got != 1 {
			t.Errorf("the embedded engine pondered %d times, want once", got)
		}
		if told := w.engine(0).commands("go"); len(told) > 0 {
			t.Errorf("the engine was told %q", told)
		}
		s.Introduce(engine.Introduction{})
		if got, want := search(t, s, game(t, ""), time.Second, 3*time.Second), "engine e2e4 after 0s"; got != want {
			t.Errorf("the other game: got %s, want %s", got, want)
		}
	})
}

// The watchdogs, and everything else that runs, end with the searcher.
func TestClose(t *testing.T) {
	for name, prepare := range map[string]func(t *testing.T, s *external.Searcher){
		"idle":           func(*testing.T, *external.Searcher) {},
		"twice":          func(_ *testing.T, s *external.Searcher) { s.Close() },
		"about to renew": func(_ *testing.T, s *external.Searcher) { s.NewGame() },
		"searching": func(t *testing.T, s *external.Searcher) {
			g := game(t, "")
			go s.Search(t.Context(), g, limits(time.Minute, time.Hour), nil)
		},
		"pondering": func(t *testing.T, s *external.Searcher) { s.Ponder(t.Context(), game(t, ""), engine.Limits{}, nil) },
		"restarting": func(t *testing.T, s *external.Searcher) {
			search(t, s, game(t, "", "e2e4"), time.Second, 3*time.Second)
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := &world{options: []string{ponders}, answer: func(_ int, command string, say func(string)) bool {
					if strings.HasSuffix(command, "moves e2e4") {
						say(crash)
					}
					return isGo(command)
				}}
				s := w.searcher(t)
				w.takes = time.Minute // of a restart
				prepare(t, s)
				synctest.Wait()
				began := time.Now()
				s.Close()
				if took := time.Since(began); took > 3*time.Second {
					t.Errorf("it took %v", took)
				}
				if got, want := search(t, s, game(t, ""), time.Second, 3*time.Second), "search a2a3 after 1s"; got != want {
					t.Errorf("after it: got %s, want %s", got, want)
				}
			})
		})
	}
}

func TestAnEngineThatDoesNotStartIsAnError(t *testing.T) {
	why := errors.New("no such file")
	_, err := external.New(t.Context(), external.Options{Start: func(context.Context) (external.Engine, error) { return nil, why }})
	if !errors.Is(err, why) {
		t.Errorf("got %v, want %v", err, why)
	}
}

func TestMain(m *testing.M) { leaktest.Main(m) }

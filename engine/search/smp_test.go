package search

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"zeitnot/engine"
	"zeitnot/engine/position"
)

// lastLine remembers the last info that is a line.
type lastLine struct{ engine.Info }

func (l *lastLine) note(i engine.Info) {
	if i.CurrMove == position.NoMove && i.MultiPV == 1 {
		l.Info = i
	}
}

func TestThreadsAnswerHoweverTheSearchEnds(t *testing.T) {
	defer goleak.VerifyNone(t)
	ms := time.Millisecond
	rounds := 5
	if testing.Short() {
		rounds = 2
	}
	for _, threads := range []int{2, 4} {
		s := New(Options{HashMB: 1, Threads: threads})
		for _, tt := range []struct {
			name   string
			search func(g position.Game, n int, onInfo func(engine.Info)) (engine.Result, error)
		}{
			{"deadline", func(g position.Game, n int, onInfo func(engine.Info)) (engine.Result, error) {
				return s.Search(context.Background(), g, engine.Limits{Soft: new(time.Duration(n) * ms), Hard: new(time.Duration(n) * 2 * ms)}, onInfo)
			}},
			{"stop", func(g position.Game, n int, onInfo func(engine.Info)) (engine.Result, error) {
				ctx, cancel := context.WithTimeout(context.Background(), time.Duration(n)*ms)
				defer cancel()
				return s.Search(ctx, g, engine.Limits{Infinite: true}, onInfo)
			}},
			{"nodes", func(g position.Game, n int, onInfo func(engine.Info)) (engine.Result, error) {
				return s.Search(context.Background(), g, engine.Limits{Nodes: new(1 + n*300)}, onInfo)
			}},
			{"depth", func(g position.Game, n int, onInfo func(engine.Info)) (engine.Result, error) {
				return s.Search(context.Background(), g, engine.Limits{Depth: new(1 + n), Nodes: new(3000)}, onInfo)
			}},
			{"ponder hit", func(g position.Game, n int, onInfo func(engine.Info)) (engine.Result, error) {
				p := s.Ponder(context.Background(), g, engine.Limits{}, onInfo)
				time.AfterFunc(time.Duration(n)*ms/2, func() { p.Hit(engine.Limits{Soft: new(time.Duration(n) * ms), Hard: new(ms)}) })
				return p.Result()
			}},
			{"ponder miss", func(g position.Game, n int, onInfo func(engine.Info)) (engine.Result, error) {
				p := s.Ponder(context.Background(), g, engine.Limits{}, onInfo)
				time.AfterFunc(time.Duration(n)*ms/2, p.Stop)
				return p.Result()
			}},
			{"several lines", func(g position.Game, n int, onInfo func(engine.Info)) (engine.Result, error) {
				return s.Search(context.Background(), g, engine.Limits{Nodes: new(1 + n*300), MultiPV: 3}, onInfo)
			}},
		} {
			for n := range rounds {
				for _, fen := range []string{position.StartFEN, kiwipete, quiescent, "8/8/8/8/8/1k6/7r/K7 b - - 0 1"} {
					g := mustGame(t, fen)
					var last lastLine
					r, err := tt.search(g, n, last.note)
					if err != nil || !g.Position().IsLegal(r.Best) {
						t.Fatalf("%d threads, %s, %d, %s: got %v, %v", threads, tt.name, n, fen, r, err)
					}
					if len(last.PV) > 0 && (last.PV[0] != r.Best || last.Score != r.Score || last.Depth != r.Depth) {
						t.Errorf("%d threads, %s, %d, %s: the last line %+v does not fit the result %+v", threads, tt.name, n, fen, last.Info, r)
					}
				}
				if n%3 == 0 {
					s.NewGame()
				}
			}
		}
		s.Wait() // a helper may be the last one to be run
	}
}

func TestEachHelperKeepsTheDeadlineByItself(t *testing.T) {
	for _, fen := range []string{position.StartFEN, kiwipete, quiescent} {
		for _, after := range []int{0, 1, 7, 100} {
			s := New(Options{HashMB: 1, Threads: 3})
			for n, h := range s.main.helpers {
				reads, last, worst := 0, uint64(0), uint64(0)
				c := &control{orders: new(orders), yield: yieldNodes, depthLimit: maxPly - 1, timed: true, hasDeadline: true, deadline: time.Second}
				c.now = func() time.Duration {
					worst, last = max(worst, h.nodes-last), h.nodes
					if reads++; reads > after {
						return time.Minute
					}
					return 0
				}
				d := &deepening{Searcher: s, t: h, c: c, g: mustGame(t, fen), lines: 1}
				d.help(n + 1) // nobody tells it to stop
				if err := s.takeFault(); err != nil {
					t.Fatal(err)
				}
				if h.nodes != last || worst > uint64(s.YieldNodes()) || reads != after+1 {
					t.Errorf("%s, helper %d, %d reads: stopped at node %d, past the deadline at %d, %d without a look",
						fen, n+1, after, h.nodes, last, worst)
				}
			}
		}
	}
}

func TestOneThreadAgainIsAsBefore(t *testing.T) {
	g := mustGame(t, kiwipete)
	l := engine.Limits{Nodes: new(10_000)}
	want, _ := New(Options{HashMB: 1}).Search(context.Background(), g, l, nil)

	s := New(Options{HashMB: 1, Threads: 3})
	if _, err := s.Search(context.Background(), g, l, nil); err != nil {
		t.Fatal(err)
	}
	if err := s.SetThreads(1); err != nil {
		t.Fatal(err)
	}
	s.NewGame()
	got, err := s.Search(context.Background(), g, l, nil)
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v, result (-want +got):\n%s", err, diff)
	}
}

func TestAClockMovedByNodesAllowsOneThread(t *testing.T) {
	s := New(Options{HashMB: 1, Threads: 4, NodesPerMS: 10})
	if n := len(s.all()); n != 1 {
		t.Errorf("got %d threads, want 1", n)
	}
	if err := s.SetThreads(2); err == nil {
		t.Error("2 threads accepted")
	}
}

func TestNodesOfAllThreadsCount(t *testing.T) {
	const limit = 20_000
	s := New(Options{HashMB: 1, Threads: 2})
	r, err := s.Search(context.Background(), mustGame(t, kiwipete), engine.Limits{Nodes: new(limit)}, nil)
	s.Wait()
	if err != nil || r.Nodes < limit || r.Nodes > s.main.allNodes() || s.main.nodes > limit {
		t.Errorf("got %d nodes, %v; want at least %d, of which the main thread searched %d of %d",
			r.Nodes, err, limit, s.main.nodes, s.main.allNodes())
	}
	if shown := s.main.helpers[0].shown.nodes.Load(); shown != s.main.helpers[0].nodes {
		t.Errorf("the helper shows %d nodes of %d", shown, s.main.helpers[0].nodes)
	}
	// A search that needs no helpers does not count those of the last one.
	r, err = s.Search(context.Background(), mustGame(t, kiwipete), engine.Limits{Hard: new(time.Duration(0))}, nil)
	if err != nil || r.Nodes > yieldNodes {
		t.Errorf("at once: got %d nodes, %v", r.Nodes, err)
	}
}

// fragile are tables that panic when they are asked for the second time.
type fragile struct{ asked atomic.Int32 }

func (f *fragile) MaxMen() int {
	if f.asked.Add(1) == 2 {
		panic("torn")
	}
	return 0
}

func (f *fragile) ProbeWDL(*position.Position) (int, bool) { return 0, false }

func TestPanicOfAHelperIsAnErrorOfTheSearch(t *testing.T) {
	s := New(Options{HashMB: 1, Threads: 2, Tables: new(fragile)})
	g := mustGame(t, kiwipete)
	_, first := s.Search(context.Background(), g, engine.Limits{Depth: new(5)}, nil)
	s.Wait()
	r, second := s.Search(context.Background(), g, engine.Limits{Depth: new(5)}, nil)
	err := first
	if err == nil {
		err = second // the helper came too late for the first
	}
	if err == nil || !strings.Contains(err.Error(), "search helper 1 panic: torn") || first != nil && second != nil {
		t.Errorf("got %v, then %v; want the panic once", first, second)
	}
	if !g.Position().IsLegal(r.Best) {
		t.Errorf("got %v, not a legal move", r.Best)
	}
}

func TestSkippedDepths(t *testing.T) {
	for n, want := range map[int]string{
		1: "-+-+-+-+-+-+", 2: "+-+-+-+-+-+-",
		3: "+--++--++--+", 4: "--++--++--++", 5: "-++--++--++-", 6: "++--++--++--",
		7: "++---+++---+", 12: "+++---+++---",
	} {
		got := ""
		for depth := 1; depth <= 12; depth++ {
			if skips(n, depth) {
				got += "-"
			} else {
				got += "+"
			}
		}
		if got != want {
			t.Errorf("helper %d: got %s, want %s", n, got, want)
		}
	}
}

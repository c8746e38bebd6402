package search_test

import (
	"testing"
	"time"

	"zeitnot/engine"
	"zeitnot/engine/position"
	"zeitnot/engine/search"
)

func TestAClockOfNodesStopsAtTheNode(t *testing.T) {
	s := search.New(search.Options{HashMB: 1, NodesPerMS: 10})
	if s.YieldNodes() != 1 {
		t.Errorf("%d nodes between two looks, want 1", s.YieldNodes())
	}
	g := game(t, position.StartFEN)
	// Twice, because each search begins at zero.
	for _, l := range []engine.Limits{
		{Hard: new(150 * time.Millisecond)},
		{Hard: new(150 * time.Millisecond), Soft: new(time.Hour), Deadline: new(150 * time.Millisecond)},
	} {
		if r := find(t, s, g, l); r.Nodes != 1500 {
			t.Errorf("150 ms of 10 nodes each: searched %d nodes, want 1500", r.Nodes)
		}
	}
	if r := find(t, s, g, engine.Limits{Hard: new(time.Duration)}); r.Nodes > 1 || r.Best == position.NoMove {
		t.Errorf("no time at all: %d nodes for %v, want a move for at most one", r.Nodes, r.Best)
	}
}

func TestAClockOfNodesEndsDepthsBySoft(t *testing.T) {
	g := game(t, position.StartFEN)
	soft := engine.Limits{Soft: new(100 * time.Millisecond)}
	one := find(t, search.New(search.Options{HashMB: 1, NodesPerMS: 10}), g, soft)
	again := find(t, search.New(search.Options{HashMB: 1, NodesPerMS: 10}), g, soft)
	if one != again {
		t.Errorf("the same limits gave %+v and %+v", one, again)
	}
	// A depth is begun in the first two thirds, when twice the time is as near to soft.
	before := find(t, search.New(search.Options{HashMB: 1}), g, engine.Limits{Depth: new(one.Depth - 1)})
	if one.Nodes < 667 || before.Nodes >= 667 {
		t.Errorf("ended after %d nodes, the depth before took %d: want 667 between them", one.Nodes, before.Nodes)
	}
}

// Whatever the position, soft limits are what searches take on average.
func TestSoftIsWhatASearchTakesOnAverage(t *testing.T) {
	var sum, n float64
	for _, fen := range search.BenchFENs {
		g := game(t, fen)
		for soft := 1000; soft < 1500; soft += 125 {
			s := search.New(search.Options{HashMB: 1, NodesPerMS: 10})
			r := find(t, s, g, engine.Limits{Soft: new(time.Duration(soft) * time.Millisecond), Hard: new(time.Hour)})
			sum, n = sum+float64(r.Nodes)/float64(10*soft), n+1
		}
	}
	if mean := sum / n; mean < 0.85 || mean > 1.15 {
		t.Errorf("%.0f searches took %.2f of soft on average, want about 1", n, mean)
	}
}

// With soft and hard the same all of the time is used.
func TestADepthThatHardCutsIsBegunUntilThen(t *testing.T) {
	for soft := 1000; soft < 1500; soft += 50 {
		s := search.New(search.Options{HashMB: 1, NodesPerMS: 10})
		limit := new(time.Duration(soft) * time.Millisecond)
		if r := find(t, s, game(t, position.StartFEN), engine.Limits{Soft: limit, Hard: limit}); r.Nodes != uint64(soft)*10 {
			t.Errorf("%v: searched %d nodes, want all", *limit, r.Nodes)
		}
	}
}

// Where the game is decided a depth is not worth more than the soft limit: it is left
// unfinished, in a won game as in a lost one. Elsewhere it may go on to the hard limit.
func TestADecidedGameEndsInTheMiddleOfADepth(t *testing.T) {
	for _, tt := range []struct {
		name, fen string
		cut       bool
	}{
		{"won", "5rk1/2p2ppp/2p5/P7/2B1r3/1N2P3/1K1R2PP/5R2 w - - 0 28", true},
		{"lost", "r2qkb1r/ppp1pppp/8/8/8/8/5PPP/5RK1 w kq - 0 1", true},
		{"open", position.StartFEN, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			at, beyond := 0, 0
			for soft := 1000; soft < 3000; soft += 100 {
				s := search.New(search.Options{HashMB: 1, NodesPerMS: 10})
				r := find(t, s, game(t, tt.fen), engine.Limits{Soft: new(time.Duration(soft) * time.Millisecond), Hard: new(time.Hour)})
				switch limit := uint64(soft) * 10; {
				case r.Nodes == limit:
					at++
				case r.Nodes > limit:
					beyond++
				}
			}
			if got := at > 0 && beyond == 0; got != tt.cut || !got && (at > 0 || beyond == 0) {
				t.Errorf("of 20 searches %d ended at the soft limit itself and %d beyond, want a cut: %v", at, beyond, tt.cut)
			}
		})
	}
}

// What was found while pondering counts for the depth that runs at the hit.
func TestADecidedGameEndsInTheMiddleOfADepthAfterAPonderHit(t *testing.T) {
	s := search.New(search.Options{HashMB: 1, NodesPerMS: 10})
	pondering := make(chan engine.Pondering, 1)
	soft := time.Duration(0)
	p := s.Ponder(t.Context(), game(t, "5rk1/2p2ppp/2p5/P7/2B1r3/1N2P3/1K1R2PP/5R2 w - - 0 28"), engine.Limits{}, func(i engine.Info) {
		if i.Depth == 14 && soft == 0 {
			soft = time.Duration(i.Nodes/10*8/5) * time.Millisecond // long enough for the depth to be worth it
			(<-pondering).Hit(engine.Limits{Soft: &soft, Hard: new(time.Hour)})
		}
	})
	pondering <- p
	if r, err := p.Result(); err != nil || r.Nodes != uint64(soft.Milliseconds())*10 {
		t.Errorf("got %d nodes, %v; want those of the soft limit, %v", r.Nodes, err, soft)
	}
}

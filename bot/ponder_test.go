package bot_test

import (
	"context"
	"math/rand/v2"
	"net"
	"strings"
	"testing"
	"time"

	"zeitnot/bot"
	"zeitnot/engine"
	"zeitnot/engine/instant"
	"zeitnot/engine/position"
	"zeitnot/engine/scripted"
	"zeitnot/engine/search"
	"zeitnot/lichess"
	"zeitnot/lichess/sandbox"
)

// dozer is a sleeper that uses its soft limit of a second.
func dozer(o *bot.Options) {
	o.Ponder, o.Searchers = true, []engine.Searcher{scripted.Sleeper{Share: 1}}
}

// expected is the reply that a dozer expects in a game as the list shows it.
func expected(t *testing.T, list string) string {
	t.Helper()
	g, err := position.ParseGame("", false, strings.Fields(list))
	if err != nil {
		t.Fatal(err)
	}
	r, err := instant.Greedy{}.Search(t.Context(), g, engine.Limits{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return g.Position().UCI(r.Best, false)
}

// another is a legal reply that a dozer does not expect.
func another(t *testing.T, list string) string {
	t.Helper()
	for _, m := range []string{"a7a6", "h7h6"} {
		if m != expected(t, list) {
			return m
		}
	}
	return ""
}

func TestExpectedReplyFindsTheSearchUnderWay(t *testing.T) {
	for _, c := range []struct {
		name         string
		change       func(*bot.Options)
		after        time.Duration // that the opponent takes
		surprise     bool
		want         time.Duration // from the reply to our move
		wantPondered bool
	}{
		{"what was pondered counts", dozer, 600 * time.Millisecond, false, 400 * time.Millisecond, true},
		{"enough was pondered", dozer, 10 * time.Second, false, 0, true},
		{"another reply", dozer, 600 * time.Millisecond, true, time.Second, false},
		{"not wanted", func(o *bot.Options) { dozer(o); o.Ponder = false }, 600 * time.Millisecond, false, time.Second, false},
		{"a searcher that cannot", func(o *bot.Options) {
			o.Ponder, o.Searchers = true, []engine.Searcher{struct{ engine.Searcher }{scripted.Sleeper{Share: 1}}}
		}, 600 * time.Millisecond, false, time.Second, false},
		{"a searcher that panics when it ponders", func(o *bot.Options) {
			o.Ponder, o.Searchers = true, []engine.Searcher{badPonderer{scripted.Sleeper{Share: 1}}}
		}, 600 * time.Millisecond, false, time.Second, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			var log moveLog
			inVirtualTime(t, func(_ *stub, o *bot.Options) { c.change(o); o.Log = log.logger() }, func(r *rig) {
				r.game("abcd1234", lichess.White, "")
				r.start("abcd1234")
				r.after(time.Second + c.after)
				list := r.list("abcd1234")
				reply := expected(t, list)
				if c.surprise {
					reply = another(t, list)
				}
				replied := time.Now()
				r.reply("abcd1234", reply)
				r.after(5 * time.Second)
				at := r.times("move", replied)
				if len(at) != 2 || at[1] != c.want {
					t.Errorf("moves after the reply: got %v, want the second after %v", at, c.want)
				}
				r.end("abcd1234", lichess.StatusResign, lichess.White)
				r.want("slots", r.slotsUsed(), 0)
				r.want("searches", r.daemon.Health().SearchesInUse, 0)
			})
			if m := log.lines(t); m[len(m)-1].PonderHit != c.wantPondered {
				t.Errorf("log: got %+v, want pondered: %v", m[len(m)-1], c.wantPondered)
			}
		})
	}
}

// badPonderer has nothing against searching.
type badPonderer struct{ engine.Searcher }

func (badPonderer) Ponder(context.Context, position.Game, engine.Limits, func(engine.Info)) engine.Pondering {
	panic("test")
}

// The reply that our search expects is mate: nothing is left to ponder about.
func TestReplyThatEndsTheGameIsNotPondered(t *testing.T) {
	inVirtualTime(t, func(_ *stub, o *bot.Options) {
		dozer(o)
		o.Searchers = []engine.Searcher{fool{o.Searchers[0].(scripted.Sleeper)}}
	}, func(r *rig) {
		g := r.game("abcd1234", lichess.White, "")
		g.full.InitialFEN = "rnbqkbnr/pppp1ppp/4p3/8/8/5P2/PPPPP1PP/RNBQKBNR w KQkq - 0 2"
		g.full.Variant = lichess.VariantOf(lichess.FromPosition)
		r.start("abcd1234")
		r.after(5 * time.Second)
		r.want("moves", r.made("move"), "[move abcd1234 g2g4]")
		r.want("searches", r.daemon.Health().SearchesInUse, 0)
		r.moves("abcd1234", "g2g4 d8h4")
		r.after(100 * time.Millisecond)
		r.want("searches after the mate", r.daemon.Health().SearchesInUse, 0)
		r.end("abcd1234", lichess.StatusMate, lichess.Black)
		r.want("slots", r.slotsUsed(), 0)
		r.want("streams", r.streams("abcd1234"), 1)
	})
}

// fool walks into the fool's mate, and expects it.
type fool struct{ scripted.Sleeper }

func (f fool) Search(ctx context.Context, g position.Game, l engine.Limits, onInfo func(engine.Info)) (engine.Result, error) {
	r, err := f.Sleeper.Search(ctx, g, l, onInfo)
	r.Best, _ = g.Position().ParseUCI("g2g4")
	after := g.Play(r.Best)
	r.Ponder, _ = after.Position().ParseUCI("d8h4")
	return r, err
}

func TestPonderSearchGivesWayToAnotherGame(t *testing.T) {
	inVirtualTime(t, func(_ *stub, o *bot.Options) { dozer(o); o.Concurrency = 2 }, func(r *rig) {
		r.game("abcd1234", lichess.White, "")
		r.start("abcd1234")
		r.after(2 * time.Second) // ponders now
		r.want("searches while both wait", r.daemon.Health().SearchesInUse, 1)
		r.game("efgh5678", lichess.White, "e2e4 e7e5")
		began := time.Now()
		r.start("efgh5678")
		r.after(500 * time.Millisecond)
		// The reply that was expected comes while the other game has the slot.
		r.reply("abcd1234", expected(t, r.list("abcd1234")))
		r.after(5 * time.Second)
		if at := r.times("move efgh5678", began); len(at) != 1 || at[0] > time.Second+50*time.Millisecond {
			t.Errorf("move of the other game: got %v, want one after a second", at)
		}
		if at := r.times("move abcd1234", began); len(at) != 2 || at[1] > 2500*time.Millisecond {
			t.Errorf("moves of the game that pondered: got %v, want a second one within its hard limit", at)
		}
	})
}

func TestPonderSearchOfAPositionThatIsGoneIsEnded(t *testing.T) {
	inVirtualTime(t, func(_ *stub, o *bot.Options) { dozer(o) }, func(r *rig) {
		r.game("abcd1234", lichess.White, "e2e4 e7e5")
		r.start("abcd1234")
		r.after(2500 * time.Millisecond)
		r.want("searches while the opponent thinks", r.daemon.Health().SearchesInUse, 1)
		r.moves("abcd1234", "e2e4") // a takeback that makes it their turn still
		r.after(2 * time.Second)
		r.want("searches after the takeback", r.daemon.Health().SearchesInUse, 0)
		r.want("moves", len(r.made("move")), 1)
	})
}

func TestGamesWithoutAClockDoNotPonder(t *testing.T) {
	inVirtualTime(t, func(_ *stub, o *bot.Options) { dozer(o) }, func(r *rig) {
		g := r.game("abcd1234", lichess.White, "e2e4 e7e5")
		g.full.Clock, g.full.Speed = nil, lichess.Correspondence
		r.start("abcd1234")
		r.after(10 * time.Second)
		r.want("moves", len(r.made("move")), 1)
		r.want("searches", r.daemon.Health().SearchesInUse, 0)
	})
}

// opponent searches as it is told and moves within a second.
func opponent(s engine.Searcher) sandbox.OpponentSpec {
	return sandbox.OpponentSpec{Name: rival, Rating: 1900, New: func(info sandbox.GameInfo) sandbox.Opponent {
		return weak{s, rand.New(rand.NewPCG(info.Seed, 0))}
	}}
}

func TestGamesArePonderedThrough(t *testing.T) {
	for _, c := range []struct {
		name   string
		faults string
		hits   int // at least
	}{
		{"nothing goes wrong", "latency account=zeitnot in=30ms out=30ms", 15},
		{"streams are cut and moves lost", "latency account=zeitnot in=30ms out=30ms; cut game ply=11; reset game ply=21; hang move from=7; lost move from=14", 10},
	} {
		t.Run(c.name, func(t *testing.T) {
			faults, err := sandbox.ParseFaults(c.faults)
			if err != nil {
				t.Fatal(err)
			}
			var log moveLog
			o := sandbox.Options{Seed: 1, Faults: faults, Opponents: []sandbox.OpponentSpec{opponent(instant.Greedy{Seed: 4})}}
			inSandbox(t, o, func(o *bot.Options) {
				o.Ponder, o.Log = true, log.logger()
				o.Searchers = []engine.Searcher{scripted.Sleeper{Share: 1, Seed: 4}}
				o.Clock = fixed{Soft: time.Second, Hard: 2 * time.Second}
			}, func(h *house) {
				r := h.finished(h.challenge(sandbox.Challenge{}), time.Hour)
				if s := r.Status.String(); s == "outoftime" || s == "aborted" || len(r.Moves) < 40 {
					t.Errorf("game: got %v of %d plies", s, len(r.Moves))
				}
				if n := len(h.Requests(func(q sandbox.Request) bool { return q.Endpoint == sandbox.EndpointMove && q.Status == 400 })); n > 0 {
					t.Errorf("moves refused: got %d, want none", n)
				}
				h.wantIdle()
			})
			hits := 0
			for _, m := range log.lines(t) {
				if m.PonderHit {
					hits++
				}
			}
			if hits < c.hits {
				t.Errorf("ponder hits: got %d, want %d at least", hits, c.hits)
			}
		})
	}
}

// The engine itself, on real clocks and sockets.
func TestEnginePondersInARealGame(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var log moveLog
	rival := opponent(nil)
	rival.New = func(info sandbox.GameInfo) sandbox.Opponent {
		return quickly{weak{nodes{search.New(search.Options{HashMB: 1}), 2000}, rand.New(rand.NewPCG(info.Seed, 0))}}
	}
	h := newHouse(t, sandbox.Options{Seed: 3, Opponents: []sandbox.OpponentSpec{rival}}, l, func(o *bot.Options) {
		o.Ponder, o.Log = true, log.logger()
		o.Searchers = []engine.Searcher{search.New(search.Options{HashMB: 4})}
		o.Clock = fixed{Soft: 30 * time.Millisecond, Hard: 60 * time.Millisecond}
	})
	h.client.URL = "http://" + l.Addr().String()
	defer h.close()
	h.start()
	r := h.finished(h.challenge(sandbox.Challenge{}), 20*time.Minute)
	if s := r.Status.String(); s == "outoftime" || s == "aborted" || len(r.Moves) < 20 {
		t.Errorf("game: got %v of %d plies", s, len(r.Moves))
	}
	hits := 0
	for _, m := range log.lines(t) {
		if m.PonderHit {
			hits++
		}
	}
	if hits == 0 {
		t.Errorf("ponder hits: got none in %d plies", len(r.Moves))
	}
	t.Logf("%d ponder hits in %d plies", hits, len(r.Moves))
	h.wantIdle()
}

// quickly makes an opponent move at once and give up after twenty-five moves.
type quickly struct{ weak }

func (q quickly) Act(ctx context.Context, v sandbox.View) (sandbox.Action, error) {
	if v.MyTurn && len(v.Moves) >= 50 {
		return sandbox.Action{Resign: true}, nil
	}
	a, err := q.weak.Act(ctx, v)
	a.After = 40 * time.Millisecond
	return a, err
}

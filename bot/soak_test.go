package bot_test

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"zeitnot/bot"
	"zeitnot/engine"
	"zeitnot/engine/position"
	"zeitnot/lichess"
)

// Months of a service in short: after a hundred games as much is held as after a thousand,
// with a talkative engine, ten challenges beside each game and two reconnects.
func TestNothingGrowsWithTheGames(t *testing.T) {
	games := 1000
	if testing.Short() {
		games = 300
	}
	var log bytesWritten
	inVirtualTime(t, func(_ *stub, o *bot.Options) {
		o.StateDir, o.Log = t.TempDir(), zerolog.New(&log).Level(zerolog.InfoLevel)
		o.Chat.Commands, o.Ponder = true, true
	}, func(r *rig) {
		r.think.answer = func(ctx context.Context, g position.Game, l engine.Limits, onInfo func(engine.Info)) (engine.Result, error) {
			res, err := pause(ctx, g, l, 10*time.Millisecond)
			for depth := range 10_000 {
				onInfo(engine.Info{Depth: depth, Bound: engine.BoundExact, PV: []position.Move{res.Best}})
			}
			return res, err
		}
		var first held
		for n := range games {
			id := fmt.Sprintf("g%07d", n)
			r.game(id, lichess.White, "")
			r.start(id)
			for i := range 10 {
				c := challenge(fmt.Sprintf("c%d.%d", n, i), fmt.Sprintf("user%d.%d", n, i))
				r.send(challenged(c))
				r.send(lichess.Event{Type: lichess.EventChallengeCanceled, Challenge: c})
			}
			r.after(100 * time.Millisecond)
			r.reply(id, "e7e5")
			r.cut(id, io.EOF)
			r.after(time.Second)
			r.line(id, lichess.GameLine{Chat: &lichess.ChatLine{Username: "Watcher", Room: lichess.RoomSpectator, Text: "!eval"}})
			r.end(id, lichess.StatusResign, lichess.White)
			r.send(io.EOF)
			r.after(time.Minute)
			r.forget(id)
			if n+1 == games/10 {
				first = r.held(&log, n+1)
			}
		}
		last := r.held(&log, games)
		// Some of an earlier test may have been there at first.
		if last.goroutines > first.goroutines {
			t.Errorf("goroutines: got %d after %d games, %d after a tenth of them", last.goroutines, games, first.goroutines)
		}
		r.want("slots", r.slotsUsed(), 0)
		if last.heap > first.heap+first.heap/10+64<<10 {
			t.Errorf("memory: got %d bytes after %d games, %d after a tenth of them", last.heap, games, first.heap)
		}
		if last.logged > first.logged+first.logged/10 {
			t.Errorf("log: got %d bytes a game, %d in the first tenth", last.logged, first.logged)
		}
		if r.daemon.Health().GamesFinished != int64(games) {
			t.Errorf("games: got %d, want %d", r.daemon.Health().GamesFinished, games)
		}
	})
}

// held is what a process has of the things that may leak.
type held struct {
	goroutines   int
	heap, logged int64
}

func (r *rig) held(log *bytesWritten, games int) held {
	r.after(time.Hour)
	synctest.Wait()
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return held{runtime.NumGoroutine(), int64(m.HeapAlloc), log.n.Load() / int64(games)}
}

// forget drops what the stub itself remembers of a game.
func (r *rig) forget(id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.games, id)
	r.calls = nil
	r.think.mu.Lock()
	r.think.searched = nil
	r.think.mu.Unlock()
}

// bytesWritten counts.
type bytesWritten struct{ n atomic.Int64 }

func (b *bytesWritten) Write(p []byte) (int, error) {
	b.n.Add(int64(len(p)))
	return len(p), nil
}

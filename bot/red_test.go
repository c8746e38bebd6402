package bot_test

import (
	"context"
	"testing"
	"time"

	"zeitnot/bot"
	"zeitnot/clock"
	"zeitnot/engine"
	"zeitnot/engine/position"
	"zeitnot/engine/search"
	"zeitnot/lichess"
)

// byClock is a policy that a test writes.
type byClock func(clock.State) clock.Budget

func (byClock) Name() string                        { return "by clock" }
func (f byClock) Budget(s clock.State) clock.Budget { return f(s) }

func TestNoTimeToThinkIsNotSpentWaitingForASlot(t *testing.T) {
	var log moveLog
	inVirtualTime(t, func(_ *stub, o *bot.Options) {
		o.Log, o.Concurrency, o.LastResort = log.logger(), 2, search.New(search.Options{HashMB: 1})
		o.Clock = byClock(func(s clock.State) clock.Budget {
			if s.Remaining < time.Second {
				return clock.Budget{Soft: 3 * time.Millisecond, Hard: 3 * time.Millisecond, Red: true}
			}
			return clock.Budget{Soft: 10 * time.Second, Hard: 10 * time.Second}
		})
	}, func(r *rig) {
		r.think.answer = plays(nil, 10*time.Second)
		r.game("rich5678", lichess.White, "e2e4 e7e5")
		r.start("rich5678")
		r.after(time.Second)
		// A queen hangs: one ply sees it.
		g := r.game("poor1234", lichess.White, "e2e4 d7d5 b1c3 d8d6 d2d3 d6a3")
		g.full.State.WTime = 500
		began := time.Now()
		r.start("poor1234")
		r.after(2 * time.Second)
		r.want("moves", r.made("move poor"), "[move poor1234 b2a3]")
		r.want("time of the move", r.times("move poor", began)[0], time.Duration(0))
		r.want("moves of the game that searches", len(r.made("move rich")), 0)
	})
	if m := log.lines(t); len(m) != 1 || !m[0].Red || m[0].Source != "last resort" {
		t.Errorf("log: got %+v, want one move by the last resort", m)
	}
}

func TestNoTimeToThinkStillAsksAFreeSearcher(t *testing.T) {
	inVirtualTime(t, func(_ *stub, o *bot.Options) {
		o.Clock = fixed{Soft: 3 * time.Millisecond, Hard: 3 * time.Millisecond, Red: true}
	}, func(r *rig) {
		r.think.answer = func(ctx context.Context, g position.Game, l engine.Limits, _ func(engine.Info)) (engine.Result, error) {
			return pause(ctx, g, l, *l.Soft)
		}
		r.game("abcd1234", lichess.White, "e2e4 e7e5")
		r.start("abcd1234")
		r.after(time.Second)
		r.want("searches", len(r.think.asked()), 1)
		r.want("moves", len(r.made("move")), 1)
	})
}

func TestTheOnlyMoveWaitsForNoSlot(t *testing.T) {
	var log moveLog
	inVirtualTime(t, func(_ *stub, o *bot.Options) {
		o.Log, o.Concurrency = log.logger(), 2
		o.Clock = fixed{Soft: 10 * time.Second, Hard: 10 * time.Second}
	}, func(r *rig) {
		r.think.answer = plays(nil, 10*time.Second)
		r.game("busy5678", lichess.White, "e2e4 e7e5")
		r.start("busy5678")
		r.after(time.Second)
		g := r.game("only1234", lichess.White, "")
		g.full.InitialFEN, g.full.Variant = "7k/8/8/8/8/8/r5pp/7K w - - 0 1", lichess.VariantOf(lichess.FromPosition)
		began := time.Now()
		r.start("only1234")
		r.after(2 * time.Second)
		r.want("moves", r.made("move only"), "[move only1234 h1h2]")
		r.want("time of the move", r.times("move only", began)[0], time.Duration(0))
		r.want("searches", len(r.think.asked()), 1)
	})
	if m := log.lines(t); len(m) != 1 || m[0].Source != "forced" {
		t.Errorf("log: got %+v, want one move that was forced", m)
	}
}

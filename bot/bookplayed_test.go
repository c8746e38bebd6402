package bot_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"zeitnot/bot"
	"zeitnot/bot/record"
	"zeitnot/engine"
	"zeitnot/engine/book"
	"zeitnot/engine/position"
	"zeitnot/lichess"
)

func TestBookMovesAreToldWithTheOutcome(t *testing.T) {
	var told []string
	inVirtualTime(t, func(_ *stub, o *bot.Options) {
		o.BookPlayed = func(moves []record.BookMove, outcome record.Outcome) {
			told = append(told, fmt.Sprint(moves, outcome))
		}
	}, func(r *rig) {
		r.think.answer = func(ctx context.Context, g position.Game, l engine.Limits, _ func(engine.Info)) (engine.Result, error) {
			result := engine.FirstLegal(g, nil)
			if result.Source = "book"; g.Len() >= 4 {
				result.Source = "search"
			}
			return result, nil
		}
		r.game("abcd1234", lichess.White, "")
		r.start("abcd1234")
		for _, reply := range []string{"e7e5", "d7d6"} {
			r.after(time.Second)
			r.reply("abcd1234", reply)
		}
		r.after(time.Second)
		r.end("abcd1234", lichess.StatusResign, lichess.Black)
		r.after(5 * time.Second)
		var want []record.BookMove
		g := position.NewGame(position.Start())
		for _, reply := range []string{"e7e5", "d7d6"} {
			m := engine.FirstLegal(g, nil).Best
			want = append(want, record.BookMove{Key: book.Key(g), Move: book.Code(m)})
			g = g.Play(m)
			var err error
			if g, err = g.PlayUCI(reply); err != nil {
				t.Fatal(err)
			}
		}
		r.want("told", told, []string{fmt.Sprint(want, record.Loss)})
	})
}

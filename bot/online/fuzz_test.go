package online_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"zeitnot/bot/online"
	"zeitnot/engine"
	"zeitnot/engine/position"
	"zeitnot/lichess"
)

// FuzzAnswer: whatever a database answers, nothing panics, what is advised are moves that the
// game has, none of them twice, with a score that exists, and asked again it says as much.
func FuzzAnswer(f *testing.F) {
	games := []position.Game{
		played(f, ""),
		played(f, "", "g1f3", "g8f6", "f3g1", "f6g8", "g1f3", "g8f6"),
		played(f, "r1bqkb1r/1ppp1ppp/p1n2n2/4p3/B3P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 2 5"),
		played(f, "", "f2f3", "e7e5", "g2g4"),
		played(f, bare),
		played(f, "8/8/8/8/3k4/8/2R5/K7 b - - 0 1", "d4d3", "c2b2", "d3d4", "b2c2", "d4d3", "c2b2", "d3d4"),
		played(f, "8/2k3P1/8/8/8/8/1p6/4K3 b - - 99 80"), // with promotions
	}
	sources := []func(*place) online.Source{
		(*place).tablebase,
		(*place).explorer,
		(*place).cloud,
		func(p *place) online.Source {
			return online.Explorer{Client: p.client, Games: lichess.PlayerGames, Player: "x", MaxMove: 15}
		},
	}
	for i := range games {
		f.Add(uint8(0), uint8(i), []byte(table(games[i], nil)))
		f.Add(uint8(0), uint8(i), []byte(table(games[i], map[string]string{"c2c3": "loss -2", "c2c4": "unknown 0", "b2b1q": "blessed-loss -110 z"})))
		f.Add(uint8(0), uint8(i), []byte(table(games[i], everyMove(games[i], "win 2", map[string]string{"d4d3": "maybe-win 20"}))))
		all := table(games[i], nil)
		first, rest, _ := strings.Cut(all, "},") // the first move once more, the last one not
		f.Add(uint8(0), uint8(i), []byte(first+"},"+strings.TrimPrefix(first, `{"category":"win","moves":[`)+"},"+rest[:strings.LastIndex(rest, ",{")]+"]}"))
		for _, source := range []uint8{1, 3} {
			f.Add(source, uint8(i), []byte(`{"moves":[{"uci":"e2e4","white":60,"draws":20,"black":20},{"uci":"e2e4","white":1099511627776,"draws":0,"black":0}]}`))
			f.Add(source, uint8(i), []byte("\n"+`{"moves":[{"uci":"f3g1","white":60,"draws":20,"black":-20},{"uci":"e1h1","white":9,"draws":1,"black":1}]}`+"\n{"))
		}
		f.Add(uint8(2), uint8(i), []byte(`{"depth":30,"pvs":[{"moves":"e1h1 f8e7","cp":-9223372036854775808}]}`))
		f.Add(uint8(2), uint8(i), []byte(`{"depth":30,"pvs":[{"moves":" d8h4","mate":-1,"cp":5},{}]}`))
		f.Add(uint8(2), uint8(i), []byte(`{"depth":30,"pvs":[{"moves":"d4d3","mate":0}]}`))
	}
	f.Fuzz(func(t *testing.T, source, game uint8, body []byte) {
		g := games[int(game)%len(games)]
		var all position.MoveList
		g.Position().Legal(&all)
		at(t, says(string(body)), func(t *testing.T, p *place) {
			var log bytes.Buffer
			a := p.adviser(sources[int(source)%len(sources)](p), func(o *online.Options) { o.Log = zerolog.New(&log) })
			first, ok := a.Advise(t.Context(), g, clock(time.Minute))
			second, again := a.Advise(t.Context(), g, clock(time.Minute))
			a.Close()
			if bytes.Contains(log.Bytes(), []byte("zeitnot/bot/online.")) {
				t.Errorf("a panic: %s", log.Bytes()) // its stack is in the log
			}
			if again != ok || second.Score != first.Score || second.Final != first.Final {
				t.Errorf("got %v %+v, then %v %+v", ok, first, again, second)
			}
			if ok != (len(first.Moves) > 0) || first.Score < -engine.Mate || first.Score > engine.Mate {
				t.Errorf("got %v %+v", ok, first)
			}
			for i, m := range first.Moves {
				if !slices.Contains(all.Slice(), m) || slices.Contains(first.Moves[:i], m) {
					t.Errorf("move %d of %v: not legal, or a second time", i+1, names(g, first))
				}
			}
		})
	})
}

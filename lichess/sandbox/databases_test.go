package sandbox_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"zeitnot/engine/position"
	"zeitnot/lichess/sandbox"
)

func query(path string, pairs ...string) string {
	q := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		q.Set(pairs[i], pairs[i+1])
	}
	return path + "?" + q.Encode()
}

func TestExplorerCountsGamesOfKnownLines(t *testing.T) {
	inBubble(t, sandbox.Options{}, func(w *world) {
		bot := w.as("GoBot")
		for _, c := range []struct {
			path   string
			status int
			moves  int
			first  string
		}{
			{query("/masters"), 200, 4, "e2e4"},
			{query("/lichess", "play", "e2e4,e7e5"), 200, 1, "g1f3"},
			{query("/lichess", "fen", "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"), 200, 4, "e7e5"},
			{query("/player", "player", "GoBot", "color", "white"), 200, 4, "e2e4"},
			{query("/player", "player", "Nobody", "color", "white"), 404, 0, ""},
			{query("/masters", "play", "a2a4"), 200, 0, ""},
			{query("/masters", "play", "e2e5"), 400, 0, ""},
			{query("/masters", "fen", "nonsense"), 400, 0, ""},
		} {
			v := bot.want(c.status, "GET", c.path)
			if c.status != 200 {
				continue
			}
			moves := v["moves"].([]any)
			if len(moves) != c.moves || c.moves > 0 && moves[0].(map[string]any)["uci"] != c.first {
				w.t.Errorf("%s: got %v, want %d moves, %s first", c.path, moves, c.moves, c.first)
			}
			sum := 0.0
			for _, m := range moves {
				sum += m.(map[string]any)["white"].(float64)
			}
			if sum != v["white"].(float64) {
				w.t.Errorf("%s: White won %v games by the moves, %v by the position", c.path, sum, v["white"])
			}
		}
		bot.token = ""
		bot.want(401, "GET", query("/masters"))
		bot.want(200, "GET", query("/standard", "fen", "4k3/8/8/8/8/8/8/4KQ2 w - - 0 1"))
	})
}

func TestCloudGivesALegalLine(t *testing.T) {
	inBubble(t, sandbox.Options{}, func(w *world) {
		bot := w.as("GoBot")
		// White castles here, which is written as the king taking its rook.
		fen := "r1bqkb1r/1ppp1ppp/p1n2n2/4p3/B3P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 2 5"
		v := bot.want(200, "GET", query("/api/cloud-eval", "fen", fen))
		line := v["pvs"].([]any)[0].(map[string]any)["moves"].(string)
		if !strings.HasPrefix(line, "e1h1 ") {
			w.t.Errorf("line %s, want it to begin with e1h1", line)
		}
		if _, err := position.ParseGame(fen, false, strings.Fields(line)); err != nil {
			w.t.Errorf("line %s: %v", line, err)
		}
		bot.want(404, "GET", query("/api/cloud-eval", "fen", "4k3/8/8/8/8/8/8/4KQ2 w - - 0 1"))
	})
}

func TestTablebaseKnowsTheWayToMate(t *testing.T) {
	inBubble(t, sandbox.Options{}, func(w *world) {
		bot := w.as("GoBot")
		for _, start := range []string{"8/8/8/3k4/8/8/2R5/K7 w - - 0 1", "8/8/8/3K4/8/8/2q5/k7 b - - 0 1"} {
			g, err := position.ParseGame(start, false, nil)
			if err != nil {
				w.t.Fatal(err)
			}
			left := 0
			for g.Position().HasLegalMove() {
				v := bot.want(200, "GET", query("/standard", "fen", g.Position().FEN()))
				dtz := int(v["dtz"].(float64))
				if left != 0 && max(dtz, -dtz) != left-1 {
					w.t.Fatalf("%s: DTZ %d after one of %d", g.Position().FEN(), dtz, left)
				}
				left = max(dtz, -dtz)
				best := v["moves"].([]any)[0].(map[string]any)
				if g, err = g.PlayUCI(best["uci"].(string)); err != nil {
					w.t.Fatal(err)
				}
			}
			if !g.Position().InCheck() || left != 1 {
				w.t.Errorf("%s: ends at %s, %d before the end; want mate", start, g.Position().FEN(), left)
			}
		}
		for fen, want := range map[string]string{
			"8/8/8/3k4/8/8/2N5/K7 w - - 0 1":   "draw",
			"8/8/8/3k4/8/4K3/6P1/8 w - - 0 1":  "unknown",
			"7k/5Q2/8/8/8/8/8/K7 b - - 0 1":    "draw", // stalemate
			"8/8/8/8/8/k7/8/KR6 w - - 0 1":     "win",
			"7K/8/8/8/8/8/2k5/1R6 b - - 0 1":   "draw", // it takes the rook
			"4k3/8/8/8/8/8/8/4K2R w K - 0 1":   "unknown",
			position.StartFEN:                  "unknown",
			"R6k/8/6K1/8/8/8/8/8 b - - 0 1":    "loss",
			"8/8/8/3k4/8/8/2R5/K7 w - - 99 90": "win",
		} {
			if v := bot.want(200, "GET", query("/standard", "fen", strings.ReplaceAll(fen, " ", "_"))); v["category"] != want {
				w.t.Errorf("%s: %v, want %s", fen, fmt.Sprint(v["category"]), want)
			}
		}
	})
}

package bot_test

import (
	"context"
	"strings"
	"testing"

	"zeitnot/engine"
	"zeitnot/engine/instant"
	"zeitnot/engine/pgn"
	"zeitnot/engine/position"
)

// castles is a searcher that castles as soon as it may.
type castles struct{ instant.Greedy }

func (c castles) Search(ctx context.Context, g position.Game, l engine.Limits, onInfo func(engine.Info)) (engine.Result, error) {
	var all position.MoveList
	g.Position().Legal(&all)
	for _, m := range all.Slice() {
		if m.IsCastle() {
			return engine.Result{Best: m, Source: "search"}, nil
		}
	}
	return c.Greedy.Search(ctx, g, l, onInfo)
}

// readPGN reads a whole file of games.
func readPGN(t *testing.T, text string) []pgn.Game {
	t.Helper()
	var games []pgn.Game
	r := pgn.NewReader(strings.NewReader(text))
	for {
		g, err := r.Next()
		if err != nil {
			if err.Error() != "EOF" {
				t.Fatalf("record: %v", err)
			}
			return games
		}
		games = append(games, g)
	}
}

package bot

import (
	"strings"
	"testing"
	"time"

	"zeitnot/engine/opening"
	"zeitnot/engine/pgn"
	"zeitnot/engine/position"
	"zeitnot/lichess"
)

func TestPGNOfOddGamesCanBeReadAgain(t *testing.T) {
	var openings opening.Names
	for _, c := range []struct {
		name   string
		fen    string
		moves  []string
		player lichess.Player
		end    ending
		want   string

		opening string
	}{
		{
			"quotes, backslashes and letters of elsewhere in a name", "startpos",
			[]string{"e2e4", "e7e5"},
			lichess.Player{Name: `a/..\b?"é`, Rating: 1500},
			ending{status: lichess.StatusResign, winner: lichess.White},
			"1-0", "C20 King's Pawn Game",
		},
		{"aborted without a move", "startpos", nil, lichess.Player{Name: "Opp"}, ending{status: lichess.StatusAborted}, "*", ""},
		{
			"Chess960 castling", "4kr2/pppppppp/8/8/8/8/PPPPPPPP/4KR2 w Ff - 0 1",
			[]string{"e1f1", "e8f8"},
			lichess.Player{AILevel: 3},
			ending{status: lichess.StatusDraw},
			"1/2-1/2", "",
		},
		{
			"anonymous, flag fallen without material", "4k3/4p3/8/8/8/8/4P3/4K3 w - - 0 1",
			[]string{"e2e4"},
			lichess.Player{},
			ending{status: lichess.StatusOutOfTime},
			"1/2-1/2", "",
		},
		{"status of the future", "startpos", []string{"e2e4"}, lichess.Player{Name: "Opp"}, ending{status: "futureName"}, "*", "B00 King's Pawn Game"},
	} {
		t.Run(c.name, func(t *testing.T) {
			root, err := position.ParseGame(c.fen, false, c.moves)
			if err != nil {
				t.Fatal(err)
			}
			g := &game{id: "abcd1234", root: root, us: position.White, full: &lichess.GameFull{
				ID: "abcd1234", InitialFEN: c.fen, White: lichess.Player{Name: "Zeitnot", Title: "BOT"}, Black: c.player,
				Clock: &lichess.GameClock{Initial: 180000, Increment: 2000},
			}}
			g.notes = []plyNote{
				{clock: time.Minute, hasClock: true, score: 17, depth: 9, scored: true},
				{clock: time.Minute, hasClock: true, source: "book"},
			}
			record := g.pgn(c.end, "https://lichess.org/", &openings)
			got, err := pgn.NewReader(strings.NewReader(record.String())).Next()
			if err != nil {
				t.Fatalf("%v in\n%s", err, record)
			}
			if got.Tags.Get("Black") != playerName(&c.player) || got.Result != c.want || len(got.Moves) != len(c.moves) {
				t.Errorf("got black %q, result %s, %d moves; want %q, %s, %d", got.Tags.Get("Black"), got.Result, len(got.Moves), playerName(&c.player), c.want, len(c.moves))
			}
			if site := got.Tags.Get("Site"); site != "https://lichess.org/abcd1234" {
				t.Errorf("site: got %q", site)
			}
			if eco, name := got.Tags.Get("ECO"), got.Tags.Get("Opening"); eco+" "+name != c.opening && eco+name != c.opening {
				t.Errorf("opening: got %q %q, want %q", eco, name, c.opening)
			}
			if len(c.moves) > 0 && (got.Moves[0].Clock == nil || got.Moves[0].Eval == nil || got.Moves[0].Eval.Score != 17) {
				t.Errorf("notes of the first move are lost: %+v", got.Moves[0])
			}
			if len(c.moves) > 1 && (got.Moves[1].Comment != "book" || got.Moves[1].Clock == nil) {
				t.Errorf("the second move does not say that it is from a book: %+v", got.Moves[1])
			}
			play, final := got.Play(), root.Position().FEN()
			if fen := play.Position().FEN(); fen != final {
				t.Errorf("final position: got %s, want %s", fen, final)
			}
		})
	}
}

package position_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"zeitnot/engine/position"
)

func game(t *testing.T, fen, moves string) position.Game {
	t.Helper()
	g, err := position.ParseGame(fen, false, strings.Fields(moves))
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func TestRepetitionsAreCountedFromTheInitialPosition(t *testing.T) {
	for _, c := range []struct {
		rule, fen, moves string
		want             int
	}{
		{"no move yet", "", "", 1},
		{"once back", "", "g1f3 g8f6 f3g1 f6g8", 2},
		{"twice back", "", "g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8", 3},
		{"one ply past it", "", "g1f3 g8f6 f3g1 f6g8 g1f3", 2},
		{"twice back by other ways from a position with kings and a pawn", "4k3/8/8/8/8/4P3/8/4K3 w - - 0 1", "e1d2 e8d7 d2e1 d7e8 e1f2 e8f7 f2e1 f7e8", 3},
		{"a clock in the FEN does not reach before it", "4k3/8/8/8/8/4P3/8/4K3 w - - 40 60", "e1d2 e8d7 d2e1 d7e8", 2},
		{"rights differ from those of the start", "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "a1b1 a8b8 b1a1 b8a8", 1},
		{"rights gone once stay gone", "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "a1b1 a8b8 b1a1 b8a8 a1b1 a8b8 b1a1 b8a8", 2},
		{"a legal en passant capture differs", "4k3/4p3/8/3P4/8/8/8/4K3 b - - 0 1", "e7e5 e1d1 e8d8 d1e1 d8e8", 1},
		{"an impossible one does not", "4k3/4p3/8/8/8/8/8/4K3 b - - 0 1", "e7e5 e1d1 e8d8 d1e1 d8e8", 2},
		{"a capture ends the search", "4k3/8/8/8/8/8/4p3/4K3 w - - 0 1", "e1e2 e8e7 e2e1 e7e8 e1e2 e8e7", 2},
	} {
		t.Run(c.rule, func(t *testing.T) {
			g := game(t, c.fen, c.moves)
			if got := g.Repetitions(); got != c.want {
				t.Errorf("got %d, want %d", got, c.want)
			}
		})
	}
}

func TestFiftyMoves(t *testing.T) {
	for _, c := range []struct {
		rule, fen, moves string
		want             bool
	}{
		{"at 99 half-moves", "4k3/8/8/8/8/8/8/R3K3 w - - 98 80", "a1a2", false},
		{"at 100 half-moves", "4k3/8/8/8/8/8/8/R3K3 w - - 99 80", "a1a2", true},
		{"a check is no mate", "4k3/8/8/8/8/8/8/R3K3 w - - 99 80", "a1a8", true},
		{"mate comes first", "4k3/8/4K3/8/8/8/8/R7 w - - 99 80", "a1a8", false},
		{"a pawn move starts anew", "4k3/8/8/8/8/8/P7/4K3 w - - 99 80", "a2a3", false},
		{"a capture starts anew", "4k3/8/8/8/8/8/r7/R3K3 w - - 99 80", "a1a2", false},
		{"castling does not", "4k3/8/8/8/8/8/8/4K2R w K - 99 80", "e1g1", true},
	} {
		t.Run(c.rule, func(t *testing.T) {
			g := game(t, c.fen, c.moves)
			if got := g.FiftyMoves(); got != c.want {
				t.Errorf("%s: got %v, want %v", g.Position().FEN(), got, c.want)
			}
		})
	}
}

func TestOwnMovesAreThoseOfTheSideToMove(t *testing.T) {
	for _, c := range []struct {
		rule, fen, moves string
		want             int
	}{
		{"start", "", "", 0},
		{"Black's first", "", "e2e4", 0},
		{"White's second", "", "e2e4 e7e5", 1},
		{"Black began", "4k3/8/8/8/8/8/4P3/4K3 b - - 0 30", "e8d8 e2e4 d8c8", 1},
		{"no moves: as the move number says", "4k3/8/8/8/8/8/4P3/4K3 b - - 0 30", "", 29},
	} {
		if g := game(t, c.fen, c.moves); g.OwnMoves() != c.want {
			t.Errorf("%s: got %d, want %d", c.rule, g.OwnMoves(), c.want)
		}
	}
}

func TestGameReadsCastlingInBothNotations(t *testing.T) {
	const want = "r1bqk2r/pppp1ppp/2n2n2/2b1p3/2B1P3/5N2/PPPP1PPP/RNBQ1RK1 w kq - 6 5"
	for _, castle := range []string{"e1g1", "e1h1"} {
		g := game(t, "startpos", "e2e4 e7e5 g1f3 b8c6 f1c4 f8c5 "+castle+" g8f6")
		if got := g.Position().FEN(); got != want {
			t.Errorf("with %s: got %s, want %s", castle, got, want)
		}
		var back []string
		p := *g.Initial()
		for _, m := range g.Moves() {
			back = append(back, p.UCI(m, false))
			var next position.Position
			p.Make(m, &next)
			p = next
		}
		if got, want := strings.Join(back, " "), "e2e4 e7e5 g1f3 b8c6 f1c4 f8c5 e1g1 g8f6"; got != want {
			t.Errorf("written for standard chess: got %s, want %s", got, want)
		}
	}
}

func TestGameErrorNamesThePly(t *testing.T) {
	_, err := position.ParseGame("", false, []string{"e2e4", "e2e4"})
	if err == nil || !strings.HasPrefix(err.Error(), `ply 2: move "e2e4" is illegal in `) {
		t.Errorf("got error %v, want one about ply 2", err)
	}
	g, err := game(t, "", "").PlayUCI("e2e4")
	if err != nil || g.Len() != 1 {
		t.Fatalf("got %d plies and error %v, want 1 ply", g.Len(), err)
	}
	if _, err = g.PlayUCI("e4e6"); err == nil || !strings.HasPrefix(err.Error(), "ply 2: ") {
		t.Errorf("got error %v, want one about ply 2", err)
	}
	if _, err = position.ParseGame("8/8 w", false, nil); err == nil {
		t.Error("a broken FEN gave no error")
	}
}

func TestChess960FlagOfAGame(t *testing.T) {
	for _, c := range []struct {
		fen         string
		asked, want bool
	}{
		{"", false, false},
		{"", true, true},
		{"4kr2/pppppppp/8/8/8/8/PPPPPPPP/4KR2 w Ff - 0 1", false, true},
	} {
		g, err := position.ParseGame(c.fen, c.asked, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := g.Position().Chess960(); got != c.want {
			t.Errorf("%q asked %v: got %v, want %v", c.fen, c.asked, got, c.want)
		}
	}
}

// Games branch: whatever is played on a shared game, nobody else's history changes.
func TestGamesAreImmutableAndUndoGoesBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := position.NewGame(drawPosition(t))
		history := []position.Game{g}
		for _, choice := range rapid.SliceOfN(rapid.Uint8(), 0, 30).Draw(t, "game") {
			moves := legalMoves(g.Position())
			if len(moves) == 0 {
				break
			}
			// A sibling is played first; it must leave no trace.
			g.Play(moves[0])
			g = g.Play(moves[int(choice)%len(moves)])
			history = append(history, g)
		}
		for i, h := range history {
			if h.Len() != i || len(h.Keys()) != i+1 {
				t.Fatalf("after %d plies: got %d moves, %d keys", i, h.Len(), len(h.Keys()))
			}
			u := g.Undo(g.Len() - i)
			if *u.Position() != *h.Position() || !slices.Equal(u.Moves(), h.Moves()) || !slices.Equal(u.Keys(), h.Keys()) {
				t.Fatalf("undo to ply %d: got %s, want %s", i, u.Position().FEN(), h.Position().FEN())
			}
			if h.Keys()[i] != h.Position().Key() {
				t.Fatalf("key after %d plies: got %#x, want %#x", i, h.Keys()[i], h.Position().Key())
			}
		}
		if u := g.Undo(g.Len() + 5); u.Len() != 0 {
			t.Fatalf("undo of more than all plies leaves %d", u.Len())
		}
	})
}

package pgn_test

import (
	"io"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"zeitnot/engine"
	"zeitnot/engine/pgn"
	"zeitnot/engine/position"
)

// words is text as a comment keeps it: single blanks, no braces, no notes.
var words = rapid.Map(rapid.SliceOfN(rapid.StringMatching(`[%;\[\]()!-z][!-z]{0,90}`), 0, 12), func(w []string) string {
	s := strings.Join(w, " ")
	return noteStart.ReplaceAllString(strings.NewReplacer("{", "(", "}", ")").Replace(s), "[")
})

// noteStart is what no comment has: the beginning of a note, with all that would make one again.
var noteStart = regexp.MustCompile(`\[%+`)

func drawGame(t *rapid.T) pgn.Game {
	starts := []string{
		position.StartFEN, "8/PR6/8/8/8/2k5/8/K7 b - - 3 41", "4kr2/pppppppp/8/8/8/8/PPPPPPPP/4KR2 w Ff - 0 1",
		"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
	}
	start, err := position.ParseFEN(rapid.SampledFrom(starts).Draw(t, "start"))
	if err != nil {
		t.Fatal(err)
	}
	g := pgn.NewGame(start)
	g.Comment = words.Draw(t, "comment")
	g.Result = rapid.SampledFrom([]string{pgn.WhiteWins, pgn.BlackWins, pgn.Draw, pgn.Unknown}).Draw(t, "result")
	value := rapid.StringMatching(`[ -~äß]{1,30}`)
	for _, name := range []string{"Event", "Site", "Date", "Round", "White", "Black"} {
		g.Tags.Set(name, value.Draw(t, name))
	}
	g.Tags.Set("Result", g.Result)
	g.Tags.Set("Annotator", value.Draw(t, "annotator"))
	p := start
	for range rapid.IntRange(0, 40).Draw(t, "plies") {
		var l position.MoveList
		p.Legal(&l)
		if l.Len() == 0 {
			break
		}
		ply := pgn.Ply{Move: l.At(rapid.IntRange(0, l.Len()-1).Draw(t, "move")), Comment: words.Draw(t, "comment")}
		if rapid.Bool().Draw(t, "noted") {
			clk := time.Duration(rapid.IntRange(0, 1e8).Draw(t, "clock")) * time.Millisecond
			emt := time.Duration(rapid.IntRange(0, 1e5).Draw(t, "elapsed")) * time.Millisecond
			score := engine.Score(rapid.IntRange(-30000, 30000).Draw(t, "score"))
			if n := rapid.IntRange(-100, 100).Draw(t, "mate"); n > 60 {
				score = engine.MateIn(2*(n-60) - 1)
			} else if n < -60 {
				score = engine.MatedIn(2 * (-n - 60))
			}
			ply.Clock, ply.Elapsed, ply.Eval = &clk, &emt, &pgn.Eval{Score: score, Depth: rapid.IntRange(0, 99).Draw(t, "depth")}
			ply.NAGs = []uint8{uint8(rapid.IntRange(1, 255).Draw(t, "nag"))}
		}
		g.Moves = append(g.Moves, ply)
		var next position.Position
		p.Make(ply.Move, &next)
		p = next
	}
	return g
}

func TestWhatIsWrittenIsReadTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := drawGame(t)
		text := want.String()
		for _, l := range strings.Split(text, "\n") {
			if strings.HasPrefix(l, "%") {
				t.Fatalf("a line would be an escape line: %q", l)
			}
		}
		r := pgn.NewReader(strings.NewReader(text + text))
		for range 2 {
			got, err := r.Next()
			if err != nil {
				t.Fatalf("%v in\n%s", err, text)
			}
			if got.Start.ShredderFEN() != want.Start.ShredderFEN() {
				t.Fatalf("start: got %s, want %s", got.Start.ShredderFEN(), want.Start.ShredderFEN())
			}
			if diff := cmp.Diff(want.Moves, got.Moves); diff != "" {
				t.Fatalf("moves (-want +got):\n%s\n%s", diff, text)
			}
			if got.Comment != want.Comment || got.Result != want.Result {
				t.Fatalf("got comment %q and result %s, want %q and %s", got.Comment, got.Result, want.Comment, want.Result)
			}
			for _, tag := range want.Tags {
				if got.Tags.Get(tag.Name) != tag.Value {
					t.Fatalf("tag %s: got %q, want %q", tag.Name, got.Tags.Get(tag.Name), tag.Value)
				}
			}
		}
		if _, err := r.Next(); err != io.EOF {
			t.Fatalf("after two games: %v", err)
		}
	})
}

// FuzzReader: no text makes the reader panic or run for ever, and a game that it reads is
// read the same after writing.
func FuzzReader(f *testing.F) {
	for _, seed := range []string{
		"[Event \"x\"]\n\n1. e4 {[%clk 0:01:00]} e5 (1... c5) 2. Nf3 $1 *\n", "[FEN \"8/8/8/8/8/8/8/8 w - - 0 1\"]\n*", "% x\n{", "[", "(((", "[A \"\\", "1.e4 ; x\n1-0",
		"\ufeff1. 0-0 e.p. -- 1/2",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r := pgn.NewReader(strings.NewReader(text))
		for n := 0; ; n++ {
			g, err := r.Next()
			if err == io.EOF {
				return
			}
			if n > len(text)+1 {
				t.Fatalf("more games than bytes in %q", text)
			}
			if err != nil {
				continue
			}
			again, err := pgn.NewReader(strings.NewReader(g.String())).Next()
			if err != nil {
				t.Fatalf("%v in\n%s", err, g.String())
			}
			if line(&again) != line(&g) {
				t.Fatalf("moves: %s, after writing %s", line(&g), line(&again))
			}
		}
	})
}

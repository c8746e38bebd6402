package pgn_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"zeitnot/engine"
	"zeitnot/engine/pgn"
	"zeitnot/engine/position"
)

// readAll reads all games; games that cannot be read end the test unless faults takes them.
func readAll(t testing.TB, text string) []pgn.Game {
	t.Helper()
	var games []pgn.Game
	r := pgn.NewReader(strings.NewReader(text))
	for {
		g, err := r.Next()
		if err == io.EOF {
			return games
		}
		if err != nil {
			t.Fatalf("read: %v", err)
		}
		games = append(games, g)
	}
}

// line is the main line in coordinates.
func line(g *pgn.Game) string {
	p := g.Play()
	var moves []string
	for _, m := range p.Moves() {
		moves = append(moves, p.Initial().UCI(m, p.Initial().Chess960()))
	}
	return strings.Join(moves, " ")
}

func TestReadsWhatTheWorldWrites(t *testing.T) {
	cases := []struct {
		name, text string
		moves      []string // of each game
		results    []string
	}{
		{"nothing", " \n\n", nil, nil},
		{"movetext alone", "1. e4 e5 2. Nf3 *", []string{"e2e4 e7e5 g1f3"}, []string{"*"}},
		{"numbers glued to the moves", "1.e4 e5 2.Nf3 Nc6 1-0", []string{"e2e4 e7e5 g1f3 b8c6"}, []string{"1-0"}},
		{"a byte order mark and carriage returns", "\ufeff[Event \"x\"]\r\n\r\n1. d4\r\n d5 1/2-1/2\r\n", []string{"d2d4 d7d5"}, []string{"1/2-1/2"}},
		{"nested variations", "1. e4 (1. d4 d5 (1... Nf6 {x ) y} 2. c4) 2. c4) 1... e5 0-1", []string{"e2e4 e7e5"}, []string{"0-1"}},
		{"comments of both kinds", "1. e4 {a (b) [c]} e5 ; rest 2. Qh5\n2. Nf3 *", []string{"e2e4 e7e5 g1f3"}, []string{"*"}},
		{"escape lines", "% not here 1. d4\n1. e4\n%nor here\ne5 *", []string{"e2e4 e7e5"}, []string{"*"}},
		{"glyphs and numeric ones", "1. e4! $14 e5?? $6 2. Nf3!? ?! *", []string{"e2e4 e7e5 g1f3"}, []string{"*"}},
		{"zeros for castling", "1. e4 e5 2. Nf3 Nf6 3. Bc4 Bc5 4. 0-0 0-0 *", []string{"e2e4 e7e5 g1f3 g8f6 f1c4 f8c5 e1g1 e8g8"}, []string{"*"}},
		{"coordinates", "e2e4 E7E5 g1f3 *", []string{"e2e4 e7e5 g1f3"}, []string{"*"}},
		{"no result but a tag", "[Event \"x\"]\n[Result \"1-0\"]\n\n1. e4\n\n[Event \"y\"]\n\n1. d4 *", []string{"e2e4", "d2d4"}, []string{"1-0", "*"}},
		{"tags and nothing else", "[Event \"x\"]\n[Result \"0-1\"]\n\n[Event \"y\"]\n\n1. d4 1-0", []string{"", "d2d4"}, []string{"0-1", "1-0"}},
		{"a blank line among the tags", "[Event \"x\"]\n\n[White \"w\"]\n\n1. e4 *", []string{"e2e4"}, []string{"*"}},
		{"several games on one line", "1. e4 * 1. d4 1-0 1. c4 0-1", []string{"e2e4", "d2d4", "c2c4"}, []string{"*", "1-0", "0-1"}},
		{"signs of commentators", "1. e4 +/- e5 = 2. Nf3 N *", []string{"e2e4 e7e5 g1f3"}, []string{"*"}},
		{"en passant with its sign", "1. e4 a6 2. e5 d5 3. exd6 e.p. *", []string{"e2e4 a7a6 e4e5 d7d5 e5d6"}, []string{"*"}},
		{"the file ends in a comment", "1. e4 {never closed", []string{"e2e4"}, []string{"*"}},
		{"a start position", "[SetUp \"1\"]\n[FEN \"8/PR6/8/8/8/2k5/8/K7 w - - 0 40\"]\n\n40. a8=N Kd2 *", []string{"a7a8n c3d2"}, []string{"*"}},
		{"Chess960", "[Variant \"Chess960\"]\n[FEN \"nbbrknrq/pppppppp/8/8/8/8/PPPPPPPP/NBBRKNRQ w KQkq - 0 1\"]\n\n1. Ne3 Ne6 2. O-O *", []string{"f1e3 f8e6 e1g1"}, []string{"*"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var moves, results []string
			for _, g := range readAll(t, c.text) {
				moves, results = append(moves, line(&g)), append(results, g.Result)
			}
			if diff := cmp.Diff(c.moves, moves); diff != "" {
				t.Errorf("moves (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(c.results, results); diff != "" {
				t.Errorf("results (-want +got):\n%s", diff)
			}
		})
	}
}

func TestTagValues(t *testing.T) {
	text := `[White "Foo \"Bar\" \\ Baz"]` + "\n" + `[Black "Bare "quotes" inside"]` + "\n" +
		`[Site "brackets ] and [ inside"]` + "\n" + `[Empty ""] [Same "line"]` + "\n" + `[Round 3]` + "\n" + `[Date "2024.01.01` + "\n\n*"
	g := readAll(t, text)[0]
	want := pgn.Tags{
		{Name: "White", Value: `Foo "Bar" \ Baz`},
		{Name: "Black", Value: `Bare "quotes" inside`},
		{Name: "Site", Value: "brackets ] and [ inside"},
		{Name: "Empty"},
		{Name: "Same", Value: "line"},
		{Name: "Round", Value: "3"},
		{Name: "Date", Value: "2024.01.01"},
	}
	if diff := cmp.Diff(want, g.Tags); diff != "" {
		t.Errorf("tags (-want +got):\n%s", diff)
	}
}

func TestNotesOfAMove(t *testing.T) {
	text := "{ before } 1. e4 { [%eval 0.17] [%clk 0:03:00] good } e5 { [%clk 1:02:03.25] } { [%eval #-3,20] [%csl Ra1] [%emt 0:00:01.5] }" +
		" 2. Nf3 { [%clk broken] [%eval #4] } Nc6 *"
	g := readAll(t, text)[0]
	if g.Comment != "before" {
		t.Errorf("comment before the moves: got %q, want before", g.Comment)
	}
	duration := func(d time.Duration) *time.Duration { return &d }
	want := []pgn.Ply{
		{Clock: duration(3 * time.Minute), Eval: &pgn.Eval{Score: 17}, Comment: "good"},
		{
			Clock: duration(time.Hour + 2*time.Minute + 3250*time.Millisecond), Elapsed: duration(1500 * time.Millisecond),
			Eval: &pgn.Eval{Score: engine.MatedIn(6), Depth: 20}, Comment: "[%csl Ra1]",
		},
		{Eval: &pgn.Eval{Score: engine.MateIn(7)}, Comment: "[%clk broken]"},
		{},
	}
	if diff := cmp.Diff(want, g.Moves, cmpopts.IgnoreFields(pgn.Ply{}, "Move")); diff != "" {
		t.Errorf("notes (-want +got):\n%s", diff)
	}
}

func TestNoNumberOfPawnsIsAMate(t *testing.T) {
	for _, text := range []string{"319.99", "320", "-320.00", "317.54"} {
		g := readAll(t, "1. e4 { [%eval "+text+"] } *")[0]
		if e := g.Moves[0].Eval; e == nil || e.Score.IsMate() || (e.Score < 0) != (text[0] == '-') {
			t.Errorf("eval %s: got %+v, want a score that is no mate", text, e)
		}
	}
}

func TestAGameThatCannotBeReadIsNamedAndPassedOver(t *testing.T) {
	cases := []struct{ name, game, want string }{
		{"illegal move", "[White \"A\"]\n[Black \"B\"]\n\n1. e4 e5\n2. Ke3 Nf6 1-0\n", "game 1 (A - B), line 5: move 2. Ke3: "},
		{"variant", "[Event \"x\"]\n[Variant \"Crazyhouse\"]\n\n1. e4 e5 2. P@e6 1-0\n", `game 1 ( - ), line 1: variant "Crazyhouse" is not played here`},
		{"impossible start", "[Event \"x\"]\n[FEN \"8/8/8/8/8/8/8/8 w - - 0 1\"]\n\n1. e4 1-0\n", "tag FEN: "},
		{"null move", "1. e4 -- 2. d4 *\n", "null move"},
		{"words", "hello this is no game\n\n[Event \"n\"]\n*", "game 1 ( - ), line 1: move 1. hello"},
	}
	for _, c := range cases {
		r := pgn.NewReader(strings.NewReader(c.game + "\n[Event \"next\"]\n\n1. d4 *\n"))
		_, err := r.Next()
		var fault *pgn.GameError
		if !errors.As(err, &fault) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got error %v, want %q", c.name, err, c.want)
		}
		for {
			g, err := r.Next()
			if err != nil {
				t.Errorf("%s: the next game: %v", c.name, err)
				break
			}
			if g.Tags.Get("Event") == "next" {
				if got := line(&g); got != "d2d4" {
					t.Errorf("%s: the next game is %q, want d2d4", c.name, got)
				}
				break
			}
		}
	}
}

type faultyReader struct{ io.Reader }

func (f faultyReader) Read(p []byte) (int, error) {
	n, err := f.Reader.Read(p)
	if err == io.EOF {
		err = errors.New("disk on fire")
	}
	return n, err
}

// endless is a line without an end.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

func TestALineWithoutAnEndIsNotRead(t *testing.T) {
	r := pgn.NewReader(io.MultiReader(strings.NewReader("[Event \"x\"]\n"), endless{}))
	_, err := r.Next() // the tags before it may be a game
	if err == nil {
		_, err = r.Next()
	}
	if err == nil || !strings.Contains(err.Error(), "line 2 has more than") {
		t.Errorf("got %v, want an error that names line 2", err)
	}
}

func TestAFaultOfTheReaderIsFinal(t *testing.T) {
	r := pgn.NewReader(faultyReader{strings.NewReader("1. e4 *\n")})
	if _, err := r.Next(); err != nil {
		t.Fatalf("first game: %v", err)
	}
	for range 2 {
		if _, err := r.Next(); err == nil || err == io.EOF || !strings.Contains(err.Error(), "disk on fire") {
			t.Errorf("got %v, want the reader's fault", err)
		}
	}
}

func TestWritesTheExportForm(t *testing.T) {
	start, err := position.ParseFEN("rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2")
	if err != nil {
		t.Fatal(err)
	}
	g := pgn.NewGame(start)
	g.Tags = pgn.Tags{
		{Name: "TimeControl", Value: pgn.TimeControl(3*time.Second, 50*time.Millisecond)},
		{Name: "White", Value: `A "q" \ b` + "\n2"},
		{Name: "bad name", Value: "x"},
		{Name: "FEN", Value: "stale"},
		{Name: "Result", Value: "1-0"},
	}
	clk := 2950 * time.Millisecond
	p := start
	for _, san := range []string{"Nf3", "Nc6", "Bb5", "a6", "Bxc6"} {
		m, err := p.ParseSAN(san)
		if err != nil {
			t.Fatal(err)
		}
		g.Moves = append(g.Moves, pgn.Ply{Move: m})
		var next position.Position
		p.Make(m, &next)
		p = next
	}
	g.Moves[0].Clock, g.Moves[0].Eval = &clk, &pgn.Eval{Score: -7, Depth: 12}
	g.Moves[1].NAGs = []uint8{1, 14}
	g.Moves[2].Comment = "a brace } and %percent, and so many words that the line has to be broken"
	g.Comment = "start"
	g.Result = pgn.BlackWins
	want := `[Event "?"]
[Site "?"]
[Date "????.??.??"]
[Round "?"]
[White "A \"q\" \\ b 2"]
[Black "?"]
[Result "0-1"]
[TimeControl "3+0.05"]
[SetUp "1"]
[FEN "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2"]

{ start } 2. Nf3 { [%eval -0.07,12] [%clk 0:00:02.95] } 2... Nc6 $1 $14 3. Bb5
{ a brace ) and %percent, and so many words that the line has to be broken }
3... a6 4. Bxc6 0-1

`
	if diff := cmp.Diff(want, g.String()); diff != "" {
		t.Errorf("export (-want +got):\n%s", diff)
	}
}

func TestTimeControlTag(t *testing.T) {
	for _, c := range []struct {
		base, inc time.Duration
		want      string
	}{
		{0, 0, "-"},
		{3 * time.Minute, 2 * time.Second, "180+2"},
		{time.Second, 10 * time.Millisecond, "1+0.01"},
		{500 * time.Millisecond, 0, "0.5+0"},
		{0, time.Second, "0+1"},
	} {
		if got := pgn.TimeControl(c.base, c.inc); got != c.want {
			t.Errorf("TimeControl(%v, %v) = %q, want %q", c.base, c.inc, got, c.want)
		}
	}
}

// TestSuites reads every PGN file of the shared data: each game is read, or is of a
// variant that is not played here, or has a null move.
func TestSuites(t *testing.T) {
	folder := os.Getenv("ZEITNOT_TESTDATA")
	if folder == "" {
		t.Skip("ZEITNOT_TESTDATA is not set")
	}
	files, _ := filepath.Glob(filepath.Join(folder, "pgn", "*.pgn"))
	more, _ := filepath.Glob(filepath.Join(folder, "pgn", "notnil", "*.pgn"))
	files = append(files, more...)
	if len(files) < 20 {
		t.Fatalf("only %d files in %s", len(files), folder)
	}
	total, plies := 0, 0
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		r := pgn.NewReader(f)
		for {
			g, err := r.Next()
			if err == io.EOF {
				break
			}
			if err != nil {
				if !strings.Contains(err.Error(), "is not played here") && !strings.Contains(err.Error(), "null move") {
					t.Errorf("%s: %v", filepath.Base(name), err)
				}
				continue
			}
			total++
			plies += len(g.Moves)
			again := readAll(t, g.String())
			if len(again) != 1 || line(&again[0]) != line(&g) || again[0].Result != g.Result {
				t.Errorf("%s: game %d is another after writing and reading", filepath.Base(name), total)
			}
			if again[0].String() != g.String() {
				t.Errorf("%s: game %d: written twice it differs:\n%s\n%s", filepath.Base(name), total, g.String(), again[0].String())
			}
		}
		f.Close()
	}
	t.Logf("%d games, %d plies", total, plies)
	if total < 900 {
		t.Errorf("only %d games were read", total)
	}
}

func TestErrorsRepeatNothingThatATerminalObeys(t *testing.T) {
	long := strings.Repeat("Ke9\x1b[2J\a", 10_000)
	for _, game := range []string{
		"1. " + long + " *\n",
		"[White \"\x1b]0;owned\a" + long + "\"]\n\n1. e5 *\n",
		"[Black \"" + long + "\"]\n\n1. e5 *\n",
		"[Variant \"" + long + "\"]\n\n1. e4 *\n",
		"[FEN \"" + long + " w - - 0 1\"]\n\n1. e4 *\n",
	} {
		_, err := pgn.NewReader(strings.NewReader(game)).Next()
		if err == nil {
			t.Errorf("%.20q: it was read", game)
			continue
		}
		if got := err.Error(); len(got) > 700 || strings.ContainsAny(got, "\x1b\a") {
			t.Errorf("%.20q: %d bytes: %.800q", game, len(got), got)
		}
	}
}

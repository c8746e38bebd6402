package position_test

import (
	"bufio"
	"compress/gzip"
	"encoding/csv"
	"encoding/json"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/corentings/chess/v2"
	"github.com/google/go-cmp/cmp"

	"zeitnot/engine/position"
)

// The moves and their SAN were computed by another program.
func TestLegalMovesAndSANOfRecordedPositions(t *testing.T) {
	positions := 0
	eachLine(t, "uci-san.tsv", func(line string) {
		f := strings.Split(line, "\t")
		if f[0] == "fen" {
			return
		}
		positions++
		chess960 := f[2] == "1"
		fens := f[:1]
		if f[1] != "-" {
			fens = f[:2]
		}
		for _, fen := range fens {
			p := parse(t, fen).WithChess960(chess960)
			got := map[string]string{}
			for _, m := range legalMoves(&p) {
				got[p.UCI(m, chess960)] = p.SAN(m)
			}
			want := map[string]string{}
			sans := strings.Fields(f[6])
			for i, uci := range strings.Fields(f[5]) {
				if uci != "-" { // no moves at all
					want[uci] = sans[i]
				}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("moves of %s (-want +got):\n%s", fen, diff)
			}
			for uci, san := range want {
				byUCI, err1 := p.ParseUCI(uci)
				bySAN, err2 := p.ParseSAN(san)
				if err1 != nil || err2 != nil || byUCI != bySAN {
					t.Errorf("%s: %s is %#x (%v), %s is %#x (%v)", fen, uci, byUCI, err1, san, bySAN, err2)
				}
			}
		}
	})
	if positions != 250 {
		t.Errorf("got %d positions, want 250", positions)
	}
}

func TestAllChess960StartsInBothAlphabets(t *testing.T) {
	seen := 0
	eachLine(t, "fuzz/chess960-starts.tsv", func(line string) {
		f := strings.Split(line, "\t")
		if f[0] == "id" {
			return
		}
		x, shredder := parse(t, f[2]), parse(t, f[3])
		if x != shredder {
			t.Errorf("start %s: %s and %s differ", f[0], f[2], f[3])
		}
		if got := x.FEN(); got != f[2] {
			t.Errorf("start %s: got %s, want %s", f[0], got, f[2])
		}
		if got := x.ShredderFEN(); got != f[3] {
			t.Errorf("start %s: got %s, want %s", f[0], got, f[3])
		}
		if got := chess960Start(seen); got != f[2] {
			t.Errorf("start %d by number: got %s, want %s", seen, got, f[2])
		}
		standardSquares := f[1][0] == 'r' && f[1][4] == 'k' && f[1][7] == 'r'
		if got, want := x.Chess960(), !standardSquares; got != want {
			t.Errorf("start %s: Chess960 is %v, want %v", f[0], got, want)
		}
		seen++
	})
	if seen != 960 {
		t.Errorf("got %d starts, want 960", seen)
	}
}

func TestRecordedGamesReplay(t *testing.T) {
	const games = 3000
	file, err := os.Open(testdata(t, "games/gnuchess-book-1.02-games.txt.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	unzipped, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(unzipped)
	for range games {
		if !lines.Scan() {
			t.Fatalf("too few games: %v", lines.Err())
		}
		_, moves, _ := strings.Cut(lines.Text(), " ")
		if _, err := position.ParseGame("", false, strings.Fields(moves)); err != nil {
			t.Errorf("%s: %v", moves, err)
		}
	}
}

func TestPuzzlesReplay(t *testing.T) {
	for _, name := range []string{"epd/lichess-puzzles-1500.csv", "epd/lichess-puzzles-1000.csv"} {
		file, err := os.Open(testdata(t, name))
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		reader := csv.NewReader(file)
		reader.FieldsPerRecord = -1
		rows, err := reader.ReadAll()
		if err != nil {
			t.Fatalf("read %s: %v", name, err)
		}
		fen, moves := slices.Index(rows[0], "FEN"), slices.Index(rows[0], "Moves")
		for _, row := range rows[1:] {
			if _, err := position.ParseGame(row[fen], false, strings.Fields(row[moves])); err != nil {
				t.Errorf("%s: %v", row[0], err)
			}
		}
	}
}

// The three notations of a move lead to the same recorded position.
func TestRecordedNotations(t *testing.T) {
	text, err := os.ReadFile(testdata(t, "fuzz/notnil-valid_notation_tests.json"))
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct{ Pos1, Pos2, AlgText, LongAlgText, UCIText string }
	if err := json.Unmarshal(text, &cases); err != nil {
		t.Fatal(err)
	}
	if len(cases) == 0 {
		t.Fatal("no cases")
	}
	for _, c := range cases {
		p, want := parse(t, c.Pos1), parse(t, c.Pos2)
		m, err := p.ParseUCI(c.UCIText)
		if err != nil {
			t.Error(err)
			continue
		}
		// The record has annotations, and lacks some check marks.
		if got, want := strings.TrimRight(p.SAN(m), "+#"), strings.TrimRight(c.AlgText, "+#!?"); got != want {
			t.Errorf("%s in %s: got %s, want %s", c.UCIText, c.Pos1, got, want)
		}
		for _, san := range []string{c.AlgText, c.LongAlgText} {
			if got, err := p.ParseSAN(san); err != nil || got != m {
				t.Errorf("%s in %s: got %#x (%v), want %#x", san, c.Pos1, got, err, m)
			}
		}
		var next position.Position
		p.Make(m, &next)
		if next.FEN() != want.FEN() {
			t.Errorf("%s after %s: got %s, want %s", c.Pos1, c.UCIText, next.FEN(), want.FEN())
		}
	}
}

// Texts made to break parsers: none may panic, and what is accepted must be valid.
func TestFENsMadeToBreakParsers(t *testing.T) {
	try := func(fen string) error {
		p, err := position.ParseFEN(fen)
		if err != nil {
			return err
		}
		if err := p.Validate(); err != nil {
			t.Errorf("%q: %v", fen, err)
		}
		p.Perft(2)
		return nil
	}
	seeds, err := os.ReadDir(testdata(t, "fuzz/shakmaty-corpus/fen_from_ascii"))
	if err != nil {
		t.Fatal(err)
	}
	for _, seed := range seeds {
		text, err := os.ReadFile(testdata(t, "fuzz/shakmaty-corpus/fen_from_ascii/"+seed.Name()))
		if err != nil {
			t.Fatal(err)
		}
		_ = try(string(text))
	}
	for _, name := range []string{"epd/destruction-test.epd", "epd/destructive.epd", "epd/grief-causers.epd"} {
		eachLine(t, name, func(line string) {
			fen, comment, _ := strings.Cut(line, ";")
			fen, _, _ = strings.Cut(fen, " bm ")
			err := try(fen)
			_ = try(line)
			switch {
			case strings.Contains(fen, " -0 "): // two fields glued together
			case strings.Contains(comment, "should be OK"), strings.Contains(comment, "should be not a problem"):
				if err != nil {
					t.Errorf("%s (%s): %v", fen, comment, err)
				}
			case strings.HasSuffix(strings.TrimSpace(comment), "; cull"), strings.Contains(comment, "garbage"):
				if err == nil {
					t.Errorf("%s (%s): got no error", fen, comment)
				}
			}
		})
	}
}

// A second implementation of the rules plays along in random games.
func TestRandomGamesAgreeWithAnotherImplementation(t *testing.T) {
	games := 40
	if testing.Short() {
		games = 8
	}
	rng := rand.New(rand.NewPCG(3, 4))
	for i := range games {
		fen := []string{position.StartFEN, kiwipete, "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1", "r3k2r/8/8/pPpPpPpP/PpPpPpPp/8/8/R3K2R w KQkq - 0 1"}[i%4]
		option, err := chess.FEN(fen)
		if err != nil {
			t.Fatal(err)
		}
		theirs := chess.NewGame(option).Position()
		p := parse(t, fen)
		for ply := range 150 {
			moves := legalMoves(&p)
			var got, want []string
			for _, m := range moves {
				got = append(got, p.UCI(m, false))
			}
			legal := theirs.ValidMoves()
			for _, m := range legal {
				want = append(want, m.String())
			}
			slices.Sort(got)
			slices.Sort(want)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("game %d ply %d, moves of %s (-want +got):\n%s", i, ply, p.FEN(), diff)
			}
			if len(moves) == 0 {
				break
			}
			m := moves[rng.IntN(len(moves))]
			uci := p.UCI(m, false)
			for _, their := range legal {
				if their.String() == uci {
					got, want := p.SAN(m), chess.AlgebraicNotation{}.Encode(theirs, &their)
					if m.IsPromotion() { // they mark an under-promotion as if it were to a queen
						got, want = strings.TrimRight(got, "+#"), strings.TrimRight(want, "+#")
					}
					if got != want {
						t.Errorf("%s in %s: got %s, want %s", uci, p.FEN(), got, want)
					}
					theirs = theirs.Update(&their)
					break
				}
			}
			var next position.Position
			p.Make(m, &next)
			p = next
			if got, want := boardPart(p.FEN()), boardPart(theirs.String()); got != want {
				t.Fatalf("game %d ply %d after %s: got %s, want %s", i, ply, uci, got, want)
			}
		}
	}
}

// boardPart is a FEN without its en passant square, which programs note by different rules.
func boardPart(fen string) string {
	f := strings.Fields(fen)
	f[3] = "-"
	return strings.Join(f, " ")
}

package book_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"zeitnot/engine/book"
	"zeitnot/engine/position"
)

func TestKeysAndMovesOfFourBooksAsAnotherReaderGivesThem(t *testing.T) {
	data, err := os.ReadFile(testData(t, "polyglot-expected.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")
	head := strings.Split(lines[0], "\t")
	var books []*book.Book
	for _, column := range head[3:] {
		name, ok := strings.CutPrefix(column, "book:")
		if !ok {
			t.Fatalf("column %q", column)
		}
		b, err := book.Open(testData(t, "polyglot", name+".bin"))
		if err != nil {
			t.Fatal(err)
		}
		defer b.Close()
		books = append(books, b)
	}
	if len(books) != 4 || len(lines) != 41 {
		t.Fatalf("%d books and %d lines, want 4 and 41", len(books), len(lines))
	}
	for _, line := range lines[1:] {
		fields := strings.Split(line, "\t")
		key, p, err := book.KeyFEN(fields[0])
		if err != nil {
			t.Errorf("%s: %v", fields[0], err)
			continue
		}
		if got := fmt.Sprintf("%016x", key); got != fields[1] {
			t.Errorf("%s (%s): key %s, want %s", fields[0], fields[2], got, fields[1])
		}
		for i, b := range books {
			moves, err := b.MovesAt(key, &p)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, m := range moves {
				got = append(got, p.UCI(m.Move, false)+":"+strconv.Itoa(m.Weight))
			}
			var want []string
			if fields[3+i] != "-" {
				want = strings.Fields(fields[3+i])
			}
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Errorf("%s in %s:\n got %v\nwant %v", fields[0], b.Name(), got, want)
			}
		}
	}
}

func TestEnPassantFileCountsIfAPawnStandsBeside(t *testing.T) {
	var moves []string
	for _, step := range []struct {
		move string
		key  uint64
	}{
		{"", 0x463b96181691fc9c},
		{"e2e4", 0x823c9b50fd114196}, // nobody beside
		{"d7d5", 0x0756b94461c50fb0},
		{"e4e5", 0x662fafb965db29d4},
		{"f7f5", 0x22a48b5a8e47ff78}, // the pawn on e5 stands beside
	} {
		if step.move != "" {
			moves = append(moves, step.move)
		}
		if got := book.Key(game(t, "", moves...)); got != step.key {
			t.Errorf("after %v: key %016x, want %016x", moves, got, step.key)
		}
	}
	g := game(t, "", moves...)
	found, err := bookOf(t, record{0x22a48b5a8e47ff78, 0x092d, 1}).Moves(g)
	if err != nil || !slices.Equal(uci(g.Position(), found), []string{"e5f6"}) {
		t.Errorf("moves %v (%v), want e5f6", uci(g.Position(), found), err)
	}
}

func TestEnPassantFileCountsEvenIfTheCaptureIsIllegal(t *testing.T) {
	// The capturing pawn is pinned on the rank; a FEN and a game must agree.
	const fen = "4k3/8/8/K2pP2r/8/8/8/8 w - d6 0 1"
	want, _, err := book.KeyFEN(fen)
	if err != nil {
		t.Fatal(err)
	}
	g := game(t, "4k3/3p4/8/K3P2r/8/8/8/8 b - - 0 1", "d7d5")
	if g.Position().EnPassant() != position.NoSquare {
		t.Fatal("the capture is legal; the test tests nothing")
	}
	if got := book.Key(g); got != want || got != 0x200429d3a5ab9df1 {
		t.Errorf("key %016x by the game, %016x by FEN, want 200429d3a5ab9df1", got, want)
	}
}

func TestCastlingIsTheKingTakingItsRook(t *testing.T) {
	for _, c := range []struct {
		name, fen string
		key       uint64
		code      uint16
		want      string // "" for no move
	}{
		{"king's side", "r1bqk1nr/pppp1ppp/2n5/2b1p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 4 4", 0xb663577df5f241bb, 0x0107, "e1g1"},
		{"a rook from e1 to a1, where castling would be legal code too", "1r1qr1k1/1b2bp1n/p2p2pB/1pnPp2p/P1p1P3/R1P2NNP/1PBQ1PP1/4R1K1 w - - 0 1", 0xc34af3b8a869ecdd, 0x0100, "e1a1"},
		{"Black, king's side", "r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1", 0, 0x0f3f, "e8g8"},
		{"Black, queen's side", "r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1", 0, 0x0f38, "e8c8"},
		{"the king's own step, as some writers have it", "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", 0, 0x0106, "e1g1"},
		{"the right is gone", "r3k2r/8/8/8/8/8/8/R3K2R w Qkq - 0 1", 0, 0x0107, ""},
		{"through check", "4kr2/8/8/8/8/8/8/R3K2R w KQ - 0 1", 0, 0x0107, ""},
		{"in Chess960 a short step is no castling", "rk5r/8/8/8/8/8/8/RK5R w HAha - 0 1", 0, 0x0043, ""},
		{"in Chess960 the code fits as it is", "rk5r/8/8/8/8/8/8/RK5R w HAha - 0 1", 0, 0x0047, "b1h1"},
	} {
		key, p, err := book.KeyFEN(c.fen)
		if err != nil {
			t.Fatal(err)
		}
		if c.key != 0 && key != c.key {
			t.Errorf("%s: key %016x, want %016x", c.name, key, c.key)
		}
		found, err := bookOf(t, record{key, c.code, 1}).MovesAt(key, &p)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if len(found) > 0 {
			got = p.UCI(found[0].Move, p.Chess960())
		}
		if got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

func TestBookIsSilentWhereItDoesNotBelong(t *testing.T) {
	start := game(t, "")
	b := bookOf(t, record{book.Key(start), 0x031c, 1})
	g, err := position.ParseGame("bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w KQkq - 0 1", true, nil)
	if err != nil {
		t.Fatal(err)
	}
	if found, err := b.Moves(g); err != nil || len(found) != 0 {
		t.Errorf("moves %v (%v) in another array", uci(g.Position(), found), err)
	}
	// The same board without castling rights is another position as well.
	g = game(t, "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w - - 0 1")
	if found, _ := b.Moves(g); len(found) != 0 {
		t.Errorf("moves %v without castling rights", uci(g.Position(), found))
	}
}

func TestMovesThatAreNotLegalAreLeftOut(t *testing.T) {
	g := game(t, "")
	key := book.Key(g)
	b := bookOf(t,
		record{key, 0x0000, 9}, // a1a1
		record{key, 0x030f, 9}, // e2h2: own pawn
		record{key, 0x0107, 9}, // castling, too early
		record{key, 0xffff, 9},
		record{key, 0x431c, 9}, // e2e4 promoting to a queen
		record{key, 0x031c, 2}, // e2e4
		record{key, 0x031c, 3}, // and once more
	)
	found, err := b.Moves(g)
	if err != nil || len(found) != 1 || g.Position().UCI(found[0].Move, false) != "e2e4" || found[0].Weight != 5 {
		t.Errorf("got %v (%v), want e2e4 with the sum of its weights, 5", found, err)
	}
}

func TestPromotionCodes(t *testing.T) {
	key, p, err := book.KeyFEN("8/P7/8/8/8/8/8/k1K5 w - - 0 1")
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"a7a8n", "a7a8b", "a7a8r", "a7a8q"} {
		found, err := bookOf(t, record{key, uint16(i+1)<<12 | 48<<6 | 56, 1}).MovesAt(key, &p)
		if err != nil || !slices.Equal(uci(&p, found), []string{want}) {
			t.Errorf("promotion %d: got %v (%v), want %s", i+1, uci(&p, found), err, want)
		}
	}
}

func TestFileThatIsNoBookIsNamed(t *testing.T) {
	good := bytesOf(record{1, 2, 3}, record{2, 2, 3}, record{3, 2, 3}, record{4, 2, 3})
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"empty":     {nil, "empty"},
		"truncated": {good[:len(good)-5], "cut off"},
		"garbage":   {[]byte(strings.Repeat("no book, surely!", 2) + strings.Repeat("another line ..\n", 2)), "no book"},
		"reversed":  {append(slices.Clone(good[16:]), good[:16]...), "no book"},
	} {
		path := filepath.Join(t.TempDir(), "b.bin")
		if err := os.WriteFile(path, c.data, 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := book.Open(path)
		if err == nil || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %s and %q in it", name, err, path, c.want)
		}
	}
	for _, path := range []string{filepath.Join(t.TempDir(), "missing.bin"), t.TempDir()} {
		if _, err := book.Open(path); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("error %v does not name %s", err, path)
		}
	}
}

func TestLargeFileInDisorderIsFoundBySamples(t *testing.T) {
	var records []record
	for i := range 1 << 18 {
		records = append(records, record{uint64(i), 1, 1})
	}
	data := bytesOf(append(records, record{1 << 40, 1, 1})...)
	if _, err := book.New("large", bytes.NewReader(data), int64(len(data))); err != nil {
		t.Errorf("a good one: %v", err)
	}
	copy(data[len(data)/2:], bytes.Repeat([]byte{0xff}, len(data)/4))
	if _, err := book.New("large", bytes.NewReader(data), int64(len(data))); err == nil {
		t.Error("a quarter of nonsense went unnoticed")
	}
}

// Whatever stands in a file, only legal moves come out of it.
func FuzzBook(f *testing.F) {
	f.Add(bytesOf(record{0x463b96181691fc9c, 0x031c, 1}))
	f.Add([]byte("short"))
	f.Add(bytes.Repeat([]byte{0x46, 0x3b, 0x96, 0x18, 0x16, 0x91, 0xfc, 0x9c}, 6))
	f.Fuzz(func(t *testing.T, data []byte) {
		b, err := book.New("fuzz", bytes.NewReader(data), int64(len(data)))
		if err != nil {
			return
		}
		g := position.NewGame(position.Start())
		found, err := b.Moves(g)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range found {
			if !g.Position().IsLegal(m.Move) {
				t.Errorf("illegal move %v", m.Move)
			}
		}
	})
}

func FuzzKeyFEN(f *testing.F) {
	f.Add(position.StartFEN)
	f.Add("4k3/8/8/8/pP6/8/8/4K3 b - b3 0 1")
	f.Add("4k3/8/8/8/pP6/8/8/4K3 b - i9")
	f.Fuzz(func(t *testing.T, fen string) {
		key, p, err := book.KeyFEN(fen)
		if err != nil {
			return
		}
		again, _, err := book.KeyFEN(p.FEN())
		if err != nil {
			t.Fatalf("%q: %v", p.FEN(), err)
		}
		// A target that only the letter of the FEN has may be lost, nothing else.
		if again != key && p.EnPassant() != position.NoSquare {
			t.Errorf("%q: key %x, then %x", fen, key, again)
		}
	})
}

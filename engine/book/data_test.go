package book_test

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"zeitnot/engine/book"
	"zeitnot/engine/position"
)

func testData(tb testing.TB, name ...string) string {
	tb.Helper()
	root := os.Getenv("ZEITNOT_TESTDATA")
	if root == "" {
		tb.Skip("ZEITNOT_TESTDATA names no folder with books")
	}
	return filepath.Join(append([]string{root}, name...)...)
}

func game(tb testing.TB, fen string, moves ...string) position.Game {
	tb.Helper()
	g, err := position.ParseGame(fen, false, moves)
	if err != nil {
		tb.Fatal(err)
	}
	return g
}

// record is an entry as the file has it.
type record struct {
	key    uint64
	move   uint16
	weight uint16
}

// bookOf is a book of some entries.
func bookOf(tb testing.TB, records ...record) *book.Book {
	tb.Helper()
	data := bytesOf(records...)
	b, err := book.New("test", bytes.NewReader(data), int64(len(data)))
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

func bytesOf(records ...record) []byte {
	slices.SortStableFunc(records, func(a, b record) int {
		if a.key < b.key {
			return -1
		}
		if a.key > b.key {
			return 1
		}
		return 0
	})
	var data []byte
	for _, r := range records {
		data = binary.BigEndian.AppendUint64(data, r.key)
		data = binary.BigEndian.AppendUint16(data, r.move)
		data = binary.BigEndian.AppendUint16(data, r.weight)
		data = binary.BigEndian.AppendUint32(data, 0)
	}
	return data
}

// uci writes book moves in coordinates, in their order.
func uci(p *position.Position, moves []book.Move) []string {
	var s []string
	for _, m := range moves {
		s = append(s, p.UCI(m.Move, false))
	}
	return s
}

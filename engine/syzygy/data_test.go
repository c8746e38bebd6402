package syzygy_test

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"zeitnot/engine/position"
	"zeitnot/engine/syzygy"
)

// testData is a file or folder of the test data that we may not publish.
func testData(tb testing.TB, name ...string) string {
	tb.Helper()
	root := os.Getenv("ZEITNOT_TESTDATA")
	if root == "" {
		tb.Skip("ZEITNOT_TESTDATA names no folder with tablebases")
	}
	return filepath.Join(append([]string{root}, name...)...)
}

// openAll opens the tables of the test data; any fault fails the test.
func openAll(tb testing.TB) *syzygy.Tables {
	tb.Helper()
	t, err := syzygy.Open([]string{testData(tb, "syzygy", "regular"), testData(tb, "syzygy", "five")},
		func(err error) { tb.Errorf("left out: %v", err) })
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := t.Close(); err != nil {
			tb.Error(err)
		}
	})
	return t
}

func parse(tb testing.TB, fen string) *position.Position {
	tb.Helper()
	p, err := position.ParseFEN(fen)
	if err != nil {
		tb.Fatalf("%s: %v", fen, err)
	}
	return &p
}

// expected is one row of a file of right answers.
type expected struct {
	fen string
	wdl syzygy.WDL
	dtz int
}

func readExpected(tb testing.TB, comma rune, name ...string) []expected {
	tb.Helper()
	f, err := os.Open(testData(tb, name...))
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.Comma = comma
	r.FieldsPerRecord = -1
	rows, err := r.ReadAll()
	if err != nil {
		tb.Fatal(err)
	}
	var all []expected
	for _, row := range rows[1:] {
		wdl, err1 := strconv.Atoi(row[1])
		dtz, err2 := strconv.Atoi(row[2])
		if err1 != nil || err2 != nil {
			tb.Fatalf("%v: no numbers", row)
		}
		all = append(all, expected{row[0], syzygy.WDL(wdl), dtz})
	}
	return all
}

func allExpected(tb testing.TB) []expected {
	all := readExpected(tb, '\t', "syzygy-expected.tsv")
	return append(all, readExpected(tb, '\t', "syzygy", "syzygy-expected-large.tsv")...)
}

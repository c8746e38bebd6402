// Package opening names openings. The names and the moves to them are the list of Lichess,
// https://github.com/lichess-org/chess-openings, which is in the public domain (CC0);
// docs/book.md tells how names.tsv.gz is made of it.
package opening

import (
	"bufio"
	"bytes"
	"compress/gzip"
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"

	"zeitnot/engine/position"
)

// list has a line for each opening: code, name and moves, with tabs between them.
//
//go:embed names.tsv.gz
var list []byte

// Name of an opening.
type Name struct {
	// ECO is the code of the Encyclopaedia of Chess Openings, A00 to E99.
	ECO string
	// Text is the name: the opening, and after a colon the variation.
	Text string
}

// Names are all names by position, so that the order of the moves does not matter. They are
// read when one is wanted first. The zero value is ready; it may be asked by many at once.
type Names struct {
	once sync.Once
	at   map[uint64]Name
}

// Of is the name of the last position of a game that has one; false without any, as when the
// game has another beginning.
func (n *Names) Of(g position.Game) (Name, bool) {
	start := position.Start()
	if g.Initial().Chess960() || g.Keys()[0] != start.Key() {
		return Name{}, false
	}
	n.once.Do(func() {
		at, err := read()
		if err != nil {
			panic("opening: " + err.Error()) // the list is ours, and tested
		}
		n.at = at
	})
	keys := g.Keys()
	for i := len(keys) - 1; i > 0; i-- {
		if name, ok := n.at[keys[i]]; ok {
			return name, true
		}
	}
	return Name{}, false
}

func read() (map[uint64]Name, error) {
	text, err := gzip.NewReader(bytes.NewReader(list))
	if err != nil {
		return nil, err
	}
	at := map[uint64]Name{}
	last := path{positions: []position.Position{position.Start()}}
	lines := bufio.NewScanner(text)
	for lines.Scan() {
		fields := strings.Split(lines.Text(), "\t")
		if len(fields) != 3 {
			return nil, fmt.Errorf("line %q has %d fields", lines.Text(), len(fields))
		}
		p, err := last.follow(fields[2])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", fields[1], err)
		}
		at[p.Key()] = Name{fields[0], fields[1]}
	}
	return at, lines.Err()
}

// path is the moves of a line with the position before each, and the one after the last. The next
// line mostly begins as the one before.
type path struct {
	moves     []string
	positions []position.Position
}

// follow goes to the position after the moves "1. e4 e5 2. Nf3".
func (w *path) follow(line string) (*position.Position, error) {
	moves := slices.DeleteFunc(strings.Fields(line), func(word string) bool { return strings.HasSuffix(word, ".") })
	shared := 0
	for shared < min(len(moves), len(w.moves)) && moves[shared] == w.moves[shared] {
		shared++
	}
	w.moves, w.positions = w.moves[:shared], w.positions[:shared+1]
	for _, san := range moves[shared:] {
		p := &w.positions[len(w.positions)-1]
		m, err := p.ParseSAN(san)
		if err != nil {
			return nil, err
		}
		var next position.Position
		p.Make(m, &next)
		w.moves, w.positions = append(w.moves, san), append(w.positions, next)
	}
	return &w.positions[len(w.positions)-1], nil
}

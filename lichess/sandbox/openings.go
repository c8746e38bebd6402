package sandbox

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"zeitnot/engine/position"
)

// openingLines are what the explorer and the cloud know: names, moves, made-up but plausible
// numbers of games that White won, that were drawn, that Black won, and the value for White at
// the end in centipawns.
const openingLines = `
C65 Ruy Lopez|e2e4 e7e5 g1f3 b8c6 f1b5 g8f6 e1h1 f6e4 d2d4 e4d6 b5c6 d7c6 d4e5 d6f5 d1d8 e8d8|1900 3600 1100|12
C78 Ruy Lopez|e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 b5a4 g8f6 e1h1 f8e7 f1e1 b7b5 a4b3 d7d6 c2c3 e8h8|3300 4200 1900|20
C50 Italian Game|e2e4 e7e5 g1f3 b8c6 f1c4 f8c5 c2c3 g8f6 d2d3 d7d6 e1h1 a7a6 a2a4 c5a7|2400 3100 1600|15
C45 Scotch Game|e2e4 e7e5 g1f3 b8c6 d2d4 e5d4 f3d4 g8f6 d4c6 b7c6 e4e5 d8e7 d1e2 f6d5|1000 1100 700|10
C42 Petrov's Defence|e2e4 e7e5 g1f3 g8f6 f3e5 d7d6 e5f3 f6e4 d2d4 d6d5 f1d3 b8c6 e1h1 f8e7|1200 2100 700|14
B90 Sicilian Defence|e2e4 c7c5 g1f3 d7d6 d2d4 c5d4 f3d4 g8f6 b1c3 a7a6 c1e3 e7e5 d4b3 c8e6|4100 4300 3300|22
B33 Sicilian Defence|e2e4 c7c5 g1f3 b8c6 d2d4 c5d4 f3d4 g8f6 b1c3 e7e5 d4b5 d7d6 c1g5 a7a6|2100 2800 1600|17
C11 French Defence|e2e4 e7e6 d2d4 d7d5 b1c3 g8f6 e4e5 f6d7 f2f4 c7c5 g1f3 b8c6 c1e3 c5d4|2500 2400 1800|30
B18 Caro-Kann Defence|e2e4 c7c6 d2d4 d7d5 b1c3 d5e4 c3e4 c8f5 e4g3 f5g6 h2h4 h7h6 g1f3 b8d7|2000 2500 1300|24
D37 Queen's Gambit Declined|d2d4 d7d5 c2c4 e7e6 b1c3 g8f6 g1f3 f8e7 c1f4 e8h8 e2e3 c7c5 d4c5 e7c5|2700 3900 1400|23
D45 Slav Defence|d2d4 d7d5 c2c4 c7c6 g1f3 g8f6 b1c3 e7e6 e2e3 b8d7 f1d3 d5c4 d3c4 b7b5|2600 3400 1700|20
E32 Nimzo-Indian Defence|d2d4 g8f6 c2c4 e7e6 b1c3 f8b4 d1c2 e8h8 a2a3 b4c3 c2c3 d7d5 g1f3 d5c4|1800 2500 1400|16
E15 Queen's Indian Defence|d2d4 g8f6 c2c4 e7e6 g1f3 b7b6 g2g3 c8a6 b2b3 f8b4 c1d2 b4e7 f1g2 c7c6|1700 2900 1200|19
D85 Grünfeld Defence|d2d4 g8f6 c2c4 g7g6 b1c3 d7d5 c4d5 f6d5 e2e4 d5c3 b2c3 f8g7 g1f3 c7c5|1900 2300 1400|21
E97 King's Indian Defence|d2d4 g8f6 c2c4 g7g6 b1c3 f8g7 e2e4 d7d6 g1f3 e8h8 f1e2 e7e5 e1h1 b8c6|2800 2300 2000|35
A30 English Opening|c2c4 c7c5 g1f3 g8f6 b1c3 b8c6 g2g3 g7g6 f1g2 f8g7 e1h1 e8h8 d2d4 c5d4|1500 2300 1000|8
A07 King's Indian Attack|g1f3 d7d5 g2g3 g8f6 f1g2 c7c6 e1h1 c8g4 d2d3 b8d7 h2h3 g4f3|1100 1500 900|6
`

// openingBook is the lines by position.
type openingBook struct{ at map[uint64]*openingPlace }

// openingPlace is a position of the lines; its moves are the most played first.
type openingPlace struct {
	name  *openingJSON // of the only opening that comes by here; nil for more
	moves []openingMove
}

type openingMove struct {
	move                position.Move
	white, draws, black int
	value               int
}

func (m openingMove) games() int { return m.white + m.draws + m.black }

// openings reads the lines, once they are wanted.
func (d *databases) openings() *openingBook {
	d.linesOnce.Do(func() {
		d.lines = &openingBook{at: map[uint64]*openingPlace{}}
		for line := range strings.Lines(strings.TrimSpace(openingLines)) {
			if err := d.lines.add(strings.TrimSpace(line)); err != nil {
				panic(fmt.Sprintf("sandbox: opening line %q: %v", line, err)) // they are ours
			}
		}
		for _, place := range d.lines.at {
			slices.SortStableFunc(place.moves, func(a, b openingMove) int { return cmp.Compare(b.games(), a.games()) })
		}
	})
	return d.lines
}

func (b *openingBook) add(line string) error {
	var white, draws, black, value int
	parts := strings.Split(line, "|")
	if len(parts) != 4 {
		return fmt.Errorf("it has %d parts", len(parts))
	}
	eco, title, _ := strings.Cut(parts[0], " ")
	name := &openingJSON{ECO: eco, Name: title}
	if _, err := fmt.Sscan(parts[2]+" "+parts[3], &white, &draws, &black, &value); err != nil {
		return err
	}
	g := position.NewGame(position.Start())
	for uci := range strings.FieldsSeq(parts[1]) {
		key := g.Position().Key()
		next, err := g.PlayUCI(uci)
		if err != nil {
			return err
		}
		m := next.Moves()[g.Len()]
		place := b.at[key]
		if place == nil {
			place = &openingPlace{name: name}
			b.at[key] = place
		} else if place.name != name {
			place.name = nil
		}
		i := slices.IndexFunc(place.moves, func(x openingMove) bool { return x.move == m })
		if i < 0 {
			i = len(place.moves)
			place.moves = append(place.moves, openingMove{move: m, value: value})
		}
		played := &place.moves[i]
		played.white, played.draws, played.black = played.white+white, played.draws+draws, played.black+black
		g = next
	}
	return nil
}

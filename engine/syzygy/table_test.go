package syzygy

import (
	"encoding/binary"
	"testing"

	"zeitnot/engine/position"
)

// constantDTZ is a table of KQvK with one stored value, which goes through a map.
func constantDTZ(flags, value byte, mapped []uint16) []byte {
	b := append([]byte(nil), magics[dtzKind]...)
	b = append(b, 1)                // the sides differ
	b = append(b, 0, 0x6, 0x5, 0xe) // order of groups; white king, white queen, black king
	b = append(b, 0)                // to an even place
	b = append(b, flagConstant|flags, value)
	for i := range 4 {
		values := mapped
		if i > 0 {
			values = nil // no such positions
		}
		if flags&flagWide == 0 {
			b = append(b, byte(len(values)))
			for _, v := range values {
				b = append(b, byte(v))
			}
			continue
		}
		b = binary.LittleEndian.AppendUint16(b, uint16(len(values)))
		for _, v := range values {
			b = binary.LittleEndian.AppendUint16(b, v)
		}
	}
	for len(b)%sizeUnit != sizeOverUse {
		b = append(b, 0)
	}
	return b
}

func TestDTZValuesThroughMaps(t *testing.T) {
	m, err := parseMaterial("KQvK")
	if err != nil {
		t.Fatal(err)
	}
	p, err := position.ParseFEN("8/8/8/3k4/8/8/1Q6/K7 w - - 0 1")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		data   []byte
		want   int
		refuse bool
	}{
		{"moves", constantDTZ(flagMapped, 1, []uint16{9, 7}), 15, false},
		{"half-moves", constantDTZ(flagMapped|flagWinPlies, 1, []uint16{9, 7}), 8, false},
		{"half-moves of the loser do not matter", constantDTZ(flagMapped|flagLossPlies, 1, []uint16{9, 7}), 15, false},
		{"wide", constantDTZ(flagMapped|flagWide, 1, []uint16{9, 700}), 1401, false},
		{"wide half-moves", constantDTZ(flagMapped|flagWide|flagWinPlies, 0, []uint16{300}), 301, false},
		{"beyond the map", constantDTZ(flagMapped, 2, []uint16{9, 7}), 0, true},
		{"beyond the wide map", constantDTZ(flagMapped|flagWide, 2, []uint16{9, 7}), 0, true},
	} {
		table, err := parseTable(dtzKind, m, c.data)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		got, there, ok := table.dtz(&p, m, Win)
		if !there || ok == c.refuse || (ok && got != c.want) {
			t.Errorf("%s: got %d (%v, %v), want %d", c.name, got, there, ok, c.want)
		}
	}
	// The other side to move is not in the table.
	other, err := position.ParseFEN("8/8/8/3k4/8/8/1Q6/K7 b - - 0 1")
	if err != nil {
		t.Fatal(err)
	}
	table, err := parseTable(dtzKind, m, constantDTZ(flagMapped, 1, []uint16{9, 7}))
	if err != nil {
		t.Fatal(err)
	}
	if _, there, _ := table.dtz(&other, m, Loss); there {
		t.Error("an answer for the side that the table does not hold")
	}
}

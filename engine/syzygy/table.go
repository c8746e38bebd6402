package syzygy

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"

	"zeitnot/engine/position"
)

// kind is what a table tells: WDL or DTZ.
type kind uint8

const (
	wdlKind kind = iota
	dtzKind
)

var (
	suffixes = [2]string{".rtbw", ".rtbz"}
	magics   = [2][]byte{{0x71, 0xe8, 0x23, 0x5d}, {0xd7, 0x66, 0x0c, 0xa5}}
)

// A file consists of units of 64 bytes and a checksum of 16.
const (
	sizeUnit    = 64
	sizeOverUse = 16
)

// checkSize tells whether a table can have so many bytes.
func checkSize(size int64) error {
	if size%sizeUnit != sizeOverUse {
		return fmt.Errorf("%d bytes is not a multiple of %d and %d: the file is cut off or no table", size, sizeUnit, sizeOverUse)
	}
	return nil
}

// table is one file, checked and ready for questions.
type table struct {
	kind     kind
	material material
	// sides is 2 if the two sides to move have arrays of their own.
	sides int
	// parts are per file a-d of the leading pawn ([0] without pawns) and per side to move.
	parts [4][2]part
}

// part is one array of a table and the way it numbers its positions.
type part struct {
	layout layout
	pairs  *pairs
	maps   dtzMaps
}

// dtzMaps translate the stored values of a DTZ array: one slice for each of win, loss,
// cursed win and blessed loss, of bytes or of 16-bit numbers.
type dtzMaps struct {
	wide  bool
	bytes [4][]byte
}

// dtzMapOf says which map belongs to a value of WDL, from Loss to Win.
var dtzMapOf = [5]int{1, 3, 0, 2, 0}

// parseTable reads all of a file that stands before its arrays, and finds these.
func parseTable(k kind, m material, data []byte) (*table, error) {
	if err := checkSize(int64(len(data))); err != nil {
		return nil, err
	}
	if !bytes.HasPrefix(data, magics[k]) {
		return nil, fmt.Errorf("it starts with %x, want %x", data[:4], magics[k])
	}
	const (
		flagSplit = 1
		flagPawns = 2
	)
	c := &cursor{data: data, at: len(magics[k])}
	flags := c.byte()
	t := &table{kind: k, material: m, sides: 1}
	if (flags&flagPawns != 0) != m.hasPawns() || (flags&flagSplit != 0) == m.symmetric() {
		return nil, fmt.Errorf("its flags %#x do not fit %s", flags, m)
	}
	if k == wdlKind && !m.symmetric() {
		t.sides = 2
	}
	for _, step := range []func(*cursor) error{t.readLayouts, t.readArrays, t.readMaps, t.findArrays} {
		if err := step(c); err != nil {
			return nil, err
		}
		if c.short {
			return nil, errShort
		}
	}
	return t, nil
}

func (t *table) files() int {
	if t.material.hasPawns() {
		return 4
	}
	return 1
}

// eachPart calls f for all parts in the order of the file.
func (t *table) eachPart(f func(*part) error) error {
	for file := range t.files() {
		for side := range t.sides {
			if err := f(&t.parts[file][side]); err != nil {
				return err
			}
		}
	}
	return nil
}

// readLayouts reads the order of men and groups; the low four bits of each byte are for
// White to move, the high ones for Black.
func (t *table) readLayouts(c *cursor) error {
	bothPawns := t.material.pawns(position.White) > 0 && t.material.pawns(position.Black) > 0
	for file := range t.files() {
		first, second := c.byte(), byte(absentGroup|absentGroup<<4)
		if bothPawns {
			second = c.byte()
		}
		packed := c.take(t.material.men())
		if c.short {
			return errShort
		}
		for side := range t.sides {
			nibble := func(b byte) byte { return b >> (4 * side) & 15 }
			order := make([]man, len(packed))
			for i, b := range packed {
				order[i] = man(nibble(b))
			}
			l, err := newLayout(t.material, order, [2]int{int(nibble(first)), int(nibble(second))}, file)
			if err != nil {
				return err
			}
			t.parts[file][side].layout = l
		}
	}
	c.align(2)
	return nil
}

func (t *table) readArrays(c *cursor) error {
	return t.eachPart(func(p *part) (err error) {
		p.pairs, err = readPairs(c)
		return err
	})
}

// readMaps reads the maps of DTZ values.
func (t *table) readMaps(c *cursor) error {
	if t.kind != dtzKind {
		return nil
	}
	err := t.eachPart(func(p *part) error {
		if p.pairs.flags&flagMapped == 0 {
			return nil
		}
		p.maps.wide = p.pairs.flags&flagWide != 0
		if p.maps.wide {
			c.align(2)
		}
		for i := range p.maps.bytes {
			if p.maps.wide {
				p.maps.bytes[i] = c.take(2 * c.uint16())
			} else {
				p.maps.bytes[i] = c.take(int(c.byte()))
			}
		}
		return nil
	})
	c.align(2)
	return err
}

// findArrays cuts the arrays out of the file: all indexes, all block lengths, all blocks.
func (t *table) findArrays(c *cursor) error {
	room := func(n uint64) (int, error) {
		if n > uint64(len(c.data)) {
			return 0, errShort
		}
		return int(n), nil
	}
	cut := func(into func(*pairs) *[]byte, size func(*part) uint64, align int) error {
		return t.eachPart(func(p *part) error {
			if p.pairs.constant {
				return nil
			}
			n, err := room(size(p))
			if err != nil {
				return err
			}
			c.align(align)
			*into(p.pairs) = c.take(n)
			return nil
		})
	}
	err := errors.Join(
		cut(func(p *pairs) *[]byte { return &p.index },
			func(p *part) uint64 { return p.pairs.spans(p.layout.size) * indexEntry }, 1),
		cut(func(p *pairs) *[]byte { return &p.lengths },
			func(p *part) uint64 { return p.pairs.blocks * 2 }, 1),
	)
	if err != nil {
		return err
	}
	return t.eachPart(func(p *part) error {
		if p.pairs.constant {
			return nil
		}
		c.align(sizeUnit)
		start := c.at
		n, err := room(p.pairs.realBlocks * p.pairs.blockSize)
		if err != nil {
			return err
		}
		c.take(n)
		if !c.short {
			// Reading ahead may look past the last block, at most into the checksum.
			p.pairs.data = c.data[start:]
		}
		return nil
	})
}

// find turns a position of this table's material, or of its mirror image, into a part and
// the number of the position in it. For a DTZ table that holds the other side to move only,
// ok is false.
func (t *table) find(p *position.Position, m material) (found *part, index uint64, ok bool) {
	// The table's White may be our Black; with equal material the side to move is White.
	stm := p.SideToMove()
	var swap position.Color
	if m != t.material || (t.material.symmetric() && stm == position.Black) {
		swap = position.Black
	}
	var flip position.Square
	if swap == position.Black {
		flip = 56
	}
	side := int(stm ^ swap)

	var sq [MaxMen]position.Square
	filled, file := 0, 0
	var mirror position.Square
	if t.material.hasPawns() {
		for pawns := p.Pieces(t.material.leader()^swap, position.Pawn); pawns != 0; filled++ {
			sq[filled] = pawns.PopFirst() ^ flip
		}
		findLeader(sq[:filled])
		if file = sq[0].File(); file > 3 {
			mirror = 7
			file = 7 - file
			for i := range sq[:filled] {
				sq[i] ^= mirror
			}
		}
	}

	if t.kind == dtzKind {
		found = &t.parts[file][0]
		stored := int(found.pairs.flags & flagBlackToMove)
		if stored != side && (!t.material.symmetric() || t.material.hasPawns()) {
			return nil, 0, false
		}
	} else {
		found = &t.parts[file][side&(t.sides-1)]
	}
	for l := &found.layout; filled < l.men; {
		man := l.order[filled]
		for b := p.Pieces(man.color()^swap, man.pieceType()); b != 0; filled++ {
			sq[filled] = b.PopFirst() ^ flip ^ mirror
		}
	}
	return found, found.layout.index(&sq), true
}

// wdl is the value of a position for the side to move. Where a capture is best the table
// may hold any value that is no better.
func (t *table) wdl(p *position.Position, m material) (WDL, bool) {
	part, n, _ := t.find(p, m)
	v, ok := part.pairs.at(n)
	w := WDL(v) + Loss
	return w, ok && v >= 0 && w <= Win
}

// dtz is the number of half-moves to the next zeroing move or mate, from 1, of a position
// whose value is w, not Draw. there is false if the table holds the other side to move.
func (t *table) dtz(p *position.Position, m material, w WDL) (n int, there, ok bool) {
	part, index, there := t.find(p, m)
	if !there {
		return 0, false, true
	}
	v, ok := part.pairs.at(index)
	if !ok {
		return 0, true, false
	}
	flags := part.pairs.flags
	if flags&flagMapped != 0 {
		values := part.maps.bytes[dtzMapOf[w-Loss]]
		switch {
		case part.maps.wide && 2*v+2 <= len(values):
			v = int(binary.LittleEndian.Uint16(values[2*v:]))
		case !part.maps.wide && v < len(values):
			v = int(values[v])
		default:
			return 0, true, false
		}
	}
	// Moves instead of half-moves where that costs nothing: the fifty-move rule is far.
	if (w == Win && flags&flagWinPlies == 0) || (w == Loss && flags&flagLossPlies == 0) || w == CursedWin || w == BlessedLoss {
		v *= 2
	}
	return v + 1, true, true
}

package syzygy

import (
	"fmt"
	"strings"

	"zeitnot/engine/position"
)

// material is what a table is about: how many men of each type both sides have besides
// their kings, four bits each, White in the low half. The zero value is two bare kings.
type material uint64

const (
	bitsPerType = 4
	bitsPerSide = bitsPerType * 5
	sideMask    = 1<<bitsPerSide - 1
)

func unit(c position.Color, t position.PieceType) material {
	return 1 << (int(c)*bitsPerSide + int(t)*bitsPerType)
}

// materialOf counts the men of a position.
func materialOf(p *position.Position) material {
	var m material
	for c := position.White; c <= position.Black; c++ {
		for t := position.Pawn; t < position.King; t++ {
			m += unit(c, t) * material(p.Pieces(c, t).Count()&(1<<bitsPerType-1))
		}
	}
	return m
}

// count is the number of men of one type and side, kings excepted.
func (m material) count(c position.Color, t position.PieceType) int {
	return int(m / unit(c, t) & (1<<bitsPerType - 1))
}

// mirror exchanges the sides.
func (m material) mirror() material { return m>>bitsPerSide | m&sideMask<<bitsPerSide }

func (m material) symmetric() bool { return m == m.mirror() }

// men counts all men, kings included.
func (m material) men() int {
	n := kings
	for ; m != 0; m >>= bitsPerType {
		n += int(m & (1<<bitsPerType - 1))
	}
	return n
}

func (m material) hasPawns() bool { return m.pawns(position.White)+m.pawns(position.Black) > 0 }

func (m material) pawns(c position.Color) int { return m.count(c, position.Pawn) }

// leader is the side whose pawns lead the numbering of a table with pawns: the one with
// fewer of them, White when both have the same number.
func (m material) leader() position.Color {
	w, b := m.pawns(position.White), m.pawns(position.Black)
	if b == 0 || (w > 0 && b >= w) {
		return position.White
	}
	return position.Black
}

// hasUnique tells whether some man other than the kings is the only one of its kind.
func (m material) hasUnique() bool {
	for ; m != 0; m >>= bitsPerType {
		if m&(1<<bitsPerType-1) == 1 {
			return true
		}
	}
	return false
}

const letters = "PNBRQ"

// parseMaterial reads a name such as KQPvKR.
func parseMaterial(name string) (material, error) {
	white, black, ok := strings.Cut(name, "v")
	if !ok || len(white) == 0 || len(black) == 0 || white[0] != 'K' || black[0] != 'K' {
		return 0, fmt.Errorf("%q is not of the form KQvKR", name)
	}
	if men := len(white) + len(black); men <= kings || men > MaxMen {
		return 0, fmt.Errorf("%q has %d men, want 3 to %d", name, men, MaxMen)
	}
	var m material
	for c, side := range [2]string{white[1:], black[1:]} {
		for i := range len(side) {
			t := strings.IndexByte(letters, side[i])
			if t < 0 {
				return 0, fmt.Errorf("%q: unknown man %q", name, side[i])
			}
			m += unit(position.Color(c), position.PieceType(t))
		}
	}
	return m, nil
}

// String is the name as files have it, strongest men first.
func (m material) String() string {
	var b strings.Builder
	for c := position.White; c <= position.Black; c++ {
		if c == position.Black {
			b.WriteByte('v')
		}
		b.WriteByte('K')
		for t := position.Queen; ; t-- {
			for range m.count(c, t) {
				b.WriteByte(letters[t])
			}
			if t == position.Pawn {
				break
			}
		}
	}
	return b.String()
}

// Class is the name of the class of tables that a position belongs to, such as KRPvKR; White's
// men come first.
func Class(p *position.Position) string { return materialOf(p).String() }

package position

import "math/bits"

// magic turns the blockers of one square into an index of sliderTable.
type magic struct {
	mask   Bitboard // squares whose occupation matters: the rays without their last squares
	mul    uint64
	offset uint32
	shift  uint8
}

// sliderTable holds the attack sets of rooks and bishops, 107,648 entries; its length is
// the next power of two so that a masked index needs no bounds check. It and the magics
// are written during init alone.
var (
	sliderTable [1 << 17]Bitboard
	rookMagic   [64]magic
	bishopMagic [64]magic
)

func init() {
	next := fillSliders(&rookMagic, &rookMagics, rookSteps, 0)
	fillSliders(&bishopMagic, &bishopMagics, bishopSteps, next)
}

// fillSliders builds one piece's part of the table from offset on and returns its end.
func fillSliders(magics *[64]magic, muls *[64]uint64, steps [][2]int, offset uint32) uint32 {
	var rays [4][64]Bitboard // each direction on an empty board, so that filling takes few steps
	for i := range steps {
		rays[i] = rayTable(steps[i : i+1])
	}
	for s := range NoSquare {
		edges := (rank1|rank8)&^RankMask(s.Rank()) | (fileA|fileH)&^FileMask(s.File())
		mask := walk(s, 0, steps) &^ edges
		n := bits.OnesCount64(uint64(mask))
		m := magic{mask: mask, mul: muls[s], offset: offset, shift: uint8(64 - n)}
		magics[s] = m
		// All subsets of mask, by the carry trick.
		for occ := Bitboard(0); ; {
			sliderTable[m.index(occ)] = cutRays(&rays, s, occ)
			if occ = (occ - mask) & mask; occ == 0 {
				break
			}
		}
		offset += 1 << n
	}
	return offset
}

// cutRays is the union of the four rays from s, each cut behind its first blocker. That is
// the lowest one on a ray towards higher squares, the highest on the others.
func cutRays(rays *[4][64]Bitboard, s Square, occ Bitboard) (b Bitboard) {
	for i := range rays {
		ray := rays[i][s]
		b |= ray
		if blockers := ray & occ; blockers != 0 {
			nearest := blockers.First()
			if nearest < s {
				nearest = blockers.Last()
			}
			b &^= rays[i][nearest]
		}
	}
	return b
}

func (m *magic) index(occ Bitboard) uint32 {
	return (m.offset + uint32(uint64(occ&m.mask)*m.mul>>(m.shift&63))) & (1<<17 - 1)
}

// RookAttacks is the set of squares that a rook on s attacks when occ is occupied; the
// first piece on each ray is included.
func RookAttacks(s Square, occ Bitboard) Bitboard { return sliderTable[rookMagic[s&63].index(occ)] }

// BishopAttacks is RookAttacks for a bishop.
func BishopAttacks(s Square, occ Bitboard) Bitboard {
	return sliderTable[bishopMagic[s&63].index(occ)]
}

// QueenAttacks is RookAttacks for a queen.
func QueenAttacks(s Square, occ Bitboard) Bitboard {
	return RookAttacks(s, occ) | BishopAttacks(s, occ)
}

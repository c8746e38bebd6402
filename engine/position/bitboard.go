package position

import "math/bits"

// Bitboard is a set of squares; bit i is Square(i).
type Bitboard uint64

// Bit is the set holding just s.
func (s Square) Bit() Bitboard { return 1 << (s & 63) }

// Has tells whether s is in the set.
func (b Bitboard) Has(s Square) bool { return b&s.Bit() != 0 }

// Count is the number of squares in the set.
func (b Bitboard) Count() int { return bits.OnesCount64(uint64(b)) }

// First is the lowest square of the set; 64 (NoSquare) for the empty set.
func (b Bitboard) First() Square { return Square(bits.TrailingZeros64(uint64(b))) }

// Last is the highest square of a set that is not empty.
func (b Bitboard) Last() Square { return Square(63 - bits.LeadingZeros64(uint64(b))) }

// PopFirst removes and returns the lowest square of a set that is not empty.
func (b *Bitboard) PopFirst() Square {
	s := b.First()
	*b &= *b - 1
	return s
}

// Several tells whether the set holds two squares or more.
func (b Bitboard) Several() bool { return b&(b-1) != 0 }

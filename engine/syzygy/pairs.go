package syzygy

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// pairs is a compressed array of small numbers. The values were joined in pairs again and
// again, each pair getting a symbol of its own (recursive pairing); the symbols are written
// in a canonical Huffman code into blocks of equal size. A sparse index says for every
// span-th value in which block it lies and where.
type pairs struct {
	flags byte
	// constant tells that every value is the same; nothing else is set then.
	constant bool
	value    int

	blockSize uint64
	span      uint64
	// blocks has entries in lengths; the last few may not be real.
	blocks, realBlocks uint64

	minLen int
	// base and lowest belong to the code words of minLen + i bits: the smallest such word,
	// left-aligned in 64 bits, and the first symbol.
	base   []uint64
	lowest []uint16
	syms   []symbol

	index   []byte // per span: block u32, position in it u16
	lengths []byte // per block: number of values less one, u16
	data    []byte // the blocks, and whatever follows in the file
}

// symbol stands for one value, or for those of its left and right symbol in that order.
type symbol struct {
	left, right uint16
	// more is the number of values less one.
	more uint16
}

// leaf marks a symbol that is the value left.
const leaf = 0xfff

// Flags of an array.
const (
	flagBlackToMove = 1 << iota // DTZ: the side that the table has (White without it)
	flagMapped                  // DTZ: values go through a map
	flagWinPlies                // DTZ: wins are in half-moves, otherwise moves
	flagLossPlies               // DTZ: losses are
	flagWide                    // DTZ: the map has 16-bit entries
	_
	_
	flagConstant // there is one value only
)

const (
	maxCodeLen = 32
	// maxSymbolValues is the most values that a symbol can stand for.
	maxSymbolValues = 256
	indexEntry      = 6
)

var (
	errShort  = errors.New("it ends too early")
	errDamage = errors.New("its compressed data makes no sense")
)

// cursor reads a file from front to back and remembers that it ended too early.
type cursor struct {
	data  []byte
	at    int
	short bool
}

// take is the next n bytes, zeros when there are not so many.
func (c *cursor) take(n int) []byte {
	if c.short || n > len(c.data)-c.at {
		c.short = true
		return make([]byte, min(n, 1<<16))
	}
	b := c.data[c.at : c.at+n : c.at+n]
	c.at += n
	return b
}

func (c *cursor) byte() byte { return c.take(1)[0] }

func (c *cursor) uint16() int { return int(binary.LittleEndian.Uint16(c.take(2))) }

func (c *cursor) uint32() uint64 { return uint64(binary.LittleEndian.Uint32(c.take(4))) }

// align skips to a multiple of n bytes from the start of the file.
func (c *cursor) align(n int) {
	if over := c.at % n; over != 0 {
		c.take(n - over)
	}
}

// readPairs reads the description of an array; the arrays that it speaks of
// come later in the file.
func readPairs(c *cursor) (*pairs, error) {
	p := &pairs{flags: c.byte()}
	if p.flags&flagConstant != 0 {
		p.constant = true
		p.value = int(c.byte())
		return p, nil
	}
	blockBits, spanBits := c.byte(), c.byte()
	padding := uint64(c.byte())
	realBlocks := c.uint32()
	maxLen := int(c.byte())
	p.minLen = int(c.byte())
	switch {
	case c.short:
		return nil, errShort
	case blockBits > 20 || spanBits > 30 || realBlocks == 0:
		return nil, fmt.Errorf("blocks of 2^%d bytes, spans of 2^%d values, %d blocks", blockBits, spanBits, realBlocks)
	case p.minLen < 1 || maxLen < p.minLen || maxLen > maxCodeLen:
		return nil, fmt.Errorf("code words of %d to %d bits", p.minLen, maxLen)
	}
	p.blockSize, p.span = 1<<blockBits, 1<<spanBits
	p.blocks, p.realBlocks = realBlocks+padding, realBlocks

	p.lowest = make([]uint16, maxLen-p.minLen+1)
	for i := range p.lowest {
		p.lowest[i] = uint16(c.uint16())
	}
	p.setBase()
	return p, p.readSymbols(c)
}

// setBase finds the smallest code word of each length, from the longest to the shortest.
func (p *pairs) setBase() {
	p.base = make([]uint64, len(p.lowest))
	for i := len(p.base) - 2; i >= 0; i-- {
		p.base[i] = (p.base[i+1] + uint64(p.lowest[i]) - uint64(p.lowest[i+1])) / 2
	}
	for i := range p.base {
		p.base[i] <<= 64 - i - p.minLen
	}
}

func (p *pairs) readSymbols(c *cursor) error {
	n := c.uint16()
	packed := c.take(3 * n)
	c.take(n & 1)
	if c.short {
		return errShort
	}
	p.syms = make([]symbol, n)
	for i := range p.syms {
		b := packed[3*i : 3*i+3]
		p.syms[i] = symbol{
			left:  uint16(b[0]) | uint16(b[1]&15)<<8,
			right: uint16(b[1])>>4 | uint16(b[2])<<4,
		}
	}
	state := make([]byte, n)
	for i := range p.syms {
		if !p.measure(i, state, 0) {
			return errDamage
		}
	}
	return nil
}

// measure counts the values of symbol i and all below it; false if they go in a circle, do
// not exist or stand for too many. state is 1 for a symbol being looked at, 2 for a done one.
func (p *pairs) measure(i int, state []byte, depth int) bool {
	if i >= len(p.syms) || state[i] == 1 || depth > maxSymbolValues {
		return false
	}
	s := &p.syms[i]
	if state[i] == 2 || s.right == leaf {
		state[i] = 2
		return true
	}
	state[i] = 1
	if !p.measure(int(s.left), state, depth+1) || !p.measure(int(s.right), state, depth+1) {
		return false
	}
	state[i] = 2
	s.more = p.syms[s.left].more + p.syms[s.right].more + 1
	return s.more < maxSymbolValues
}

// spans is the number of entries of the sparse index over size values.
func (p *pairs) spans(size uint64) uint64 { return (size + p.span - 1) / p.span }

// at is value number n. It fails only if the file is damaged.
func (p *pairs) at(n uint64) (int, bool) {
	if p.constant {
		return p.value, true
	}

	// The index knows the middle of each span; walk from there to the block of n.
	entry := n / p.span * indexEntry
	if entry+indexEntry > uint64(len(p.index)) {
		return 0, false
	}
	e := p.index[entry : entry+indexEntry]
	block := uint64(binary.LittleEndian.Uint32(e))
	offset := int(binary.LittleEndian.Uint16(e[4:])) + int(n%p.span) - int(p.span/2)
	if block >= p.blocks {
		return 0, false
	}
	for offset < 0 {
		if block == 0 {
			return 0, false
		}
		block--
		offset += p.length(block)
	}
	for offset >= p.length(block) {
		offset -= p.length(block)
		if block++; block >= p.blocks {
			return 0, false
		}
	}
	return p.decode(block*p.blockSize, offset)
}

// length is the number of values in a block.
func (p *pairs) length(block uint64) int {
	return int(binary.LittleEndian.Uint16(p.lengths[2*block:])) + 1
}

// decode reads symbols from the block that starts at byte from until the one that holds
// value number offset of the block, and then goes down to it.
func (p *pairs) decode(from uint64, offset int) (int, bool) {
	if from+8 > uint64(len(p.data)) {
		return 0, false
	}
	rest := p.data[from:]
	bits := binary.BigEndian.Uint64(rest)
	rest = rest[8:]
	valid := 64 // bits of the word that are real
	for {
		i := 0
		for bits < p.base[i] {
			if i++; i == len(p.base) {
				return 0, false
			}
		}
		wordLen := p.minLen + i
		sym := uint64(p.lowest[i]) + (bits-p.base[i])>>(64-wordLen)
		if sym >= uint64(len(p.syms)) {
			return 0, false
		}
		s := &p.syms[sym]
		if offset <= int(s.more) {
			return p.descend(s, offset), true
		}
		offset -= int(s.more) + 1

		bits <<= wordLen
		if valid -= wordLen; valid <= 32 {
			if len(rest) < 4 {
				return 0, false
			}
			valid += 32
			bits |= uint64(binary.BigEndian.Uint32(rest)) << (64 - valid)
			rest = rest[4:]
		}
	}
}

// descend finds value number offset of those that s stands for.
func (p *pairs) descend(s *symbol, offset int) int {
	for s.right != leaf {
		left := &p.syms[s.left]
		if offset <= int(left.more) {
			s = left
		} else {
			offset -= int(left.more) + 1
			s = &p.syms[s.right]
		}
	}
	return int(s.left)
}

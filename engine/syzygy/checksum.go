package syzygy

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"math/bits"
)

// Files end with sixteen bytes that are a hash of all before: CityHashCrc256 (G. Pike and
// J. Alakuijala, CityHash 1.0.3) of each 16 MiB, and CityHashCrc128 of those hashes.

const (
	checksumSize  = sizeOverUse
	checksumChunk = 1 << 24
)

var errChecksum = errors.New("its checksum does not fit its contents")

// verifyChecksum compares the hash of a file with the one it ends with.
func verifyChecksum(data []byte) error {
	if err := checkSize(int64(len(data))); err != nil {
		return err
	}
	body, want := data[:len(data)-checksumSize], data[len(data)-checksumSize:]
	var hashes []byte
	for len(body) > 0 {
		n := min(len(body), checksumChunk)
		for _, h := range cityCrc256(body[:n]) {
			hashes = binary.LittleEndian.AppendUint64(hashes, h)
		}
		body = body[n:]
	}
	if len(hashes) == 0 {
		return errShort
	}
	first, second := cityCrc128(hashes)
	if first != binary.LittleEndian.Uint64(want) || second != binary.LittleEndian.Uint64(want[8:]) {
		return errChecksum
	}
	return nil
}

// The multipliers of CityHash.
const (
	city0   = 0xc3a5c85c97cb3127
	city1   = 0xb492b66fbe98f273
	city3   = 0xc949d7c7509e6557
	cityMix = 0x9ddfea08eb382d69
)

func word(b []byte, at int) uint64 { return binary.LittleEndian.Uint64(b[at:]) }

func rotateRight(v uint64, n int) uint64 { return bits.RotateLeft64(v, -n) }

func fold(v uint64) uint64 { return v ^ v>>47 }

// pair hashes two words into one.
func pair(u, v uint64) uint64 {
	a := fold((u ^ v) * cityMix)
	return fold((v^a)*cityMix) * cityMix
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// crcStep is the bare CRC-32C of eight bytes after a former value, without the usual
// inversions before and after.
func crcStep(crc, v uint64) uint64 {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], v)
	return uint64(^crc32.Update(^uint32(crc), castagnoli, b[:]))
}

// crcState is the running state of CityHashCrc256: five words turned round and multiplied,
// and a CRC of each.
type crcState struct {
	a, b, c, d, e, t uint64
	crc              [5]uint64
}

// take mixes in forty bytes.
func (s *crcState) take(p []byte, multiplier uint64, odd int) {
	_ = p[39]
	old := s.a
	s.a = rotateRight(s.b, 41^odd)*multiplier + word(p, 0)
	s.b = rotateRight(s.c, 27^odd)*multiplier + word(p, 8)
	s.c = rotateRight(s.d, 41^odd)*multiplier + word(p, 16)
	s.d = rotateRight(s.e, 33^odd)*multiplier + word(p, 24)
	s.e = rotateRight(s.t, 25^odd)*multiplier + word(p, 32)
	s.t = old
	for i, v := range [5]uint64{s.a, s.b, s.c, s.d, s.e} {
		s.crc[i] = crcStep(s.crc[i], v)
	}
}

const crcBlock = 240

func cityCrc256(p []byte) [4]uint64 {
	if len(p) >= crcBlock {
		return cityCrc256From(p, 0)
	}
	var padded [crcBlock]byte
	copy(padded[:], p)
	return cityCrc256From(padded[:], ^uint32(len(p)))
}

// cityCrc256From needs at least crcBlock bytes.
func cityCrc256From(p []byte, seed uint32) (r [4]uint64) {
	s := crcState{a: word(p, 56) + city0, b: word(p, 96) + city0, e: word(p, 184) + uint64(seed)}
	r[0] = pair(s.b, uint64(len(p)))
	r[1] = word(p, 120)*city0 + uint64(len(p))
	s.c, s.d = r[0], r[1]
	s.crc[0] = uint64(seed)
	s.t = s.c + s.d

	for ; len(p) >= crcBlock; p = p[crcBlock:] {
		for at := 0; at < crcBlock; at += 80 {
			s.take(p[at:], 1, 1)
			s.take(p[at+40:], city0, 0)
		}
		if len(p) < 2*crcBlock {
			// What is left over is read from behind, which may reach back into this block.
			rest := len(p) - crcBlock
			at := crcBlock
			for ; rest >= 40; rest -= 40 {
				s.take(p[at:], city0, 0)
				at += 40
			}
			if rest > 0 {
				s.take(p[at+rest-40:], city0, 0)
			}
		}
	}

	a, b, c, d, e := s.a, s.b, s.c, s.d, s.e
	f, g, h, i, j := s.crc[0], s.crc[1], s.crc[2], s.crc[3], s.crc[4]
	j += i << 32
	a = pair(a, j)
	h += g << 32
	b += h
	c = pair(c, f) + i
	d = pair(d, e+r[0])
	j += e
	i += pair(h, s.t)
	e = pair(a, d) + j
	f = pair(b, c) + a
	g = pair(j, i) + c
	r[0] = e + f + g + h
	a = fold((a+g)*city0)*city0 + b
	r[1] += a + r[0]
	a = fold(a*city0)*city0 + c
	r[2] = a + r[1]
	a = fold((a+e)*city0) * city0
	r[3] = a + r[2]
	return r
}

// cityCrc128 is for a multiple of 32 bytes.
func cityCrc128(p []byte) (first, second uint64) {
	if len(p) > 900 {
		r := cityCrc256(p)
		return r[2], r[3]
	}
	u, v := word(p, 0)^city3, word(p, 8)
	if p = p[16:]; len(p) < 128 {
		return cityMurmur(p, u, v)
	}
	return city128(p, u, v)
}

// cityMurmur is CityHash128 of at least sixteen bytes with two seeds.
func cityMurmur(p []byte, a, b uint64) (first, second uint64) {
	n := len(p)
	var c, d uint64
	if n == 16 {
		a = fold(a*city1) * city1
		c = b*city1 + (pair(word(p, 0), rotateRight(word(p, 8)+16, 16)) ^ word(p, 8))
		d = fold(a + word(p, 0))
	} else {
		c = pair(word(p, n-8)+city1, a)
		d = pair(b+uint64(n), c+word(p, n-16))
		a += d
		for at := 0; at < n-16; at += 16 {
			a ^= fold(word(p, at)*city1) * city1
			a *= city1
			b ^= a
			c ^= fold(word(p, at+8)*city1) * city1
			c *= city1
			d ^= c
		}
	}
	a = pair(a, c)
	b = pair(d, b)
	return a ^ b, pair(b, a)
}

// twoWords are a half of city128's state.
type twoWords struct{ first, second uint64 }

// weak hashes 32 bytes with two seeds.
func weak(p []byte, a, b uint64) twoWords {
	w, x, y, z := word(p, 0), word(p, 8), word(p, 16), word(p, 24)
	a += w
	b = rotateRight(b+a+z, 21)
	c := a
	a += x + y
	b += rotateRight(a, 44)
	return twoWords{a + z, b + c}
}

// city128 is CityHash128 of at least 128 bytes with two seeds.
func city128(p []byte, x, y uint64) (uint64, uint64) {
	z := uint64(len(p)) * city1
	var v, w twoWords
	v.first = rotateRight(y^city1, 49)*city1 + word(p, 0)
	v.second = rotateRight(v.first, 42)*city1 + word(p, 8)
	w.first = rotateRight(y+z, 35)*city1 + x
	w.second = rotateRight(x+word(p, 88), 53) * city1

	at := 0
	for ; len(p)-at >= 128; at += 128 {
		for _, half := range [2]int{at, at + 64} {
			q := p[half : half+64]
			x = rotateRight(x+y+v.first+word(q, 8), 37) * city1
			y = rotateRight(y+v.second+word(q, 48), 42) * city1
			x ^= w.second
			y += v.first + word(q, 40)
			z = rotateRight(z+w.first, 33) * city1
			v = weak(q, v.second*city1, x+w.first)
			w = weak(q[32:], z+w.second, y+word(q, 16))
			z, x = x, z
		}
	}
	x += rotateRight(v.first+z, 49) * city0
	z += rotateRight(w.first, 37) * city0
	for done := 0; done < len(p)-at; {
		done += 32
		q := p[len(p)-done:]
		y = rotateRight(x+y, 42)*city0 + v.second
		w.first += word(q, 16)
		x = x*city0 + w.first
		z += w.second + word(q, 0)
		w.second += v.first
		v = weak(q, v.first+z, v.second)
	}
	x = pair(x, v.first)
	y = pair(y+z, w.first)
	return pair(x+v.second, w.second) + y, pair(x+w.second, y+v.second)
}

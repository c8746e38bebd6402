// Package book reads, chooses from and builds opening books in the Polyglot format: sorted
// entries of sixteen bytes, a position's key, a move, its weight. It answers nothing but
// what stands in a book and is legal; whether a game should use a book at all is the
// caller's to decide.
package book

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"zeitnot/engine/position"
)

const entrySize = 16

// entry is one record of a book.
type entry struct {
	key    uint64
	move   code
	weight uint16
	// learn is for programs that note results in the book; it is kept, not used.
	learn uint32
}

func parseEntry(b []byte) entry {
	return entry{
		key:    binary.BigEndian.Uint64(b),
		move:   code(binary.BigEndian.Uint16(b[8:])),
		weight: binary.BigEndian.Uint16(b[10:]),
		learn:  binary.BigEndian.Uint32(b[12:]),
	}
}

func (e entry) append(b []byte) []byte {
	b = binary.BigEndian.AppendUint64(b, e.key)
	b = binary.BigEndian.AppendUint16(b, uint16(e.move))
	b = binary.BigEndian.AppendUint16(b, e.weight)
	return binary.BigEndian.AppendUint32(b, e.learn)
}

// Book is an open book. It holds nothing in memory: a question is a binary search in the
// file. It may be asked by many at once.
type Book struct {
	name    string
	source  io.ReaderAt
	entries int64
	close   func() error
}

// Move is a legal move that a book has for a position.
type Move struct {
	Move position.Move
	// Weight is the book's own measure, of meaning beside the other moves only. 0 is a move
	// to know but not to play.
	Weight int
}

// Open opens a book file. The error names the file, if it is not a book or a cut one.
func Open(path string) (*Book, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("book: %w", err)
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("not a regular file")
	}
	var b *Book
	if err == nil {
		b, err = New(path, f, info.Size())
	}
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("book %s: %w", path, err)
	}
	b.close = f.Close
	return b, nil
}

// New is a book out of size bytes of a source; the name is for messages. The source must
// stay as it is.
func New(name string, source io.ReaderAt, size int64) (*Book, error) {
	b := &Book{name: name, source: source, entries: size / entrySize}
	switch {
	case size == 0:
		return nil, errors.New("it is empty")
	case size%entrySize != 0:
		return nil, fmt.Errorf("%d bytes are not whole entries of %d: the file is cut off or no book", size, entrySize)
	}
	return b, b.checkOrder()
}

// checkAll is the number of entries up to which all are looked at when a book is opened; of
// larger ones as many samples.
const checkAll = 1 << 18

// checkOrder makes sure that the keys ascend, which no file of another kind keeps up.
func (b *Book) checkOrder() error {
	last := uint64(0)
	look := func(i int64, e entry) error {
		if e.key < last {
			return fmt.Errorf("entry %d has a smaller key than one before it: it is no book", i+1)
		}
		last = e.key
		return nil
	}
	if b.entries > checkAll {
		for i := range int64(checkAll / 64) {
			at := i * (b.entries - 1) / (checkAll/64 - 1)
			e, err := b.at(at)
			if err == nil {
				err = look(at, e)
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
	r := bufio.NewReaderSize(io.NewSectionReader(b.source, 0, b.entries*entrySize), 1<<16)
	for i := range b.entries {
		var buf [entrySize]byte
		if _, err := io.ReadFull(r, buf[:]); err != nil {
			return fmt.Errorf("entry %d: %w", i+1, err)
		}
		if err := look(i, parseEntry(buf[:])); err != nil {
			return err
		}
	}
	return nil
}

// Name is the path of the book, or what it was given.
func (b *Book) Name() string { return b.name }

// Len is the number of entries.
func (b *Book) Len() int { return int(b.entries) }

// Close closes the file. Nobody may be asking.
func (b *Book) Close() error {
	if b.close == nil {
		return nil
	}
	return b.close()
}

func (b *Book) at(i int64) (entry, error) {
	var buf [entrySize]byte
	if n, err := b.source.ReadAt(buf[:], i*entrySize); n < entrySize {
		return entry{}, fmt.Errorf("book %s: entry %d: %w", b.name, i+1, err)
	}
	return parseEntry(buf[:]), nil
}

// find is all entries of a key, in the order of the file.
func (b *Book) find(key uint64) ([]entry, error) {
	low, high := int64(0), b.entries
	for low < high {
		mid := low + (high-low)/2
		e, err := b.at(mid)
		if err != nil {
			return nil, err
		}
		if e.key < key {
			low = mid + 1
		} else {
			high = mid
		}
	}
	var found []entry
	// A position has no more moves than a list holds; a broken book could go on for ever.
	for ; low < b.entries && len(found) < 256; low++ {
		e, err := b.at(low)
		if err != nil {
			return nil, err
		}
		if e.key != key {
			break
		}
		found = append(found, e)
	}
	return found, nil
}

// Moves are the legal moves that the book has for a game's current position, heaviest first.
func (b *Book) Moves(g position.Game) ([]Move, error) {
	return b.MovesAt(Key(g), g.Position())
}

// MovesAt is Moves for a position whose key is known.
func (b *Book) MovesAt(key uint64, p *position.Position) ([]Move, error) {
	found, err := b.find(key)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	var legal position.MoveList
	p.Legal(&legal)
	var moves []Move
	for _, e := range found {
		m := e.move.decode(p, legal.Slice())
		if m == position.NoMove {
			continue // not of this position: a damaged book or two positions with one key
		}
		if i := slices.IndexFunc(moves, func(x Move) bool { return x.Move == m }); i >= 0 {
			moves[i].Weight += int(e.weight)
			continue
		}
		moves = append(moves, Move{Move: m, Weight: int(e.weight)})
	}
	slices.SortStableFunc(moves, func(x, y Move) int { return cmp.Compare(y.Weight, x.Weight) })
	return moves, nil
}

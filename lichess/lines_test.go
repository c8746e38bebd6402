package lichess

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// However the bytes are split, the reader gives the lines that a plain split gives.
func TestLinesDoNotDependOnPackets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		texts := rapid.SliceOfN(rapid.OneOf(
			rapid.StringMatching(`[ a-z{}":é♞]{0,40}`),
			rapid.Map(rapid.IntRange(16<<10-3, 16<<10+3), func(n int) string { return strings.Repeat("x", n) }), // around the buffer's size
			rapid.Just(strings.Repeat("é", 40000)),
		), 0, 6).Draw(t, "lines")
		stream := strings.Join(texts, "\n")
		seed := rapid.Uint64().Draw(t, "seed")

		r := newLineReader(&packets{data: []byte(stream), random: rand.New(rand.NewPCG(seed, 1))})
		for i := 0; i < len(texts)-1; i++ {
			line, _, oversize, err := r.next()
			if want := strings.TrimSpace(texts[i]); err != nil || oversize != 0 || string(line) != want {
				t.Fatalf("line %d: got %.60q, oversize %d, %v, want %.60q", i, line, oversize, err, want)
			}
		}
		if line, _, _, err := r.next(); !errors.Is(err, io.EOF) || line != nil {
			t.Fatalf("end: got %.60q, %v, want io.EOF", line, err)
		}
	})
}

// packets gives its data in pieces of random size.
type packets struct {
	data   []byte
	random *rand.Rand
}

func (p *packets) Read(b []byte) (int, error) {
	if len(p.data) == 0 {
		return 0, io.EOF
	}
	n := copy(b, p.data[:min(len(p.data), 1+p.random.IntN(1+min(20000, len(p.data))))])
	p.data = p.data[n:]
	return n, nil
}

func TestLongestLineAndOneMore(t *testing.T) {
	for size, want := range map[int]string{maxLine: fmt.Sprint("line ", maxLine-1), maxLine + 1: fmt.Sprint("oversize ", maxLine+1)} {
		text := bytes.Repeat([]byte("x"), size-1)
		r := newLineReader(bytes.NewReader(append(append(text, '\n'), "next\n"...)))
		line, _, oversize, err := r.next()
		got := fmt.Sprint("line ", len(line))
		if oversize > 0 {
			got = fmt.Sprint("oversize ", oversize)
		}
		if err != nil || got != want {
			t.Errorf("%d bytes with the end: got %s, %v, want %s", size, got, err, want)
		}
		if line, _, _, err := r.next(); err != nil || string(line) != "next" {
			t.Errorf("line behind it: got %.20q, %v", line, err)
		}
	}
}

func TestOversizeLineAtTheEndIsDropped(t *testing.T) {
	r := newLineReader(strings.NewReader(strings.Repeat("x", 2*maxLine)))
	if _, _, oversize, err := r.next(); err != io.EOF || oversize != 0 {
		t.Errorf("got oversize %d, %v, want io.EOF", oversize, err)
	}
}

package uci

import (
	"bufio"
	"errors"
	"io"
	"strings"
	"sync"
)

// maxLine is the longest line that either end reads; longer ones are skipped. A game of
// 6,000 moves fits into 64 KiB; no sane peer needs a mebibyte.
const maxLine = 1 << 20

// lineReader cuts a stream into lines of bounded length.
type lineReader struct {
	r *bufio.Reader
}

func newLineReader(r io.Reader) *lineReader {
	return &lineReader{r: bufio.NewReaderSize(r, 16<<10)}
}

// next is the next line without its end. tooLong tells that the line was longer than
// maxLine; then text is only its beginning. A last line without an end counts; the error
// comes with the call after it.
func (l *lineReader) next() (text string, tooLong bool, err error) {
	var line []byte
	for {
		part, err := l.r.ReadSlice('\n')
		if room := maxLine - len(line); len(part) > room {
			tooLong = true
			part = part[:room]
		}
		line = append(line, part...)
		switch {
		case err == nil:
			return strings.TrimRight(string(line), "\r\n"), tooLong, nil
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case len(line) > 0:
			return strings.TrimRight(string(line), "\r\n"), tooLong, nil
		default:
			return "", false, err
		}
	}
}

// lineWriter writes whole lines, one Write for each call, from any goroutine.
type lineWriter struct {
	mu     sync.Mutex // guards w, buf and err
	w      io.Writer
	buf    []byte
	err    error
	broken chan struct{} // closed by the first write that fails
}

func newLineWriter(w io.Writer) *lineWriter {
	return &lineWriter{w: w, broken: make(chan struct{})}
}

// lines writes the lines; after the first fault it does nothing more.
func (o *lineWriter) lines(lines ...string) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err != nil {
		return o.err
	}
	o.buf = o.buf[:0]
	for _, l := range lines {
		o.buf = append(o.buf, l...)
		o.buf = append(o.buf, '\n')
	}
	if _, err := o.w.Write(o.buf); err != nil {
		o.err = err
		close(o.broken)
	}
	return o.err
}

// fault is the first error of a write, nil so far.
func (o *lineWriter) fault() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.err
}

// printable makes outside text fit for one line of a log or an info string: control
// characters become blanks and the middle of long text is left out.
func printable(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "?"))
	const most = 160
	if r := []rune(s); len(r) > most {
		s = string(r[:most-40]) + " … " + string(r[len(r)-37:])
	}
	return s
}

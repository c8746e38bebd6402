package lichess

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"time"
)

// maxLine is the longest line that is read, in bytes. A game of 600 plies takes 4 KiB and a
// scanner's 64 KiB limit would end a stream for good; longer lines are skipped.
const maxLine = 1 << 20

// lineReader cuts a stream into lines and stamps each with the time its last byte was read.
type lineReader struct {
	buffer *bufio.Reader
	source *stampedReader
	line   []byte // a line longer than the buffer is put together here
}

func newLineReader(r io.Reader) *lineReader {
	source := &stampedReader{reader: r}
	return &lineReader{buffer: bufio.NewReaderSize(source, 16<<10), source: source}
}

// next gives the next line without its end and without white space around it, valid until
// the next call. A line longer than maxLine is skipped: then oversize is its length. A
// partial line at the end of the stream is dropped: the server ends every line.
func (r *lineReader) next() (line []byte, arrived time.Time, oversize int, err error) {
	r.line = r.line[:0]
	size := 0
	for {
		part, err := r.buffer.ReadSlice('\n')
		size += len(part)
		switch {
		case err == nil && size <= len(part): // the whole line lies in the buffer
			return bytes.TrimSpace(part), r.source.stamp, 0, nil
		case err == nil || errors.Is(err, bufio.ErrBufferFull):
			if size <= maxLine {
				r.line = append(r.line, part...)
			}
		default:
			return nil, r.source.stamp, 0, err
		}
		if err == nil {
			if size > maxLine {
				r.line = nil // give the memory back
				return nil, r.source.stamp, size, nil
			}
			return bytes.TrimSpace(r.line), r.source.stamp, 0, nil
		}
	}
}

// stampedReader remembers when its last read returned. The buffer in front reads only when
// it holds no whole line, so the stamp is that of the line handed out last.
type stampedReader struct {
	reader io.Reader
	stamp  time.Time
}

// Read is io.Reader's.
func (s *stampedReader) Read(p []byte) (int, error) {
	n, err := s.reader.Read(p)
	if n > 0 {
		s.stamp = time.Now()
	}
	return n, err
}

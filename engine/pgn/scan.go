package pgn

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
)

// kind is what a token of a PGN file is.
type kind uint8

const (
	endOfFile kind = iota
	tagPair
	comment
	word
	nag
	variationStart
	variationEnd
)

// token is one token and the line on which it starts.
type token struct {
	kind kind
	text string // of comments and words; the digits of a NAG
	tag  Tag
	line int
	// afterBlank tells that a blank line stands before a tag pair.
	afterBlank bool
}

// scanner cuts a PGN file into tokens. It works line by line because escape lines, comments to the
// end of a line and careless tag pairs are matters of lines.
type scanner struct {
	r      *bufio.Reader
	text   string // the rest of the current line
	number int    // of the current line, from 1
	blank  bool   // a blank line was seen since the last token
	peeked *token
	err    error // why there are no more lines
}

// byteOrderMark begins files of some editors, and games in files joined from such.
const byteOrderMark = "\ufeff"

// maxLine is how many bytes a line may have: far more than any game.
const maxLine = 1 << 20

// readLine is the next line with its end, as ReadString has it; what has no lines is no PGN.
func (s *scanner) readLine() (string, error) {
	var line []byte
	for {
		part, err := s.r.ReadSlice('\n')
		if len(line)+len(part) > maxLine {
			return "", fmt.Errorf("line %d has more than %d bytes", s.number+1, maxLine)
		}
		line = append(line, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return string(line), err
		}
	}
}

// nextLine goes to the next line that is no escape line.
func (s *scanner) nextLine() bool {
	for s.err == nil {
		line, err := s.readLine()
		s.err = err
		if line == "" {
			return false
		}
		s.number++
		line = strings.TrimPrefix(line, byteOrderMark)
		if strings.HasPrefix(line, "%") {
			continue
		}
		s.text = strings.TrimRight(line, "\r\n")
		return true
	}
	return false
}

// readFault is the error that ended the file early, nil at a proper end.
func (s *scanner) readFault() error {
	if errors.Is(s.err, io.EOF) {
		return nil
	}
	return s.err
}

func (s *scanner) peek() token {
	if s.peeked == nil {
		t := s.scan()
		s.peeked = &t
	}
	return *s.peeked
}

func (s *scanner) next() token {
	t := s.peek()
	s.peeked = nil
	return t
}

func (s *scanner) scan() token {
	for {
		s.text = strings.TrimLeft(s.text, " \t\v\f\u00a0\x00")
		if s.text != "" && s.text[0] != ';' {
			break
		}
		if !s.nextLine() {
			return token{kind: endOfFile, line: s.number}
		}
		if strings.TrimSpace(s.text) == "" {
			s.blank = true
		}
	}
	t := token{line: s.number, afterBlank: s.blank}
	s.blank = false
	switch s.text[0] {
	case '[':
		t.kind, t.tag = tagPair, s.tagPair()
	case '{':
		t.kind, t.text = comment, s.comment()
	case '(':
		t.kind, s.text = variationStart, s.text[1:]
	case ')':
		t.kind, s.text = variationEnd, s.text[1:]
	case '$':
		s.text = s.text[1:]
		n := 0
		for n < len(s.text) && s.text[n] >= '0' && s.text[n] <= '9' {
			n++
		}
		t.kind, t.text, s.text = nag, s.text[:n], s.text[n:]
	default:
		n := strings.IndexAny(s.text, " \t\v\f{}()$;[")
		switch {
		case n < 0:
			n = len(s.text)
		case n == 0: // a stray closing brace
			n = 1
		}
		t.kind, t.text, s.text = word, s.text[:n], s.text[n:]
	}
	return t
}

// tagPair reads a tag pair up to its bracket. A value with bare quotes inside ends at the
// quote before the bracket; without a bracket the line is the tag. Name "" is a pair that
// cannot be read.
func (s *scanner) tagPair() Tag {
	text := strings.TrimLeft(s.text[1:], " \t")
	n := strings.IndexAny(text, " \t\"]")
	if n < 0 {
		s.text = ""
		return Tag{}
	}
	name, rest := text[:n], strings.TrimLeft(text[n:], " \t")
	if !strings.HasPrefix(rest, `"`) {
		value, after, _ := strings.Cut(rest, "]")
		s.text = after
		return Tag{name, strings.TrimSpace(value)}
	}
	rest = rest[1:]
	for i := 0; i < len(rest); i++ {
		switch rest[i] {
		case '\\':
			i++
		case '"':
			if after := strings.TrimLeft(rest[i+1:], " \t"); strings.HasPrefix(after, "]") {
				s.text = after[1:]
				return Tag{name, unescape(rest[:i])}
			}
		}
	}
	s.text = ""
	return Tag{name, unescape(strings.TrimRight(rest, "] \t\""))}
}

// unescape undoes \" and \\; any other backslash stands for itself.
func unescape(s string) string {
	return strings.NewReplacer(`\\`, `\`, `\"`, `"`).Replace(s)
}

// comment reads up to the closing brace, over lines; braces do not nest.
func (s *scanner) comment() string {
	var b strings.Builder
	s.text = s.text[1:]
	for {
		if i := strings.IndexByte(s.text, '}'); i >= 0 {
			b.WriteString(s.text[:i])
			s.text = s.text[i+1:]
			return b.String()
		}
		b.WriteString(s.text)
		b.WriteByte(' ')
		s.text = ""
		if !s.nextLine() {
			return b.String() // the file ends inside a comment
		}
	}
}

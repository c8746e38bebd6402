package shell

import (
	"bufio"
	"errors"
	"io"
	"strings"

	"golang.org/x/term"
)

// maxLine is the longest line that is read, in bytes.
const maxLine = 1 << 16

// Pipe reads lines from anything that is not a terminal.
type Pipe struct{ from *bufio.Reader }

// NewPipe makes a Pipe.
func NewPipe(from io.Reader) *Pipe { return &Pipe{bufio.NewReaderSize(from, maxLine)} }

// Next implements Lines. A last line without an end counts.
func (p *Pipe) Next() (string, error) {
	line, more, err := p.from.ReadLine()
	if !more {
		return string(line), err
	}
	for more && err == nil {
		_, more, err = p.from.ReadLine()
	}
	return "", ErrTooLong
}

// EditorConfig is what an Editor is made with; everything is required.
type EditorConfig struct {
	In  io.Reader
	Out io.Writer
	// Raw makes the terminal pass on every key until restore is called.
	Raw func() (restore func(), err error)
	// Size is the terminal's in columns and rows; 0 is unknown.
	Size    func() (width, height int)
	Prompt  string
	History *History
	// Complete finds what may stand for the last word; see Shell.Complete.
	Complete func(line string) (word string, candidates []string)
}

// Editor reads lines that a person edits in a terminal, with history and completion.
type Editor struct {
	cfg  EditorConfig
	keys *keys
	// term edits the line; nil after an interrupt, which leaves a line unfinished.
	term *term.Terminal
}

// NewEditor makes an Editor.
func NewEditor(cfg EditorConfig) *Editor {
	return &Editor{cfg: cfg, keys: &keys{from: cfg.In}}
}

// Next implements Lines. Ctrl-C gives the line up.
func (e *Editor) Next() (string, error) {
	restore, err := e.cfg.Raw()
	if err != nil {
		return "", err
	}
	defer restore()
	if e.term == nil {
		e.term = term.NewTerminal(struct {
			io.Reader
			io.Writer
		}{e.keys, e.cfg.Out}, e.cfg.Prompt)
		e.term.History = e.cfg.History
		e.term.AutoCompleteCallback = e.key
	}
	if width, height := e.cfg.Size(); width > 0 && height > 0 {
		e.term.SetSize(width, height) // it can only fail to write
	}
	line, err := e.term.ReadLine()
	switch {
	case errors.Is(err, ErrInterrupt):
		e.term = nil
		io.WriteString(e.cfg.Out, "^C\r\n")
	case errors.Is(err, io.EOF):
		io.WriteString(e.cfg.Out, "\r\n")
	}
	return line, err
}

// key completes the word before the cursor when the key is a tab: as far as it is clear, else
// what it may be is shown.
func (e *Editor) key(line string, pos int, key rune) (string, int, bool) {
	if key != '\t' {
		return "", 0, false
	}
	before, after := line[:pos], line[pos:]
	word, candidates := e.cfg.Complete(before)
	full := shared(candidates)
	switch {
	case len(candidates) == 1:
		full += " "
	case len(candidates) > 1 && full == word:
		io.WriteString(e.term, strings.Join(candidates, "  ")+"\n") // above the line
	}
	if len(candidates) == 0 {
		return line, pos, true
	}
	before = strings.TrimSuffix(before, word) + full
	return before + after, len(before), true
}

// keys turns Ctrl-C into ErrInterrupt; what came before it is read first.
type keys struct {
	from    io.Reader
	pending []byte
}

const ctrlC = 3

// Read implements io.Reader.
func (k *keys) Read(p []byte) (int, error) {
	if len(k.pending) == 0 {
		buffer := make([]byte, len(p))
		n, err := k.from.Read(buffer)
		if n == 0 {
			return 0, err
		}
		k.pending = buffer[:n] // an error comes again
	}
	for i, b := range k.pending {
		if b == ctrlC {
			n := copy(p, k.pending[:i])
			if n == i {
				k.pending = k.pending[i+1:]
				return n, ErrInterrupt
			}
			k.pending = k.pending[n:]
			return n, nil
		}
	}
	n := copy(p, k.pending)
	k.pending = k.pending[n:]
	return n, nil
}

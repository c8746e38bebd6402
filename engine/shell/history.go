package shell

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// keptLines is how many lines of history are kept; the file may grow to twice as many
// before it is cut.
const keptLines = 1000

// History is the lines that were entered, oldest first, kept in a file that only its owner
// can read. Several shells may add to one file. It implements term.History.
type History struct {
	lines []string
	path  string // "" keeps nothing
	// complain is told once why nothing more is kept.
	complain func(error)
}

// OpenHistory reads the file, if there is one; "" remembers until the end of the process.
// Folders that are missing are made with the first line. complain is told, once, if the
// file cannot be read or written: the shell works on without it.
func OpenHistory(path string, complain func(error)) *History {
	h := &History{path: path, complain: complain}
	if path == "" {
		return h
	}
	text, err := os.ReadFile(path)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			h.giveUp(err)
		}
		return h
	}
	h.lines = strings.FieldsFunc(string(text), func(r rune) bool { return r == '\n' })
	if len(h.lines) > 2*keptLines {
		h.lines = h.lines[len(h.lines)-keptLines:]
		h.rewrite()
	}
	return h
}

// rewrite replaces the file by what is remembered.
func (h *History) rewrite() {
	next := h.path + ".new"
	err := os.WriteFile(next, []byte(strings.Join(h.lines, "\n")+"\n"), 0o600)
	if err == nil {
		err = os.Rename(next, h.path)
	}
	if err != nil {
		h.giveUp(err)
	}
}

func (h *History) giveUp(err error) {
	h.path = ""
	h.complain(err)
}

// Add remembers a line, unless it is blank or the same as the one before.
func (h *History) Add(line string) {
	line = strings.TrimSpace(line)
	if line == "" || len(h.lines) > 0 && h.lines[len(h.lines)-1] == line {
		return
	}
	h.lines = append(h.lines, line)
	if h.path == "" {
		return
	}
	if err := h.append(line); err != nil {
		h.giveUp(err)
	}
}

func (h *History) append(line string) error {
	if err := os.MkdirAll(filepath.Dir(h.path), 0o700); err != nil {
		return err
	}
	file, err := os.OpenFile(h.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = file.WriteString(line + "\n")
	return errors.Join(err, file.Close())
}

// Len is the number of lines.
func (h *History) Len() int { return len(h.lines) }

// At is a line, 0 the last one entered.
func (h *History) At(i int) string { return h.lines[len(h.lines)-1-i] }

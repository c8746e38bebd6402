package arena

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// Fact is one thing that makes a match what it is, such as its seed.
type Fact struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// State is a file that keeps the finished games of a match, so that it can be resumed: a
// line of JSON that describes the match, and one for each game as it ends.
type State struct {
	// Played are the games that the file held when it was opened.
	Played []Record
	// PGNStart is where the match begins in its file of games.
	PGNStart int64
	file     *os.File
}

// stateHeader is the first line.
type stateHeader struct {
	// Format is the version of the file's format, which is 1.
	Format   int    `json:"zeitnot_arena"`
	Match    []Fact `json:"match"`
	PGNStart int64  `json:"pgn_start"`
}

// headerMark begins every header.
const headerMark = `{"zeitnot_arena":`

// OpenState reads the games of the file, which is open for reading and writing, and is ready
// for more. An empty file becomes that of the match, whose file of games so far ends at
// pgnStart. A file of another match is refused. A last line that was not written to its end
// is dropped, with the game that it would have held. The file is closed if there is an error.
func OpenState(file *os.File, match []Fact, pgnStart int64) (*State, error) {
	s := &State{PGNStart: pgnStart, file: file}
	if err := s.open(match); err != nil {
		file.Close()
		return nil, fmt.Errorf("resume %s: %w", file.Name(), err)
	}
	return s, nil
}

func (s *State) open(match []Fact) error {
	if info, err := s.file.Stat(); err != nil || !info.Mode().IsRegular() {
		return cmp.Or(err, errors.New("it is not a regular file"))
	}
	data, err := io.ReadAll(s.file)
	if err != nil {
		return err
	}
	if start := data[:min(len(data), len(headerMark))]; !strings.HasPrefix(headerMark, string(start)) {
		return errors.New("it is not a file of an arena's games")
	}
	whole := bytes.LastIndexByte(data, '\n') + 1
	if err := s.file.Truncate(int64(whole)); err != nil {
		return err
	}
	if _, err := s.file.Seek(int64(whole), io.SeekStart); err != nil {
		return err
	}
	if whole == 0 {
		return s.write(stateHeader{Format: 1, Match: match, PGNStart: s.PGNStart})
	}
	return s.read(data[:whole], match)
}

// read takes whole lines.
func (s *State) read(data []byte, match []Fact) error {
	number := 0
	for line := range bytes.Lines(data) {
		number++
		if number > 1 {
			var r Record
			if err := json.Unmarshal(line, &r); err != nil {
				return fmt.Errorf("line %d: %w", number, err)
			}
			s.Played = append(s.Played, r)
			continue
		}
		var h stateHeader
		if err := json.Unmarshal(line, &h); err != nil {
			return fmt.Errorf("line 1: %w", err)
		}
		if h.Format != 1 {
			return fmt.Errorf("its format is %d, this zeitnot reads 1", h.Format)
		}
		if err := sameMatch(h.Match, match); err != nil {
			return err
		}
		s.PGNStart = h.PGNStart
	}
	return nil
}

// sameMatch says in what two matches differ, nil if they do not.
func sameMatch(before, now []Fact) error {
	was := map[string]string{}
	for _, f := range before {
		was[f.Name] = f.Value
	}
	var differences []error
	for _, f := range now {
		value, ok := was[f.Name]
		delete(was, f.Name)
		switch {
		case !ok:
			differences = append(differences, fmt.Errorf("%s was not given, is %q", f.Name, f.Value))
		case value != f.Value:
			differences = append(differences, fmt.Errorf("%s was %q, is %q", f.Name, value, f.Value))
		}
	}
	for _, f := range before {
		if value, ok := was[f.Name]; ok {
			differences = append(differences, fmt.Errorf("%s was %q, is not given", f.Name, value))
		}
	}
	if len(differences) > 0 {
		return fmt.Errorf("it is another match: %w", errors.Join(differences...))
	}
	return nil
}

// Add writes a finished game.
func (s *State) Add(r Record) error {
	if err := s.write(r); err != nil {
		return fmt.Errorf("note game %d: %w", r.Number, err)
	}
	return nil
}

// write appends one line in one write.
func (s *State) write(v any) error {
	line, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = s.file.Write(append(line, '\n'))
	return err
}

// Close closes the file.
func (s *State) Close() error { return s.file.Close() }

// Continue writes to w what goes beyond written, which an earlier run has left there. What
// comes first must be the same again.
func Continue(w io.Writer, written []byte) io.Writer { return &continuation{w, written} }

type continuation struct {
	to      io.Writer
	written []byte // still to come again
}

func (c *continuation) Write(p []byte) (int, error) {
	again := min(len(p), len(c.written))
	if !bytes.Equal(p[:again], c.written[:again]) {
		return 0, errors.New("the file has other games than the match that is resumed")
	}
	c.written = c.written[again:]
	if again == len(p) {
		return again, nil
	}
	n, err := c.to.Write(p[again:])
	return again + n, err
}

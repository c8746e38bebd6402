package bot

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
)

// gamesFile is games.pgn in the state directory: every finished game once, in the order
// of their ends. One goroutine writes it, a whole game at a time, so that a file cut off
// by a crash loses at most the game that was being written. Trouble with the file never
// touches a game.
type gamesFile struct {
	path    string
	entries chan gameRecord // buffered; closed by nobody, run leaves by its context
	known   map[string]bool // ids in the file; owned by run
	report  func(id string, err error)
}

// gameRecord is one finished game as PGN text, without blank lines at its end.
type gameRecord struct {
	id   string
	text []byte
}

// recordQueue is how many finished games may wait for a slow disk.
const recordQueue = 256

var errRecordsFull = errors.New("too many records wait for the disk")

// newGamesFile prepares the file in dir; an empty dir records nothing.
func newGamesFile(dir string, report func(id string, err error)) *gamesFile {
	f := &gamesFile{entries: make(chan gameRecord, recordQueue), known: map[string]bool{}, report: report}
	if dir != "" {
		f.path = filepath.Join(dir, "games.pgn")
	}
	return f
}

// add queues a finished game; it never blocks.
func (f *gamesFile) add(r gameRecord) {
	if f.path == "" {
		return
	}
	select {
	case f.entries <- r:
	default:
		f.report(r.id, errRecordsFull)
	}
}

// run writes until the context ends, then what is still queued.
func (f *gamesFile) run(ctx context.Context) {
	if f.path == "" {
		return
	}
	if err := f.load(); err != nil {
		f.report("", fmt.Errorf("read %s: %w", f.path, err))
	}
	for {
		select {
		case r := <-f.entries:
			f.write(r)
		case <-ctx.Done():
			for {
				select {
				case r := <-f.entries:
					f.write(r)
				default:
					return
				}
			}
		}
	}
}

func (f *gamesFile) write(r gameRecord) {
	if f.known[r.id] {
		return
	}
	if err := f.append(r.text); err != nil {
		f.report(r.id, fmt.Errorf("append to %s: %w", f.path, err))
		return
	}
	f.known[r.id] = true
	f.report(r.id, nil)
}

// append adds one game in one write and waits until the disk has it. A write that was cut
// short is taken back.
func (f *gamesFile) append(text []byte) (err error) {
	file, err := os.OpenFile(f.path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	end, err := file.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	record := append(bytes.TrimRight(text, "\n"), "\n\n"...)
	if _, err := file.Write(record); err != nil {
		return errors.Join(err, file.Truncate(end))
	}
	return file.Sync()
}

// gameTag finds the id that our records carry.
var gameTag = regexp.MustCompile(`(?m)^\[GameId "([^"\\]+)"\]`)

// load learns which games the file holds and cuts off a last record that a crash left
// incomplete: whole records end with an empty line after the moves.
func (f *gamesFile) load() error {
	text, err := os.ReadFile(f.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	whole := wholeRecords(text)
	if whole < len(text) {
		if err := os.Truncate(f.path, int64(whole)); err != nil {
			return err
		}
	}
	for _, m := range gameTag.FindAllSubmatch(text[:whole], -1) {
		f.known[string(m[1])] = true
	}
	return nil
}

// wholeRecords is the length of the text up to the end of its last whole record.
func wholeRecords(text []byte) int {
	for !completeRecord(text) {
		// The empty line before the one the text ends with, if it does.
		i := bytes.LastIndex(bytes.TrimRight(text, "\n"), []byte("\n\n"))
		if i < 0 {
			return 0
		}
		text = text[:i+2]
	}
	return len(text)
}

// completeRecord tells whether the text ends with a game's result and an empty line.
func completeRecord(text []byte) bool {
	if len(text) == 0 {
		return true
	}
	body, ok := bytes.CutSuffix(text, []byte("\n\n"))
	if !ok {
		return false
	}
	for _, result := range []string{"1-0", "0-1", "1/2-1/2", "*"} {
		if bytes.HasSuffix(body, []byte(result)) {
			return true
		}
	}
	return false
}

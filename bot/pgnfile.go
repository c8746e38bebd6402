package bot

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
)

// pgnFile is games.pgn in the state directory: every finished game once, in the order
// of their ends. One goroutine writes it, a whole game at a time, so that a file cut off
// by a crash loses at most the game that was being written. Trouble with the file never
// touches a game. A game that is told of again is one of those written last: only of those
// the ids are kept.
type pgnFile struct {
	path    string
	entries chan gamePGN // buffered; closed by nobody, run leaves by its context
	known   recent       // ids of the last games in the file; owned by run
	// report is told what became of a game, and without an id of a file that cannot be used.
	report func(id string, err error)
}

// gamePGN is one finished game as PGN text, without blank lines at its end.
type gamePGN struct {
	id   string
	text []byte
}

// pgnQueue is how many finished games may wait for a slow disk.
const pgnQueue = 256

var errPGNsFull = errors.New("too many games wait for the disk")

// newPGNFile prepares the file in dir; an empty dir keeps nothing.
func newPGNFile(dir string, report func(id string, err error)) *pgnFile {
	f := &pgnFile{entries: make(chan gamePGN, pgnQueue), report: report}
	if dir != "" {
		f.path = filepath.Join(dir, "games.pgn")
	}
	return f
}

// add queues a finished game; it never blocks.
func (f *pgnFile) add(r gamePGN) {
	if f.path == "" {
		return
	}
	select {
	case f.entries <- r:
	default:
		f.report(r.id, errPGNsFull)
	}
}

// run writes until the context ends, then what is still queued.
func (f *pgnFile) run(ctx context.Context) {
	if f.path == "" {
		return
	}
	if err := f.load(); err != nil {
		f.report("", err)
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

func (f *pgnFile) write(r gamePGN) {
	if f.known.has(r.id) {
		return
	}
	if err := f.append(r.text); err != nil {
		f.report(r.id, err)
		return
	}
	f.known.add(r.id)
	f.report(r.id, nil)
}

// append adds one game in one write and waits until the disk has it. A write that was cut
// short is taken back.
func (f *pgnFile) append(text []byte) (err error) {
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

// loadedTail is how much of the file's end is read at the start: more than the games whose ids
// are kept can fill, unless they are very long.
const loadedTail = 4 << 20

// load learns which games the file ends with and cuts off a last record that a crash left
// incomplete: whole records end with an empty line after the moves.
func (f *pgnFile) load() (err error) {
	file, err := os.OpenFile(f.path, os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	end, err := file.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	from := max(0, end-loadedTail)
	text := make([]byte, end-from)
	if _, err := file.ReadAt(text, from); err != nil {
		return err
	}
	whole := wholeRecords(text)
	if whole < len(text) && (whole > 0 || from == 0) {
		if err := file.Truncate(from + int64(whole)); err != nil {
			return err
		}
	}
	for _, m := range gameTag.FindAllSubmatch(text[:whole], -1) {
		f.known.add(string(m[1]))
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

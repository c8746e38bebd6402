package record

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"zeitnot/clock"
)

// queueSize is how many entries may wait for the disk: an hour of bullet on a handful of
// boards.
const queueSize = 4096

var errQueueFull = errors.New("too many entries wait for the disk")

// SQLite is the Store in a file. One goroutine writes it, everything that waits in one
// transaction. What cannot be written is lost: the log says so at the first loss and again
// when writing goes on.
type SQLite struct {
	log    zerolog.Logger
	queue  chan entry    // closed by nobody
	stop   chan struct{} // closed by Close: write what waits, then leave
	ended  chan struct{} // closed by the writer
	once   sync.Once
	closed error // of the file; to be read when ended is closed

	lost     atomic.Int64
	troubled atomic.Bool // losses are being reported

	mu     sync.Mutex // guards priors
	priors map[string]savedPrior

	// Owned by the writer.
	file    *file           // nil: given up
	running map[string]Game // not ended; a new file in place of a damaged one begins with them
}

// entry is one thing to be written.
type entry func(tx *sql.Tx, f *file) error

// savedPrior is a row of priors.
type savedPrior struct{ at, estimator string }

// Open opens the file and makes it if there is none. A file that is damaged is renamed and
// a new one begun, which the log tells. ErrNewer means that a later version of the program
// has written it: it is left as it is.
func Open(path string, log zerolog.Logger) (*SQLite, error) {
	s := &SQLite{
		log:     log,
		queue:   make(chan entry, queueSize),
		stop:    make(chan struct{}),
		ended:   make(chan struct{}),
		running: map[string]Game{},
	}
	f, err := openFile(path)
	if damaged(err) {
		f, err = s.replace(path, err)
	}
	if err != nil {
		return nil, err
	}
	s.file = f
	if s.priors, err = f.priors(); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", path, err), f.close())
	}
	go s.run() // Close waits for it
	return s, nil
}

// GameStarted implements Store.
func (s *SQLite) GameStarted(g Game) {
	s.add(func(tx *sql.Tx, f *file) error {
		s.running[g.ID] = g
		return f.putGame(tx, &g)
	})
}

// Move implements Store.
func (s *SQLite) Move(m Move) {
	s.add(func(tx *sql.Tx, f *file) error { return f.putMove(tx, &m) })
}

// GameEnded implements Store.
func (s *SQLite) GameEnded(e End) {
	s.add(func(tx *sql.Tx, f *file) error {
		delete(s.running, e.Game)
		return f.endGame(tx, &e)
	})
}

// SavePrior implements Store.
func (s *SQLite) SavePrior(p Prior) {
	text, err := json.Marshal(p.Estimator)
	if err != nil {
		s.lose(1, err)
		return
	}
	row := savedPrior{p.Saved.UTC().Format(timeLayout), string(text)}
	s.mu.Lock()
	s.priors[p.Server] = row
	s.mu.Unlock()
	s.add(func(tx *sql.Tx, f *file) error { return f.putPrior(tx, p.Server, row) })
}

// Prior implements Store.
func (s *SQLite) Prior(server string) (Prior, error) {
	s.mu.Lock()
	row, ok := s.priors[server]
	s.mu.Unlock()
	if !ok {
		return Prior{}, nil
	}
	at, err := time.Parse(timeLayout, row.at)
	if err != nil {
		return Prior{}, fmt.Errorf("time of the prior for %s: %w", server, err)
	}
	var estimator clock.Prior
	if err := json.Unmarshal([]byte(row.estimator), &estimator); err != nil {
		return Prior{}, fmt.Errorf("prior for %s: %w", server, err)
	}
	return Prior{Server: server, Saved: at, Estimator: estimator}, nil
}

// Close implements Store. It takes a few seconds at most, even if another program holds
// the file.
func (s *SQLite) Close() error {
	s.once.Do(func() { close(s.stop) })
	<-s.ended
	return s.closed
}

// add queues an entry, or counts it as lost.
func (s *SQLite) add(e entry) {
	select {
	case <-s.stop:
		s.lost.Add(1)
		return
	default:
	}
	select {
	case s.queue <- e:
	default:
		s.lose(1, errQueueFull)
	}
}

// lose counts entries that are not written and logs the first of a series.
func (s *SQLite) lose(n int, err error) {
	s.lost.Add(int64(n))
	if s.troubled.CompareAndSwap(false, true) {
		s.log.Error().Err(err).Msg("cannot write the record, games go on without")
	}
}

// run is the writer.
func (s *SQLite) run() {
	defer close(s.ended)
	for {
		select {
		case e := <-s.queue:
			s.writeSafely(s.waiting(e))
		case <-s.stop:
			s.writeSafely(s.waiting())
			s.safely(0, func() {
				if s.file != nil {
					s.closed = s.file.close()
				}
			})
			return
		}
	}
}

// writeSafely is write for a database that may panic.
func (s *SQLite) writeSafely(entries []entry) { s.safely(len(entries), func() { s.write(entries) }) }

// safely keeps a panic of the database from ending the program, and the games with it: so many
// entries are lost, and the file is not trusted any more.
func (s *SQLite) safely(entries int, f func()) {
	defer func() {
		if r := recover(); r != nil {
			s.file = nil
			s.lose(entries, fmt.Errorf("%w: %v\n%s", errPanicked, r, debug.Stack()))
		}
	}()
	f()
}

// waiting is what waits by now, behind what was taken already.
func (s *SQLite) waiting(entries ...entry) []entry {
	for len(entries) < queueSize {
		select {
		case e := <-s.queue:
			entries = append(entries, e)
		default:
			return entries
		}
	}
	return entries
}

// write writes the entries, for as long as it takes if another program holds the file: the
// queue has room for them.
func (s *SQLite) write(entries []entry) {
	if len(entries) == 0 {
		return
	}
	if s.file == nil {
		s.lose(len(entries), errGivenUp)
		return
	}
	last := s.stopping()
	failed, err := s.file.write(entries)
	for busy(err) && !last {
		last = s.stopping() // once more: the file may have come free just before
		failed, err = s.file.write(entries)
	}
	if damaged(err) && s.renew(err) {
		failed, err = s.file.write(entries)
	}
	if errors.Is(err, errPanicked) && len(entries) > 1 {
		for _, e := range entries { // one of them is to blame
			s.write([]entry{e})
		}
		return
	}
	if err != nil {
		s.lose(failed, err)
		return
	}
	if s.troubled.CompareAndSwap(true, false) {
		s.log.Warn().Int64("lost", s.lost.Load()).Msg("the record goes on, with a gap")
	}
}

func (s *SQLite) stopping() bool {
	select {
	case <-s.stop:
		return true
	default:
		return false
	}
}

var errGivenUp = errors.New("the record was given up, for a reason told before")

// renew begins a new file in place of one that has turned out to be damaged, with the games
// that are being played and the priors.
func (s *SQLite) renew(why error) bool {
	path := s.file.path
	s.file.abandon()
	s.file = nil
	f, err := s.replace(path, why)
	if err != nil {
		s.log.Error().Err(err).Msg("no new record can be begun")
		return false
	}
	s.file = f
	var known []entry
	for _, g := range s.running {
		known = append(known, func(tx *sql.Tx, f *file) error { return f.putGame(tx, &g) })
	}
	s.mu.Lock()
	for server, row := range s.priors {
		known = append(known, func(tx *sql.Tx, f *file) error { return f.putPrior(tx, server, row) })
	}
	s.mu.Unlock()
	_, err = f.write(known)
	return err == nil
}

// replace puts a damaged file aside and makes a new one.
func (s *SQLite) replace(path string, why error) (*file, error) {
	aside, err := setAside(path, time.Now())
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s is damaged: %w", path, why), err)
	}
	s.log.Error().Err(why).Str("file", path).Str("kept_as", aside).Msg("the record is damaged, a new one begins")
	return openFile(path)
}

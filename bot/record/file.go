package record

import (
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"net/url"
	"os"
	"path/filepath"
	"runtime/debug"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// ErrNewer means that a file was written by a later version of the program.
var ErrNewer = errors.New("made by a newer zeitnot")

// migrations are the steps from nothing to the present schema, in the order of their names;
// the version of a schema, PRAGMA user_version, is the number of steps it has taken. A step
// that was released is never changed.
//
//go:embed migrations/*.sql
var migrations embed.FS

// busyWait is how long SQLite itself waits for another program to let go of the file.
const busyWait = 3 * time.Second

// file is an open database with its statements.
type file struct {
	path string
	db   *sql.DB

	insertGame, updateEnd, dropMoves, insertMove, upsertPrior *sql.Stmt
}

// openFile opens the file, makes it if need be and brings its schema up to date.
func openFile(path string) (_ *file, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("%s: %w", path, err)
		}
	}()
	// SQLite gives its other files the mode of this one.
	created, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, errors.Unwrap(err) // the path is said already
	}
	if err := created.Close(); err != nil {
		return nil, err
	}
	connector, err := sqlite.NewConnector(dataSource(path))
	if err != nil {
		return nil, err
	}
	f := &file{path: path, db: sql.OpenDB(connector)}
	f.db.SetMaxOpenConns(1)
	if err := f.migrate(migrations); err != nil {
		f.abandon()
		return nil, err
	}
	if err := f.prepare(); err != nil {
		f.abandon()
		return nil, err
	}
	return f, nil
}

// dataSource is the address by which the driver opens the file. Writing ahead lets others
// read meanwhile; a commit then outlives the process at once, and a fall of the machine
// costs the latest commits at most.
func dataSource(path string) string {
	q := url.Values{"_txlock": {"immediate"}}
	for _, pragma := range []string{
		fmt.Sprintf("busy_timeout(%d)", busyWait.Milliseconds()),
		"journal_mode(WAL)", "synchronous(NORMAL)", "foreign_keys(1)",
		"temp_store(MEMORY)", // an image from scratch has no folder for temporary files
		"cache_size(-512)",   // KiB; the system has the file in memory as well
	} {
		q.Add("_pragma", pragma)
	}
	return fileURL(path, q)
}

func fileURL(path string, q url.Values) string {
	slashed := filepath.ToSlash(path)
	if filepath.VolumeName(path) != "" {
		slashed = "/" + slashed
	}
	return "file:" + (&url.URL{Path: slashed}).EscapedPath() + "?" + q.Encode()
}

// Check tells whether Open would take the file as it is, from its head and its schema; it
// changes nothing. There need not be one.
func Check(path string) error {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	connector, err := sqlite.NewConnector(fileURL(path, url.Values{"mode": {"rw"}}))
	if err != nil {
		return err
	}
	f := &file{db: sql.OpenDB(connector)}
	defer f.abandon()
	names, err := fs.Glob(migrations, steps)
	if err != nil {
		return err
	}
	if _, err := f.version(len(names)); err != nil {
		return about(path, err)
	}
	var tables int
	return about(path, f.db.QueryRow("SELECT count(*) FROM sqlite_schema").Scan(&tables))
}

// version is that of the schema, an error if it is not known here.
func (f *file) version(known int) (version int, err error) {
	if err := f.db.QueryRow("PRAGMA user_version").Scan(&version); err != nil {
		return 0, err
	}
	if version < 0 || version > known {
		return 0, fmt.Errorf("%w: its schema has version %d, this one knows versions up to %d", ErrNewer, version, known)
	}
	return version, nil
}

// steps are the names of the migrations.
const steps = "migrations/*.sql"

// migrate takes the steps that the file has not taken, each of them whole or not at all.
func (f *file) migrate(from fs.FS) error {
	names, err := fs.Glob(from, steps)
	if err != nil {
		return err
	}
	version, err := f.version(len(names))
	if err != nil {
		return err
	}
	for ; version < len(names); version++ {
		step, err := fs.ReadFile(from, names[version])
		if err != nil {
			return err
		}
		tx, err := f.db.Begin()
		if err != nil {
			return err
		}
		if _, err := tx.Exec(string(step) + fmt.Sprintf("\nPRAGMA user_version = %d;", version+1)); err != nil {
			return errors.Join(fmt.Errorf("schema version %d: %w", version+1, err), tx.Rollback())
		}
		if err := tx.Commit(); err != nil {
			return fmt.Errorf("schema version %d: %w", version+1, err)
		}
	}
	return nil
}

// prepare makes the statements; db.Close ends them.
func (f *file) prepare() (err error) {
	for _, s := range []struct {
		stmt **sql.Stmt
		text string
	}{
		{&f.insertGame, `INSERT INTO games (id, created_at, color, rating, opponent, opponent_title, opponent_rating,
			speed, variant, initial_fen, rated, initial_ms, increment_ms)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING`},
		{&f.updateEnd, `UPDATE games SET ended_at = ?, status = ?, outcome = ?, plies = ? WHERE id = ?`},
		{&f.dropMoves, `DELETE FROM moves WHERE game = ? AND ply > ?`},
		{&f.insertMove, `INSERT INTO moves (game, ply, uci, clock_ms, soft_ms, hard_ms, used_ms, overhead_ms, mode,
			depth, nodes, score_cp, score_mate, source, book_key, book_move)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`},
		{&f.upsertPrior, `INSERT INTO priors (server, saved_at, estimator) VALUES (?, ?, ?)
			ON CONFLICT (server) DO UPDATE SET saved_at = excluded.saved_at, estimator = excluded.estimator`},
	} {
		if *s.stmt, err = f.db.Prepare(s.text); err != nil {
			return err
		}
	}
	return nil
}

// priors are all that are saved.
func (f *file) priors() (map[string]savedPrior, error) {
	rows, err := f.db.Query("SELECT server, saved_at, estimator FROM priors")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	priors := map[string]savedPrior{}
	for rows.Next() {
		var server string
		var p savedPrior
		if err := rows.Scan(&server, &p.at, &p.estimator); err != nil {
			return nil, err
		}
		priors[server] = p
	}
	return priors, rows.Err()
}

// write writes the entries in one transaction and says how many of them are lost and the
// first reason. One that does not fit leaves the others alone; a fault of the file or the
// disk loses them all, since nobody knows which of them SQLite has rolled back.
func (f *file) write(entries []entry) (failed int, err error) {
	tx, err := f.db.Begin()
	if err != nil {
		return len(entries), err
	}
	for _, e := range entries {
		switch wrong := e.put(tx, f); {
		case wrong == nil:
		case primary(wrong) == sqlite3.SQLITE_CONSTRAINT:
			failed++
			if err == nil {
				err = wrong
			}
		default:
			_ = tx.Rollback() // an error means that it has happened already
			return len(entries), wrong
		}
	}
	if wrong := tx.Commit(); wrong != nil {
		return len(entries), wrong
	}
	return failed, err
}

// put writes the entry. A panic, ours or the driver's, is an error of this entry.
func (e entry) put(tx *sql.Tx, f *file) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%w: %v\n%s", errPanicked, r, debug.Stack())
		}
	}()
	return e(tx, f)
}

var errPanicked = errors.New("panic while writing")

// close ends the use of the file and leaves one file of it, if nobody else reads it.
func (f *file) close() error { return f.db.Close() }

// abandon closes a file of which nothing more is expected.
func (f *file) abandon() { _ = f.db.Close() }

func (f *file) putGame(tx *sql.Tx, g *Game) error {
	var initial, increment *int64
	if g.Control != nil {
		initial, increment = new(g.Control.Initial.Milliseconds()), new(g.Control.Increment.Milliseconds())
	}
	_, err := tx.Stmt(f.insertGame).Exec(g.ID, g.Created.UTC().Format(timeLayout), g.Color, known(g.Rating),
		g.Opponent, known(g.OpponentTitle), known(g.OpponentRating), g.Speed, g.Variant, known(g.InitialFEN),
		g.Rated, initial, increment)
	return about(g.ID, err)
}

func (f *file) putMove(tx *sql.Tx, m *Move) error {
	if _, err := tx.Stmt(f.dropMoves).Exec(m.Game, m.Ply-1); err != nil {
		return about(m.Game, err)
	}
	var left *int64
	if m.Clock != nil {
		left = new(m.Clock.Milliseconds())
	}
	var overhead *float64
	if m.Overhead != nil {
		overhead = new(millis(*m.Overhead))
	}
	var bookKey, bookMove *int64
	if b := m.Book; b != nil {
		bookKey, bookMove = new(int64(b.Key)), new(int64(b.Move))
	}
	_, err := tx.Stmt(f.insertMove).Exec(m.Game, m.Ply, m.UCI, left, millis(m.Soft), millis(m.Hard), millis(m.Used),
		overhead, string(m.Mode), m.Depth, int64(min(m.Nodes, math.MaxInt64)), m.Centipawns, m.Mate, m.Source, bookKey, bookMove)
	return about(m.Game, err)
}

func (f *file) endGame(tx *sql.Tx, e *End) error {
	_, err := tx.Stmt(f.updateEnd).Exec(e.At.UTC().Format(timeLayout), known(e.Status), string(e.Outcome), e.Plies, e.Game)
	if err != nil {
		return about(e.Game, err)
	}
	_, err = tx.Stmt(f.dropMoves).Exec(e.Game, e.Plies)
	return about(e.Game, err)
}

func (f *file) putPrior(tx *sql.Tx, server string, p savedPrior) error {
	_, err := tx.Stmt(f.upsertPrior).Exec(server, p.at, p.estimator)
	return about(server, err)
}

// known is a value as the file has it: NULL stands for the zero value.
func known[T comparable](v T) *T {
	var zero T
	if v == zero {
		return nil
	}
	return &v
}

// about says what an error is about.
func about(what string, err error) error {
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

// setAside renames a damaged file, and what SQLite keeps beside it, after the time.
func setAside(path string, now time.Time) (string, error) {
	aside := path + ".damaged-" + now.UTC().Format("20060102-150405")
	for _, err := os.Lstat(aside); err == nil; _, err = os.Lstat(aside) {
		aside += "x"
	}
	for _, part := range []string{"", "-wal", "-shm"} {
		if err := os.Rename(path+part, aside+part); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
	}
	return aside, nil
}

// damaged tells that the file is no database, or a broken one.
func damaged(err error) bool {
	code := primary(err)
	return code == sqlite3.SQLITE_CORRUPT || code == sqlite3.SQLITE_NOTADB
}

// busy tells that another program holds the file.
func busy(err error) bool { return primary(err) == sqlite3.SQLITE_BUSY }

// primary is SQLite's result code without the details; 0 for any other error.
func primary(err error) int {
	if e, ok := errors.AsType[*sqlite.Error](err); ok {
		return e.Code() & 0xff
	}
	return 0
}

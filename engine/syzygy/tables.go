package syzygy

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// Tables is a set of tables found in some directories. It may be asked by many at once.
type Tables struct {
	// classes has the same class under its material and the mirror image of that.
	classes map[material]*class
	men     int
	counts  [2]int
	report  func(error)
	// files are all that may be tables, in the order found.
	files []string

	mu sync.Mutex // guards faults
	// faults are about directories and tables left out, in the order found.
	faults []error
}

// class is the tables of one material, by kind.
type class [2]lazyTable

// lazyTable is a table that is opened when it is first asked for.
type lazyTable struct {
	kind     kind
	material material
	table    atomic.Pointer[table]
	// out tells that there is no such table, or none that can be used.
	out atomic.Bool

	mu sync.Mutex // guards what follows
	// paths not tried yet, in the order of the directories.
	paths []string
	// path is that of the table in use.
	path  string
	files []*mappedFile
}

// Open finds the tables in the directories; their contents are looked at when they are
// needed. Where two directories have the same table, the first that can be used counts.
// report, if not nil, is told of every directory and table that had to be left out, once,
// by whoever came upon it; Faults gives the same later. It is an error if no directory can
// be read.
func Open(directories []string, report func(error)) (*Tables, error) {
	t := &Tables{classes: make(map[material]*class), report: report}
	readable := 0
	for _, dir := range directories {
		if dir == "" {
			continue
		}
		if err := t.scan(dir); err != nil {
			t.fault(fmt.Errorf("tablebase folder: %w", err))
			continue
		}
		readable++
	}
	if readable == 0 {
		if err := errors.Join(t.faults...); err != nil {
			return nil, err
		}
		return nil, errors.New("no tablebase folder was named")
	}
	return t, nil
}

// scan adds the tables of one directory.
func (t *Tables) scan(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		k := kind(slices.Index(suffixes[:], filepath.Ext(e.Name())))
		if int(k) >= len(suffixes) {
			continue
		}
		path := filepath.Join(dir, e.Name())
		m, err := parseMaterial(strings.TrimSuffix(e.Name(), suffixes[k]))
		if err == nil {
			err = checkFile(path)
		}
		if err != nil {
			t.fault(fmt.Errorf("table %s: %w", path, err))
			continue
		}
		t.add(k, m, path)
	}
	return nil
}

// checkFile looks at what can be seen without opening a table.
func checkFile(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return errors.New("it is not a regular file")
	}
	return checkSize(info.Size())
}

// verifyUpTo is the size of files whose checksum is looked at when they are opened: some two
// milliseconds of work. A larger table would hold up a search.
const verifyUpTo = 1 << 20

// load checks a file as far as that is quick, and finds its way about it.
func load(k kind, m material, data []byte) (tb *table, err error) {
	fault := guard(func() {
		if tb, err = parseTable(k, m, data); err == nil && len(data) <= verifyUpTo {
			err = verifyChecksum(data)
		}
	})
	if fault != nil {
		return nil, fault
	}
	return tb, err
}

// Verify reads all files whole and compares their checksums. It calls each for every file,
// with what is wrong with it or nil, and ends early if ctx is done. Tables in use stay so.
func (t *Tables) Verify(ctx context.Context, each func(path string, err error)) error {
	for _, path := range t.files {
		if err := ctx.Err(); err != nil {
			return err
		}
		each(path, verifyFile(path))
	}
	return nil
}

func verifyFile(path string) (err error) {
	k := kind(slices.Index(suffixes[:], filepath.Ext(path)))
	m, err := parseMaterial(strings.TrimSuffix(filepath.Base(path), suffixes[k]))
	if err != nil {
		return err
	}
	file, err := mapFile(path)
	if err != nil {
		return err
	}
	fault := guard(func() {
		if _, err = parseTable(k, m, file.data); err == nil {
			err = verifyChecksum(file.data)
		}
	})
	return errors.Join(fault, err, file.close())
}

func (t *Tables) add(k kind, m material, path string) {
	c := t.classes[m]
	if c == nil {
		c = &class{{kind: wdlKind, material: m}, {kind: dtzKind, material: m}}
		c[wdlKind].out.Store(true)
		c[dtzKind].out.Store(true)
		t.classes[m] = c
		t.classes[m.mirror()] = c
	}
	l := &c[k]
	if m != l.material {
		return // the same class under its mirrored name; the tables are the same
	}
	if l.out.Swap(false) {
		t.counts[k]++
		if k == wdlKind {
			t.men = max(t.men, m.men())
		}
	}
	l.paths = append(l.paths, path)
	t.files = append(t.files, path)
}

// MaxMen is the number of men of the largest WDL table found; 0 without any.
func (t *Tables) MaxMen() int { return t.men }

// Counts is how many WDL and DTZ tables were found.
func (t *Tables) Counts() (wdl, dtz int) { return t.counts[wdlKind], t.counts[dtzKind] }

// Faults says what has been left out so far, and why.
func (t *Tables) Faults() []error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.faults)
}

func (t *Tables) fault(err error) {
	t.mu.Lock()
	t.faults = append(t.faults, err)
	t.mu.Unlock()
	if t.report != nil {
		t.report(err)
	}
}

// Close gives the memory back. Nobody may be probing, or probe later.
func (t *Tables) Close() error {
	var errs []error
	for m, c := range t.classes {
		for k := range c {
			l := &c[k]
			if l.material != m {
				continue
			}
			l.out.Store(true)
			l.table.Store(nil)
			for _, f := range l.files {
				errs = append(errs, f.close())
			}
			l.files = nil
		}
	}
	t.men = 0
	return errors.Join(errs...)
}

// get is the table of a kind about a material, nil if there is none.
func (t *Tables) get(k kind, m material) (*table, *lazyTable) {
	c := t.classes[m]
	if c == nil {
		return nil, nil
	}
	l := &c[k]
	if tb := l.table.Load(); tb != nil {
		return tb, l
	}
	if l.out.Load() {
		return nil, l
	}
	return t.open(l), l
}

// open tries the files of a table until one is good.
func (t *Tables) open(l *lazyTable) *table {
	l.mu.Lock()
	defer l.mu.Unlock()
	if tb := l.table.Load(); tb != nil {
		return tb
	}
	for len(l.paths) > 0 {
		path := l.paths[0]
		l.paths = l.paths[1:]
		file, err := mapFile(path)
		if err == nil {
			var tb *table
			if tb, err = load(l.kind, l.material, file.data); err == nil {
				l.path = path
				l.files = append(l.files, file)
				l.table.Store(tb)
				return tb
			}
			err = errors.Join(err, file.close())
		}
		t.fault(fmt.Errorf("table %s: %w", path, err))
	}
	l.out.Store(true)
	return nil
}

// drop leaves out a table that turned out damaged while it was in use. Another file of the
// same name takes its place if there is one. The memory stays until Close, since others may
// be reading it.
func (t *Tables) drop(l *lazyTable, bad *table, why error) {
	l.mu.Lock()
	first := l.table.CompareAndSwap(bad, nil)
	path := l.path
	l.mu.Unlock()
	if first {
		t.fault(fmt.Errorf("table %s: %w", path, why))
	}
}

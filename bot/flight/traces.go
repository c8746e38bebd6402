package flight

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

const (
	// keptTraces is how many traces stay in the folder.
	keptTraces = 5
	// traceInterval is the least time between two.
	traceInterval = time.Hour
	// maxTraceBytes is more than the recorder's window; what is larger is not kept.
	maxTraceBytes = 32 << 20

	tracePrefix, traceSuffix = "late-", ".trace"
	traceTime                = "2006-01-02T150405Z"
)

// traces are the files late-TIME.trace in a folder.
type traces struct{ dir string }

// due tells whether the latest trace is long enough ago. A latest one in the future is of a
// clock that was wrong.
func (t traces) due(now time.Time) bool {
	all, err := t.list()
	if err != nil || len(all) == 0 {
		return err == nil
	}
	made, _ := traceMade(all[len(all)-1])
	age := now.Sub(made)
	return age < 0 || age >= traceInterval
}

// list are the names of the traces, the oldest first.
func (t traces) list() ([]string, error) {
	entries, err := os.ReadDir(t.dir)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if _, ok := traceMade(e.Name()); ok {
			names = append(names, e.Name())
		}
	}
	slices.Sort(names) // which is by time
	return names, nil
}

// traceMade is the time in the name of a trace.
func traceMade(name string) (time.Time, bool) {
	rest, ok1 := strings.CutPrefix(name, tracePrefix)
	text, ok2 := strings.CutSuffix(rest, traceSuffix)
	made, err := time.Parse(traceTime, text)
	return made, ok1 && ok2 && err == nil
}

// save writes one more trace, whole or not at all, and removes the oldest. It returns the
// path of the new one.
func (t traces) save(now time.Time, from io.WriterTo) (path string, err error) {
	path = filepath.Join(t.dir, tracePrefix+now.UTC().Format(traceTime)+traceSuffix)
	f, err := os.CreateTemp(t.dir, ".late-*") // mode 0600
	if err != nil {
		return "", err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(f.Name()))
		}
	}()
	_, err = from.WriteTo(&bounded{f, maxTraceBytes})
	if err = errors.Join(err, f.Close()); err != nil {
		return "", err
	}
	if err = os.Rename(f.Name(), path); err != nil {
		return "", err
	}
	return path, t.prune()
}

// prune removes all but the latest traces. An error leaves one too many.
func (t traces) prune() error {
	all, err := t.list()
	if err != nil {
		return err
	}
	var faults []error
	for _, name := range all[:max(0, len(all)-keptTraces)] {
		faults = append(faults, os.Remove(filepath.Join(t.dir, name)))
	}
	return errors.Join(faults...)
}

// bounded fails before more than left bytes are written.
type bounded struct {
	to   io.Writer
	left int
}

var errTooLong = fmt.Errorf("more than %d MiB", maxTraceBytes>>20)

func (b *bounded) Write(p []byte) (int, error) {
	if len(p) > b.left {
		return 0, errTooLong
	}
	b.left -= len(p)
	return b.to.Write(p)
}

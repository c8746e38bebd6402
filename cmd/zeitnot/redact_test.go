package main

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"
)

// fullDisk takes no more than so many bytes.
type fullDisk struct{ left int }

func (d *fullDisk) Write(p []byte) (int, error) {
	if len(p) > d.left {
		return 0, errors.New("no space left on device")
	}
	d.left -= len(p)
	return len(p), nil
}

func TestLostOutputIsAFault(t *testing.T) {
	t.Setenv("ZEITNOT_STATE_DIR", t.TempDir())
	for _, args := range [][]string{
		{"config"},
		{"config", "--docs"},
		{"config", "--json"},
		{"--help"},
		{"help", "run"},
		{"version"},
		{"book", "show"},
		{"completion", "bash"},
		{"clock", "--time", "3+2"},
		{"perft", "1"},
		{"perft", "1", "--divide"},
		{"bench", "--depth", "1"},
	} {
		for _, space := range []int{0, 10} {
			var told bytes.Buffer
			code := newApp(strings.NewReader(""), &fullDisk{space}, &told).execute(t.Context(), slices.Clone(args))
			if code != exitFault || !strings.Contains(told.String(), "no space left") {
				t.Errorf("%s with %d bytes of space: exit code %d, told %q", args, space, code, told.String())
			}
		}
	}
}

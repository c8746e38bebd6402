package main

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// Every token of the scripts has this in it, and no output may have it.
const tokenMark = "TESTTOKEN123"

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"zeitnot": main, "stubengine": stubEngine})
}

// TestScripts runs the command line as people do. `exits CODE zeitnot ARGS...` is a run
// that has to end with the exit code; whatever it prints must not show a token.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(e *testscript.Env) error {
			server := newFakeServer(t)
			e.Defer(server.Close)
			nobody, err := freeAddress()
			if err != nil {
				return err
			}
			free, err := freeAddress()
			if err != nil {
				return err
			}
			e.Setenv("ZEITNOT_URL", server.URL)
			e.Setenv("NOBODY", "http://"+nobody) // where no server is
			e.Setenv("FREE", free)
			e.Setenv("ZEITNOT_LISTEN", "")
			e.Setenv("ZEITNOT_STATE_DIR", filepath.Join(e.WorkDir, "state"))
			e.Defer(func() { noTokenLeft(t, e.WorkDir) })
			return nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"exits": exits,
		},
	})
}

func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE PROGRAM ARGS...")
	}
	want, err := strconv.Atoi(args[0])
	if err != nil {
		ts.Fatalf("exit code %q: %v", args[0], err)
	}
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	if err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("run: %v", err)
		}
		got = exit.ExitCode()
	}
	out, complaint := ts.ReadFile("stdout"), ts.ReadFile("stderr")
	if got != want {
		ts.Fatalf("%s: got exit code %d, want %d", strings.Join(args[1:], " "), got, want)
	}
	if strings.Contains(out+complaint, tokenMark) {
		ts.Fatalf("%s: the output shows the token", strings.Join(args[1:], " "))
	}
}

// noTokenLeft looks through all files of a script, but for those that the script itself
// keeps its tokens in.
func noTokenLeft(t *testing.T, dir string) {
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() == "secrets":
			return fs.SkipDir
		case !d.Type().IsRegular():
			return nil
		}
		text, err := os.ReadFile(path)
		if err == nil && bytes.Contains(text, []byte(tokenMark)) {
			t.Errorf("%s holds the token", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

func FuzzEnvFile(f *testing.F) {
	files, err := filepath.Glob("testdata/*.env")
	if err != nil || len(files) == 0 {
		f.Fatalf("no seeds: %v", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Add([]byte("A=\"'\"'\nB='#'#\nC=#\nD= #x\nE\x00=\xff"))
	f.Fuzz(func(t *testing.T, text []byte) {
		entries, faults := parseEnvFile(text)
		lines := strings.Split(string(text), "\n")
		seen := map[string]bool{}
		for _, e := range entries {
			if seen[e.name] {
				t.Errorf("%s was taken twice", e.name)
			}
			seen[e.name] = true
			if !isName(e.name) || !utf8.ValidString(e.value) {
				t.Errorf("line %d: got name %q, value %q", e.line, e.name, e.value)
			}
			if line := lines[e.line-1]; !strings.Contains(line, e.name) || !strings.Contains(line, e.value) {
				t.Errorf("line %d is %q, but got %q and %q from it", e.line, line, e.name, e.value)
			}
		}
		for _, fault := range faults {
			if fault.Line < 1 || fault.Line > len(lines) || fault.Problem == "" || fault.Value != nil {
				t.Errorf("got fault %+v for %q", fault, text)
			}
		}
	})
}

func TestWhatIsWrittenReadsBack(t *testing.T) {
	t.Setenv("ZEITNOT_GREETING", `He said "hi" # and left`)
	t.Setenv("ZEITNOT_BLOCK", "alice,bob")
	c, err := Load("")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range c.Lines() {
		entries, faults := parseEnvFile([]byte(line.String()))
		if len(faults) > 0 || len(entries) != 1 || entries[0].name != line.Name || entries[0].value != line.Value {
			t.Errorf("%s: got %v, %v; want name %q, value %q", line, entries, faults, line.Name, line.Value)
		}
	}
}

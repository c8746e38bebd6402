package config

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// FuzzSetting: a value of any setting is taken, and then written in a form that is taken
// again and means the same, or refused by name; either way it ends.
func FuzzSetting(f *testing.F) {
	all := settings(&Config{})
	for i, s := range all {
		f.Add(uint8(i), s.field.Tag.Get("default"))
		f.Add(uint8(i), s.field.Tag.Get("example"))
		if i%5 != 0 {
			continue
		}
		for _, odd := range []string{"", " ", "-1", "0", "9223372036854775808", "1e9", "NaN", "3+2,,1/0+0", "x=y=z", "a\tb", "é♞", "***", "5s5", "-0s", "/", "::", "http://[::1", ",", "true,false"} {
			f.Add(uint8(i), odd)
		}
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, number uint8, value string) {
		s := all[int(number)%len(all)]
		if strings.ContainsAny(value, "\r\n\"'\x00") || len(value) > 1000 {
			return // what a line of a file can hold is another target's
		}
		if strings.HasSuffix(s.name, "_FILE") && (strings.HasPrefix(value, "/dev") || strings.HasPrefix(value, "/proc")) {
			return // devices and the like may have no end of their own
		}
		file := filepath.Join(dir, "env")
		read := func(lines string) (*Config, error) {
			if err := os.WriteFile(file, []byte(lines), 0o600); err != nil {
				t.Fatal(err)
			}
			return Load(file)
		}
		c, err := read(s.name + "=\"" + value + "\"\n")
		if err != nil {
			var faults Faults
			if !errors.As(err, &faults) || !strings.Contains(err.Error(), "ZEITNOT_") {
				t.Errorf("%s=%q: got %v, want a fault that names the setting", s.name, value, err)
			}
			return
		}
		var again, want []string
		for _, l := range c.Lines() {
			want = append(want, l.String())
		}
		written := strings.Join(want, "\n")
		if c, err = read(written); err != nil {
			t.Fatalf("%s=%q: what is written is refused: %v", s.name, value, err)
		}
		for _, l := range c.Lines() {
			again = append(again, l.String())
		}
		if got := strings.Join(again, "\n"); got != written {
			t.Errorf("%s=%q: written again as\n%s\nwant\n%s", s.name, value, got, written)
		}
	})
}

// FuzzParseTimeControl: a time control that is taken is written in a form that means the same.
func FuzzParseTimeControl(f *testing.F) {
	for _, seed := range []string{"3+2", " 3 + 2 ", "1/2+0", "0.25+0", "0+1", "9999+9999", "+", "1/0+0", "-1+0", "1e3+0", "3+2+1", "½+0", "0x10+1", "00003+2"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c, err := ParseTimeControl(text)
		if err != nil {
			return
		}
		if again, err := ParseTimeControl(c.String()); err != nil || again != c || c.Initial < 0 || c.Increment < 0 {
			t.Errorf("%q is %+v, written as %q, which is %+v (%v)", text, c, c, again, err)
		}
	})
}

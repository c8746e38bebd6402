package config

import (
	"fmt"
	"io"
	"reflect"
	"strings"
	"time"
)

// WriteDocs writes the documentation of every setting as Markdown.
func WriteDocs(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, `# Settings

Every setting is an environment variable with the prefix %[1]s_, or a line NAME=value of
the file that --env-file names; the environment counts more than the file. In the file #
starts a comment, at the start of a line or after a blank; a value may stand in quotes;
nothing is expanded. An unknown name is an error, and so is a value outside of what is
allowed: all faults are reported at once. Durations have their unit: 500ms, 30s, 10m, 2h.
Lists are separated by commas.

`+"`zeitnot config`"+` shows the settings as they are in effect; this table is the output of
`+"`zeitnot config --docs`"+`.

| name | default | allowed | meaning |
|---|---|---|---|
`, Prefix)
	for _, s := range settings(&Config{}) {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", s.name, s.shownDefault(), s.allowed(), s.meaning())
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (s setting) shownDefault() string {
	switch {
	case s.tag("shown") != "":
		return s.tag("shown")
	case s.tag("default") != "":
		return "`" + s.tag("default") + "`"
	}
	return ""
}

func (s setting) meaning() string { return strings.ReplaceAll(s.tag("desc"), "{who}", s.who) }

// Line is one setting in effect.
type Line struct{ Name, Value string }

// Lines are the settings in effect, in the form an env file has, without the token.
func (c *Config) Lines() []Line {
	var lines []Line
	for _, s := range settings(c) {
		if !s.secret() {
			lines = append(lines, Line{s.name, s.text()})
		}
	}
	return lines
}

// Values are the settings in effect by their names in small letters, without the prefix.
// Durations are texts, and so is the token, which is hidden.
func (c *Config) Values() map[string]any {
	values := map[string]any{}
	for _, s := range settings(c) {
		v := s.value.Interface()
		switch {
		case s.field.Type == reflect.TypeFor[time.Duration]():
			v = s.text()
		case s.field.Type.Kind() == reflect.Slice && s.value.Len() == 0:
			v = []string{} // not null
		}
		values[strings.ToLower(strings.TrimPrefix(s.name, Prefix+"_"))] = v
	}
	return values
}

// String is the line, quoted where an env file needs it.
func (l Line) String() string {
	value := l.Value
	switch {
	case value == "" || withoutComment(value) == value && !strings.ContainsRune(`"'#`, rune(value[0])):
	case strings.Contains(value, `"`):
		value = "'" + value + "'"
	default:
		value = `"` + value + `"`
	}
	return l.Name + "=" + value
}

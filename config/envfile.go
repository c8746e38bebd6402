package config

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"
)

// entry is one assignment of an env file.
type entry struct {
	name, value string
	line        int
}

// parseEnvFile reads lines NAME=value. Empty lines and lines that start with # are
// skipped, a value may stand in single or double quotes, and outside of quotes a # after
// a blank starts a comment. Nothing is expanded or escaped. What is wrong is told by line
// number and never by content, for a line may hold the token.
func parseEnvFile(text []byte) ([]entry, []Fault) {
	text = bytes.TrimPrefix(text, []byte("\ufeff")) // editors on Windows begin files with it
	var entries []entry
	var faults []Fault
	firstLine := map[string]int{}
	number := 0
	for raw := range strings.SplitSeq(string(text), "\n") {
		number++
		line := strings.TrimSpace(raw)
		if line == "" || line[0] == '#' {
			continue
		}
		e, problem := parseEntry(line)
		if problem == "" && firstLine[e.name] != 0 {
			problem = fmt.Sprintf("set a second time, first on line %d", firstLine[e.name])
		}
		if problem != "" {
			faults = append(faults, Fault{Line: number, Name: e.name, Problem: problem})
			continue
		}
		e.line = number
		firstLine[e.name] = number
		entries = append(entries, e)
	}
	return entries, faults
}

// parseEntry takes one trimmed line apart. The problem is empty when it is good; the
// entry then has its name, and else only if that is fit to be shown.
func parseEntry(line string) (e entry, problem string) {
	name, value, found := strings.Cut(line, "=")
	name = strings.TrimSpace(name)
	if !found {
		return entry{}, "want NAME=value"
	}
	if !isName(name) {
		return entry{}, "want a name of capital letters, digits and underscores before ="
	}
	e = entry{name: name}
	value = strings.TrimSpace(value)
	if value == "" || value[0] == '#' {
		return e, ""
	}
	if quote := value[0]; quote == '"' || quote == '\'' {
		end := strings.IndexByte(value[1:], quote)
		if end < 0 {
			return e, "the quote that opens the value is never closed"
		}
		rest := strings.TrimSpace(value[end+2:])
		if rest != "" && rest[0] != '#' {
			return e, "something follows the quoted value"
		}
		value = value[1 : end+1]
	} else {
		value = withoutComment(value)
	}
	if !utf8.ValidString(value) || strings.ContainsRune(value, 0) {
		return e, "the value is not valid UTF-8 text"
	}
	e.value = value
	return e, ""
}

// withoutComment cuts off what follows a # that stands after a blank.
func withoutComment(value string) string {
	for i := 1; i < len(value); i++ {
		if value[i] == '#' && (value[i-1] == ' ' || value[i-1] == '\t') {
			return strings.TrimSpace(value[:i])
		}
	}
	return value
}

// isName tells whether the text can be the name of a setting. A token cannot: theirs have
// small letters.
func isName(s string) bool {
	for i, r := range s {
		if r != '_' && (r < 'A' || r > 'Z') && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return s != ""
}

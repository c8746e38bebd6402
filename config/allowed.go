package config

import (
	"fmt"
	"net"
	"net/url"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// allowed says in words what the setting takes.
func (s setting) allowed() string {
	if t := s.tag("allowed"); t != "" {
		return t
	}
	least, most := s.tag("min"), s.tag("max")
	switch {
	case least != "" && least == most:
		return least
	case least != "":
		return least + " to " + most
	case s.tag("oneof") != "":
		return orList(s.tag("oneof"))
	case s.tag("each") != "":
		return "any of " + strings.ReplaceAll(s.tag("each"), ",", ", ")
	case s.field.Type.Kind() == reflect.Bool:
		return "true or false"
	}
	if rule, ok := rules()[s.tag("check")]; ok {
		return rule.allowed
	}
	return ""
}

func orList(commaSeparated string) string {
	words := strings.Split(commaSeparated, ",")
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

// problem says what is wrong with the decoded value, which it brings into its usual form
// on the way; empty if nothing is.
func (s setting) problem() string {
	switch v := s.value.Interface().(type) {
	case int:
		least, most := mustInt(s.tag("min")), mustInt(s.tag("max"))
		return outside(v < least, v > most, s.tag("min"), s.tag("max"))
	case time.Duration:
		return outside(v < mustDuration(s.tag("min")), v > mustDuration(s.tag("max")), s.tag("min"), s.tag("max"))
	case []string:
		clean := trimmed(v)
		s.value.Set(reflect.ValueOf(clean))
		for i, item := range clean {
			canonical, problem := s.item(item)
			if problem != "" {
				return problem
			}
			clean[i] = canonical
		}
		return ""
	case string:
		canonical, problem := s.item(strings.TrimSpace(v))
		s.value.SetString(canonical)
		return problem
	}
	return ""
}

// item checks one text: the value of a string or one element of a list.
func (s setting) item(text string) (canonical, problem string) {
	if choices := s.tag("oneof") + s.tag("each"); choices != "" {
		for choice := range strings.SplitSeq(choices, ",") {
			if strings.EqualFold(choice, text) {
				return choice, ""
			}
		}
		if text == "" {
			return text, "empty"
		}
		return text, fmt.Sprintf("there is no %q", text)
	}
	if rule, ok := rules()[s.tag("check")]; ok {
		return rule.check(text)
	}
	return text, ""
}

func outside(below, above bool, least, most string) string {
	switch {
	case below:
		return "below " + least
	case above:
		return "above " + most
	}
	return ""
}

// mustInt and mustDuration read the bounds in the tags, which are ours.
func mustInt(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		panic("config: a bound in a tag: " + err.Error())
	}
	return n
}

func mustDuration(s string) time.Duration {
	d, err := time.ParseDuration(s)
	if err != nil {
		panic("config: a bound in a tag: " + err.Error())
	}
	return d
}

// trimmed is the list without blanks around its items and without empty ones.
func trimmed(items []string) []string {
	var clean []string
	for _, item := range items {
		if item = strings.TrimSpace(item); item != "" {
			clean = append(clean, item)
		}
	}
	return clean
}

// rule is a check that no range or list of choices can express.
type rule struct {
	allowed string
	check   func(text string) (canonical, problem string)
}

func rules() map[string]rule {
	return map[string]rule{
		"url":     {"http:// or https:// and a host", checkURL},
		"listen":  {"host:port, or empty", checkListen},
		"path":    {"an absolute path", checkPath},
		"books":   {"embedded or absolute paths, separated by commas", checkBook},
		"elo":     {fmt.Sprintf("%d to %d, or empty", MinElo, MaxElo), checkElo},
		"folders": {"absolute paths, separated as in PATH", checkFolders},
		"options": {"NAME=VALUE, separated by commas; NAME= for an empty value, NAME for a button", checkOption},
		"users":   {"user names, separated by commas", checkUser},
		"user":    {"a user name", checkOneUser},
		"chat":    {"up to 140 characters on one line", checkChat},
	}
}

// checkURL takes off the slashes at the end, so that every request has one.
func checkURL(text string) (string, string) {
	text = strings.TrimRight(text, "/")
	u, err := url.Parse(text)
	switch {
	case text == "":
		return text, "empty"
	case err != nil:
		return text, "not a URL"
	case u.Scheme != "http" && u.Scheme != "https":
		return text, "does not start with http:// or https://"
	case u.Hostname() == "":
		return text, "has no host"
	case u.User != nil:
		return text, "has a user name or password in it"
	case u.RawQuery != "" || u.Fragment != "":
		return text, "has a query or fragment"
	}
	return text, ""
}

func checkListen(text string) (string, string) {
	if text == "" {
		return "", ""
	}
	_, port, err := net.SplitHostPort(text)
	if err != nil {
		return text, "not host:port"
	}
	if n, err := strconv.Atoi(port); err != nil || n < 0 || n > 65535 {
		return text, "the port is not a number up to 65535"
	}
	return text, ""
}

func checkPath(text string) (string, string) {
	if text != "" && !filepath.IsAbs(text) {
		return text, "not an absolute path"
	}
	return text, ""
}

// EmbeddedBook names, among the books, the one inside the program.
const EmbeddedBook = "embedded"

func checkBook(text string) (string, string) {
	if strings.EqualFold(text, EmbeddedBook) {
		return EmbeddedBook, ""
	}
	if !filepath.IsAbs(text) {
		return text, fmt.Sprintf("%q is not an absolute path", text)
	}
	return text, ""
}

// MinElo and MaxElo are the strengths that a limit can be set to.
const (
	MinElo = 450
	MaxElo = 2260
)

func checkElo(text string) (string, string) {
	if text == "" {
		return "", ""
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		return text, "not a whole number"
	}
	return text, outside(n < MinElo, n > MaxElo, strconv.Itoa(MinElo), strconv.Itoa(MaxElo))
}

func checkFolders(text string) (string, string) {
	for _, folder := range filepath.SplitList(text) {
		if !filepath.IsAbs(folder) {
			return text, fmt.Sprintf("%q is not an absolute path", folder)
		}
	}
	return text, ""
}

// checkOption takes blanks off around the name and the value.
func checkOption(text string) (string, string) {
	name, value, given := strings.Cut(text, "=")
	name, value = strings.TrimSpace(name), strings.TrimSpace(value)
	switch {
	case name == "":
		return text, fmt.Sprintf("%q has no name", text)
	case strings.ContainsFunc(text, unicode.IsControl):
		return text, "has a control character in it"
	case !given:
		return name, ""
	}
	return name + "=" + value, ""
}

var userShape = regexp.MustCompile(`^[A-Za-z0-9_-]{2,30}$`)

// IsUser tells whether a text can be the name of a user of Lichess.
func IsUser(text string) bool { return userShape.MatchString(text) }

// checkUser gives user names in lower case, as Lichess does in ids.
func checkUser(text string) (string, string) {
	if !IsUser(text) {
		return text, fmt.Sprintf("%q is not a user name", text)
	}
	return strings.ToLower(text), ""
}

// checkOneUser is checkUser for a setting that may be empty.
func checkOneUser(text string) (string, string) {
	if text == "" {
		return "", ""
	}
	return checkUser(text)
}

// chatLimit is Lichess's own, in characters.
const chatLimit = 140

func checkChat(text string) (string, string) {
	if n := utf8.RuneCountInString(text); n > chatLimit {
		return text, fmt.Sprintf("%d characters long", n)
	}
	if strings.ContainsFunc(text, unicode.IsControl) {
		return text, "has a control character in it"
	}
	return text, ""
}

// crossed finds ranges that hold nothing.
func crossed(all []setting) []Fault {
	var faults []Fault
	for _, s := range all {
		least, isMin := strings.CutPrefix(s.field.Name, "Min")
		i := slices.IndexFunc(all, func(o setting) bool {
			return o.prefix == s.prefix && o.field.Name == "Max"+least
		})
		if isMin && i >= 0 && s.value.Int() > all[i].value.Int() {
			faults = append(faults, s.fault(fmt.Sprintf("above %s (%s)", all[i].name, all[i].text())))
		}
	}
	return faults
}

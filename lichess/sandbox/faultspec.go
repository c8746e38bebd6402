package sandbox

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// ParseFaults reads faults from a text, as the command line gives them: faults separated
// by semicolons or newlines, # and what follows it on a line left out, each
//
//	KIND [ENDPOINT] [key=value ...]
//
// with the kinds and endpoints of this package ("game" and "event" stand for their
// streams) and the fields of Fault in lower case as keys. Times are Go durations or plain
// numbers of milliseconds; times=always never wears off; in text=… an underscore is a blank.
//
//	latency in=40ms out=20ms jitter=10ms; status move code=429 times=1;
//	cut game ply=11; lost move as=reset from=3; restart after=30s down=5s
func ParseFaults(spec string) ([]Fault, error) {
	var faults []Fault
	for _, text := range strings.FieldsFunc(comments.ReplaceAllString(spec, ""), func(r rune) bool { return r == ';' || r == '\n' }) {
		words := strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == '\t' || r == ',' || r == '\r' })
		if len(words) == 0 {
			continue
		}
		if len(text) > maxFaultText {
			return nil, fmt.Errorf("faults %.60q...: one fault is longer than %d bytes", strings.TrimSpace(text), maxFaultText)
		}
		f, err := parseFault(words)
		if err != nil {
			return nil, fmt.Errorf("faults %q: %w", strings.TrimSpace(text), err)
		}
		faults = append(faults, f)
	}
	return faults, nil
}

// maxFaultText is beyond any fault with all of its keys, in bytes; errors repeat no more.
const maxFaultText = 1000

var comments = regexp.MustCompile(`#[^\n]*`)

func parseFault(words []string) (Fault, error) {
	f := Fault{Kind: Kind(words[0])}
	use, ok := useOf(f.Kind)
	if !ok {
		return f, fmt.Errorf("unknown kind %q, want one of %s", words[0], kindNames())
	}
	var given []string
	for _, w := range words[1:] {
		key, value, isKey := strings.Cut(w, "=")
		if !isKey {
			if f.Endpoint != "" {
				return f, fmt.Errorf("two endpoints, %q and %q", f.Endpoint, w)
			}
			f.Endpoint = endpointNamed(w)
			continue
		}
		if !slices.Contains(use.keys, key) {
			return f, fmt.Errorf("%s has no %q, only %s", f.Kind, key, strings.Join(use.keys, ", "))
		}
		if slices.Contains(given, key) {
			return f, fmt.Errorf("%s is given twice", key)
		}
		given = append(given, key)
		if err := f.set(key, value); err != nil {
			return f, fmt.Errorf("%s=%s: %w", key, value, err)
		}
	}
	return f, f.check()
}

func endpointNamed(s string) Endpoint {
	switch s {
	case "game":
		return EndpointGame
	case "event", "events":
		return EndpointEvents
	}
	return Endpoint(s)
}

// set sets the field that a key names.
func (f *Fault) set(key, value string) (err error) {
	numbers := map[string]*int{
		"from": &f.From, "times": &f.Times, "ply": &f.Ply, "code": &f.Code,
		"seconds": &f.Seconds, "size": &f.Size, "count": &f.Count, "slots": &f.Slots,
	}
	spans := map[string]*time.Duration{
		"after": &f.After, "in": &f.In, "out": &f.Out, "jitter": &f.Jitter,
		"per": &f.Per, "for": &f.For, "gap": &f.Gap, "down": &f.Down,
		"since": &f.Since, "until": &f.Until, "every": &f.Every,
	}
	if n := numbers[key]; n != nil {
		if key == "times" && value == "always" {
			*n = Always
			return nil
		}
		*n, err = strconv.Atoi(value)
		if err != nil {
			return fmt.Errorf("want a whole number")
		}
		if *n < 0 || key != "ply" && key != "seconds" && *n == 0 {
			return fmt.Errorf("want a positive number")
		}
		return nil
	}
	if d := spans[key]; d != nil {
		*d, err = parseSpan(value)
		return err
	}
	switch key {
	case "chance":
		f.Chance, err = strconv.ParseFloat(value, 64)
		if err != nil || !(f.Chance > 0 && f.Chance <= 1) {
			return fmt.Errorf("want a probability above 0, at most 1, like 0.05")
		}
	case "account":
		f.Account = value
	case "game":
		f.Game = value
	case "body":
		f.Body = Body(value)
	case "text":
		f.Text = strings.ReplaceAll(value, "_", " ")
	case "limit":
		f.Limit = value
	case "header":
		f.Header = value
	case "as":
		f.As = Kind(value)
	}
	if value == "" {
		return fmt.Errorf("want a value")
	}
	return nil
}

// parseSpan reads a Go duration, or a plain number as milliseconds.
func parseSpan(s string) (time.Duration, error) {
	d, err := time.ParseDuration(s)
	if err != nil {
		if n, intErr := strconv.ParseInt(s, 10, 64); intErr == nil && n < 1<<40 {
			d, err = time.Duration(n)*time.Millisecond, nil
		}
	}
	switch {
	case err != nil:
		return 0, fmt.Errorf("want a time like 250ms or 5s")
	case d < 0:
		return 0, fmt.Errorf("want a time that is not negative")
	}
	return d, nil
}

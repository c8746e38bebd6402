package config

import (
	"fmt"
	"strings"
)

// Fault is one thing that is wrong with the settings.
type Fault struct {
	// File and Line say where it stands; without a File it is the environment.
	File string
	Line int
	// Name is the setting's; empty when a line has no name that can be shown.
	Name string
	// Value is what was given; nil when there is none or when it is not for showing.
	Value *string
	// Problem says what is wrong with it.
	Problem string
	// Allowed and Example say what would be right; Nearest is the setting that an unknown
	// name was probably meant to be. Each may be empty.
	Allowed, Example, Nearest string
}

// String is the fault on one line.
func (f Fault) String() string {
	var b strings.Builder
	if f.Line > 0 {
		fmt.Fprintf(&b, "%s line %d: ", f.File, f.Line)
	}
	if f.Name != "" {
		b.WriteString(f.Name)
		if f.Value != nil {
			fmt.Fprintf(&b, "=%q", clip(*f.Value))
		}
		b.WriteString(": ")
	}
	b.WriteString(clip(f.Problem))
	if f.Allowed != "" {
		fmt.Fprintf(&b, "; allowed: %s", f.Allowed)
	}
	if f.Example != "" {
		fmt.Fprintf(&b, "; example: %s=%s", f.Name, f.Example)
	}
	if f.Nearest != "" {
		fmt.Fprintf(&b, "; did you mean %s?", f.Nearest)
	}
	return b.String()
}

// clip shortens outside text for a message, which a whole file put into a variable would
// make unreadable. What looks like a token goes first: half of one must not stay.
func clip(text string) string {
	const most = 300
	if r := []rune(Redact(text)); len(r) > most {
		return string(r[:most]) + "…"
	}
	return text
}

// without is the fault with a secret hidden that got into the wrong setting.
func (f Fault) without(secrets ...Secret) Fault {
	f.Problem = Redact(f.Problem, secrets...)
	if f.Value != nil {
		f.Value = new(Redact(*f.Value, secrets...))
	}
	return f
}

// Faults are all faults of one set of settings: an error of one line each.
type Faults []Fault

// Error implements error. No line of it shows a token.
func (fs Faults) Error() string {
	lines := make([]string, len(fs))
	for i, f := range fs {
		lines[i] = Redact(f.String())
	}
	return strings.Join(lines, "\n")
}

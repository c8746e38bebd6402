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
			fmt.Fprintf(&b, "=%q", *f.Value)
		}
		b.WriteString(": ")
	}
	b.WriteString(f.Problem)
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

// without is the fault with a secret hidden that got into the wrong setting.
func (f Fault) without(s Secret) Fault {
	f.Problem = Redact(f.Problem, s)
	if f.Value != nil {
		f.Value = new(Redact(*f.Value, s))
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

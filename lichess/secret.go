package lichess

import (
	"errors"
	"fmt"
	"strings"

	"github.com/rs/zerolog"
)

// hidden is what a secret prints as, in every format.
const hidden = "***"

// Secret holds a token. It prints as *** in every format, in JSON and in logs, also as a
// field of a struct that is printed whole: the text lies behind a pointer, because fmt
// calls no methods on unexported fields. The zero value is no token.
type Secret struct{ text *string }

// NewSecret reads a token as it comes out of files and variables: white space around it is
// cut. An empty text gives the zero Secret. What cannot stand in a header is an error, which
// does not repeat the text.
func NewSecret(text string) (Secret, error) {
	text = strings.TrimSpace(text)
	for i := range len(text) {
		switch b := text[i]; {
		case b < ' ' || b == 0x7f:
			return Secret{}, fmt.Errorf("token: control character %#02x at place %d of %d", b, i+1, len(text))
		case b == ' ':
			return Secret{}, fmt.Errorf("token: blank at place %d of %d", i+1, len(text))
		case b > 0x7f:
			return Secret{}, fmt.Errorf("token: non-ASCII character at place %d of %d", i+1, len(text))
		}
	}
	// Real tokens are short; 8 KiB is what common servers take as one header line.
	if len(text) > 8192 {
		return Secret{}, errors.New("token: longer than 8192 characters")
	}
	if text == "" {
		return Secret{}, nil
	}
	return Secret{text: &text}, nil
}

// Reveal gives the token itself. Every call is a place to look at.
func (s Secret) Reveal() string {
	if s.text == nil {
		return ""
	}
	return *s.text
}

// IsZero reports whether there is no token.
func (s Secret) IsZero() bool { return s.text == nil }

// String is ***, or "" without a token.
func (s Secret) String() string {
	if s.text == nil {
		return ""
	}
	return hidden
}

// GoString is String.
func (s Secret) GoString() string { return s.String() }

// Format writes String whatever the verb.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(s.String())) }

// MarshalText writes String; JSON uses it too.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// MarshalZerologObject keeps a token out of a log event.
func (s Secret) MarshalZerologObject(e *zerolog.Event) { e.Str("token", s.String()) }

// redact removes the token from a text that came from outside: a server may echo it.
func (s Secret) redact(text string) string {
	if s.text == nil {
		return text
	}
	return strings.ReplaceAll(text, *s.text, hidden)
}

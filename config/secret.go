package config

import (
	"fmt"
	"regexp"
	"strings"
)

// Hidden is what is shown in place of a secret.
const Hidden = "***"

// Secret is a text that shows itself only when asked by Reveal. Printing, formatting or
// encoding it, or anything that holds it, gives Hidden; the zero value is no secret at
// all and prints as nothing.
type Secret struct {
	// text is behind a pointer because fmt looks into the unexported fields of what holds
	// a Secret without asking it how it wants to be printed.
	text *string
}

// NewSecret keeps the text; an empty text is the zero value.
func NewSecret(text string) Secret {
	if text == "" {
		return Secret{}
	}
	return Secret{&text}
}

// Reveal is the text itself.
func (s Secret) Reveal() string {
	if s.text == nil {
		return ""
	}
	return *s.text
}

// Empty tells that there is no secret.
func (s Secret) Empty() bool { return s.text == nil }

// String implements fmt.Stringer.
func (s Secret) String() string {
	if s.Empty() {
		return ""
	}
	return Hidden
}

// Format implements fmt.Formatter, so that no verb gets at the text.
func (s Secret) Format(f fmt.State, _ rune) { fmt.Fprint(f, s.String()) }

// MarshalText implements encoding.TextMarshaler, which JSON uses as well.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Decode implements envconfig.Decoder.
func (s *Secret) Decode(value string) error {
	*s = NewSecret(value)
	return nil
}

// tokenShape matches what Lichess's personal tokens look like.
var tokenShape = regexp.MustCompile(`lip_[A-Za-z0-9_]+`)

// Redact hides the secrets in a text, and whatever else looks like a token: people paste
// theirs into the wrong line.
func Redact(text string, secrets ...Secret) string {
	for _, s := range secrets {
		if !s.Empty() {
			text = strings.ReplaceAll(text, s.Reveal(), Hidden)
		}
	}
	return tokenShape.ReplaceAllString(text, Hidden)
}

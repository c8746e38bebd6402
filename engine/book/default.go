package book

import (
	_ "embed"
	"strings"
)

// defaultBook is made by our builder out of public-domain games and checked by our engine;
// docs/book.md has the command.
//
//go:embed default.bin
var defaultBook string

// Default is the book inside the program. It needs no closing.
func Default() (*Book, error) {
	return New("embedded", strings.NewReader(defaultBook), int64(len(defaultBook)))
}

package child

import (
	"os"
	"slices"
	"strings"
)

// Environ is our environment for programs that are none of our own: without any variable
// that may hold a token, or says where one lies.
func Environ() []string {
	return slices.DeleteFunc(os.Environ(), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		name = strings.ToUpper(name)
		return strings.Contains(name, "TOKEN") || name == "CREDENTIALS_DIRECTORY"
	})
}

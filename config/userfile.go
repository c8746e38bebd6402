package config

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"syscall"
)

// maxUserFile is beyond any list of names: thirty thousand of the longest.
const maxUserFile = 1 << 20

// usersFrom reads a file of user names, one a line. The problem says what is wrong with
// it, if anything.
func usersFrom(path string) (users []string, problem string) {
	text, err := readFile(path, maxUserFile)
	if err != nil {
		return nil, err.Error()
	}
	number := 0
	for line := range strings.SplitSeq(string(text), "\n") {
		number++
		name, _, _ := strings.Cut(line, "#")
		name = strings.TrimSpace(name)
		if name == "" {
			continue
		}
		id, problem := checkUser(name)
		if problem != "" {
			return nil, fmt.Sprintf("line %d: %s", number, problem)
		}
		users = append(users, id)
	}
	return users, ""
}

// readFile reads a whole file of at most limit bytes. Its error is without the path, which
// the reader has in front of him.
func readFile(path string, limit int64) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, reason(err)
	}
	if info.IsDir() {
		return nil, fmt.Errorf("is a folder")
	}
	if info.Size() > limit {
		return nil, fmt.Errorf("is larger than %d bytes", limit)
	}
	// Without that a named pipe that nobody writes to would be waited for without end.
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, reason(err)
	}
	defer file.Close()
	// Devices and pipes have no size to go by.
	text, err := io.ReadAll(io.LimitReader(file, limit+1))
	if err != nil {
		return nil, reason(err)
	}
	if int64(len(text)) > limit {
		return nil, fmt.Errorf("is larger than %d bytes", limit)
	}
	return text, nil
}

// merge is both lists without repetitions, in their order.
func merge(a, b []string) []string {
	for _, name := range b {
		if !slices.Contains(a, name) {
			a = append(a, name)
		}
	}
	return a
}

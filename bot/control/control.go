// Package control lets other programs on the same machine ask something of the running daemon:
// JSON over HTTP on a socket in the daemon's state folder. Who may use it is a matter of the
// socket's mode and the folder's; there is no other secret, and nothing is served beyond the
// machine.
package control

import (
	"fmt"
	"path/filepath"
)

// longestPath is the longest path of a socket, in bytes, that every system takes: they have
// room for 104 to 108, with a zero at the end.
const longestPath = 103

// challengePath is where challenges are asked for.
const challengePath = "/challenge"

// socketIn is the path of the socket in a state folder.
func socketIn(dir string) (string, error) {
	path := filepath.Join(dir, "control.sock")
	if len(path) > longestPath {
		return "", fmt.Errorf("control socket %s: %d bytes, and a socket's path has %d at most: the state folder needs a shorter one", path, len(path), longestPath)
	}
	return path, nil
}

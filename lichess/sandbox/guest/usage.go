package guest

import "errors"

// Usage is what a bot takes of the machine at one moment, all its processes together.
type Usage struct {
	// RSS is resident memory in bytes; pages that processes share count for each of them.
	RSS int64
	// PSS is the same with each page counted once: divided among those that share it. 0 where
	// the system does not tell.
	PSS         int64
	Processes   int // zombies not counted
	Zombies     int // processes that have ended and that nobody has waited for
	Threads     int
	Descriptors int // open files and sockets
}

// ErrNoUsage means that this system does not tell what a process takes.
var ErrNoUsage = errors.New("what a process takes is known on Linux only")

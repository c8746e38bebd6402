package main

import (
	"syscall"
	"time"
	"unsafe"
)

// sleepThread stops the calling thread for a time, or until a signal comes. The scheduler of
// the runtime has no part in it, so that what it lasts longer is the system's doing. A
// processor of the runtime is kept all the while.
func sleepThread(d time.Duration) {
	t := syscall.NsecToTimespec(int64(d))
	syscall.RawSyscall(syscall.SYS_NANOSLEEP, uintptr(unsafe.Pointer(&t)), 0, 0)
}

//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// errStateInUse means that another process keeps its records in the same place.
var errStateInUse = errors.New("in use by another zeitnot")

// lockState keeps other daemons out of the state folder until the file it returns is
// closed or the process is gone, however it went. Any other error than errStateInUse means
// that the folder cannot be locked.
func lockState(dir string) (*os.File, error) {
	file, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := lockFile(file); err != nil {
		file.Close()
		return nil, err
	}
	return file, nil
}

// lockFile keeps other processes from locking the file until it is closed.
func lockFile(file *os.File) error {
	err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, syscall.EWOULDBLOCK):
		return errStateInUse
	}
	return fmt.Errorf("lock %s: %w", file.Name(), err)
}

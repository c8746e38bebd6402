//go:build unix

package uci_test

import (
	"os/signal"
	"syscall"
)

// ignoreSignals makes the process deaf to all that can be ignored.
func ignoreSignals() { signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP) }

//go:build !linux

package lichess

import "syscall"

// setUserTimeout does nothing where TCP has no such option; the watchdogs remain.
func setUserTimeout(_, _ string, _ syscall.RawConn) error { return nil }

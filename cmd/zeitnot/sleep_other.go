//go:build !linux

package main

import "time"

// sleepThread stops the calling goroutine: where the system cannot be asked, what the
// runtime's scheduler does counts as the system's doing.
func sleepThread(d time.Duration) { time.Sleep(d) }

//go:build !linux && !darwin

package syzygy

import "os"

func mapOrRead(f *os.File, size int64) (*mappedFile, error) { return readWhole(f, size) }

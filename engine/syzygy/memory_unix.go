//go:build linux || darwin

package syzygy

import (
	"os"

	"golang.org/x/sys/unix"
)

func mapOrRead(f *os.File, size int64) (*mappedFile, error) {
	data, err := unix.Mmap(int(f.Fd()), 0, int(size), unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return readWhole(f, size) // some file systems cannot map
	}
	// Probes jump about; reading ahead would only fill the memory. A refusal costs nothing.
	_ = unix.Madvise(data, unix.MADV_RANDOM)
	return &mappedFile{data: data, close: func() error { return unix.Munmap(data) }}, nil
}

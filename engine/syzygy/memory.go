package syzygy

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
)

// mappedFile is a whole file in memory.
type mappedFile struct {
	data  []byte
	close func() error
}

// readWhole is mapFile where files cannot be mapped. Large tables would fill the memory.
func readWhole(f *os.File, size int64) (*mappedFile, error) {
	const most = 256 << 20
	if size > most {
		return nil, fmt.Errorf("%d MiB cannot be mapped on this system and are too many to read", size>>20)
	}
	data := make([]byte, size)
	if _, err := f.ReadAt(data, 0); err != nil {
		return nil, err
	}
	return &mappedFile{data: data, close: func() error { return nil }}, nil
}

// mapFile makes the contents of a file readable as memory.
func mapFile(path string) (*mappedFile, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if err := checkSize(info.Size()); err != nil {
		return nil, err
	}
	return mapOrRead(f, info.Size())
}

var errUnreadable = errors.New("it cannot be read: the disk fails, or the file was cut off while in use")

// guard runs f, which reads mapped files. If the system cannot supply the bytes, which
// would normally end the process, it returns errUnreadable instead.
func guard(f func()) (err error) {
	old := debug.SetPanicOnFault(true)
	defer func() {
		debug.SetPanicOnFault(old)
		switch r := recover().(type) {
		case nil:
		case interface {
			runtime.Error
			Addr() uintptr
		}:
			err = errUnreadable
		default:
			panic(r)
		}
	}()
	f()
	return nil
}

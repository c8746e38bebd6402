package search

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// hugePagesFrom is the size in bytes from which a table is worth large pages, which have 2 MiB.
const hugePagesFrom = 4 << 20

// wantHugePages asks for large pages under the table: nearly every look into it is at a page
// that has not been used for long, and of large ones the processor remembers where they lie.
// It is a wish; without them all works the same.
func wantHugePages(buckets []bucket) {
	table := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(buckets))), len(buckets)*bucketBytes)
	if len(table) < hugePagesFrom {
		return
	}
	// The wish is for whole pages.
	page := unix.Getpagesize()
	skip := int(-uintptr(unsafe.Pointer(unsafe.SliceData(buckets)))) & (page - 1)
	table = table[skip:]
	table = table[:len(table)&^(page-1)]
	_ = unix.Madvise(table, unix.MADV_HUGEPAGE) // refused where there are none
}

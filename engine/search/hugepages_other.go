//go:build !linux

package search

// wantHugePages can be asked of Linux alone.
func wantHugePages([]bucket) {}

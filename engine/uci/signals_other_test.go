//go:build !unix

package uci_test

func ignoreSignals() {}

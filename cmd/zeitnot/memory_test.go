package main

import (
	"strings"
	"testing"
)

func TestMemoryIsThatOfMachineOrContainer(t *testing.T) {
	const meminfo = "MemTotal:        1013724 kB\nMemFree:          100000 kB\n"
	for _, tc := range []struct {
		name, meminfo, group string
		want                 int
	}{
		{"machine", meminfo, "", 989},
		{"container without a limit", meminfo, "max\n", 989},
		{"container", meminfo, "536870912\n", 512},
		{"limit above the machine's", meminfo, "8589934592\n", 989},
		{"nothing known", "", "", 0},
		{"nonsense", "MemTotal:\nMemTotal: many kB\n", "-1", 0},
	} {
		if got := smallerMemory(tc.meminfo, tc.group); got != tc.want {
			t.Errorf("%s: got %d MiB, want %d", tc.name, got, tc.want)
		}
	}
}

func TestHashBeyondTheMemoryIsRefusedNotDiedOf(t *testing.T) {
	all := memoryMB()
	if all == 0 {
		t.Skip("the memory of this machine is not known")
	}
	if err := newUCIEngine(1, func(error) {}).SetHash(all); err == nil || !strings.Contains(err.Error(), "MiB of memory") {
		t.Errorf("hash of all memory: got %v, want a refusal", err)
	}
	if err := newUCIEngine(1, func(error) {}).SetHash(2); err != nil {
		t.Errorf("hash of 2 MiB: %v", err)
	}
}

package main

import (
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
)

// hashFits is an error if so many MiB for tables are more than the machine has: the
// runtime could only die of it. Where the memory is unknown everything fits.
func hashFits(hashMB int) error {
	if all := memoryMB(); all > 0 && hashMB >= all {
		return fmt.Errorf("hash of %d MiB: there are only %d MiB of memory here", hashMB, all)
	}
	return nil
}

// memoryMB is the memory of the machine in MiB or, if that is less, what our container may
// use of it; 0 is unknown.
func memoryMB() int {
	machine, _ := os.ReadFile("/proc/meminfo")
	container, _ := os.ReadFile("/sys/fs/cgroup/memory.max")
	return smallerMemory(string(machine), string(container))
}

// smallerMemory reads the texts of meminfo (in KiB) and of memory.max (in bytes, or "max").
func smallerMemory(meminfo, groupMax string) (mb int) {
	least := uint64(math.MaxUint64)
	for line := range strings.Lines(meminfo) {
		if words := strings.Fields(line); len(words) > 1 && words[0] == "MemTotal:" {
			if kb, err := strconv.ParseUint(words[1], 10, 53); err == nil {
				least = kb << 10
			}
		}
	}
	if group, err := strconv.ParseUint(strings.TrimSpace(groupMax), 10, 63); err == nil {
		least = min(least, group)
	}
	if least == math.MaxUint64 {
		return 0
	}
	return int(least >> 20)
}

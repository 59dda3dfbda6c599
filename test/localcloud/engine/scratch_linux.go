package engine

import (
	"bufio"
	"fmt"
	"os"
	"syscall"
)

// tmpfs is the type of a file system in memory (linux/magic.h).
const tmpfs = 0x01021994

// roomIn returns how many bytes can be kept in a file system in memory; 0 if the folder is of another one.
func roomIn(folder string) uint64 {
	var of syscall.Statfs_t
	if err := syscall.Statfs(folder, &of); err != nil || int64(of.Type) != tmpfs {
		return 0
	}
	return min(of.Bavail*uint64(of.Bsize), availableMemory("/proc/meminfo"))
}

// availableMemory reads how many bytes of memory programs can still take; 0 if that can't be told.
func availableMemory(meminfo string) uint64 {
	file, err := os.Open(meminfo)
	if err != nil {
		return 0
	}
	defer func() { _ = file.Close() }()
	var kib uint64
	for lines := bufio.NewScanner(file); lines.Scan(); {
		if n, err := fmt.Sscanf(lines.Text(), "MemAvailable: %d kB", &kib); n == 1 && err == nil {
			return kib << 10
		}
	}
	return 0
}

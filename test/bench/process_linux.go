package main

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// dieWithParent makes the controller end when this program does, whatever way it ends.
func dieWithParent() *syscall.SysProcAttr {
	// A group of its own: Ctrl-C in a terminal is for us, who then end it in order.
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
}

// tick is the unit of /proc/PID/stat: USER_HZ, 100 on every architecture that Go runs on.
const tick = 10 * time.Millisecond

// processorTime returns the time that the process has used since it started, in user mode and in the kernel.
func processorTime(pid int) (time.Duration, error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	// The second field is a name in brackets, which may hold spaces; utime and stime are fields 14 and 15.
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	var ticks int64
	for _, f := range fields[11:13] {
		n, err := strconv.ParseInt(string(f), 10, 64)
		if err != nil {
			return 0, fmt.Errorf("read processor time: %w", err)
		}
		ticks += n
	}
	return time.Duration(ticks) * tick, nil
}

// resident returns how much memory a process has.
func resident(pid int) (found memory, err error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return memory{}, err
	}
	for line := range strings.Lines(string(status)) {
		name, value, _ := strings.Cut(line, ":")
		kib, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 10, 64)
		switch {
		case name == "VmRSS" && err == nil:
			found.now = kib << 10
		case name == "RssFile" && err == nil:
			found.file = kib << 10
		case name == "VmHWM" && err == nil:
			found.highest = kib << 10
		}
	}
	return found, nil
}

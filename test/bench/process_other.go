//go:build !linux

package main

import (
	"errors"
	"syscall"
	"time"
)

var errNoProc = errors.New("processor time and memory of a process are read from /proc, which only Linux has")

func dieWithParent() *syscall.SysProcAttr { return nil }

func processorTime(int) (time.Duration, error) { return 0, errNoProc }

func resident(int) (memory, error) { return memory{}, errNoProc }

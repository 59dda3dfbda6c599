//go:build !linux

package main

import "syscall"

// dieWithParent does nothing where there is no death signal: a server outlives a supervisor that is killed.
func dieWithParent() *syscall.SysProcAttr { return nil }

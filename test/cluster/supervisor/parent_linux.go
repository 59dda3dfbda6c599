package main

import "syscall"

// dieWithParent makes Linux end the server even when the supervisor itself is killed.
func dieWithParent() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}

package main

import "syscall"

// dieWithParent makes Linux end the server even when tether itself is killed.
func dieWithParent() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}

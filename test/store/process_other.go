//go:build !linux

package store

import (
	"errors"
	"syscall"
)

func dieWithParent() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

func setAttribute(string) error { return errors.ErrUnsupported }

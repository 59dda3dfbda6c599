//go:build !linux

package engine

import (
	"errors"
	"net"
	"syscall"
)

// Elsewhere a child can't be bound to its parent's life, so instances are bare listeners.
var enginesSupported = errors.New("real servers are started on Linux only")

type hold struct{}

func holdAddress(ip net.IP, port int) (hold, error) {
	listener, err := net.ListenTCP("tcp4", &net.TCPAddr{IP: ip, Port: port})
	if err != nil {
		return hold{}, err
	}
	return hold{}, listener.Close()
}

func (hold) release() error { return nil }

func childAttributes(syscall.Signal, *account) *syscall.SysProcAttr { return &syscall.SysProcAttr{} }

func endStrays(string) error { return nil }

package system

import (
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"syscall"
	"testing"
)

// Ports that tests listen on. They are below those that kernels give to whoever asks for any, or connects.
const firstPort, ports = 20000, 10000

// lastPort is the one that was tried last in this process. Processes begin anywhere, so that they seldom try the same.
var lastPort atomic.Uint32

func init() { lastPort.Store(rand.Uint32N(ports)) }

// FreeAddress returns an address of this machine on which nothing listens, and which no other test is given before this one ends: whatever the
// test starts there later finds it free.
func FreeAddress(t testing.TB) string {
	t.Helper()
	for range ports {
		port := firstPort + int(lastPort.Add(1)%ports)
		lock, err := lockPort(port)
		if err != nil {
			t.Fatal(err)
		}
		if lock == nil {
			continue
		}
		address := net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
		listener, err := net.Listen("tcp", address)
		if err != nil { // somebody else's server
			_ = lock.Close()
			continue
		}
		_ = listener.Close()
		t.Cleanup(func() { _ = lock.Close() })
		return address
	}
	t.Fatal("no port is free")
	return ""
}

// lockPort locks the file that stands for a port, until it is closed. It returns nil if another test has it.
func lockPort(port int) (*os.File, error) {
	dir := filepath.Join(os.TempDir(), fmt.Sprintf("mooring-ports-%d", os.Getuid()))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	file, err := os.OpenFile(filepath.Join(dir, strconv.Itoa(port)), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) != nil {
		return nil, file.Close()
	}
	return file, nil
}

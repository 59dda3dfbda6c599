package engine

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"
)

// enginesSupported is nil where real servers can be started.
var enginesSupported error

// A hold keeps an address by a socket that is bound and does not listen.
type hold struct{ fd int }

// holdAddress binds alone, so that an address another process holds or serves is refused, and
// shares afterwards: with SO_REUSEADDR on both, the server can bind beside the socket that holds.
func holdAddress(ip net.IP, port int) (hold, error) {
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return hold{}, err
	}
	at := &syscall.SockaddrInet4{Port: port, Addr: [4]byte(ip.To4())}
	if err := syscall.Bind(fd, at); err != nil {
		_ = syscall.Close(fd)
		return hold{}, err
	}
	if err := syscall.SetsockoptInt(fd, syscall.SOL_SOCKET, syscall.SO_REUSEADDR, 1); err != nil {
		_ = syscall.Close(fd)
		return hold{}, err
	}
	return hold{fd: fd}, nil
}

func (h hold) release() error { return syscall.Close(h.fd) }

// childAttributes puts a child into a process group of its own (Ctrl-C in a terminal must reach
// only us, who end the children in good order) and has the kernel send it a signal when we die.
func childAttributes(death syscall.Signal, as *account) *syscall.SysProcAttr {
	attributes := &syscall.SysProcAttr{Setpgid: true, Pdeathsig: death}
	if as != nil {
		attributes.Credential = &syscall.Credential{Uid: uint32(as.uid), Gid: uint32(as.gid)}
	}
	return attributes
}

// endStrays kills the processes whose working folder is dir and waits until they are gone.
// PostgreSQL's backends work in the data folder and are sessions of their own: after a
// postmaster that was killed this finds those that are still busy.
func endStrays(dir string) error {
	for began := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		strays := working(dir)
		if len(strays) == 0 {
			return nil
		}
		if time.Since(began) > endTimeout {
			return fmt.Errorf("%w: those in %q, %v, within %v of being killed", errDoesNotEnd, dir, strays, endTimeout)
		}
		for _, pid := range strays {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
}

func working(dir string) (pids []int) {
	links, _ := filepath.Glob("/proc/[0-9]*/cwd")
	for _, link := range links {
		if cwd, err := os.Readlink(link); err != nil || cwd != dir {
			continue
		}
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(link))); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}

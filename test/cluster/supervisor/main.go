// Supervisor runs a server for as long as somebody holds a lock file: when the holder is gone, so is the server.
//
//	supervisor LOCKFILE PROGRAM [ARGUMENT...]
//
// LOCKFILE is a file on which the holder keeps an exclusive lock (flock). The kernel drops that lock when
// the holder ends, whatever way it ends: a return, a panic, SIGKILL, the out-of-memory killer. The supervisor waits
// for that moment in a second lock and then kills the server. The server's exit status is the supervisor's own.
//
// Signals are sent to the process group, which is how envtest does it: the server gets its own copy, and
// the supervisor outlives it. (Passing them on would deliver each twice, and a second SIGTERM makes kube-apiserver
// give up shutting down in order.)
//
// A lock was chosen over the parent's death signal, which is Linux's alone and follows a thread rather than
// a process (golang/go#27505), and over a pipe, which envtest gives its children no way to inherit.
package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"syscall"
)

func main() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: supervisor LOCKFILE PROGRAM [ARGUMENT...]")
		os.Exit(2)
	}
	status, err := run(os.Args[1], os.Args[2], os.Args[3:])
	if err != nil {
		fmt.Fprintf(os.Stderr, "supervisor: %v\n", err)
	}
	os.Exit(status)
}

// run runs program until it ends or the lock is dropped, and returns its exit status.
func run(lock, program string, args []string) (int, error) {
	// The death signal below follows the thread that started the server: stay on it.
	runtime.LockOSThread()

	file, err := os.Open(lock)
	if err != nil {
		return 1, fmt.Errorf("open the lock file: %w", err)
	}
	dropped := make(chan error, 1)
	go func() { dropped <- await(file) }()

	// Caught and dropped, not ignored: what is ignored stays so in the server.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)

	server := exec.Command(program, args...)
	server.Stdout, server.Stderr = os.Stdout, os.Stderr
	server.SysProcAttr = dieWithParent()
	if err := server.Start(); err != nil {
		return 1, fmt.Errorf("start %q: %w", program, err)
	}
	var waited error
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		waited = server.Wait()
	}()

	select {
	case err := <-dropped:
		_ = server.Process.Kill()
		<-ended
		return 1, err
	case <-ended:
		return status(server.ProcessState), unlessExit(waited)
	}
}

// await returns when nobody holds the lock exclusively any more.
func await(lock *os.File) error {
	for {
		err := syscall.Flock(int(lock.Fd()), syscall.LOCK_SH)
		if errors.Is(err, syscall.EINTR) {
			continue
		}
		if err != nil {
			return fmt.Errorf("lock the file: %w", err)
		}
		return nil
	}
}

// status is what a shell would report: the exit code, or 128 and the signal's number.
func status(p *os.ProcessState) int {
	if w, ok := p.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		return 128 + int(w.Signal())
	}
	return p.ExitCode()
}

// unlessExit drops the error that only repeats the exit status.
func unlessExit(err error) error {
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return nil
	}
	return err
}

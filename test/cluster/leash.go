package cluster

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// A leash is a locked file that keeps servers alive; see the command tether.
type leash struct{ file *os.File }

// takeLeash makes dir anew, empty but for a leash, and locks that. It refuses a folder whose leash is
// held: the servers of another living program keep their data there.
//
// The file is new each time, so that a server of an earlier holder, which may still be about to end,
// never takes the new leash for its own.
func takeLeash(dir string) (*leash, error) {
	path := filepath.Join(dir, "leash")
	switch old, err := lock(path, 0); {
	case err == nil:
		_ = old.Close()
	case !errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("take leash (is another control plane using this folder?): %w", err)
	}
	if err := os.RemoveAll(dir); err != nil {
		return nil, fmt.Errorf("take leash: %w", err)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("take leash: %w", err)
	}
	file, err := lock(path, os.O_CREATE|os.O_EXCL)
	if err != nil {
		return nil, fmt.Errorf("take leash: %w", err)
	}
	return &leash{file}, nil
}

// lock opens the file and locks it, or fails at once if someone else did.
func lock(path string, flags int) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_RDWR|flags, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		_ = file.Close()
		return nil, fmt.Errorf("lock %q: %w", path, err)
	}
	return file, nil
}

// release lets go: whatever still runs on the leash is killed.
func (l *leash) release() error { return l.file.Close() }

// wrap writes an executable beside the leash that runs the binary of that name on it, and returns its
// path. It is a script because envtest lets us choose a server's path and nothing else.
func (l *leash) wrap(binaries, name string) (string, error) {
	path := filepath.Join(filepath.Dir(l.file.Name()), name)
	script := fmt.Sprintf("#!/bin/sh\nexec %s %s %s \"$@\"\n",
		quote(filepath.Join(binaries, tether)), quote(l.file.Name()), quote(filepath.Join(binaries, name)))
	if err := os.WriteFile(path, []byte(script), 0o700); err != nil {
		return "", fmt.Errorf("wrap %s: %w", name, err)
	}
	return path, nil
}

// quote makes one word of s for a POSIX shell.
func quote(s string) string {
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

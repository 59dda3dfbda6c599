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

// A lockFile is a locked file that keeps servers alive; see the command supervisor.
type lockFile struct{ file *os.File }

// takeLock makes dir anew, empty but for a lock file, and locks that. It refuses a folder whose lock is
// held: the servers of another living program keep their data there. A supervisor that is ending holds it too, but shared: it waited for
// that to learn of the holder's end.
//
// The file is new each time, so that a server of an earlier holder, which may still be about to end,
// never takes the new lock file for its own.
func takeLock(dir string) (*lockFile, error) {
	path := filepath.Join(dir, "lock")
	switch old, err := lock(path, 0, syscall.LOCK_SH); {
	case err == nil:
		_ = old.Close()
	case !errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("take the lock file (is another control plane using this folder?): %w", err)
	}
	if err := os.RemoveAll(dir); err != nil {
		return nil, fmt.Errorf("take the lock file: %w", err)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("take the lock file: %w", err)
	}
	file, err := lock(path, os.O_CREATE|os.O_EXCL, syscall.LOCK_EX)
	if err != nil {
		return nil, fmt.Errorf("take the lock file: %w", err)
	}
	return &lockFile{file}, nil
}

// lock opens the file and locks it, shared or exclusively, or fails at once if someone else's lock is in the way.
func lock(path string, flags, how int) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_RDWR|flags, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(file.Fd()), how|syscall.LOCK_NB); err != nil {
		_ = file.Close()
		return nil, fmt.Errorf("lock %q: %w", path, err)
	}
	return file, nil
}

// release unlocks the file: whatever still runs under it is stopped.
func (l *lockFile) release() error { return l.file.Close() }

// serverProcessors names a variable: how many processors a server of a control plane uses at once. Not set it is all. The servers of tests,
// of which there are several beside as many test programs, spend a fifth less time if each uses half of the processors.
const serverProcessors = "MOORING_SERVER_PROCESSORS"

// wrap writes an executable beside the lock file that runs the binary of that name under the supervisor, and returns its
// path. It is a script because envtest lets us choose a server's path and nothing else.
func (l *lockFile) wrap(binaries, name string) (string, error) {
	path := filepath.Join(filepath.Dir(l.file.Name()), name)
	script := "#!/bin/sh\n"
	if n := os.Getenv(serverProcessors); n != "" {
		script += "export GOMAXPROCS=" + quote(n) + "\n"
	}
	script += fmt.Sprintf("exec %s %s %s \"$@\"\n",
		quote(filepath.Join(binaries, supervisor)), quote(l.file.Name()), quote(filepath.Join(binaries, name)))
	if err := os.WriteFile(path, []byte(script), 0o700); err != nil {
		return "", fmt.Errorf("wrap %s: %w", name, err)
	}
	return path, nil
}

// quote makes one word of s for a POSIX shell.
func quote(s string) string {
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

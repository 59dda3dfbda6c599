package engine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
)

// An account is the user that servers run as when we are root: PostgreSQL refuses root, and a
// server that tenants' SQL runs in should not have its rights. A nil account is ourselves.
type account struct {
	name     string
	uid, gid int
}

// unprivileged prefers nobody, which owns nothing, to postgres, which may own a real server's data.
func unprivileged() (*account, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	for _, name := range []string{"nobody", "postgres"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err := strconv.Atoi(u.Uid)
		if err != nil || uid == 0 {
			continue
		}
		gid, err := strconv.Atoi(u.Gid)
		if err != nil {
			continue
		}
		return &account{name: name, uid: uid, gid: gid}, nil
	}
	return nil, errors.New("we are root, and the users nobody and postgres, as whom a server could run, do not exist")
}

func (a *account) own(path string) error {
	if a == nil {
		return nil
	}
	return os.Lchown(path, a.uid, a.gid)
}

// reach says which folder on the way to path the account can't pass.
func (a *account) reach(path string) error {
	if a == nil {
		return nil
	}
	for at := path; ; at = filepath.Dir(at) {
		info, err := os.Stat(at)
		if err != nil {
			return err
		}
		pass := info.Mode().Perm() & 0o001
		if stat, ok := info.Sys().(*syscall.Stat_t); ok && int(stat.Uid) == a.uid {
			pass = info.Mode().Perm() & 0o100
		} else if ok && int(stat.Gid) == a.gid {
			pass = info.Mode().Perm() & 0o010
		}
		if pass == 0 {
			return fmt.Errorf("data folder %q: database servers run as user %s, who can't pass %q (%s): chmod o+x it, or choose another folder (Options.Dir, TMPDIR)",
				path, a.name, at, info.Mode())
		}
		if at == filepath.Dir(at) {
			return nil
		}
	}
}

// A home is the folder under which all servers of a cloud live.
type home struct {
	path    string
	account *account
	serial  atomic.Int64
}

func (e *Engines) newHome() (*home, error) {
	as, err := unprivileged()
	if err != nil {
		return nil, err
	}
	dir, err := filepath.Abs(e.dir)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o711); err != nil {
		return nil, err
	}
	info, err := os.Stat(dir)
	if err != nil {
		return nil, err
	}
	if as != nil && info.Mode().Perm()&0o001 == 0 {
		// The cloud's folder exists for the servers: they may pass it, not list it. Folders above
		// it are not ours to open.
		if err := os.Chmod(dir, info.Mode()|0o011); err != nil {
			return nil, err
		}
	}
	if err := as.reach(dir); err != nil {
		return nil, err
	}
	path, err := os.MkdirTemp(dir, "engines-")
	if err != nil {
		return nil, err
	}
	h := &home{path: path, account: as}
	e.mu.Lock()
	e.made = h
	e.mu.Unlock()
	return h, as.own(path)
}

// folder makes a new folder, named so that a person finds the instance and short enough for the
// path of a Unix socket in it (107 bytes).
func (h *home) folder(id string) (string, error) {
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' {
			return r
		}
		return '-'
	}, id)
	path := filepath.Join(h.path, fmt.Sprintf("%d-%.16s", h.serial.Add(1), name))
	return path, h.mkdir(path)
}

// mkdir makes a folder that only the servers can enter.
func (h *home) mkdir(path string) error {
	if err := os.Mkdir(path, 0o700); err != nil {
		return err
	}
	return h.account.own(path)
}

// Write writes a file that only the servers can read.
func (h *home) write(path, content string) error {
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		return err
	}
	return h.account.own(path)
}

// command prepares a program to run in dir, as the servers' user, with an environment that
// neither a person's PG* and MYSQL_* variables nor their locale can change.
func (h *home) command(dir string, death syscall.Signal, program string, args ...string) *exec.Cmd {
	cmd := exec.Command(program, args...)
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH") + ":/usr/bin:/bin:/usr/sbin:/sbin", "HOME=" + dir, "TMPDIR=" + dir, "LC_ALL=C", "TZ=UTC"}
	cmd.SysProcAttr = childAttributes(death, h.account)
	return cmd
}

// copy copies a data folder. io.Copy between files lets the kernel copy, by reference where the
// file system can.
func (h *home) copy(ctx context.Context, from, to string) error {
	return filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		if err = errors.Join(err, ctx.Err()); err != nil {
			return err
		}
		target := to + strings.TrimPrefix(path, from)
		switch {
		case entry.IsDir():
			err = os.Mkdir(target, 0o700)
		case entry.Type().IsRegular():
			err = copyFile(path, target)
		default:
			err = fmt.Errorf("copy %q: neither a folder nor a file", path)
		}
		if err != nil {
			return err
		}
		return h.account.own(target)
	})
}

func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	return writeFile(to, in)
}

// writeFile makes a file that does not exist.
func writeFile(to string, content io.Reader) error {
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, content)
	return errors.Join(err, out.Close())
}

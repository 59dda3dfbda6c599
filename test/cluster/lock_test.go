package cluster

import (
	"errors"
	"path/filepath"
	"syscall"
	"testing"
)

// A folder is refused while its holder lives, and taken while supervisors of an earlier holder are still ending: they
// hold the lock that they waited for, shared.
func TestTakeLock(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "controlplane")
	holder, err := takeLock(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := takeLock(dir); !errors.Is(err, syscall.EWOULDBLOCK) {
		t.Errorf("a folder that is in use: %v, want that it is locked", err)
	}
	if err := holder.release(); err != nil {
		t.Fatal(err)
	}
	ending, err := lock(filepath.Join(dir, "lock"), 0, syscall.LOCK_SH)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = ending.Close() }()
	next, err := takeLock(dir)
	if err != nil {
		t.Fatal("the holder is gone, and its supervisor is ending:", err)
	}
	if err := next.release(); err != nil {
		t.Fatal(err)
	}
}

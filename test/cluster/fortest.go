package cluster

import (
	"errors"
	"os"
	"testing"
)

// ForTest returns a cluster that is the test's until it ends, and in which there is nothing of other tests. Where the control plane was
// not built the test is skipped, except under CI (the environment variable CI is set), where it fails: a suite that silently
// skipped its best half proves nothing.
func ForTest(t testing.TB, o Options) *Cluster {
	t.Helper()
	c := idle.forTest(t, o)
	t.Cleanup(func() {
		if err := idle.giveBack(c, o, !t.Failed()); err != nil {
			t.Error(err)
		}
	})
	return c
}

// forTest takes a cluster of the pool, or skips the test.
func (p *pool) forTest(t testing.TB, o Options) *Cluster {
	t.Helper()
	c, err := p.take(t.Context(), o)
	switch {
	case errors.Is(err, ErrNotBuilt) && os.Getenv("CI") == "":
		t.Skipf("SKIPPED, NOT TESTED: %v", err)
	case err != nil:
		t.Fatal(err)
	}
	return c
}

// ProgramForTest returns the path of a program that `make tools` builds. Where it was not built the test is
// skipped, and fails under CI, as with ForTest.
func ProgramForTest(t testing.TB, name string) string {
	t.Helper()
	path, err := Program(name)
	switch {
	case errors.Is(err, ErrNoProgram) && os.Getenv("CI") == "":
		t.Skipf("SKIPPED, NOT TESTED: %v", err)
	case err != nil:
		t.Fatal(err)
	}
	return path
}

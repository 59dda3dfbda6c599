package cluster

import (
	"errors"
	"os"
	"testing"
)

// ForTest starts a cluster that ends with the test. Where the control plane was not built the test is
// skipped, except under CI (the environment variable CI is set), where it fails: a suite that silently
// skipped its best half proves nothing.
func ForTest(t testing.TB, o Options) *Cluster {
	t.Helper()
	c, err := Start(t.Context(), o)
	switch {
	case errors.Is(err, ErrNotBuilt) && os.Getenv("CI") == "":
		t.Skipf("SKIPPED, NOT TESTED: %v", err)
	case err != nil:
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Stop(); err != nil {
			t.Error(err)
		}
	})
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

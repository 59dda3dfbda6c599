package check

import (
	"os"
	"strings"
	"testing"
)

// Need returns a result that the rest of a test can't do without: check.Need(client.Call(ctx, input))(t).
func Need[T any](v T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// ReadOnly demands that PostgreSQL itself refuses a write.
func ReadOnly(t *testing.T, what string, err error) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), "read-only transaction") {
		t.Errorf("%s: %v, want the refusal of a read-only transaction", what, err)
	}
}

// Available skips a test that needs a server this machine lacks, as err says. In CI it must not be lacking.
func Available(t *testing.T, err error) {
	t.Helper()
	if err == nil {
		return
	}
	if os.Getenv("CI") != "" {
		t.Fatal(err)
	}
	t.Skipf("NOT TESTED: %v", err)
}

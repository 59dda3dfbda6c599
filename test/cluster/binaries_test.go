package cluster

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestProgram(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("MOORING_CONTROLPLANE", dir)
	if _, err := Program("helm"); !errors.Is(err, ErrNoProgram) {
		t.Errorf("missing: %v, want ErrNoProgram", err)
	}
	want := filepath.Join(dir, "helm")
	if err := os.WriteFile(want, nil, 0o700); err != nil {
		t.Fatal(err)
	}
	if got, err := Program("helm"); got != want || err != nil {
		t.Errorf("%q, %v, want %q", got, err, want)
	}
}

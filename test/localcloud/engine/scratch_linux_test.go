package engine

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/mooring-dev/mooring/test/localcloud/check"
)

func TestRoomInMemory(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "meminfo")
	for content, want := range map[string]uint64{"MemTotal:  24683656 kB\nMemAvailable:   15313020 kB\nBuffers: 1 kB\n": 15313020 << 10, "MemTotal: 24683656 kB\n": 0, "": 0} {
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := availableMemory(file); got != want {
			t.Errorf("%q: got %d, want %d", content, got, want)
		}
	}
	for _, none := range []string{"/proc", "/none"} {
		if got := roomIn(none); got != 0 {
			t.Errorf("%s has room for %d bytes, and is no file system in memory", none, got)
		}
	}
}

// Who sets TMPDIR decides where data are.
func TestScratchHeedsTMPDIR(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	got := check.Need(Scratch("some-"))(t)
	if filepath.Dir(got) != dir {
		t.Errorf("the folder is %s, want one in %s", got, dir)
	}
}

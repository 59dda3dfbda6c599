package chart

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// The first release: what people upgrade from. Where the clone has no tags, the commit is the same.
const (
	firstTag    = "v0.1.0"
	firstCommit = "97e258cee4ca317b0f109f5b72365c7d7c0c0bb1"
)

// firstRelease returns the source of the first release, as it was.
func firstRelease(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	archive := exec.CommandContext(t.Context(), "git", "-C", root(t), "archive", "--format=tar", firstCommit)
	unpack := exec.CommandContext(t.Context(), "tar", "-x", "-C", dir)
	var err error
	if unpack.Stdin, err = archive.StdoutPipe(); err != nil {
		t.Fatal(err)
	}
	if err := unpack.Start(); err != nil {
		t.Fatal(err)
	}
	if err := archive.Run(); err != nil {
		t.Fatalf("read release %s, commit %s, which has to be in the clone: %v", firstTag, firstCommit, err)
	}
	if err := unpack.Wait(); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestFirstTag: where there is the tag, it is that commit.
func TestFirstTag(t *testing.T) {
	of := func(name string) string {
		out, err := exec.CommandContext(t.Context(), "git", "-C", root(t), "rev-parse", "--verify", "--quiet", name+"^{commit}").Output()
		if err != nil {
			return ""
		}
		return string(out)
	}
	if tag := of(firstTag); tag != "" && tag != of(firstCommit) {
		t.Errorf("tag %s is %s, want %s", firstTag, tag, firstCommit)
	}
}

// builds are the programs that were built, by the release or "" for what is here.
var builds struct {
	sync.Mutex
	of map[string]string
}

// build builds the program from its source as images hold it, once.
func build(t testing.TB, source string) string {
	t.Helper()
	builds.Lock()
	defer builds.Unlock()
	key := source
	if source != root(t) {
		key = firstTag
	}
	if built, ok := builds.of[key]; ok {
		return built
	}
	program := filepath.Join(scratch, "mooring-"+fmt.Sprint(len(builds.of)))
	// As ko does; so they share what is compiled.
	cmd := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-o", program, "./cmd/mooring")
	cmd.Dir, cmd.Env = source, append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("build %s: %v\n%s", source, err, out)
	}
	if builds.of == nil {
		builds.of = map[string]string{}
	}
	builds.of[key] = program
	return program
}

package chart

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/mooring-dev/mooring/test/cluster"
)

// The first release: what people upgrade from. Where the clone has no tags, the commit is the same.
const (
	firstTag    = "v0.1.0"
	firstCommit = "97e258cee4ca317b0f109f5b72365c7d7c0c0bb1"
)

// A base is what people upgrade from.
type base struct {
	name, commit string
	databases    bool // it knows the fields that databases got in 0.2.0
}

// bases are the first release, main as it was before databases had a network, parameters and the other fields of 0.2.0, and main before buckets had
// theirs.
var bases = []base{
	{name: firstTag, commit: firstCommit},
	{name: "main of 2026-11-23", commit: "cfcfd0a9d56e44c9a0fc18a592324981e83c2c9e"},
	{name: "main of 2026-11-25", commit: "2401f19da3700b24d6d68892f826bdb04fe8c181", databases: true},
}

// firstRelease returns the source of the first release, as it was.
func firstRelease(t testing.TB) string {
	t.Helper()
	return sourceOf(t, bases[0])
}

// sourceOf returns the source of a base, as it was, in a folder that tests share.
func sourceOf(t testing.TB, b base) string {
	t.Helper()
	builds.Lock()
	defer builds.Unlock()
	dir := filepath.Join(scratch, b.commit)
	if builds.commits[dir] == "" {
		unpack(t, b, dir)
		builds.commits[dir] = b.commit
	}
	return dir
}

// unpack writes the source of a base to a folder.
func unpack(t testing.TB, b base, dir string) {
	t.Helper()
	if !inClone(t, b.commit) {
		// A clone without its history can't have it.
		shallow, err := exec.CommandContext(t.Context(), "git", "-C", root(t), "rev-parse", "--is-shallow-repository").Output()
		if err == nil && strings.TrimSpace(string(shallow)) == "true" {
			t.Skipf("SKIPPED, NOT TESTED: this clone is shallow and has no %s; git fetch --unshallow", b.name)
		}
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	archive := exec.CommandContext(t.Context(), "git", "-C", root(t), "archive", "--format=tar", b.commit)
	tar := exec.CommandContext(t.Context(), "tar", "-x", "-C", dir)
	var err error
	if tar.Stdin, err = archive.StdoutPipe(); err != nil {
		t.Fatal(err)
	}
	if err := tar.Start(); err != nil {
		t.Fatal(err)
	}
	if err := archive.Run(); err != nil {
		t.Fatalf("read %s, commit %s, which has to be in the clone: %v", b.name, b.commit, err)
	}
	if err := tar.Wait(); err != nil {
		t.Fatal(err)
	}
	older(t, filepath.Join(dir, "charts", "mooring", "files", "crds"))
}

// older makes definitions differ from those that are here, even as long as no field has been added since: with another
// schema the API server ends all watches, as in every upgrade that is worth it.
func older(t testing.TB, dir string) {
	t.Helper()
	for _, name := range []string{"mooring.dev_buckets.yaml", "mooring.dev_databases.yaml"} {
		path := filepath.Join(dir, name)
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		definition := map[string]any{}
		if err := yaml.Unmarshal(content, &definition); err != nil {
			t.Fatal(err)
		}
		versions, _, err := unstructured.NestedSlice(definition, "spec", "versions")
		if err != nil {
			t.Fatal(err)
		}
		schema := versions[0].(map[string]any)
		err = unstructured.SetNestedField(schema, "string", "schema", "openAPIV3Schema", "properties", "spec", "properties", "formerly", "type")
		if err == nil {
			err = unstructured.SetNestedSlice(definition, versions, "spec", "versions")
		}
		if err != nil {
			t.Fatal(err)
		}
		if content, err = yaml.Marshal(definition); err == nil {
			err = os.WriteFile(path, append([]byte("---\n"), content...), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func inClone(t testing.TB, commit string) bool {
	return exec.CommandContext(t.Context(), "git", "-C", root(t), "cat-file", "-e", commit+"^{commit}").Run() == nil
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

// builds are the programs that were built, by the commit that their source is of, or else by its folder; and the commits by the
// folder.
var builds = struct {
	sync.Mutex
	of, commits map[string]string
}{of: map[string]string{}, commits: map[string]string{}}

// build builds the program from its source as images hold it, once.
func build(t testing.TB, source string) string {
	t.Helper()
	builds.Lock()
	defer builds.Unlock()
	key := source
	if commit := builds.commits[source]; commit != "" {
		key = commit
	}
	if built, ok := builds.of[key]; ok {
		return built
	}
	program := filepath.Join(scratch, "mooring-"+fmt.Sprint(len(builds.of)))
	name := "mooring"
	if key != source {
		name += "-" + key
	}
	if err := cluster.Link(t.Context(), source, name, program); err != nil {
		t.Fatal(err)
	}
	builds.of[key] = program
	return program
}

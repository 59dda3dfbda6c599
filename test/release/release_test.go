package release

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mooring-dev/mooring/test/cluster"
)

const (
	module = "github.com/mooring-dev/mooring"
	apis   = module + "/apis"
)

// TestRelease does what users do with a release: both in one repository.
func TestRelease(t *testing.T) {
	r := tagged(t)
	t.Run("client", func(t *testing.T) { requiresNoCloud(t, r) })
	t.Run("install", func(t *testing.T) { installs(t, r) })
}

// requiresNoCloud shows that a client of the API takes Kubernetes' types along, and no cloud.
func requiresNoCloud(t *testing.T, r *repo) {
	client := t.TempDir()
	writeFile(t, filepath.Join(client, "main.go"), `package main

import (
	"fmt"

	"`+apis+`/v1alpha1"
)

func main() { fmt.Println(v1alpha1.GroupVersion) }
`)
	r.run(t, client, "go", "mod", "init", "example.com/client")
	r.run(t, client, "go", "get", apis+"@"+r.version)
	// The folder of the modules is another each time: without -trimpath nothing that was compiled would be found again.
	if got := strings.TrimSpace(r.run(t, client, "go", "run", "-trimpath", "-ldflags=-w", ".")); got != "mooring.dev/v1alpha1" {
		t.Errorf("the client prints %q", got)
	}

	modules := strings.Fields(r.run(t, client, "go", "list", "-m", "-f", "{{.Path}}", "all"))
	if !slices.Contains(modules, apis) || !slices.Contains(modules, "k8s.io/apimachinery") {
		t.Errorf("the client's modules lack the API or what it is made of: %q", modules)
	}
	for _, path := range modules {
		for _, foreign := range []string{"github.com/aws/", "cloud.google.com/", "google.golang.org/api", "sigs.k8s.io/controller-runtime", "k8s.io/client-go"} {
			if strings.HasPrefix(path, foreign) {
				t.Errorf("who requires %s gets %s", apis, path)
			}
		}
		if path == module {
			t.Errorf("who requires %s gets %s, and all that it requires", apis, path)
		}
	}
}

// installs shows that go install, which takes no notice of go.work and refuses a go.mod with a replace directive, finds
// both modules by their tags, and all packages of the program in them and in what they require. It says what it would do: to compile
// Mooring once more, under the release's version, would take most of this test's time, and the image's build compiles the same.
func installs(t *testing.T, r *repo) {
	bin := t.TempDir()
	r.env = append(r.env, "GOBIN="+bin)
	said := r.all(t, bin, "go", "install", "-n", "-trimpath", "-ldflags=-s -w", "-tags="+cluster.BuildTags, module+"/cmd/mooring@"+r.version)
	for _, want := range []string{"mod\\t" + module + "\\t" + r.version + "\\t", "dep\\t" + apis + "\\t" + r.version + "\\t", filepath.Join(bin, "mooring")} {
		if !strings.Contains(said, want) {
			t.Errorf("what go install would do lacks %q", want)
		}
	}
}

// TestOneVersion holds together what names the version that the next release tags.
func TestOneVersion(t *testing.T) {
	root, version := repository(t), required(t)
	var work struct {
		Replace []struct {
			Old struct{ Path, Version string }
		}
	}
	out, err := exec.CommandContext(t.Context(), "go", "work", "edit", "-json", filepath.Join(root, "go.work")).Output()
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(out, &work); err != nil {
		t.Fatal(err)
	}
	if len(work.Replace) != 1 || work.Replace[0].Old.Path != apis || work.Replace[0].Old.Version != version {
		t.Errorf("go.work replaces %v; it has to replace %s %s, which go.mod requires", work.Replace, apis, version)
	}
	chart, err := os.ReadFile(filepath.Join(root, "charts", "mooring", "Chart.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if line := "\nversion: " + strings.TrimPrefix(version, "v"); !bytes.Contains(chart, []byte(line)) {
		t.Errorf("go.mod requires %s %s; the chart has another version", apis, version)
	}
}

// A repo is a repository that holds the source with the tags of a release.
type repo struct {
	version string
	env     []string
}

// tagged commits the source, with all that could be committed, to a new repository and tags it as a release does. Go is led
// there in place of GitHub.
func tagged(t *testing.T) *repo {
	t.Helper()
	root, dir := repository(t), t.TempDir()
	r := &repo{version: required(t)}
	names := r.run(t, root, "git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	for name := range strings.SplitSeq(strings.Trim(names, "\x00"), "\x00") {
		content, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			continue // deleted and not committed yet, or a link to a folder
		}
		writeFile(t, filepath.Join(dir, name), string(content))
	}
	r.run(t, dir, "git", "init", "--quiet")
	r.run(t, dir, "git", "add", "--all")
	r.run(t, dir, "git", "-c", "user.name=test", "-c", "user.email=test@example.com", "commit", "--quiet", "-m", "release")
	r.run(t, dir, "git", "tag", r.version)
	r.run(t, dir, "git", "tag", "apis/"+r.version)
	r.env = []string{
		"GIT_CONFIG_COUNT=2",
		"GIT_CONFIG_KEY_0=url.file://" + dir + ".insteadOf", "GIT_CONFIG_VALUE_0=https://" + module,
		"GIT_CONFIG_KEY_1=protocol.file.allow", "GIT_CONFIG_VALUE_1=always",
		"GOPRIVATE=" + module, "GOWORK=off", "GOFLAGS=-mod=mod -modcacherw", "CGO_ENABLED=0", "GOMODCACHE=" + modules(t),
	}
	return r
}

// modules returns a module cache that shares all modules with the ordinary one but Mooring's, which nobody else may see.
func modules(t *testing.T) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "env", "GOMODCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	shared, own := strings.TrimSpace(string(out)), t.TempDir()
	for _, dir := range []string{"", "github.com", "cache", "cache/download", "cache/download/github.com"} {
		if err := os.MkdirAll(filepath.Join(own, dir), 0o755); err != nil {
			t.Fatal(err)
		}
		entries, err := os.ReadDir(filepath.Join(shared, dir))
		if err != nil {
			t.Fatal(err)
		}
		for _, entry := range entries {
			at := filepath.Join(dir, entry.Name())
			if slices.Contains([]string{"github.com", "cache", "cache/download", "cache/download/github.com", "cache/vcs", "cache/lock"}, at) ||
				entry.Name() == "mooring-dev" {
				continue
			}
			if err := os.Symlink(filepath.Join(shared, at), filepath.Join(own, at)); err != nil {
				t.Fatal(err)
			}
		}
	}
	return own
}

// run returns what a program printed.
func (r *repo) run(t *testing.T, dir, program string, args ...string) string {
	t.Helper()
	out, _ := r.both(t, dir, program, args...)
	return out
}

// all returns what a program printed to both of its streams.
func (r *repo) all(t *testing.T, dir, program string, args ...string) string {
	t.Helper()
	out, errs := r.both(t, dir, program, args...)
	return out + errs
}

func (r *repo) both(t *testing.T, dir, program string, args ...string) (out, errs string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), r.env...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s %s: %v\n%s", program, strings.Join(args, " "), err, &stderr)
	}
	return stdout.String(), stderr.String()
}

// required is the version of the API that go.mod requires.
func required(t *testing.T) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(repository(t), "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(content)) {
		if fields := strings.Fields(strings.TrimPrefix(line, "require ")); len(fields) >= 2 && fields[0] == apis {
			return fields[1]
		}
	}
	t.Fatalf("go.mod does not require %s", apis)
	return ""
}

func repository(t *testing.T) string {
	t.Helper()
	root, err := cluster.Repository()
	if err != nil {
		t.Fatal(err)
	}
	return root
}

func writeFile(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

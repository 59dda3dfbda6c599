package imports

import (
	"encoding/json"
	"io/fs"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/mooring-dev/mooring/test/cluster"
)

// staged are the modules that Kubernetes publishes together, under one version: v0.37.2 of all of them is of v1.37.2.
// The rest of k8s.io (klog, utils, kube-openapi, gengo) has versions of its own.
var staged = regexp.MustCompile(`^k8s\.io/(api|apiextensions-apiserver|apimachinery|apiserver|cli-runtime|client-go|cloud-provider|code-generator|` +
	`component-base|component-helpers|controller-manager|kms|kube-aggregator|kube-controller-manager|kubectl|streaming)$`)

type requirement struct{ Path, Version string }

// Mixed versions of one release compile until the day they do not.
func TestKubernetesModulesHaveOneVersion(t *testing.T) {
	root, err := cluster.Repository()
	if err != nil {
		t.Fatal(err)
	}
	files := 0
	err = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if entry != nil && entry.IsDir() && (entry.Name() == "bin" || entry.Name() == ".git") {
			return fs.SkipDir
		}
		if err != nil || entry.Name() != "go.mod" {
			return err
		}
		files++
		versions := map[string][]string{}
		for _, r := range requirements(t, path) {
			versions[r.Version] = append(versions[r.Version], r.Path)
		}
		if len(versions) > 1 {
			t.Errorf("%s requires modules of several releases of Kubernetes: %v", path, versions)
		}
		return nil
	})
	if err != nil || files < 2 {
		t.Fatalf("%d go.mod in %s: %v", files, root, err)
	}
}

// requirements returns what a go.mod requires of Kubernetes' staged modules, replacements taken into account.
func requirements(t *testing.T, path string) (list []requirement) {
	t.Helper()
	out, err := exec.Command("go", "mod", "edit", "-json", path).Output()
	if err != nil {
		t.Fatalf("go mod edit -json %s: %v", path, err)
	}
	var file struct {
		Require []requirement
		Replace []struct{ Old, New requirement }
	}
	if err := json.Unmarshal(out, &file); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	replaced := map[string]string{}
	for _, r := range file.Replace {
		if r.Old.Path == r.New.Path {
			replaced[r.Old.Path] = r.New.Version
		}
	}
	for _, r := range file.Require {
		if !staged.MatchString(r.Path) {
			continue
		}
		if version, ok := replaced[r.Path]; ok {
			r.Version = version
		}
		list = append(list, r)
	}
	return list
}

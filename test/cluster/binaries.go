package cluster

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// ErrNotBuilt says that a binary of the control plane is missing.
var ErrNotBuilt = errors.New(`the control plane is not built: run "make controlplane"`)

// ErrNoProgram says that a program which charts are tested with is missing.
var ErrNoProgram = errors.New(`the program is not built: run "make tools"`)

// The binaries, as `make controlplane` names them.
const (
	etcd              = "etcd"
	apiServer         = "kube-apiserver"
	controllerManager = "kube-controller-manager"
	supervisor        = "supervisor"
)

// Binaries returns the folder of the control plane's binaries: $MOORING_CONTROLPLANE, else
// $KUBEBUILDER_ASSETS, else bin/ at the top of the repository. The error is ErrNotBuilt if one is missing.
func Binaries() (string, error) {
	dir, err := folder()
	if err != nil {
		return "", fmt.Errorf("find control plane: %w", err)
	}
	for _, name := range []string{etcd, apiServer, controllerManager, supervisor} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			return "", fmt.Errorf("find %s in %q: %w", name, dir, errors.Join(ErrNotBuilt, err))
		}
	}
	return dir, nil
}

// Program returns the path of a program that `make tools` builds, such as helm, in the folder of Binaries. The
// error is ErrNoProgram if it is missing.
func Program(name string) (string, error) {
	dir, err := folder()
	if err != nil {
		return "", fmt.Errorf("find %s: %w", name, err)
	}
	path := filepath.Join(dir, name)
	if _, err := os.Stat(path); err != nil {
		return "", fmt.Errorf("find %s in %q: %w", name, dir, errors.Join(ErrNoProgram, err))
	}
	return path, nil
}

// folder is where binaries are built.
func folder() (string, error) {
	dir := os.Getenv("MOORING_CONTROLPLANE")
	if dir == "" {
		dir = os.Getenv("KUBEBUILDER_ASSETS")
	}
	if dir == "" {
		root, err := Repository()
		if err != nil {
			return "", err
		}
		dir = filepath.Join(root, "bin")
	}
	return filepath.Abs(dir)
}

// Repository returns the top of Mooring's source tree: the nearest folder upwards whose go.mod is Mooring's.
func Repository() (string, error) {
	wd, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("find repository: %w", err)
	}
	for dir := wd; ; dir = filepath.Dir(dir) {
		mod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		switch {
		case err == nil && strings.HasPrefix(string(mod), "module github.com/mooring-dev/mooring\n"):
			return dir, nil
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			return "", fmt.Errorf("find repository: %w", err)
		case dir == filepath.Dir(dir):
			return "", fmt.Errorf("find repository: %q is not inside it; set MOORING_CONTROLPLANE", wd)
		}
	}
}

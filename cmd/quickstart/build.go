package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/mooring-dev/mooring/test/cluster"
)

// buildControlPlane builds what is missing of the control plane, and returns which kubectl to use. When all is there it takes a
// second. Servers in $KUBEBUILDER_ASSETS and a kubectl on the PATH are taken as they are. Without servers, it builds the rest.
func buildControlPlane(ctx context.Context, t *transcript, root string, servers bool) (kubectl string, err error) {
	var without []string
	if kubectl, err = exec.LookPath("kubectl"); err == nil {
		without = append(without, "kubectl")
		t.step("kubectl              %s", kubectl)
	} else {
		kubectl = filepath.Join(root, "bin", "kubectl")
	}
	if !servers {
		_, err := cluster.BuildProgram(ctx, t, filepath.Join("test", "cluster", "supervisor"))
		if err == nil && len(without) == 0 {
			err = cluster.Build(ctx, t, "etcd", "kube-apiserver", "kube-controller-manager")
		}
		if err != nil {
			return "", fmt.Errorf("%w; correct the problem above, then run it again: finished builds are kept", err)
		}
		return kubectl, useBuilt(filepath.Join(root, "bin"))
	}
	assets := map[string]string{}
	if folder := os.Getenv("KUBEBUILDER_ASSETS"); folder != "" && os.Getenv("MOORING_CONTROLPLANE") == "" {
		for _, name := range []string{"etcd", "kube-apiserver", "kube-controller-manager"} {
			path, err := filepath.Abs(filepath.Join(folder, name))
			if err != nil {
				return "", err
			}
			if _, err := os.Stat(path); err == nil {
				assets[name] = path
				without = append(without, name)
				t.step("%-20s %s", name, path)
			}
		}
	}
	if err := cluster.Build(ctx, t, without...); err != nil {
		return "", fmt.Errorf("%w; correct the problem above, then run it again: finished builds are kept", err)
	}
	return kubectl, useAssets(filepath.Join(root, "bin"), assets)
}

// useBuilt has what was built used, whatever else $KUBEBUILDER_ASSETS names.
func useBuilt(bin string) error {
	if os.Getenv("MOORING_CONTROLPLANE") != "" {
		return nil
	}
	return os.Setenv("MOORING_CONTROLPLANE", bin)
}

// useAssets has the control plane started with servers from somewhere else, by a folder of links to these and to what was built.
func useAssets(bin string, assets map[string]string) error {
	if len(assets) == 0 {
		return nil
	}
	folder := filepath.Join(bin, "assets")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	for _, name := range []string{"etcd", "kube-apiserver", "kube-controller-manager", "supervisor"} {
		to, given := assets[name]
		if !given {
			to = filepath.Join(bin, name)
		}
		link := filepath.Join(folder, name)
		if err := os.Remove(link); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if err := os.Symlink(to, link); err != nil {
			return err
		}
	}
	return os.Setenv("MOORING_CONTROLPLANE", folder)
}

// buildController builds the controller if it is missing or outdated, and returns its path.
func buildController(ctx context.Context, t *transcript, root string) (string, error) {
	if _, err := os.Stat(filepath.Join(root, "bin", "mooring")); errors.Is(err, fs.ErrNotExist) {
		t.say("Building the controller into bin/. That takes about a minute on 2 cores, once.")
	}
	path, err := cluster.BuildProgram(ctx, t, filepath.Join("cmd", "mooring"))
	if err != nil {
		return "", fmt.Errorf("%w; correct the problem above, then run it again", err)
	}
	return path, nil
}

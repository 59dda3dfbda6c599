package main

import (
	"os"
	"path/filepath"
	"testing"
)

// Servers that are elsewhere are used from there, and those that were built from bin.
func TestUseAssets(t *testing.T) {
	t.Setenv("MOORING_CONTROLPLANE", "")
	bin := t.TempDir()
	for range 2 { // and again, where there are links already
		if err := useAssets(bin, map[string]string{"etcd": "/elsewhere/etcd", "kube-apiserver": "/elsewhere/kube-apiserver"}); err != nil {
			t.Fatal(err)
		}
	}
	folder := os.Getenv("MOORING_CONTROLPLANE")
	for name, want := range map[string]string{
		"etcd": "/elsewhere/etcd", "kube-apiserver": "/elsewhere/kube-apiserver",
		"kube-controller-manager": filepath.Join(bin, "kube-controller-manager"), "supervisor": filepath.Join(bin, "supervisor"),
	} {
		if got, err := os.Readlink(filepath.Join(folder, name)); err != nil || got != want {
			t.Errorf("%s is %q, want %q: %v", name, got, want, err)
		}
	}
}

package cluster

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

// InstallCRDs creates or updates the CRDs in dir and returns when the API server serves them.
func (c *Cluster) InstallCRDs(dir string) error {
	o := envtest.CRDInstallOptions{Paths: []string{dir}, ErrorIfPathMissing: true, MaxTime: patience}
	if _, err := envtest.InstallCRDs(c.config, o); err != nil {
		return fmt.Errorf("install CRDs of %q: %w", dir, err)
	}
	return nil
}

// WaitForCRDs returns when the API server serves the CRDs in dir, which somebody else creates.
func (c *Cluster) WaitForCRDs(dir string) error {
	o := envtest.CRDInstallOptions{Paths: []string{dir}, ErrorIfPathMissing: true, MaxTime: patience, PollInterval: 100 * time.Millisecond}
	if err := envtest.ReadCRDFiles(&o); err != nil {
		return fmt.Errorf("read CRDs of %q: %w", dir, err)
	}
	if err := envtest.WaitForCRDs(c.config, o.CRDs, o); err != nil {
		return fmt.Errorf("wait for CRDs of %q: %w", dir, err)
	}
	return nil
}

// UninstallCRDs deletes the CRDs in dir, and so every object of their kinds. It does not wait: objects with
// finalizers hold their CRD.
func (c *Cluster) UninstallCRDs(dir string) error {
	o := envtest.CRDInstallOptions{Paths: []string{dir}, ErrorIfPathMissing: true}
	if err := envtest.UninstallCRDs(c.config, o); err != nil {
		return fmt.Errorf("uninstall CRDs of %q: %w", dir, err)
	}
	return nil
}

// CRDDir returns the folder of Mooring's own CRDs, config/crd of the repository.
func CRDDir() (string, error) {
	root, err := Repository()
	if err != nil {
		return "", err
	}
	return filepath.Join(root, "config", "crd"), nil
}

// installDefaultCRDs installs what Options.CRDDir says, or Mooring's CRDs if there are any.
func (c *Cluster) installDefaultCRDs() error {
	dir := c.crdDir
	if dir == "" {
		var err error
		if dir, err = CRDDir(); err != nil {
			return err
		}
		if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
			return nil
		}
	}
	c.step("installing CRDs")
	return c.InstallCRDs(dir)
}

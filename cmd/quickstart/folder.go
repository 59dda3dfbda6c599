package main

import (
	"fmt"
	"os"
	"path/filepath"
)

// A folder is where the files are that others may look into: kubeconfig, cloud.json, env and mooring.log.
type folder struct {
	dir       string
	temporary bool // it is removed in the end
}

// newFolder makes the folder, without the files of an earlier quickstart. Without a name it makes a temporary one.
func newFolder(dir string) (*folder, error) {
	if dir == "" {
		dir, err := os.MkdirTemp("", "mooring-quickstart-")
		return &folder{dir: dir, temporary: err == nil}, err
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("%w; set --dir to a folder that can be created and written", err)
	}
	f := &folder{dir: dir}
	return f, f.remove(append(credentialFiles(), cloudFile, envFile, gcpKeyFile, tokenFile)...)
}

// close removes the folder, if it is a temporary one.
func (f *folder) close() error {
	if !f.temporary {
		return nil
	}
	return os.RemoveAll(f.dir)
}

// credentialFiles are those that lead to the cluster. If the cluster is somebody's they hold this person's own credentials.
func credentialFiles() []string {
	files := []string{kubeconfigFile, controllerFile}
	for _, p := range people {
		files = append(files, p.file)
	}
	return files
}

// remove removes files of the folder, if they are there.
func (f *folder) remove(names ...string) error {
	for _, name := range names {
		if err := os.Remove(f.file(name)); err != nil && !os.IsNotExist(err) {
			return err
		}
	}
	return nil
}

func (f *folder) file(name string) string { return filepath.Join(f.dir, name) }

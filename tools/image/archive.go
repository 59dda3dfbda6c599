package main

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/ko/pkg/build"
	specs "github.com/opencontainers/image-spec/specs-go/v1"
)

// writeArchive writes an OCI layout as a tarball. The file appears complete or not at all.
func writeArchive(path string, result build.Result, repository, version string) error {
	temp, err := os.MkdirTemp(filepath.Dir(path), ".new.")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(temp) }()
	folder := filepath.Join(temp, "layout")
	if err := writeLayout(folder, result, repository, version); err != nil {
		return err
	}
	whole := filepath.Join(temp, "archive")
	if err := archiveFolder(whole, folder); err != nil {
		return err
	}
	return os.Rename(whole, path)
}

// writeLayout writes one image or index. Its names stand outside of it, and so not in its digest.
func writeLayout(folder string, result build.Result, repository, version string) error {
	out, err := layout.Write(folder, empty.Index)
	if err != nil {
		return err
	}
	tag := strings.NewReplacer("+", "-", "(", "", ")", "").Replace(version) // tags may not hold them
	names := layout.WithAnnotations(map[string]string{
		specs.AnnotationRefName:    tag,
		"io.containerd.image.name": repository + ":" + tag, // what containerd and Docker call it
	})
	switch r := result.(type) {
	case v1.ImageIndex:
		return out.AppendIndex(r, names)
	case v1.Image:
		return out.AppendImage(r, names)
	default:
		return fmt.Errorf("ko built a %T, neither an image nor an index", r)
	}
}

// archiveFolder writes a folder as a tarball that says nothing of when and by whom it was made.
func archiveFolder(path, folder string) (err error) {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	out := tar.NewWriter(file)
	tree := os.DirFS(folder)
	err = fs.WalkDir(tree, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || name == "." {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		header := &tar.Header{Name: name, Typeflag: tar.TypeReg, Mode: 0o644, Size: info.Size(), ModTime: time.Unix(0, 0)}
		if entry.IsDir() {
			header.Name, header.Typeflag, header.Mode, header.Size = name+"/", tar.TypeDir, 0o755, 0
		}
		if err := out.WriteHeader(header); err != nil || entry.IsDir() {
			return err
		}
		content, err := tree.Open(name)
		if err != nil {
			return err
		}
		defer func() { _ = content.Close() }()
		_, err = io.Copy(out, content)
		return err
	})
	return errors.Join(err, out.Close())
}

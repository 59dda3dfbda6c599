package image

import (
	"archive/tar"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// What the OCI image specification calls so, as far as it is looked at here.
type (
	descriptor struct {
		MediaType string    `json:"mediaType"`
		Digest    string    `json:"digest"`
		Platform  *platform `json:"platform"`
	}
	platform struct {
		OS           string `json:"os"`
		Architecture string `json:"architecture"`
	}
	manifest struct {
		Manifests   []descriptor      `json:"manifests"` // of an index
		Config      descriptor        `json:"config"`    // of an image, as the rest
		Layers      []descriptor      `json:"layers"`
		Annotations map[string]string `json:"annotations"`
	}
	config struct {
		platform
		Created string `json:"created"`
		Config  struct {
			User         string
			Entrypoint   []string
			Cmd          []string
			Env          []string
			Labels       map[string]string
			ExposedPorts map[string]any
			Volumes      map[string]any
		} `json:"config"`
	}
)

// A layout is an OCI layout in a folder.
type layout string

// unpackArchive writes an archive's files into dir.
func unpackArchive(t *testing.T, archive, dir string) layout {
	t.Helper()
	file, err := os.Open(archive)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	each(t, file, func(header *tar.Header, content io.Reader) {
		if header.Typeflag == tar.TypeReg {
			write(t, filepath.Join(dir, filepath.Clean("/"+header.Name)), content, 0o600)
		}
	})
	return layout(dir)
}

// read decodes a blob, whose content must be what its name says.
func (l layout) read(t *testing.T, digest string, into any) {
	t.Helper()
	content, err := os.ReadFile(l.blob(digest))
	if err != nil {
		t.Fatal(err)
	}
	if sum := sha256.Sum256(content); "sha256:"+hex.EncodeToString(sum[:]) != digest {
		t.Fatalf("blob %s has the digest %x", digest, sum)
	}
	if err := json.Unmarshal(content, into); err != nil {
		t.Fatalf("read %s: %v", digest, err)
	}
}

func (l layout) blob(digest string) string {
	return filepath.Join(string(l), "blobs", strings.ReplaceAll(digest, ":", string(filepath.Separator)))
}

// An image is one platform's.
type image struct {
	layout   layout
	manifest manifest
	config   config
}

// images returns the images of the one index, or the one image, that the layout holds, and its digest.
func (l layout) images(t *testing.T) (digest string, all []image) {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(string(l), "index.json"))
	if err != nil {
		t.Fatal(err)
	}
	var index manifest
	if err := json.Unmarshal(content, &index); err != nil {
		t.Fatal(err)
	}
	if len(index.Manifests) != 1 {
		t.Fatalf("the archive holds %d images, want one, so that who loads it need not choose", len(index.Manifests))
	}
	top := index.Manifests[0]
	found := []descriptor{top}
	if strings.Contains(top.MediaType, "index") {
		var m manifest
		l.read(t, top.Digest, &m)
		found = m.Manifests
	}
	for _, d := range found {
		img := image{layout: l}
		l.read(t, d.Digest, &img.manifest)
		l.read(t, img.manifest.Config.Digest, &img.config)
		if d.Platform != nil && *d.Platform != img.config.platform {
			t.Errorf("the index says %v of an image for %v", *d.Platform, img.config.platform)
		}
		all = append(all, img)
	}
	return top.Digest, all
}

// unpack writes what the layers hold into dir, as a runtime does, and returns what they say of each entry.
func (i image) unpack(t *testing.T, dir string) []*tar.Header {
	t.Helper()
	var headers []*tar.Header
	modes := map[string]fs.FileMode{} // of folders
	for _, layer := range i.manifest.Layers {
		file, err := os.Open(i.layout.blob(layer.Digest))
		if err != nil {
			t.Fatal(err)
		}
		unpacked, err := gzip.NewReader(file)
		if err != nil {
			t.Fatal(err)
		}
		each(t, unpacked, func(header *tar.Header, content io.Reader) {
			headers = append(headers, header)
			path, mode := filepath.Join(dir, filepath.Clean("/"+header.Name)), header.FileInfo().Mode()
			if header.Typeflag != tar.TypeDir {
				write(t, path, content, mode.Perm())
				return
			}
			modes[path] = mode.Perm()
			if err := os.MkdirAll(path, 0o755); err != nil {
				t.Fatal(err)
			}
		})
		_ = file.Close()
	}
	restrict(t, modes)
	return headers
}

// restrict sets the modes of folders, the deepest first, and takes them back at the end, when the folders are removed.
func restrict(t *testing.T, modes map[string]fs.FileMode) {
	t.Helper()
	var paths []string
	for path := range modes {
		paths = append(paths, path)
	}
	slices.Sort(paths)
	for _, path := range slices.Backward(paths) {
		if err := os.Chmod(path, modes[path]); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() {
		for _, path := range paths {
			_ = os.Chmod(path, 0o755)
		}
	})
}

// each calls do for each entry of a tarball.
func each(t *testing.T, tarball io.Reader, do func(*tar.Header, io.Reader)) {
	t.Helper()
	for in := tar.NewReader(tarball); ; {
		header, err := in.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		do(header, in)
	}
}

func write(t *testing.T, path string, content io.Reader, mode fs.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(file, content); err != nil {
		t.Fatal(err)
	}
	if err := file.Chmod(mode); err != nil { // whatever the umask
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
}

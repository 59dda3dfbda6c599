package main

import (
	"archive/tar"
	"bytes"
	"context"
	"encoding/pem"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"time"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"github.com/google/ko/pkg/build"
	"golang.org/x/crypto/x509roots/fallback/bundle"
)

// rootsModule holds the CA certificates that Mozilla trusts. Its version is pinned in go.mod and named in the image.
const rootsModule = "golang.org/x/crypto/x509roots/fallback"

// bases returns where ko gets the base from: a registry only when one is named, so that the digest does not depend on
// whether a registry could be reached.
func bases(o options, platforms []string, created v1.Time) build.GetBase {
	return func(ctx context.Context, _ string) (name.Reference, build.Result, error) {
		if o.base != "" {
			return pull(ctx, o.base)
		}
		return makeBase(o.dir, platforms, created)
	}
}

// pull returns an image or an index of a registry.
func pull(ctx context.Context, image string) (name.Reference, build.Result, error) {
	ref, err := name.ParseReference(image)
	if err != nil {
		return nil, nil, fmt.Errorf("name a base: %w", err)
	}
	found, err := remote.Get(ref, remote.WithContext(ctx), remote.WithAuthFromKeychain(authn.DefaultKeychain))
	if err != nil {
		return nil, nil, fmt.Errorf("pull base %q (without BASE one is made on the spot): %w", image, err)
	}
	if found.MediaType.IsIndex() {
		index, err := found.ImageIndex()
		return ref, index, err
	}
	img, err := found.Image()
	return ref, img, err
}

// makeBase makes a base with one image a platform, which all hold the same files.
func makeBase(dir string, platforms []string, created v1.Time) (name.Reference, build.Result, error) {
	layer, err := baseLayer(dir)
	if err != nil {
		return nil, nil, fmt.Errorf("make base: %w", err)
	}
	// ko names the base in the image. Nobody can pull this one, and its name says so (RFC 2606).
	ref, err := name.NewTag("made-on-the-spot.invalid/base:x509roots-"+rootsVersion(), name.StrictValidation)
	if err != nil {
		return nil, nil, fmt.Errorf("make base: %w", err)
	}
	index := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	for _, p := range platforms {
		platform, err := v1.ParsePlatform(p)
		if err != nil {
			return nil, nil, fmt.Errorf("make base for %q: %w", p, err)
		}
		img, err := baseImage(layer, platform, created)
		if err != nil {
			return nil, nil, fmt.Errorf("make base for %q: %w", p, err)
		}
		index = mutate.AppendManifests(index, mutate.IndexAddendum{Add: img, Descriptor: v1.Descriptor{
			MediaType: types.OCIManifestSchema1, Platform: platform,
		}})
	}
	return ref, index, nil
}

func baseImage(layer v1.Layer, platform *v1.Platform, created v1.Time) (v1.Image, error) {
	img := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
	img, err := mutate.ConfigFile(img, &v1.ConfigFile{
		OS: platform.OS, Architecture: platform.Architecture, Variant: platform.Variant, Created: created,
		RootFS: v1.RootFS{Type: "layers"},
		Config: v1.Config{User: user, WorkingDir: "/"},
	})
	if err != nil {
		return nil, err
	}
	return mutate.Append(img, mutate.Addendum{
		Layer: layer, MediaType: types.OCILayer,
		History: v1.History{CreatedBy: "make image", Created: created, Comment: "licence, notices, users and CA certificates"},
	})
}

// baseLayer holds what a static program needs besides itself, all of it root's, the files for reading only.
func baseLayer(dir string) (v1.Layer, error) {
	license, err := os.ReadFile(filepath.Join(dir, "LICENSE"))
	if err != nil {
		return nil, err
	}
	notice, err := os.ReadFile(filepath.Join(dir, "NOTICE"))
	if err != nil {
		return nil, err
	}
	files := []struct {
		path    string
		content []byte // nil for a folder
	}{
		{"LICENSE", license},
		{"NOTICE", notice},
		{"etc/", nil},
		{"etc/group", []byte("root:x:0:\nnonroot:x:65532:\n")},
		{"etc/passwd", []byte("root:x:0:0:root:/:/sbin/nologin\nnonroot:x:65532:65532:nonroot:/:/sbin/nologin\n")},
		{"etc/ssl/", nil},
		{"etc/ssl/certs/", nil},
		{"etc/ssl/certs/ca-certificates.crt", certificates()},
	}
	var out bytes.Buffer
	archive := tar.NewWriter(&out)
	for _, f := range files {
		// One time for all builds, as ko does it, and not the commit's: the layer changes with its content alone.
		header := &tar.Header{Name: f.path, Typeflag: tar.TypeReg, Mode: 0o444, Size: int64(len(f.content)), ModTime: time.Unix(0, 0)}
		if f.content == nil {
			header.Typeflag, header.Mode = tar.TypeDir, 0o755
		}
		if err := archive.WriteHeader(header); err != nil {
			return nil, err
		}
		if _, err := archive.Write(f.content); err != nil {
			return nil, err
		}
	}
	if err := archive.Close(); err != nil {
		return nil, err
	}
	return tarball.LayerFromOpener(func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(out.Bytes())), nil },
		tarball.WithMediaType(types.OCILayer))
}

// certificates returns the CA certificates, in PEM. One that is trusted only for what it signed until some day is left
// out, since a file of certificates can't say that.
func certificates() []byte {
	var out bytes.Buffer
	for root := range bundle.Roots() {
		if root.Constraint == nil {
			out.Write(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: root.Certificate}))
		}
	}
	return out.Bytes()
}

func rootsVersion() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, module := range info.Deps {
			if module.Path == rootsModule {
				return module.Version
			}
		}
	}
	return "unknown"
}

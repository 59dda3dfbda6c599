// Command image builds the image of cmd/mooring by ko and writes it as an OCI archive, with no daemon and, unless
// it is given a base, without a registry. Beside the archive it writes the image's SBOMs in SPDX. The last
// line that it prints is the image's digest: the same source and the same Go give the same one everywhere.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"strings"
	"syscall"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/ko/pkg/build"
)

// program is what the image runs.
const program = "github.com/mooring-dev/mooring/cmd/mooring"

// user is the one that distroless images call nonroot. As a number, so that Kubernetes can tell that it is not root.
const user = "65532:65532"

type options struct {
	dir       string
	out       string
	platforms string
	base      string
	name      string
}

func main() {
	log.SetOutput(io.Discard) // ko's, which warns of every file that is not committed
	var o options
	flag.StringVar(&o.dir, "dir", ".", "`folder` of Mooring's module")
	flag.StringVar(&o.out, "out", "mooring-image.tar", "`file` to write; the SBOMs go into a folder beside it, named alike with .sbom")
	flag.StringVar(&o.platforms, "platforms", "linux/amd64,linux/arm64", "comma-separated `platforms`")
	flag.StringVar(&o.base, "base", "", "`image` to pull and build on; default: one made on the spot, with CA certificates and the user")
	flag.StringVar(&o.name, "name", "ghcr.io/mooring-dev/mooring", "what the image is called where the archive is loaded, with its version for a tag")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Stdout, o); err != nil {
		_, _ = fmt.Fprintf(os.Stderr, "image: %v\n", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, stdout io.Writer, o options) error {
	temp, err := os.MkdirTemp("", "mooring-image-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(temp) }()
	if o.dir, err = filepath.Abs(o.dir); err != nil {
		return err
	}
	if o.dir, err = stampable(ctx, o.dir, temp); err != nil {
		return err
	}
	from, err := sourceOf(ctx, o.dir)
	if err != nil {
		return err
	}
	_, _ = fmt.Fprintf(stdout, "Building the image of %s for %s.\n", from.version, o.platforms)
	result, err := buildImage(ctx, from, o)
	if err != nil {
		return err
	}
	digest, err := result.Digest()
	if err != nil {
		return err
	}
	if err := writeArchive(o.out, result, o.name, from.version); err != nil {
		return fmt.Errorf("write %s: %w", o.out, err)
	}
	_, err = fmt.Fprintln(stdout, digest)
	return err
}

// buildImage builds what cmd/mooring is, and writes its SBOMs.
func buildImage(ctx context.Context, from source, o options) (build.Result, error) {
	platforms := strings.Split(o.platforms, ",")
	sboms := strings.TrimSuffix(o.out, ".tar") + ".sbom"
	if err := os.RemoveAll(sboms); err != nil { // of platforms that were asked for earlier
		return nil, err
	}
	created := v1.Time{Time: from.time}
	settings := []build.Option{
		build.WithBaseImages(bases(o, platforms, created)),
		build.WithPlatforms(platforms...),
		build.WithUser(user),
		build.WithTrimpath(true), // or the digest would depend on where the source and the modules are
		build.WithConfig(map[string]build.Config{program: {
			// Mooring says its version by what Go stamps, which GOFLAGS may have switched off.
			Flags:   build.FlagArray{"-buildvcs=true", "-tags=disable_grpc_modules,grpcnotrace"},
			Ldflags: build.StringArray{"-s", "-w"},
			// The lowest of each architecture, and set, as someone's own choice would change the digest.
			Env: []string{"CGO_ENABLED=0", "GOAMD64=v1", "GOARM64=v8.0", workspace(o.dir)},
		}}),
		build.WithCreationTime(created),
		build.WithSPDX(koVersion()),
		build.WithSBOMDir(sboms),
	}
	for key, value := range from.annotations() {
		settings = append(settings, build.WithAnnotation(key, value), build.WithLabel(key, value))
	}
	builder, err := build.NewGo(ctx, o.dir, settings...)
	if err != nil {
		return nil, fmt.Errorf("set up ko: %w", err)
	}
	return builder.Build(ctx, build.StrictScheme+program)
}

func koVersion() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, module := range info.Deps {
			if module.Path == "github.com/google/ko" {
				return module.Version
			}
		}
	}
	return "(unknown)"
}

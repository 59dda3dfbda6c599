package main

import (
	"bytes"
	"context"
	"debug/buildinfo"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	specs "github.com/opencontainers/image-spec/specs-go/v1"
)

// A source is what is built, in the words that Go stamps into a binary.
type source struct {
	version  string // as v0.3.0, or v0.3.1-0.20261121194507-979b6db4f5c8+dirty between tags
	revision string // of git; empty outside of a repository
	// time is when the revision was committed, or $SOURCE_DATE_EPOCH (seconds since 1970): what is built twice bears one time.
	time time.Time
}

// smallest is a program of Mooring's module that builds in a second. Go stamps all programs of a module alike.
const smallest = "./test/cluster/supervisor"

// sourceOf asks Go what it stamps, so that the image's labels say what the program in it says.
func sourceOf(ctx context.Context, dir string) (source, error) {
	temp, err := os.MkdirTemp("", "mooring-image-")
	if err != nil {
		return source{}, err
	}
	defer func() { _ = os.RemoveAll(temp) }()
	path := filepath.Join(temp, "stamped")
	if _, err := output(ctx, dir, "go", "build", "-buildvcs=true", "-ldflags=-s -w", "-o", path, smallest); err != nil {
		return source{}, fmt.Errorf("find the version: %w", err)
	}
	info, err := buildinfo.ReadFile(path)
	if err != nil {
		return source{}, fmt.Errorf("find the version: %w", err)
	}
	return read(info)
}

func read(info *debug.BuildInfo) (source, error) {
	s := source{version: info.Main.Version, time: time.Unix(0, 0).UTC()}
	for _, setting := range info.Settings {
		switch setting.Key {
		case "vcs.revision":
			s.revision = setting.Value
		case "vcs.time":
			committed, err := time.Parse(time.RFC3339, setting.Value)
			if err != nil {
				return source{}, fmt.Errorf("read the time of the commit: %w", err)
			}
			s.time = committed.UTC()
		}
	}
	if given := os.Getenv("SOURCE_DATE_EPOCH"); given != "" {
		seconds, err := strconv.ParseInt(given, 10, 64)
		if err != nil {
			return source{}, fmt.Errorf("read SOURCE_DATE_EPOCH: %w", err)
		}
		s.time = time.Unix(seconds, 0).UTC()
	}
	return s, nil
}

// annotations are what the OCI image specification has names for.
func (s source) annotations() map[string]string {
	a := map[string]string{
		specs.AnnotationTitle:       "mooring",
		specs.AnnotationDescription: "Cloud databases and buckets as Kubernetes objects",
		specs.AnnotationSource:      "https://github.com/mooring-dev/mooring",
		specs.AnnotationLicenses:    "Apache-2.0",
		specs.AnnotationVersion:     s.version,
		specs.AnnotationCreated:     s.time.Format(time.RFC3339),
	}
	if s.revision != "" {
		a[specs.AnnotationRevision] = s.revision
	}
	return a
}

// stampable returns a folder with the source in dir, from which Go stamps programs: dir itself, unless that is a
// worktree of git. Go takes only a folder .git for a repository, and there it is a file, so a worktree is copied into temp,
// with all that is or could be committed.
func stampable(ctx context.Context, dir, temp string) (string, error) {
	info, err := os.Lstat(filepath.Join(dir, ".git"))
	if err != nil || info.IsDir() {
		return dir, nil // without a .git there is nothing to stamp
	}
	copied := filepath.Join(temp, "source")
	if _, err := output(ctx, dir, "git", "clone", "--quiet", "--shared", "--no-checkout", ".", copied); err != nil {
		return "", fmt.Errorf("copy the worktree: %w", err)
	}
	if _, err := output(ctx, copied, "git", "reset", "--quiet"); err != nil { // or all would be new to it
		return "", fmt.Errorf("copy the worktree: %w", err)
	}
	names, err := output(ctx, dir, "git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	if err != nil {
		return "", fmt.Errorf("copy the worktree: %w", err)
	}
	for name := range strings.SplitSeq(strings.Trim(names, "\x00"), "\x00") {
		if err := copyFile(filepath.Join(copied, name), filepath.Join(dir, name)); err != nil {
			return "", fmt.Errorf("copy the worktree: %w", err)
		}
	}
	return copied, nil
}

func copyFile(to, from string) error {
	info, err := os.Lstat(from)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // deleted, and not committed yet
	}
	if err != nil || info.IsDir() { // a folder is a repository of its own
		return err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		target, err := os.Readlink(from)
		if err != nil {
			return err
		}
		return os.Symlink(target, to)
	}
	content, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, content, info.Mode().Perm())
}

// workspace is the setting by which go builds the module in dir with the apis beside it, whatever workspace someone else has
// set. Before apis became a module, there was no go.work.
func workspace(dir string) string {
	file := filepath.Join(dir, "go.work")
	if _, err := os.Stat(file); err != nil {
		return "GOWORK=off"
	}
	return "GOWORK=" + file
}

// output runs a program in dir. The error holds what it said.
func output(ctx context.Context, dir, program string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", workspace(dir))
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w\n%s", program, strings.Join(args, " "), err, said.Bytes())
	}
	return string(out), nil
}

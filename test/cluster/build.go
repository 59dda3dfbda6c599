package cluster

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// Build does what `make controlplane` does: it builds the binaries that are missing or outdated, in bin/ of the
// repository, and says on out what it builds and how long that will take. It is quick when nothing is to be done. What is
// elsewhere can be left out, by name.
func Build(ctx context.Context, out io.Writer, without ...string) error {
	root, err := Repository()
	if err != nil {
		return err
	}
	// What it builds is in modules outside of the workspace.
	args := append([]string{"GOWORK=off", filepath.Join(root, "tools", "controlplane")}, without...)
	if err := run(ctx, out, root, "env", args...); err != nil {
		return fmt.Errorf("build control plane: %w", err)
	}
	return nil
}

// BuildTags are the build tags of every program, those of the Makefile and the image too. They leave out gRPC's extensions, which no
// call to a cloud needs, and its tracing, whose HTML templates call methods by name: the linker would keep every exported method of
// every type. Together they halve the program, and its resident memory with nothing to do becomes 9 MiB smaller.
const BuildTags = "disable_grpc_modules,grpcnotrace"

// BuildProgram builds a program of the repository, such as cmd/mooring, into bin/ and returns its path. It is built as in the image,
// static and without symbols, so that they share what is compiled; by other flags, all would be compiled once more after each change.
// Downloads of modules are not reported.
func BuildProgram(ctx context.Context, out io.Writer, folder string) (string, error) {
	root, err := Repository()
	if err != nil {
		return "", err
	}
	path := filepath.Join(root, "bin", filepath.Base(folder))
	said := &lines{out: out}
	if err := run(ctx, said, root, "env", "CGO_ENABLED=0", "go", "build", "-trimpath", "-ldflags=-s -w", "-tags="+BuildTags, "-o", path, "./"+folder); err != nil {
		return "", fmt.Errorf("build %s: %w", folder, err)
	}
	return path, nil
}

// Link builds cmd/mooring from a source tree of Mooring at path, static as in the image. What was linked is kept in bin/linked under a
// name, and linked anew only after the source, or Go, has changed: it takes longer than to start a control plane. It is copied from there,
// since another test may link another source under the name.
func Link(ctx context.Context, source, name, path string) error {
	root, err := Repository()
	if err != nil {
		return err
	}
	folder := filepath.Join(root, "bin", "linked")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return fmt.Errorf("link %s: %w", source, err)
	}
	guard, err := os.OpenFile(filepath.Join(folder, name+".lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return fmt.Errorf("link %s: %w", source, err)
	}
	defer func() { _ = guard.Close() }() // which unlocks it
	if err := syscall.Flock(int(guard.Fd()), syscall.LOCK_EX); err != nil {
		return fmt.Errorf("link %s: lock %q: %w", source, guard.Name(), err)
	}
	kept := filepath.Join(folder, name)
	// With the flags of ko, so that they share what is compiled.
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags=-s -w", "-o", kept, "./cmd/mooring")
	cmd.Dir, cmd.Env = source, append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("link %s: %w\n%s", source, err, out)
	}
	content, err := os.ReadFile(kept)
	if err != nil {
		return fmt.Errorf("link %s: %w", source, err)
	}
	return os.WriteFile(path, content, 0o755)
}

// lines passes whole lines on, but for those that say what go downloads.
type lines struct {
	out  io.Writer
	rest []byte
}

// Write implements io.Writer.
func (l *lines) Write(p []byte) (int, error) {
	l.rest = append(l.rest, p...)
	for {
		end := bytes.IndexByte(l.rest, '\n')
		if end < 0 {
			return len(p), nil
		}
		line := l.rest[:end+1]
		l.rest = l.rest[end+1:]
		if bytes.HasPrefix(line, []byte("go: downloading ")) {
			continue
		}
		if _, err := l.out.Write(line); err != nil {
			return 0, err
		}
	}
}

// attended runs a command beside a watcher, which reads from a pipe of ours and, once the kernel has closed
// our end because we are gone, kills the whole process group: a compiler's children would not notice.
const attended = `(read -r _ <&3; kill -KILL 0) >/dev/null 2>&1 & exec 3<&-; "$@"`

// run runs a program in dir. It and whatever it started end when ctx does, and when we do.
func run(ctx context.Context, out io.Writer, dir, program string, args ...string) error {
	watched, ours, err := os.Pipe()
	if err != nil {
		return err
	}
	defer func() { _ = ours.Close() }()
	cmd := exec.CommandContext(ctx, "/bin/sh", append([]string{"-c", attended, "sh", program}, args...)...)
	cmd.Dir = dir
	cmd.Stdout, cmd.Stderr = out, out
	cmd.ExtraFiles = []*os.File{watched} // its descriptor 3
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	// An interrupt, which `go build` cleans up after; the watcher, being in the background, ignores it.
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGINT) }
	cmd.WaitDelay = 5 * time.Second
	err = cmd.Start()
	_ = watched.Close()
	if err != nil {
		return err
	}
	return cmd.Wait()
}

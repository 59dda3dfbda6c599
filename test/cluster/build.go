package cluster

import (
	"context"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
)

// Build does what `make controlplane` does: it builds the binaries that are missing or outdated, in bin/ of the
// repository, and says on out what it builds and how long that will take. It is quick when nothing is to be done.
func Build(ctx context.Context, out io.Writer) error {
	root, err := repository()
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, filepath.Join(root, "tools", "controlplane"))
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("build control plane: %w", err)
	}
	return nil
}

package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/mooring-dev/mooring/test/cluster"
)

// build builds what is missing and returns the controller's path. When all is there it takes a second or two.
func build(ctx context.Context, t *transcript, root string) (string, error) {
	if err := cluster.Build(ctx, t); err != nil {
		return "", fmt.Errorf("%w; mend what the lines above say, then run it again: what is built is kept", err)
	}
	if _, err := os.Stat(filepath.Join(root, "bin", "mooring")); errors.Is(err, fs.ErrNotExist) {
		t.say("Building the controller into bin/. That takes about 3 minutes on 2 cores, once.")
	}
	path, err := cluster.BuildProgram(ctx, t, filepath.Join("cmd", "mooring"))
	if err != nil {
		return "", fmt.Errorf("%w; mend what the lines above say, then run it again", err)
	}
	t.step("control plane and controller are built")
	return path, nil
}

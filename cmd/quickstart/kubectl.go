package main

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// kubectlPatience is how long kubectl may take; it takes half a second.
const kubectlPatience = time.Minute

// kubectl is the program, as a person uses it.
type kubectl struct {
	*transcript
	root       string // of the source tree
	program    string
	kubeconfig string
}

// run runs kubectl as a person would, and shows what it says. Files are called what they are called in the source tree.
func (k *kubectl) run(ctx context.Context, args ...string) error {
	ctx, cancel := context.WithTimeout(ctx, kubectlPatience)
	defer cancel()
	line := strings.ReplaceAll(strings.Join(args, " "), k.root+string(filepath.Separator), "")
	k.say("\n$ kubectl %s", line)
	cmd := exec.CommandContext(ctx, k.program, append([]string{"--kubeconfig=" + k.kubeconfig}, args...)...)
	cmd.Stdout, cmd.Stderr = k.transcript, k.transcript
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("kubectl %s: %w; it said why above", line, err)
	}
	return nil
}

// sample returns a file or folder of config/samples.
func (k *kubectl) sample(names ...string) string {
	return filepath.Join(append([]string{k.root, "config", "samples"}, names...)...)
}

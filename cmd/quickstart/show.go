package main

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// show applies the samples and tells what becomes of them. The error says what did not work.
func (s *stage) show(ctx context.Context) error {
	if err := s.offer(ctx); err != nil {
		return err
	}
	if err := s.kubectl(ctx, "apply", "-f", s.sample()); err != nil {
		return err
	}
	s.say("\nMooring creates them in the clouds:")
	if err := s.follow(ctx); err != nil {
		return err
	}
	s.say("\nAn application would mount the Secret; here the quickstart connects with it:")
	if err := s.queryEvery(ctx); err != nil {
		return err
	}
	s.say("\nNow somebody changes a bucket outside Mooring, with the cloud's own API. Here Mooring compares objects with the cloud every\n"+
		"%v (by default every 10 minutes):", syncPeriod)
	if err := s.drift(ctx); err != nil {
		return err
	}
	return s.move(ctx)
}

// kubectlPatience is how long kubectl may take; it takes half a second.
const kubectlPatience = time.Minute

// kubectl runs kubectl as a person would, and shows what it says. Files are called what they are called in the source tree.
func (s *stage) kubectl(ctx context.Context, args ...string) error {
	ctx, cancel := context.WithTimeout(ctx, kubectlPatience)
	defer cancel()
	line := strings.ReplaceAll(strings.Join(args, " "), s.root+string(filepath.Separator), "")
	s.say("\n$ kubectl %s", line)
	cmd := exec.CommandContext(ctx, s.kubectlFile, append([]string{"--kubeconfig=" + s.file(kubeconfigFile)}, args...)...)
	cmd.Stdout, cmd.Stderr = s.transcript, s.transcript
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("kubectl %s: %w; it said why above", line, err)
	}
	return nil
}

// sample returns a file or folder of config/samples.
func (s *stage) sample(names ...string) string {
	return filepath.Join(append([]string{s.root, "config", "samples"}, names...)...)
}

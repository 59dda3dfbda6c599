package main

import (
	"context"
	"fmt"
	"os/exec"
	"time"
)

// show applies the samples and tells what becomes of them. The error says what did not work.
func (s *stage) show(ctx context.Context) error {
	if err := s.apply(ctx); err != nil {
		return err
	}
	s.say("\nMooring makes them in the clouds:")
	if err := s.follow(ctx); err != nil {
		return err
	}
	s.say("\nAn application would mount the Secret; here the quickstart connects with it:")
	if err := s.queryAll(ctx); err != nil {
		return err
	}
	s.say("\nNow somebody changes a bucket behind Mooring's back, with the cloud's own API. Mooring compares every\n"+
		"%v here (10 minutes by default):", syncPeriod)
	return s.drift(ctx)
}

// kubectlPatience is how long kubectl may take; it takes half a second.
const kubectlPatience = time.Minute

// apply applies the samples with kubectl, as a person would.
func (s *stage) apply(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, kubectlPatience)
	defer cancel()
	s.say("\n$ kubectl apply -f config/samples")
	cmd := exec.CommandContext(ctx, s.kubectl, "--kubeconfig="+s.file(kubeconfigFile), "apply", "-f", s.samples)
	cmd.Stdout, cmd.Stderr = s.transcript, s.transcript
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("apply config/samples: %w; kubectl said why above", err)
	}
	return nil
}

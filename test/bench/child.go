package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/test/system"
)

// A child is a running controller.
type child struct {
	cmd   *exec.Cmd
	log   string
	pprof string // address
	ended chan struct{}
}

// run starts the controller, in place of one that runs, and returns once it has seen both accounts.
func (s *environment) run(ctx context.Context, syncPeriod time.Duration) error {
	if s.child != nil {
		err := s.child.stop()
		s.child = nil
		if err != nil {
			return err
		}
	}
	pprof, err := freeAddress()
	if err != nil {
		return err
	}
	health, err := freeAddress()
	if err != nil {
		return err
	}
	if s.metrics, err = freeAddress(); err != nil {
		return err
	}
	args := []string{ // beside the defaults, which are those of the chart
		"--kubeconfig", s.kubeconfig(), "--namespace", system.Namespace, "--leader-elect=false",
		"--metrics-address", s.metrics, "--health-address", health, "--webhook-address", s.webhook, "--pprof-address", pprof,
		"--sync-period", syncPeriod.String(),
	}
	if s.workers > 0 {
		args = append(args, "--workers", strconv.Itoa(s.workers))
	}
	c := &child{cmd: exec.Command(s.controller, args...), log: filepath.Join(s.dir, "mooring.log"), pprof: pprof, ended: make(chan struct{})}
	log, err := os.OpenFile(c.log, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer func() { _ = log.Close() }()
	c.cmd.Stdout, c.cmd.Stderr = log, log
	c.cmd.SysProcAttr = dieWithParent()
	started := make(chan error)
	go func() {
		runtime.LockOSThread() // the death signal follows the thread that started the child
		defer close(c.ended)
		err := c.cmd.Start()
		started <- err
		if err == nil {
			_ = c.cmd.Wait()
		}
	}()
	if err := <-started; err != nil {
		return err
	}
	s.child = c
	return s.await(ctx, c)
}

// await returns when the provider configs are Ready, which in a restart they are at once, and the API server asks the webhook.
func (s *environment) await(ctx context.Context, c *child) error {
	for {
		ready, err := s.admits(ctx)
		if err != nil {
			return err
		}
		accounts := &v1alpha1.ClusterProviderConfigList{}
		if err := s.client.List(ctx, accounts); err != nil {
			return err
		}
		for _, cfg := range accounts.Items {
			ready = ready && meta.IsStatusConditionTrue(cfg.Status.Conditions, v1alpha1.ConditionReady)
		}
		if ready {
			return nil
		}
		if err := c.pause(ctx, 50*time.Millisecond); err != nil {
			return err
		}
	}
}

// pause waits, and fails if the controller ends meanwhile.
func (c *child) pause(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-c.ended:
		log, _ := os.ReadFile(c.log)
		return fmt.Errorf("the controller ended: %s\n%s", c.cmd.ProcessState, log[max(0, len(log)-2000):])
	}
}

// stop ends the controller as an orderly shutdown does.
func (c *child) stop() error {
	select {
	case <-c.ended:
		return nil
	default:
	}
	if err := c.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	select {
	case <-c.ended:
		return nil
	case <-time.After(time.Minute):
		return errors.Join(errors.New("the controller did not stop within a minute"), c.cmd.Process.Kill())
	}
}

// cpuProfile takes a profile of the controller's processor time meanwhile, if profiles were asked for.
func (s *environment) cpuProfile(ctx context.Context, phase string) {
	go func() {
		if err := s.save(ctx, "cpu-"+phase+".pprof", "profile?seconds=10"); err != nil {
			progress("no profile: %v", err)
		}
	}()
}

// save writes one of the controller's profiles to a file of that name, if profiles were asked for.
func (s *environment) save(ctx context.Context, name, query string) error {
	if s.profile == "" {
		return nil
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+s.child.pprof+"/debug/pprof/"+query, nil)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	content, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(s.profile, name), content, 0o600)
}

func freeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"github.com/mooring-dev/mooring/controllers/admission"
	"github.com/mooring-dev/mooring/test/system"
)

// syncPeriod is how often a converged object is compared with the cloud here, so that drift can be waited for.
// The controller's own default is 10 minutes.
const syncPeriod = 5 * time.Second

const (
	controllerUser      = "mooring"
	logFile             = "mooring.log"
	controllerFile      = "mooring.kubeconfig"
	controllerPatience  = 15 * time.Second
	controllerLastLines = 5
)

// A controller is bin/mooring as a process of its own, which is how it runs elsewhere.
type controller struct {
	cmd   *exec.Cmd
	ended chan struct{} // closed once it was waited for
}

// startController starts the controller. end is called if it ends before it is stopped.
func (s *stage) startController(ctx context.Context, end context.CancelCauseFunc, program string) error {
	if err := system.EnsureNamespace(ctx, s.client, system.Namespace); err != nil {
		return fmt.Errorf("make namespace %s: %w", system.Namespace, err)
	}
	if err := system.Grant(ctx, s.client, filepath.Join(s.root, "config", "rbac", "role.yaml"), controllerUser); err != nil {
		return err
	}
	// Outside of the cluster there is no Service: the API server asks at an address.
	webhook, err := freeAddress()
	if err != nil {
		return err
	}
	if err := admission.Apply(ctx, s.client, "https://"+webhook); err != nil {
		return fmt.Errorf("make the API server ask the controller: %w", err)
	}
	config, err := s.cluster.UserKubeconfig(controllerUser)
	if err != nil {
		return err
	}
	if err := os.WriteFile(s.file(controllerFile), config, 0o600); err != nil {
		return err
	}
	log, err := os.Create(s.file(logFile))
	if err != nil {
		return err
	}
	defer func() { _ = log.Close() }() // the process has its own
	cmd := s.cluster.Command(program,
		"--kubeconfig="+s.file(controllerFile),
		"--namespace="+system.Namespace,
		"--sync-period="+syncPeriod.String(),
		"--metrics-address=0", "--health-address=0", "--webhook-address="+webhook,
	)
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start controller: %w", err)
	}
	s.controller = &controller{cmd: cmd, ended: make(chan struct{})}
	go func() {
		err := cmd.Wait()
		end(fmt.Errorf("the controller has ended (%w); the last it said:\n%s", errors.Join(err), s.lastWords()))
		close(s.controller.ended)
	}()
	s.step("controller           bin/mooring, which logs to %s", s.file(logFile))
	return nil
}

// freeAddress returns an address of this machine that nothing listens on.
func freeAddress() (string, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("find a free port: %w", err)
	}
	return listener.Addr().String(), listener.Close()
}

// stop ends the controller as a cluster would: it finishes what it is writing first.
func (c *controller) stop() error {
	for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL} {
		if err := syscall.Kill(-c.cmd.Process.Pid, signal); err != nil && !errors.Is(err, syscall.ESRCH) {
			return fmt.Errorf("stop controller: %w", err)
		}
		select {
		case <-c.ended:
			return nil
		case <-time.After(controllerPatience):
		}
	}
	return errors.New("stop controller: it does not end")
}

// lastWords returns the end of the controller's log.
func (s *stage) lastWords() []byte {
	content, err := os.ReadFile(s.file(logFile))
	if err != nil {
		return []byte(err.Error())
	}
	lines := bytes.Split(bytes.TrimSpace(content), []byte("\n"))
	return bytes.Join(lines[max(0, len(lines)-controllerLastLines):], []byte("\n"))
}

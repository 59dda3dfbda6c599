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
	"sync"
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
	controllerStarts    = 3 // times in a row that it may end before it is controllerStable
	controllerStable    = time.Minute
)

// A controller is bin/mooring as a process of its own, which is how it runs elsewhere.
type controller struct {
	*transcript
	target  *target
	command func() *exec.Cmd // one to start
	log     string           // the file it writes to
	metrics string           // the URL of its metrics
	ended   chan struct{}    // closed when it has ended for good

	mu       sync.Mutex
	process  *exec.Cmd
	began    time.Time
	stopping bool
}

// launch starts the controller, which is started again when it ends. end is called if that is in vain.
func launch(ctx context.Context, end context.CancelCauseFunc, program string, t *target, f *folder) (*controller, error) {
	c := &controller{transcript: t.transcript, target: t, log: f.file(logFile), ended: make(chan struct{})}
	if err := system.EnsureNamespace(ctx, t.client, system.Namespace); err != nil {
		return nil, fmt.Errorf("make namespace %s: %w", system.Namespace, err)
	}
	if err := system.Grant(ctx, t.client, filepath.Join(t.root, "config", "rbac", "role.yaml"), controllerUser); err != nil {
		return nil, err
	}
	webhook, err := c.applyWebhook(ctx)
	if err != nil {
		return nil, err
	}
	metrics, err := freeAddress()
	if err != nil {
		return nil, err
	}
	c.metrics = "http://" + metrics + "/metrics"
	config, err := t.cluster.UserKubeconfig(controllerUser)
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(f.file(controllerFile), config, 0o600); err != nil {
		return nil, err
	}
	if err := os.WriteFile(c.log, nil, 0o600); err != nil {
		return nil, err
	}
	c.command = func() *exec.Cmd {
		return t.cluster.Command(program,
			"--kubeconfig="+f.file(controllerFile),
			"--namespace="+system.Namespace,
			"--sync-period="+syncPeriod.String(),
			"--metrics-address="+metrics, "--health-address=0", "--webhook-address="+webhook,
		)
	}
	if err := c.start(); err != nil {
		return nil, err
	}
	go c.keepRunning(end)
	c.step("controller           bin/mooring, which logs to %s", c.log)
	return c, nil
}

// applyWebhook has the API server call the webhook, and returns its address. Outside of the cluster there is no Service, and somebody's
// cluster may not reach this machine: there the webhook is off.
func (c *controller) applyWebhook(ctx context.Context) (address string, err error) {
	if c.target.installed {
		return "0", nil
	}
	if address, err = freeAddress(); err != nil {
		return "", err
	}
	if err := admission.Apply(ctx, c.target.client, "https://"+address); err != nil {
		return "", fmt.Errorf("make the API server ask the controller: %w", err)
	}
	return address, nil
}

// keepRunning starts the controller again when it has ended, as a cluster would. It gives up, and calls end, when the controller
// ends too soon too often.
func (c *controller) keepRunning(end context.CancelCauseFunc) {
	defer close(c.ended)
	for soon := 0; ; {
		lived, err := c.wait()
		if lived >= controllerStable {
			soon = 0
		}
		if soon++; soon > controllerStarts {
			end(fmt.Errorf("the controller has stopped (%w); its last output:\n%s", err, c.lastWords()))
			return
		}
		switch again := c.start(); {
		case errors.Is(again, errStopping):
			return
		case again != nil:
			end(again)
			return
		}
		c.step("controller           has stopped (%v) and was started again, as in a cluster", err)
	}
}

// errStopping says that the controller is not to be started again.
var errStopping = errors.New("the controller is being stopped")

// start starts a process, unless the controller is being stopped.
func (c *controller) start() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stopping {
		return errStopping
	}
	log, err := os.OpenFile(c.log, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer func() { _ = log.Close() }() // the process has its own
	process := c.command()
	process.Stdout, process.Stderr = log, log
	if err := process.Start(); err != nil {
		return fmt.Errorf("start controller: %w", err)
	}
	c.process, c.began = process, time.Now()
	return nil
}

// wait waits until the process has ended, and returns how long it lived and why it ended.
func (c *controller) wait() (lived time.Duration, why error) {
	c.mu.Lock()
	process, began := c.process, c.began
	c.mu.Unlock()
	if why = process.Wait(); why == nil {
		why = errors.New("without an error")
	}
	return time.Since(began), why
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
		if err := c.signal(signal); err != nil {
			return fmt.Errorf("stop controller: %w", err)
		}
		select {
		case <-c.ended:
			return nil
		case <-time.After(controllerPatience):
		}
	}
	return errors.New("stop controller: it does not stop")
}

// signal tells the last process to end; there will be no other.
func (c *controller) signal(signal syscall.Signal) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stopping = true
	if c.process == nil {
		return nil
	}
	if err := syscall.Kill(-c.process.Process.Pid, signal); err != nil && !errors.Is(err, syscall.ESRCH) {
		return err
	}
	return nil
}

// lastWords returns the end of the controller's log.
func (c *controller) lastWords() []byte {
	content, err := os.ReadFile(c.log)
	if err != nil {
		return []byte(err.Error())
	}
	lines := bytes.Split(bytes.TrimSpace(content), []byte("\n"))
	return bytes.Join(lines[max(0, len(lines)-controllerLastLines):], []byte("\n"))
}

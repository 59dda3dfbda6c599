package cluster

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
)

// controllers are the ones that Mooring's promises rest on: a namespace that is deleted ends, dependants
// go with their owners, aggregated roles take effect, and quotas count. The others manage pods and nodes.
var controllers = []string{
	"namespace-controller",
	"garbage-collector-controller",
	"clusterrole-aggregation-controller",
	"resourcequota-controller",
}

// A manager is a running kube-controller-manager.
type manager struct {
	cmd   *exec.Cmd
	ended chan struct{} // closed after the process was waited for
}

// startManager starts kube-controller-manager and returns when it says that it is healthy.
func (c *Cluster) startManager(ctx context.Context, binaries string) (*manager, error) {
	path, err := c.lock.wrap(binaries, controllerManager)
	if err != nil {
		return nil, err
	}
	config, err := c.User("system:kube-controller-manager", Administrators)
	if err != nil {
		return nil, err
	}
	content, err := kubeconfig(config)
	if err != nil {
		return nil, err
	}
	credentials := c.path(controllerManager + ".kubeconfig")
	if err := writeFile(credentials, content); err != nil {
		return nil, err
	}
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	out, err := c.logFile(controllerManager)
	if err != nil {
		return nil, err
	}
	defer func() { _ = out.Close() }() // the process has its own
	cmd := exec.Command(path,
		"--controllers="+strings.Join(controllers, ","),
		"--kubeconfig="+credentials,
		"--bind-address="+loopback,
		"--secure-port="+port,
		"--cert-dir="+c.path("certificates"),
		"--authentication-skip-lookup=true",
		"--leader-elect=false",
		// By default it would pace itself to 20 requests a second.
		"--kube-api-qps=1000", "--kube-api-burst=2000",
	)
	cmd.Stdout, cmd.Stderr = out, out
	// A group of its own, as envtest does it: Ctrl-C in a terminal is for us, not for the servers.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", controllerManager, err)
	}
	m := &manager{cmd: cmd, ended: make(chan struct{})}
	go func() {
		defer close(m.ended)
		_ = cmd.Wait() // killed or told to end, its status says nothing
	}()
	if err := m.await(ctx, "https://"+net.JoinHostPort(loopback, port)+"/healthz"); err != nil {
		return nil, c.withLogs(errors.Join(err, m.stop()), controllerManager)
	}
	return m, nil
}

// await polls url until it answers 200.
func (m *manager) await(ctx context.Context, url string) error {
	client := &http.Client{
		Timeout: time.Second,
		// The certificate is one the server made for itself a moment ago.
		Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}},
	}
	defer client.CloseIdleConnections()
	healthy := func(ctx context.Context) (bool, error) {
		select {
		case <-m.ended:
			return false, errors.New("it ended")
		default:
		}
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		if err != nil {
			return false, err
		}
		resp, err := client.Do(req)
		if err != nil {
			return false, nil //nolint:nilerr // Not listening yet.
		}
		return resp.StatusCode == http.StatusOK, resp.Body.Close()
	}
	if err := wait.PollUntilContextTimeout(ctx, 100*time.Millisecond, patience, true, healthy); err != nil {
		return fmt.Errorf("wait for %s: %w", controllerManager, err)
	}
	return nil
}

// stop ends the process and waits for it. It keeps no state worth an orderly end, which takes it seconds.
func (m *manager) stop() error {
	select {
	case <-m.ended:
		return nil
	default:
	}
	if err := syscall.Kill(-m.cmd.Process.Pid, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
		return fmt.Errorf("stop %s: %w", controllerManager, err)
	}
	<-m.ended
	return nil
}

package cluster

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/url"
	"os"
	"strconv"

	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

// startServers starts etcd and the API server, both on 127.0.0.1 alone, and fills in c.config.
func (c *Cluster) startServers(binaries string, audit bool) error {
	etcdLog, err := c.logFile(etcd)
	if err != nil {
		return err
	}
	defer func() { _ = etcdLog.Close() }() // the process has its own
	serverLog, err := c.logFile(apiServer)
	if err != nil {
		return err
	}
	defer func() { _ = serverLog.Close() }()

	etcdServer, err := c.etcd(binaries, etcdLog)
	if err != nil {
		return err
	}
	server, err := c.apiServer(binaries, serverLog)
	if err != nil {
		return err
	}
	if err := c.configureTokens(server); err != nil {
		return err
	}
	if audit {
		if c.audit, err = c.configureAudit(server); err != nil {
			return err
		}
	}
	existing := false // else an environment variable could point the tests at somebody's cluster
	c.env = &envtest.Environment{
		UseExistingCluster:       &existing,
		ControlPlaneStartTimeout: patience,
		ControlPlaneStopTimeout:  patience,
	}
	c.env.ControlPlane.Etcd, c.env.ControlPlane.APIServer = etcdServer, server

	c.step("starting etcd and kube-apiserver")
	if _, err := c.env.Start(); err != nil {
		return c.withLogs(err, etcd, apiServer)
	}
	c.config, err = c.User("admin", Administrators)
	return err
}

func (c *Cluster) etcd(binaries string, out io.Writer) (*envtest.Etcd, error) {
	path, err := c.lock.wrap(binaries, etcd)
	if err != nil {
		return nil, err
	}
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	data := c.path("etcd-data")
	if err := os.Mkdir(data, 0o700); err != nil {
		return nil, err
	}
	e := &envtest.Etcd{
		Path:    path,
		URL:     &url.URL{Scheme: "http", Host: net.JoinHostPort(loopback, port)},
		DataDir: data,
		Out:     out,
		Err:     out,
	}
	// A single member talks to no peer; the address only has to be one, and loopback.
	e.Configure().
		Set("listen-peer-urls", "http://"+loopback+":0").
		// The data need not survive a power cut.
		Set("unsafe-no-fsync", "true").
		Set("backend-batch-interval", "2s").
		Set("max-txn-ops", "1000"). // see reset
		Set("log-level", "warn")
	return e, nil
}

func (c *Cluster) apiServer(binaries string, out io.Writer) (*envtest.APIServer, error) {
	path, err := c.lock.wrap(binaries, apiServer)
	if err != nil {
		return nil, err
	}
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	certs := c.path("certificates")
	if err := os.Mkdir(certs, 0o700); err != nil {
		return nil, err
	}
	s := &envtest.APIServer{
		Path:          path,
		SecureServing: envtest.SecureServing{ListenAddr: envtest.ListenAddr{Address: loopback, Port: port}},
		CertDir:       certs,
		Out:           out,
		Err:           out,
	}
	s.Configure().
		// Without these two the server looks for the machine's default route, and fails where there is none.
		Set("advertise-address", loopback).
		Set("endpoint-reconciler-type", "none").
		// Benchmarks and fault tests measure Mooring, not the queues of a server with one user.
		Set("enable-priority-and-fairness", "false").
		Set("max-requests-inflight", "4000").
		Set("max-mutating-requests-inflight", "4000").
		// Pods get the volume with their token as everywhere; envtest leaves that out.
		Disable("disable-admission-plugins").
		// Services have addresses of this machine, so that who stands in for kube-proxy can listen there.
		Set("service-cluster-ip-range", ServiceRange).
		Set("profiling", "false")
	return s, nil
}

// logFile opens NAME.log, which both streams of a server go to: a file rather than a buffer of ours, so
// that waiting for the server's end does not wait for a pipe to drain.
func (c *Cluster) logFile(name string) (*os.File, error) {
	return os.OpenFile(c.path(name+".log"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
}

// withLogs adds the end of the servers' logs to an error, since the folder may be gone once it is read.
func (c *Cluster) withLogs(err error, names ...string) error {
	errs := []error{err}
	for _, name := range names {
		content, readErr := os.ReadFile(c.path(name + ".log"))
		if readErr != nil {
			continue
		}
		if tail := 2000; len(content) > tail {
			content = content[len(content)-tail:]
		}
		errs = append(errs, fmt.Errorf("%s says:\n%s", name, content))
	}
	return errors.Join(errs...)
}

const loopback = "127.0.0.1"

// ServiceRange is where the addresses of Services are from.
const ServiceRange = "127.255.0.0/16"

// freePort returns a port of loopback that nothing listens on. It draws from below the range that
// systems hand to outgoing connections, so that only another chooser can take it before it is used.
func freePort() (string, error) {
	const low, high = 20000, 30000
	var err error
	for range 100 {
		port := strconv.Itoa(low + rand.IntN(high-low))
		var l net.Listener
		if l, err = net.Listen("tcp", net.JoinHostPort(loopback, port)); err == nil {
			return port, l.Close()
		}
	}
	return "", fmt.Errorf("find a free port: %w", err)
}

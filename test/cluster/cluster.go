package cluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

// Options says what Start starts. The zero value is an API server with Mooring's CRDs.
type Options struct {
	// CRDDir holds the CRDs to install. Default: config/crd of the repository, if it exists.
	CRDDir string
	// Bare leaves the CRDs out, for who installs them by other means.
	Bare bool
	// Audit records every request that reaches the API server; see Cluster.Audit.
	Audit bool
	// ControllerManager also runs kube-controller-manager, for the deletion of namespaces and for
	// garbage collection. Without it a namespace that is deleted stays Terminating.
	ControllerManager bool
	// Dir is where data, certificates and logs are kept, in a sub-folder "controlplane" that Start
	// empties and Stop leaves. Default: a temporary folder, which Stop removes.
	Dir string
	// Log gets a line for each step of Start. Default: none.
	Log io.Writer
}

// A Cluster is a running control plane.
type Cluster struct {
	binaries  string // where they are
	dir       string // everything it writes
	temporary bool   // dir is removed by Stop
	crdDir    string
	log       io.Writer
	lock      *lockFile
	env       *envtest.Environment
	manager   *manager
	config    *rest.Config
	tokens    map[string]string // by the names of those that are signedIn
	audit     *AuditLog
	attached  *clientcmdapi.Config // of a cluster that is not ours; see Attach
	initial   snapshot             // what it held after its start, if it is used again; see Run
}

// attempts is how often Start tries: the ports it chose may be taken before the servers bind them.
const attempts = 3

// Start starts a control plane and returns when it answers. The context bounds the start only: end the
// cluster by Stop. The error is ErrNotBuilt if `make controlplane` did not run.
func Start(ctx context.Context, o Options) (*Cluster, error) {
	binaries, err := Binaries()
	if err != nil {
		return nil, err
	}
	if o.Log == nil {
		o.Log = io.Discard
	}
	for try := 1; ; try++ {
		c, err := start(ctx, binaries, o)
		if err == nil {
			return c, nil
		}
		if try == attempts || ctx.Err() != nil {
			return nil, fmt.Errorf("start control plane: %w", err)
		}
		_, _ = fmt.Fprintf(o.Log, "control plane: trying again: %v\n", err)
	}
}

func start(ctx context.Context, binaries string, o Options) (_ *Cluster, err error) {
	c := &Cluster{binaries: binaries, dir: o.Dir, crdDir: o.CRDDir, log: o.Log}
	defer func() {
		if err != nil {
			err = errors.Join(err, c.Stop())
		}
	}()
	if err := c.prepare(); err != nil {
		return nil, err
	}
	if err := c.startServers(binaries, o.Audit); err != nil {
		return nil, err
	}
	// First, since kube-controller-manager looks for new kinds twice a minute only, and counts none before.
	if !o.Bare {
		if err := c.installDefaultCRDs(); err != nil {
			return nil, err
		}
	}
	if o.ControllerManager {
		c.step("starting kube-controller-manager")
		if c.manager, err = c.startManager(ctx, binaries); err != nil {
			return nil, err
		}
	}
	return c, ctx.Err()
}

// prepare makes the folder and takes the lock file in it.
func (c *Cluster) prepare() error {
	if c.dir == "" {
		dir, err := os.MkdirTemp("", "mooring-")
		if err != nil {
			return err
		}
		c.dir, c.temporary = dir, true
	}
	dir, err := filepath.Abs(c.dir)
	if err != nil {
		return err
	}
	c.dir = dir
	c.lock, err = takeLock(c.path())
	return err
}

// path is a file of the control plane.
func (c *Cluster) path(elem ...string) string {
	return filepath.Join(append([]string{c.dir, "controlplane"}, elem...)...)
}

func (c *Cluster) step(format string, args ...any) {
	_, _ = fmt.Fprintf(c.log, "control plane: "+format+"\n", args...)
}

// Config returns the configuration of an administrator, without a client-side rate limit.
func (c *Cluster) Config() *rest.Config { return rest.CopyConfig(c.config) }

// User returns the configuration of a user with the given name and groups, whose rights are what RBAC
// grants them. Audit events have its name, which distinguishes the requests of a controller from those of a test.
func (c *Cluster) User(name string, groups ...string) (*rest.Config, error) {
	if config := c.withToken(name, groups); config != nil {
		return config, nil
	}
	user, err := c.env.AddUser(envtest.User{Name: name, Groups: groups}, &rest.Config{QPS: unlimited})
	if err != nil {
		return nil, fmt.Errorf("add user %q: %w", name, err)
	}
	return user.Config(), nil
}

// UserKubeconfig returns a kubeconfig for User, with all it needs inside.
func (c *Cluster) UserKubeconfig(name string, groups ...string) ([]byte, error) {
	if c.attached != nil {
		return impersonating(*c.attached, name, groups)
	}
	config, err := c.User(name, groups...)
	if err != nil {
		return nil, err
	}
	return kubeconfig(config)
}

// Command returns a command that is not started yet and runs a program under the supervisor of the control plane: what
// ends us, whatever it is, ends the program. It has a process group of its own, which is where signals
// for it go: Ctrl-C in a terminal reaches only us.
func (c *Cluster) Command(program string, args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(c.binaries, supervisor), append([]string{c.lock.file.Name(), program}, args...)...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return cmd
}

// unlimited switches client-go's rate limit off; 0 would mean its default of 5 requests a second.
const unlimited = -1

// Administrators is the group that may do everything.
const Administrators = "system:masters"

// Kubeconfig returns an administrator's kubeconfig, with all it needs inside.
func (c *Cluster) Kubeconfig() ([]byte, error) {
	if c.attached != nil {
		return clientcmd.Write(*c.attached)
	}
	return kubeconfig(c.config)
}

// WriteKubeconfig writes Kubeconfig to path, readable by its owner only. The file appears complete or
// not at all, so that whoever waits for it can use it at once.
func (c *Cluster) WriteKubeconfig(path string) error {
	content, err := c.Kubeconfig()
	if err != nil {
		return err
	}
	return writeFile(path, content)
}

// Audit returns the log of requests, or nil unless Options.Audit was set.
func (c *Cluster) Audit() *AuditLog { return c.audit }

// Stop ends all servers and returns when they have ended. It may be called more than once.
func (c *Cluster) Stop() error {
	var errs []error
	if c.manager != nil {
		errs = append(errs, c.manager.stop())
		c.manager = nil
	}
	if c.env != nil {
		errs = append(errs, c.env.Stop())
		c.env = nil
	}
	if c.lock != nil {
		errs = append(errs, c.lock.release())
		c.lock = nil
	}
	if c.temporary {
		errs = append(errs, os.RemoveAll(c.dir))
	}
	return errors.Join(errs...)
}

func kubeconfig(config *rest.Config) ([]byte, error) {
	const name = "mooring"
	content, err := clientcmd.Write(clientcmdapi.Config{
		CurrentContext: name,
		Contexts:       map[string]*clientcmdapi.Context{name: {Cluster: name, AuthInfo: name}},
		Clusters: map[string]*clientcmdapi.Cluster{
			name: {Server: config.Host, CertificateAuthorityData: config.CAData},
		},
		AuthInfos: map[string]*clientcmdapi.AuthInfo{
			name: {ClientCertificateData: config.CertData, ClientKeyData: config.KeyData, Token: config.BearerToken},
		},
	})
	if err != nil {
		return nil, fmt.Errorf("write kubeconfig: %w", err)
	}
	return content, nil
}

func writeFile(path string, content []byte) (err error) {
	file, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".") // mode 0600
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(file.Name())
		}
	}()
	if _, err := file.Write(content); err != nil {
		return errors.Join(err, file.Close())
	}
	if err := file.Close(); err != nil {
		return err
	}
	return os.Rename(file.Name(), path)
}

// patience is how long one server may take to answer after its start, and to end after SIGTERM.
// A loaded machine needs many times the 3 seconds of an idle one.
const patience = 5 * time.Minute

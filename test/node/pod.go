package node

import (
	"bytes"
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
	"strings"
	"sync"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// A Pod is one whose container runs, or ran.
type Pod struct {
	*corev1.Pod
	// Address is the Pod's own.
	Address string

	node  *Node
	root  string // its root file system
	cmd   *exec.Cmd
	log   buffer
	ended chan struct{}
	err   error // with which it ended
}

func (p *Pod) container() *corev1.Container { return &p.Spec.Containers[0] }

// layOut makes the root file system: the program, and nothing that its user could write to.
func (p *Pod) layOut(program string) error {
	target := filepath.Join(p.root, entrypoint)
	if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
		return err
	}
	if os.Link(program, target) == nil {
		return nil
	}
	from, err := os.Open(program)
	if err != nil {
		return err
	}
	defer func() { _ = from.Close() }()
	to, err := os.OpenFile(target, os.O_CREATE|os.O_WRONLY, 0o755)
	if err != nil {
		return err
	}
	_, err = io.Copy(to, from)
	return errors.Join(err, to.Close())
}

// exec starts the container.
func (p *Pod) exec(environment []string) error {
	c := p.container()
	if len(c.Command) > 0 {
		return fmt.Errorf("the container names a command, and the image has its own")
	}
	p.cmd = &exec.Cmd{
		Path: entrypoint, Args: append([]string{entrypoint}, p.arguments()...), Env: environment, Dir: "/",
		Stdout: &p.log, Stderr: &p.log, SysProcAttr: p.confinement(),
	}
	started := make(chan error)
	go func() {
		runtime.LockOSThread() // the process ends with the thread that started it: with us, and not before
		defer close(p.ended)
		err := p.cmd.Start()
		started <- err
		if err == nil {
			p.err = p.cmd.Wait()
		}
	}()
	return <-started
}

// arguments gives listeners the Pod's address.
func (p *Pod) arguments() []string {
	var out []string
	for _, a := range p.container().Args {
		if flag, value, ok := strings.Cut(a, "="); ok && strings.HasPrefix(value, ":") {
			a = flag + "=" + p.Address + value
		}
		out = append(out, a)
	}
	return out
}

// confinement puts the container into its root file system, as its user. Who is not root needs a user namespace for that.
func (p *Pod) confinement() *syscall.SysProcAttr {
	uid, gid := 0, 0
	if s := p.Spec.SecurityContext; s != nil && s.RunAsUser != nil && s.RunAsGroup != nil {
		uid, gid = int(*s.RunAsUser), int(*s.RunAsGroup)
	}
	attributes := &syscall.SysProcAttr{Chroot: p.root, Setpgid: true, Pdeathsig: syscall.SIGKILL}
	if os.Getuid() == 0 {
		attributes.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
		return attributes
	}
	attributes.Cloneflags = syscall.CLONE_NEWUSER
	attributes.UidMappings = []syscall.SysProcIDMap{{ContainerID: uid, HostID: os.Getuid(), Size: 1}}
	attributes.GidMappings = []syscall.SysProcIDMap{{ContainerID: gid, HostID: os.Getgid(), Size: 1}}
	return attributes
}

// Log returns what the container wrote.
func (p *Pod) Log() string { return p.log.String() }

// Ended says that the container does not run any more.
func (p *Pod) Ended() bool {
	select {
	case <-p.ended:
		return true
	default:
		return false
	}
}

// Wait waits for the end of the container, and returns the error that exec.Cmd.Wait does.
func (p *Pod) Wait() error {
	<-p.ended
	return p.err
}

// Kill ends the container at once, as a machine does that is lost.
func (p *Pod) Kill() {
	p.Signal(syscall.SIGKILL)
	<-p.ended
	p.forget()
}

// Delete ends the container as the deletion of its Pod does: it may take its grace period to finish.
func (p *Pod) Delete() error {
	p.Signal(syscall.SIGTERM)
	grace := 30 * time.Second
	if s := p.Spec.TerminationGracePeriodSeconds; s != nil {
		grace = time.Duration(*s) * time.Second
	}
	defer p.forget()
	select {
	case <-p.ended:
		return p.err
	case <-time.After(grace):
		p.Signal(syscall.SIGKILL)
		<-p.ended
		return fmt.Errorf("it did not end within its grace period of %s", grace)
	}
}

// Signal sends a signal to the container's process.
func (p *Pod) Signal(s syscall.Signal) {
	if p.cmd != nil && p.cmd.Process != nil {
		_ = p.cmd.Process.Signal(s)
	}
}

// forget takes the Pod from the API server, and with it its token's worth.
func (p *Pod) forget() {
	_ = p.node.client.Delete(context.Background(), p.Pod, client.GracePeriodSeconds(0))
}

// Ready asks the readiness probe, Live the liveness probe. A container without one is.
func (p *Pod) Ready() bool { return !p.Ended() && p.asks(p.container().ReadinessProbe) }

// Live asks the liveness probe.
func (p *Pod) Live() bool { return !p.Ended() && p.asks(p.container().LivenessProbe) }

// probes are not to be kept waiting by one another.
var probes = &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}

func (p *Pod) asks(probe *corev1.Probe) bool {
	if probe == nil {
		return true
	}
	if probe.HTTPGet == nil {
		return false
	}
	status, _ := p.Get(probe.HTTPGet.Port, probe.HTTPGet.Path, max(1, time.Duration(probe.TimeoutSeconds))*time.Second)
	return status >= 200 && status < 400
}

// Get asks the container by HTTP. The status is 0 if it does not answer in time.
func (p *Pod) Get(port intstr.IntOrString, path string, within time.Duration) (status int, body string) {
	ctx, cancel := context.WithTimeout(context.Background(), within)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+net.JoinHostPort(p.Address, p.Port(port))+path, http.NoBody)
	if err != nil {
		return 0, ""
	}
	response, err := probes.Do(request)
	if err != nil {
		return 0, ""
	}
	defer func() { _ = response.Body.Close() }()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		return 0, ""
	}
	return response.StatusCode, string(content)
}

// Port returns the number of a port of the container, which may be meant by its name.
func (p *Pod) Port(port intstr.IntOrString) string {
	for _, named := range p.container().Ports {
		if port.Type == intstr.String && named.Name == port.StrVal {
			return fmt.Sprint(named.ContainerPort)
		}
	}
	return port.String()
}

// A buffer is one that several may write to and read.
type buffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write implements io.Writer.
func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

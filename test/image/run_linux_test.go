package image

import (
	"bytes"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers"
	"github.com/mooring-dev/mooring/test/cluster"
	"github.com/mooring-dev/mooring/test/system"
)

// patience is how long the program may take on a machine that others use too.
const patience = 10 * time.Minute

// cell returns a cell that runs the image's entrypoint as the image's user.
func (i image) cell(t *testing.T, root, account string, args ...string) cell {
	t.Helper()
	user, _, _ := strings.Cut(i.config.Config.User, ":")
	id, err := strconv.Atoi(user)
	if err != nil {
		t.Fatal(err)
	}
	return cell{
		Root: root, Account: account, User: id, Args: slices.Concat(i.config.Config.Entrypoint, args),
		Env: append(slices.Clone(i.config.Config.Env), "HOME=/"), // as runtimes set it
	}
}

func speaks(t *testing.T, img image, root string) {
	probe(t)
	for _, c := range []struct{ flag, says string }{
		{"--version", img.config.Config.Labels["org.opencontainers.image.version"] + "\n"},
		{"--help", "-sync-period"},
	} {
		cmd := exec.CommandContext(t.Context(), os.Args[0])
		img.cell(t, root, "", c.flag).command(t, cmd)
		out, err := cmd.CombinedOutput()
		if err != nil || !strings.Contains(string(out), c.says) {
			t.Errorf("%s: %v, and it said\n%s\nwant %q", c.flag, err, out, c.says)
		}
	}
}

// becomesReady: it finds the API server as a pod does, by its ServiceAccount, has the rights that it is installed with and no
// others, becomes ready, works, and ends in order.
func becomesReady(t *testing.T, img image, root string) {
	probe(t)
	control := cluster.ForTest(t, cluster.Options{})
	scheme, err := controllers.NewScheme()
	if err != nil {
		t.Fatal(err)
	}
	kube, err := client.New(control.Config(), client.Options{Scheme: scheme})
	if err != nil {
		t.Fatal(err)
	}
	mountable(t, root)
	health := system.FreeAddress(t)
	c := img.cell(t, root, serviceAccount(t, kube, control.Config()),
		"--health-address="+health, "--metrics-address="+system.FreeAddress(t), "--webhook-address="+system.FreeAddress(t))
	host, port, err := net.SplitHostPort(strings.TrimPrefix(control.Config().Host, "https://"))
	if err != nil {
		t.Fatal(err)
	}
	c.Env = append(c.Env, "KUBERNETES_SERVICE_HOST="+host, "KUBERNETES_SERVICE_PORT="+port)

	// Its Secret is missing, so that it is judged without a cloud.
	account := system.ClusterConfig("aws", v1alpha1.Account{AWS: &v1alpha1.AWSAccount{Region: system.AWSRegion}}, "")
	if err := kube.Create(t.Context(), account); err != nil {
		t.Fatal(err)
	}
	p := start(t, control, c)
	p.await(t, "ready", func() bool {
		response, err := http.Get("http://" + health + "/readyz")
		if err != nil {
			return false
		}
		defer func() { _ = response.Body.Close() }()
		return response.StatusCode == http.StatusOK
	})
	p.await(t, "working", func() bool {
		return kube.Get(t.Context(), client.ObjectKeyFromObject(account), account) == nil && len(account.Status.Conditions) > 0
	})
	confined(t, child(t, p.cmd.Process.Pid), c)
	log := p.stop(t)
	for _, word := range []string{"forbidden", "read-only file system", "permission denied"} {
		if strings.Contains(log, word) {
			t.Errorf("its log says %q:\n%s", word, log)
		}
	}
}

// mountable makes the place where a ServiceAccount is mounted, as a runtime does before it makes the root read-only.
func mountable(t *testing.T, root string) {
	t.Helper()
	if err := os.Chmod(filepath.Join(root, "var/run"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(root, accountPath), 0o755); err != nil {
		t.Fatal(err)
	}
}

// A process is the program, started under the control plane's supervisor.
type process struct {
	cmd   *exec.Cmd
	log   bytes.Buffer // to be read when it has ended
	ended chan error
}

func start(t *testing.T, control *cluster.Cluster, c cell) *process {
	t.Helper()
	p := &process{cmd: control.Command(os.Args[0]), ended: make(chan error, 1)}
	p.cmd.Stdout, p.cmd.Stderr = &p.log, &p.log
	c.command(t, p.cmd)
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { p.ended <- p.cmd.Wait() }()
	t.Cleanup(func() { p.signal(syscall.SIGKILL) })
	return p
}

// signal tells the whole process group, as nobody passes signals on.
func (p *process) signal(s syscall.Signal) { _ = syscall.Kill(-p.cmd.Process.Pid, s) }

// await returns when done says so.
func (p *process) await(t *testing.T, what string, done func() bool) {
	t.Helper()
	for begun := time.Now(); !done(); {
		if time.Since(begun) > patience {
			p.signal(syscall.SIGKILL)
			t.Fatalf("not %s in %s (%v)\n%s", what, patience, <-p.ended, &p.log)
		}
		select {
		case err := <-p.ended:
			t.Fatalf("it ended before it was %s: %v\n%s", what, err, &p.log)
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// stop ends it as Kubernetes does, and returns what it said.
func (p *process) stop(t *testing.T) string {
	t.Helper()
	p.signal(syscall.SIGTERM)
	select {
	case err := <-p.ended:
		if err != nil {
			t.Errorf("on SIGTERM it ended with %v", err)
		}
	case <-time.After(patience):
		p.signal(syscall.SIGKILL)
		t.Errorf("on SIGTERM it did not end (%v)", <-p.ended)
	}
	return p.log.String()
}

// serviceAccount makes Mooring's, with the rights it is installed with, and returns a folder as Kubernetes would mount it.
func serviceAccount(t *testing.T, kube client.Client, config *rest.Config) string {
	t.Helper()
	ctx := t.Context()
	if err := system.EnsureNamespace(ctx, kube, system.Namespace); err != nil {
		t.Fatal(err)
	}
	if err := system.Grant(ctx, kube, repositoryFile(t, "config", "rbac", "role.yaml"), system.Installed); err != nil {
		t.Fatal(err)
	}
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: system.Namespace, Name: "mooring"}}
	if err := kube.Create(ctx, account); err != nil {
		t.Fatal(err)
	}
	request := &authenticationv1.TokenRequest{}
	if err := kube.SubResource("token").Create(ctx, account, request); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "account")
	for name, content := range map[string]string{"token": request.Status.Token, "ca.crt": string(config.CAData), "namespace": system.Namespace} {
		write(t, filepath.Join(dir, name), strings.NewReader(content), 0o444)
	}
	return dir
}

// child returns the process that another has started.
func child(t *testing.T, parent int) int {
	t.Helper()
	lists, err := filepath.Glob(filepath.Join("/proc", strconv.Itoa(parent), "task", "*", "children")) // one of each thread
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, list := range lists {
		content, err := os.ReadFile(list)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, strings.Fields(string(content))...)
	}
	if len(all) != 1 {
		t.Fatalf("process %d has the children %v, want one", parent, all)
	}
	pid, err := strconv.Atoi(all[0])
	if err != nil {
		t.Fatal(err)
	}
	return pid
}

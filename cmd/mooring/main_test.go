package main

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/go-logr/logr"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	logf "sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/admission"
	"github.com/mooring-dev/mooring/test/cluster"
	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/system"
)

const (
	// patience is for a machine that does everything else too.
	patience = 5 * time.Minute
	// delay is how long the creation under way goes on after SIGTERM.
	delay = 3 * time.Second
)

// TestReplicas runs two replicas of the program with the rights that they have in a cluster, and ends the
// leader in the middle of a creation.
func TestReplicas(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	// Which replica the API server would call makes no difference.
	if err := admission.Apply(t.Context(), w.Client, "https://127.0.0.1:9443"); err != nil {
		t.Fatal(err)
	}
	first := w.start(t)
	first.await(t, "leadership", first.leads)
	leader := w.leader(t)
	second := w.start(t)
	for name, r := range map[string]*replica{"first": first, "second": second} {
		r.await(t, "being ready", func() bool { return r.status("/healthz") == http.StatusOK && r.status("/readyz") == http.StatusOK })
		r.await(t, "a certificate that API servers trust", func() bool { return r.trusted(w.authorities(t)) })
		if !strings.Contains(r.metrics(), "\nleader_election_master_status{") {
			t.Errorf("the %s replica's metrics do not say whether it leads", name)
		}
	}
	if second.leads() {
		t.Error("two lead at once")
	}

	// Cloud SQL makes an instance, and says so only when it may.
	inserted, answer := make(chan struct{}), make(chan struct{})
	w.Cloud.Faults.Add(localcloud.Fault{
		Filter: localcloud.Filter{Operation: "instances.insert"}, Kind: localcloud.Latency, Times: 1,
		Hook: func(localcloud.Call) { close(inserted); <-answer },
	})
	database := w.createDatabase(t)
	select {
	case <-inserted:
	case <-time.After(patience):
		w.get(t, database)
		t.Fatalf("nothing was created: %+v", database.Status.Conditions)
	}
	first.signal(t, syscall.SIGTERM)
	select {
	case <-first.ended:
		t.Error("it did not wait for the creation under way")
	case <-time.After(delay):
	}
	if w.leader(t) != leader {
		t.Error("the lease was released before the creation under way had finished")
	}
	close(answer)
	first.finish(t)
	if w.leader(t) == leader {
		t.Error("the lease was not released, so that the second replica has to wait until it ends")
	}
	w.get(t, database)
	if database.Status.Operation == "" {
		t.Errorf("what came of the creation is not recorded: %+v", database.Status)
	}

	second.await(t, "leadership", second.leads)
	second.await(t, "a Ready database", func() bool {
		w.get(t, database)
		return meta.IsStatusConditionTrue(database.Status.Conditions, v1alpha1.ConditionReady)
	})
	if n := w.Cloud.Ledger.Count(localcloud.Filter{Operation: "instances.insert"}); n != 1 {
		t.Errorf("%d creations, want 1", n)
	}
	second.signal(t, syscall.SIGTERM)
	second.finish(t)
	if holder := w.leader(t); holder != "" {
		t.Errorf("the lease is still held, by %q", holder)
	}
}

// A fixture is a control plane, a local cloud and the program.
type fixture struct {
	*system.Environment
	program    string
	kubeconfig string // of a user with the program's rights
	pod        string // whose replicas are started; empty for none
	secrets    []corev1.Secret
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	w := &fixture{
		Environment: system.NewEnvironment(t, cluster.Options{}, localcloud.Options{ListenersOnly: true}),
	}
	var err error
	if w.program, err = program(); err != nil {
		t.Fatal(err)
	}
	w.grant(t)
	return w
}

// built is the folder of the program that all tests run.
var built string

// program builds the program, once.
var program = sync.OnceValues(func() (string, error) {
	root, err := cluster.Repository()
	if err != nil {
		return "", err
	}
	path := filepath.Join(built, "mooring")
	return path, cluster.Link(context.Background(), root, "mooring", path)
})

func TestMain(m *testing.M) {
	logf.SetLogger(logr.Discard()) // of envtest: what it has to say comes back as errors
	var err error
	if built, err = os.MkdirTemp("", "mooring-"); err != nil {
		panic(err)
	}
	code := cluster.Run(m)
	_ = os.RemoveAll(built)
	os.Exit(code)
}

// grant makes a user who has the rights of config/rbac and no other.
func (w *fixture) grant(t *testing.T) {
	t.Helper()
	const user = "replica"
	if err := system.Grant(t.Context(), w.Client, filepath.Join("..", "..", "config", "rbac", "role.yaml"), user); err != nil {
		t.Fatal(err)
	}
	kubeconfig, err := w.Cluster.UserKubeconfig(user)
	if err != nil {
		t.Fatal(err)
	}
	w.kubeconfig = filepath.Join(t.TempDir(), "kubeconfig")
	if err := os.WriteFile(w.kubeconfig, kubeconfig, 0o600); err != nil {
		t.Fatal(err)
	}
}

func (w *fixture) createDatabase(t *testing.T) *v1alpha1.Database {
	t.Helper()
	database := &v1alpha1.Database{ObjectMeta: metav1.ObjectMeta{Namespace: metav1.NamespaceDefault, Name: "orders"}}
	database.Spec.ProviderConfigRef = &v1alpha1.ProviderConfigReference{Kind: "ClusterProviderConfig", Name: "gcp"}
	database.Spec.Engine, database.Spec.Version = new(v1alpha1.EnginePostgres), new("16")
	database.Spec.Storage = &v1alpha1.DatabaseStorage{SizeGiB: new(int32(10))}
	database.Spec.GCP = &v1alpha1.DatabaseGCP{Tier: new("db-custom-1-3840")}
	w.create(t, database)
	return database
}

// leader returns who holds the lease, or "".
func (w *fixture) leader(t *testing.T) string {
	t.Helper()
	lease := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: system.Namespace, Name: "mooring-leader"}}
	w.get(t, lease)
	if lease.Spec.HolderIdentity == nil {
		return ""
	}
	return *lease.Spec.HolderIdentity
}

func (w *fixture) create(t *testing.T, object client.Object) {
	t.Helper()
	if err := w.Client.Create(t.Context(), object); err != nil {
		t.Fatal(err)
	}
}

func (w *fixture) get(t *testing.T, object client.Object) {
	t.Helper()
	if err := w.Client.Get(t.Context(), client.ObjectKeyFromObject(object), object); err != nil {
		t.Fatal(err)
	}
}

// A replica is a running program.
type replica struct {
	cmd            *exec.Cmd
	health, metric string // addresses
	webhook        string // another
	mu             sync.Mutex
	log            []string
	logged, ended  chan struct{} // closed when the log has ended, and the program
}

// start starts a replica, told by flags and by variables what to do.
func (w *fixture) start(t *testing.T, flags ...string) *replica {
	t.Helper()
	r := &replica{health: system.FreeAddress(t), metric: system.FreeAddress(t), webhook: system.FreeAddress(t), logged: make(chan struct{}), ended: make(chan struct{})}
	r.cmd = w.Cluster.Command(w.program, "--leader-elect", "--kubeconfig="+w.kubeconfig, "--health-address="+r.health, "--webhook-address="+r.webhook)
	r.cmd.Args = append(r.cmd.Args, flags...)
	r.cmd.Env = append(os.Environ(), "MOORING_METRICS_ADDRESS="+r.metric, "MOORING_SYNC_PERIOD=2s", "MOORING_POD_UID="+w.pod)
	log, input, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	r.cmd.Stdout, r.cmd.Stderr = input, input
	if err := r.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = input.Close()
	go func() {
		defer close(r.ended)
		_ = r.cmd.Wait()
	}()
	go func() {
		defer close(r.logged)
		for lines := bufio.NewScanner(log); lines.Scan(); {
			r.mu.Lock()
			r.log = append(r.log, lines.Text())
			r.mu.Unlock()
		}
	}()
	t.Cleanup(func() {
		_ = syscall.Kill(-r.cmd.Process.Pid, syscall.SIGKILL)
		<-r.ended
		<-r.logged
		_ = log.Close()
		if t.Failed() {
			t.Logf("it logged:\n%s", strings.Join(r.log, "\n"))
		}
	})
	return r
}

func (r *replica) signal(t *testing.T, s syscall.Signal) {
	t.Helper()
	if err := syscall.Kill(-r.cmd.Process.Pid, s); err != nil {
		t.Fatal(err)
	}
}

// finish returns once the replica has ended, and checks how it did, and what it logged in its life.
func (r *replica) finish(t *testing.T) {
	t.Helper()
	select {
	case <-r.ended:
	case <-time.After(patience):
		t.Fatalf("it did not end within %v", patience)
	}
	if status := r.cmd.ProcessState.ExitCode(); status != 0 {
		t.Errorf("exit status %d, want 0", status)
	}
	<-r.logged
	if len(r.log) == 0 {
		t.Error("it logged nothing")
	}
	for _, line := range r.log {
		var entry struct {
			Level, Msg string
			Time       time.Time
		}
		err := json.Unmarshal([]byte(line), &entry)
		if err != nil || entry.Level == "" || entry.Msg == "" || entry.Time.IsZero() {
			t.Errorf("no line of JSON with level, msg and time: %s", line)
		}
		if entry.Level == "error" {
			t.Errorf("it logged an error: %s", line)
		}
	}
}

// leads says whether the replica says that it is the leader.
func (r *replica) leads() bool {
	return strings.Contains(r.metrics(), fmt.Sprintf("\nleader_election_master_status{name=%q} 1\n", "mooring-leader"))
}

func (r *replica) metrics() string {
	_, body := get(r.metric, "/metrics")
	return body
}

func (r *replica) status(path string) int {
	status, _ := get(r.health, path)
	return status
}

// get returns 0 while nobody answers.
func get(address, path string) (status int, body string) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+path, http.NoBody)
	if err != nil {
		return 0, ""
	}
	response, err := http.DefaultClient.Do(request)
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

// authorities returns whom API servers trust to answer for Mooring's webhook.
func (w *fixture) authorities(t *testing.T) *x509.CertPool {
	t.Helper()
	configuration := &admissionregistrationv1.ValidatingWebhookConfiguration{ObjectMeta: metav1.ObjectMeta{Name: admission.DefaultName}}
	w.get(t, configuration)
	authorities := x509.NewCertPool()
	authorities.AppendCertsFromPEM(configuration.Webhooks[0].ClientConfig.CABundle)
	return authorities
}

// trusted says whether somebody who trusts the authorities, and calls Mooring as API servers do, has an answer.
func (r *replica) trusted(authorities *x509.CertPool) bool {
	connection, err := tls.Dial("tcp", r.webhook, &tls.Config{RootCAs: authorities, ServerName: "mooring." + system.Namespace + ".svc"})
	if err != nil {
		return false
	}
	_ = connection.Close()
	return true
}

func (r *replica) await(t *testing.T, what string, met func() bool) {
	t.Helper()
	for began := time.Now(); !met(); time.Sleep(50 * time.Millisecond) {
		select {
		case <-r.ended:
			t.Fatalf("it ended, status %d, before %s", r.cmd.ProcessState.ExitCode(), what)
		default:
		}
		if time.Since(began) > patience {
			t.Fatalf("waited %v for %s", patience, what)
		}
	}
}

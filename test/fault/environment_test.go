package fault

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/test/cluster"
	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/patience"
	"github.com/mooring-dev/mooring/test/system"
)

type wrapper = func(http.RoundTripper) http.RoundTripper

// An environment is a control plane with a local cloud, the interceptor between its managers and its API server, and a cache by which the test watches.
type environment struct {
	*system.Environment
	interceptor *interceptor
	cache       cache.Cache
	user        *rest.Config
	lifecycles  atomic.Int32
	// cluster is the cluster id; empty for the API server's own.
	cluster string
}

// Cadences of the managers here: short, so that a fault is over soon. A call times out only if it hangs, however busy the machine is.
const (
	syncPeriod = time.Second
	settle     = 200 * time.Millisecond // how long managers take the cloud to be behind at the longest
	timeout    = 5 * time.Minute        // of calls to the cloud
)

func newEnvironment(t *testing.T, co cluster.Options, lo localcloud.Options) *environment {
	t.Helper()
	if lo.Durations == (localcloud.Durations{}) {
		const short = 20 * time.Millisecond
		lo.Durations = localcloud.Durations{Create: short, Modify: short, Delete: short, Snapshot: short}
	}
	lo.InstanceQuota = -1
	return newEnvironmentOn(t, system.NewEnvironment(t, co, lo))
}

func newEnvironmentOn(t *testing.T, s *system.Environment) *environment {
	t.Helper()
	w := &environment{Environment: s, interceptor: newInterceptor()}
	var err error
	if w.user, err = w.Cluster.User(system.User, cluster.Administrators); err != nil {
		t.Fatal(err)
	}
	if w.cache, err = cache.New(w.Cluster.Config(), cache.Options{Scheme: w.Client.Scheme()}); err != nil {
		t.Fatal(err)
	}
	for _, cloud := range []string{"aws", "gcp"} { // of the accounts that the environment itself has
		l := &lifecycle{environment: w, target: system.Target{Cloud: cloud}, account: map[string]string{"aws": system.AWSAccount, "gcp": system.GCPProject}[cloud]}
		l.credentials()
		remember(l)
	}
	t.Cleanup(func() { w.verifyHidden(t) })
	go func() { _ = w.cache.Start(t.Context()) }()
	for _, o := range []client.Object{&v1alpha1.Bucket{}, &v1alpha1.Database{}, &v1alpha1.DatabaseSnapshot{}, &v1alpha1.ProviderConfig{}} {
		if _, err := w.cache.GetInformer(t.Context(), o); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

// start starts a manager for some namespaces, or for all if none is given.
func (w *environment) start(ctx context.Context, life *system.KillSwitch, timeout time.Duration, wrap wrapper, namespaces ...string) (*system.Manager, error) {
	return w.startWith(ctx, w.Drivers(life, timeout), life, wrap, namespaces...)
}

// startWith is start with drivers of the test's own.
func (w *environment) startWith(
	ctx context.Context, drivers map[string]driver.Driver, life *system.KillSwitch, wrap wrapper, namespaces ...string,
) (*system.Manager, error) {
	return w.launch(ctx, controllers.Options{Drivers: drivers}, life, wrap, namespaces...)
}

// launch is start with drivers and a clock of the test's own.
func (w *environment) launch(
	ctx context.Context, o controllers.Options, life *system.KillSwitch, wrap wrapper, namespaces ...string,
) (*system.Manager, error) {
	cfg := rest.CopyConfig(w.user)
	if wrap != nil {
		cfg.Wrap(wrap)
	}
	cfg.Wrap(w.interceptor.wrap)
	o.ClusterID, o.SyncPeriod, o.ConsistencyWindow, o.Workers = w.cluster, syncPeriod, settle, 32
	m, err := system.Start(ctx, cfg, life, o, controllers.ManagerOptions{Namespaces: namespaces})
	if err == nil {
		exposed.follow(m)
	}
	return m, err
}

// run starts a manager that lives as long as the test.
func (w *environment) run(t *testing.T, timeout time.Duration) *system.Manager {
	t.Helper()
	m, err := w.start(t.Context(), &system.KillSwitch{}, timeout, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Kill)
	return m
}

// A process runs managers for a few namespaces, one after the other: a killed one is followed by a fresh one that
// remembers nothing.
type process struct {
	start func(*system.KillSwitch) *system.Manager

	mu      sync.Mutex
	line    *system.KillSwitch
	manager *system.Manager
	next    sync.WaitGroup
}

func (w *environment) process(t *testing.T, wrap wrapper, namespaces ...string) *process {
	p := &process{line: &system.KillSwitch{}, start: func(line *system.KillSwitch) *system.Manager {
		m, err := w.start(t.Context(), line, timeout, wrap, namespaces...)
		if err != nil && t.Context().Err() == nil { // a process that is killed last needs no successor
			t.Errorf("start a manager: %v", err)
		}
		return m
	}}
	p.manager = p.start(p.line)
	t.Cleanup(func() {
		p.next.Wait()
		if p.manager != nil {
			p.manager.Kill()
		}
	})
	return p
}

// kill cuts the manager off, at once and for good, and has another started.
func (p *process) kill() {
	p.mu.Lock()
	p.line.Kill()
	p.next.Go(func() {
		defer p.mu.Unlock()
		p.manager.Kill()
		p.line = &system.KillSwitch{}
		p.manager = p.start(p.line)
	})
}

// await polls until done returns "", and fails with what it returned last.
func await(t testing.TB, what string, done func() string) {
	t.Helper()
	last := ""
	wait := patience.New()
	for ; !wait.Over(); time.Sleep(25 * time.Millisecond) {
		if last = done(); last == "" {
			return
		}
		if t.Context().Err() != nil {
			break
		}
	}
	t.Fatalf("not so after %s: %s\n%s", wait, what, last)
}

func lifecycleName(n int32) string { return fmt.Sprintf("case-%04d", n) }

package system

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	"github.com/mooring-dev/mooring/controllers"
	"github.com/mooring-dev/mooring/test/patience"
)

// Namespace is Mooring's own in tests and in the quickstart.
const Namespace = "mooring-system"

// ErrKilled is what every request of a killed manager gets.
var ErrKilled = errors.New("the manager was killed")

// KillSwitch cuts a manager off. Wrap every transport of the manager in it.
type KillSwitch struct{ dead atomic.Bool }

// Kill lets nothing through from now on.
func (l *KillSwitch) Kill() { l.dead.Store(true) }

// Wrap returns a transport that works until Kill. What was answered after Kill is not delivered.
func (l *KillSwitch) Wrap(next http.RoundTripper) http.RoundTripper {
	return RoundTripper(func(r *http.Request) (*http.Response, error) {
		if l.dead.Load() {
			return nil, ErrKilled
		}
		resp, err := next.RoundTrip(r)
		if l.dead.Load() && err == nil {
			_ = resp.Body.Close()
			return nil, ErrKilled
		}
		return resp, err
	})
}

// A RoundTripper is a function that is an http.RoundTripper.
type RoundTripper func(*http.Request) (*http.Response, error)

// RoundTrip implements http.RoundTripper.
func (f RoundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// A Manager is a running manager.
type Manager struct {
	cancel context.CancelFunc
	done   chan struct{}
	err    error // of the run, once done is closed
	kill   *KillSwitch
	// Metrics are the manager's own. Those of controller-runtime are in its registry, of all managers together.
	Metrics prometheus.Gatherer
}

// Start starts a manager and returns once its caches are filled. cfg says who it is to the API server. Where it logs
// to is for the program to say, as in cmd/mooring. Metrics are served only by a manager that serves them, and are its own else.
func Start(ctx context.Context, cfg *rest.Config, kill *KillSwitch, o controllers.Options, mo controllers.ManagerOptions) (*Manager, error) {
	cfg = rest.CopyConfig(cfg)
	if kill == nil {
		kill = &KillSwitch{}
	}
	cfg.Wrap(kill.Wrap)
	mo.Unnamed = true
	if mo.MetricsAddress == "" {
		mo.MetricsAddress = "0"
	}
	shown := prometheus.NewRegistry()
	if o.Registry == nil {
		o.Registry = shown
	}
	if mo.HealthAddress == "" {
		mo.HealthAddress = "0"
	}
	if o.Namespace == "" {
		o.Namespace = Namespace
	}
	scheme, err := controllers.NewScheme()
	if err != nil {
		return nil, err
	}
	direct, err := client.New(cfg, client.Options{Scheme: scheme})
	if err != nil {
		return nil, err
	}
	if err := EnsureNamespace(ctx, direct, o.Namespace); err != nil {
		return nil, err
	}
	if o.ClusterID, err = controllers.ClusterID(ctx, direct, o.Namespace, o.ClusterID); err != nil {
		return nil, err
	}
	mgr, err := controllers.NewManager(cfg, mo)
	if err != nil {
		return nil, err
	}
	if err := controllers.Setup(ctx, mgr, o); err != nil {
		return nil, err
	}
	running, cancel := context.WithCancel(context.WithoutCancel(ctx))
	m := &Manager{cancel: cancel, done: make(chan struct{}), kill: kill, Metrics: shown}
	go func() {
		defer close(m.done)
		m.err = mgr.Start(running)
	}()
	if !mgr.GetCache().WaitForCacheSync(ctx) {
		cancel()
		<-m.done
		return nil, fmt.Errorf("fill the caches: %w", m.err)
	}
	return m, nil
}

// Stop ends the manager as SIGTERM would: writes in flight finish first.
func (m *Manager) Stop() error {
	m.cancel()
	ctx, cancel := patience.Context(context.Background())
	defer cancel()
	select {
	case <-m.done:
		return m.err
	case <-ctx.Done():
		return fmt.Errorf("the manager does not stop: %w", context.Cause(ctx))
	}
}

// Ended reports whether the manager has ended.
func (m *Manager) Ended() bool {
	select {
	case <-m.done:
		return true
	default:
		return false
	}
}

// Kill ends the manager as SIGKILL would.
func (m *Manager) Kill() {
	m.kill.Kill()
	m.cancel()
	<-m.done
}

// EnsureNamespace makes a namespace if there is none. Who may only read namespaces can call it for one that is there.
func EnsureNamespace(ctx context.Context, c client.Client, name string) error {
	err := c.Get(ctx, client.ObjectKey{Name: name}, &corev1.Namespace{})
	if !apierrors.IsNotFound(err) {
		return err
	}
	err = c.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}})
	if apierrors.IsAlreadyExists(err) {
		return nil
	}
	return err
}

// Panics counts the reconciliations of all managers of this process that ended in a panic. controller-runtime recovers them, so they look
// like a cloud that is slow: a package of tests fails if there were any.
func Panics() (n int, err error) {
	families, err := metrics.Registry.Gather()
	if err != nil {
		return 0, fmt.Errorf("count panics: %w", err)
	}
	found := false
	for _, f := range families {
		if f.GetName() != "controller_runtime_reconcile_panics_total" {
			continue
		}
		found = true
		for _, m := range f.GetMetric() {
			n += int(m.GetCounter().GetValue())
		}
	}
	if !found {
		return 0, errors.New("count panics: there is no metric of them; did any controller run?")
	}
	return n, nil
}

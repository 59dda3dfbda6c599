package family

import (
	"context"
	"net/http"
	"path"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/mem"
	"github.com/mooring-dev/mooring/test/cluster"
	"github.com/mooring-dev/mooring/test/system"
)

const (
	account = driver.AccountID("111111111111")
	other   = driver.AccountID("222222222222")
	region  = "eu-central-1"
	shop    = "shop"
)

// clock is a cloud's clock, which stands until it is moved.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) advance() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(time.Hour)
}

// environment is a control plane, a cloud with users, and a manager.
type environment struct {
	system.Fixture
	config *rest.Config
	cloud  *mem.Cloud
	clock  *clock
	// whole is the test that the environment ends with, and manager what ends the manager that runs.
	whole   *testing.T
	manager *func()
	// lists counts the list calls of the manager that was started last.
	lists *listCalls
}

// listCalls counts list calls to the API server by the plural of what is listed.
type listCalls struct {
	mu      sync.Mutex
	started int
	calls   map[string]int
}

// begin counts anew, and returns what counts the calls of one manager.
func (l *listCalls) begin() func(http.RoundTripper) http.RoundTripper {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.started++
	l.calls = map[string]int{}
	of := l.started
	return func(next http.RoundTripper) http.RoundTripper {
		return roundTrip(func(req *http.Request) (*http.Response, error) {
			if req.Method == http.MethodGet && req.URL.Query().Get("watch") == "" {
				l.mu.Lock()
				if of == l.started {
					l.calls[path.Base(req.URL.Path)]++
				}
				l.mu.Unlock()
			}
			return next.RoundTrip(req)
		})
	}
}

func (l *listCalls) of(plural string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.calls[plural]
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

// stop ends the manager.
func (e *environment) stop() { (*e.manager)() }

func begin(t *testing.T, owned driver.Ownership) *environment {
	t.Helper()
	c := cluster.ForTest(t, cluster.Options{})
	scheme, err := controllers.NewScheme()
	if err != nil {
		t.Fatal(err)
	}
	AddToScheme(scheme)
	kube, err := client.NewWithWatch(c.Config(), client.Options{Scheme: scheme})
	if err != nil {
		t.Fatal(err)
	}
	e := &environment{clock: &clock{now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}, config: c.Config(), whole: t, manager: new(func()), lists: &listCalls{}}
	e.Fixture = system.Fixture{T: t, Environment: &system.Environment{Cluster: c, Client: kube}, Namespace: shop}
	e.cloud = mem.New(mem.Options{Now: e.clock.Now, CreateFor: time.Minute, Users: owned})
	e.Create(Definition())
	e.Must(system.EnsureNamespace(t.Context(), kube, shop))
	e.Must(system.EnsureNamespace(t.Context(), kube, system.Namespace))
	e.Create(
		&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: shop, Name: "team"}, Data: mem.Config(account, region).Credentials},
		&v1alpha1.ProviderConfig{ObjectMeta: metav1.ObjectMeta{Namespace: shop, Name: "team"}, Spec: v1alpha1.ProviderConfigSpec{
			Account:     v1alpha1.Account{AWS: &v1alpha1.AWSAccount{Region: region}},
			Credentials: v1alpha1.Credentials{SecretRef: &v1alpha1.LocalSecretReference{Name: "team"}},
		}})
	e.Eventually("the definition is served", func() bool { return kube.List(t.Context(), &UserList{}) == nil })
	e.start(nil)
	return e
}

// start starts a manager, whose driver is changed first.
func (e *environment) start(change func(driver.Driver, *system.KillSwitch) driver.Driver) *system.KillSwitch {
	e.Helper()
	cfg, kill := rest.CopyConfig(e.config), &system.KillSwitch{}
	cfg.Wrap(kill.Wrap)
	cfg.Wrap(e.lists.begin())
	mgr, err := controllers.NewManager(cfg, controllers.ManagerOptions{Unnamed: true, MetricsAddress: "0", HealthAddress: "0"})
	e.Must(err)
	AddToScheme(mgr.GetScheme())
	id, err := controllers.ClusterID(e.whole.Context(), e.Client, system.Namespace, "")
	e.Must(err)
	d := e.cloud.Driver()
	if change != nil {
		d = change(d, kill)
	}
	e.Must(controllers.Setup(e.whole.Context(), mgr, controllers.Options{
		Drivers: map[string]driver.Driver{"aws": d}, Kinds: append(kind.All(), Kind()), ClusterID: id, Namespace: system.Namespace,
		SyncPeriod: time.Second, ConsistencyWindow: 50 * time.Millisecond, Refresh: 50 * time.Millisecond, Workers: 4, Registry: prometheus.NewRegistry(),
	}))
	ctx, cancel := context.WithCancel(context.WithoutCancel(e.whole.Context()))
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = mgr.Start(ctx) // a manager that was killed ends with errors
	}()
	*e.manager = sync.OnceFunc(func() { cancel(); <-done })
	e.whole.Cleanup(*e.manager)
	return kill
}

// database makes a database.
func (e *environment) database(name string) *v1alpha1.Database {
	e.Helper()
	d := &v1alpha1.Database{ObjectMeta: metav1.ObjectMeta{Namespace: shop, Name: name}}
	d.Spec.ProviderConfigRef = &v1alpha1.ProviderConfigReference{Name: "team"}
	d.Spec.Engine, d.Spec.Version, d.Spec.DeletionPolicy = new(v1alpha1.EnginePostgres), new("16"), v1alpha1.DeletionDelete
	e.Create(d)
	return d
}

// usable makes a database, and waits until it can be used.
func (e *environment) usable(name string) *v1alpha1.Database {
	e.Helper()
	d := e.database(name)
	e.Eventually("the database is being created", func() bool {
		return e.cloud.Count(mem.Filter{Kind: mem.KindDatabase, Op: mem.OpCreate}) > 0 && e.get(d) && d.Status.ExternalName != ""
	})
	e.Eventually("the database is Ready", func() bool { e.clock.advance(); return e.is(d, v1alpha1.ConditionReady, "") })
	return d
}

// user makes a user of a database.
func (e *environment) user(database, name string, change func(*User)) *User {
	e.Helper()
	u := &User{ObjectMeta: metav1.ObjectMeta{Namespace: shop, Name: name}}
	u.Spec.DatabaseRef.Name, u.Spec.Role = database, new("reader")
	if change != nil {
		change(u)
	}
	e.Create(u)
	return u
}

// patch merges a patch into an object.
func (e *environment) patch(o client.Object, text string) {
	e.Helper()
	e.Must(e.Client.Patch(e.Context(), o, client.RawPatch(types.MergePatchType, []byte(text))))
}

// get reads an object, and reports whether it is there.
func (e *environment) get(o client.Object) bool {
	return e.Client.Get(e.Context(), client.ObjectKeyFromObject(o), o) == nil
}

// is reports whether a condition is True, with a reason if one is given.
func (e *environment) is(o v1alpha1.ResourceObject, condition string, reason v1alpha1.Reason) bool {
	if !e.get(o) {
		return false
	}
	c := meta.FindStatusCondition(o.GetConditions(), condition)
	return c != nil && c.Status == metav1.ConditionTrue && c.ObservedGeneration == o.GetGeneration() && (reason == "" || c.Reason == string(reason))
}

// said returns what the conditions say.
func said(o v1alpha1.ResourceObject) string { return system.Told(o.GetConditions()) }

// inCloud returns a user in the cloud.
func (e *environment) inCloud(d *v1alpha1.Database, name string) (mem.User, bool) {
	have, _ := mem.Databases(e.cloud).Get(account, d.Status.ExternalName)
	u, has := have.Users[name]
	return u, has
}

// gone waits until objects are gone.
func (e *environment) gone(objects ...client.Object) {
	e.Helper()
	for _, o := range objects {
		e.Eventually(o.GetName()+" is gone", func() bool { e.clock.advance(); return !e.get(o) })
	}
}

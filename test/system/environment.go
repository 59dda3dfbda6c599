package system

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/test/cluster"
	"github.com/mooring-dev/mooring/test/localcloud"
)

// Who managers are to the API server; the audit log finds their requests by it.
const (
	// User may do everything.
	User = "mooring"
	// Installed is who Mooring is where it is installed; see Environment.Install.
	Installed = "system:serviceaccount:" + Namespace + ":mooring"
)

// An Environment is a control plane and a local cloud for tests.
type Environment struct {
	Cluster *cluster.Cluster
	Cloud   *localcloud.Cloud
	// Client is an administrator's, without a cache.
	Client client.WithWatch
	// Rights are those that Mooring was installed with.
	Rights Rights

	user       *rest.Config
	namespaces []string // that managers are limited to
	// watchSecrets: managers watch the metadata of Secrets.
	watchSecrets bool
}

// NewEnvironment starts a control plane and a local cloud, with a ClusterProviderConfig for each of Providers, open to
// every namespace. All of it ends with the test.
func NewEnvironment(t testing.TB, co cluster.Options, lo localcloud.Options) *Environment {
	t.Helper()
	e := &Environment{Cluster: cluster.ForTest(t, co)}
	t.Cleanup(func() {
		if err := e.closeCloud(); err != nil {
			t.Error(err)
		}
	})
	if err := e.prepare(t.Context(), lo); err != nil {
		t.Fatal(err)
	}
	return e
}

// Main runs the tests of a package on one environment that they share, after begin has prepared it. It returns the exit status. Where
// the control plane was not built no test runs, except under CI, where that is a failure, as with cluster.ForTest.
func Main(m *testing.M, co cluster.Options, lo localcloud.Options, begin func(context.Context, *Environment) error) (status int) {
	ctx := context.Background()
	c, err := cluster.Start(ctx, co)
	if errors.Is(err, cluster.ErrNotBuilt) && os.Getenv("CI") == "" {
		fmt.Fprintln(os.Stderr, "SKIPPED, NOT TESTED:", err)
		return 0
	}
	if err == nil {
		e := &Environment{Cluster: c}
		defer func() {
			if err := errors.Join(e.closeCloud(), c.Stop()); err != nil {
				fmt.Fprintln(os.Stderr, err)
				status = max(status, 1)
			}
		}()
		if err = e.prepare(ctx, lo); err == nil {
			err = begin(ctx, e)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

// prepare starts the cloud of an environment whose control plane runs, and makes its clients and accounts.
func (e *Environment) prepare(ctx context.Context, lo localcloud.Options) error {
	scheme, err := controllers.NewScheme()
	if err != nil {
		return err
	}
	if lo.MetricDelay == 0 && lo.Now == nil {
		lo.MetricDelay = -1 // nobody waits for minutes
	}
	if e.Cloud, err = localcloud.Start(lo); err != nil {
		return err
	}
	if e.Client, err = client.NewWithWatch(e.Cluster.Config(), client.Options{Scheme: scheme}); err != nil {
		return err
	}
	if e.user, err = e.Cluster.User(User, cluster.Administrators); err != nil {
		return err
	}
	return e.Accounts(ctx)
}

func (e *Environment) closeCloud() error {
	if e.Cloud == nil {
		return nil
	}
	return e.Cloud.Close()
}

// Accounts makes the ClusterProviderConfigs of all Providers and their Secrets, where they are missing.
func (e *Environment) Accounts(ctx context.Context) error {
	if err := EnsureNamespace(ctx, e.Client, Namespace); err != nil {
		return err
	}
	for _, p := range Providers {
		for _, o := range []client.Object{
			&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: Namespace, Name: p.Name}, Data: p.Keys(e.Cloud, p.Account)},
			ClusterConfig(p.Name, p.Block(p.Account), p.Endpoint(e.Cloud)),
		} {
			if err := e.Client.Create(ctx, o); client.IgnoreAlreadyExists(err) != nil {
				return err
			}
		}
	}
	return nil
}

// ClusterConfig returns a ClusterProviderConfig for every namespace, with credentials from the Secret of the same name.
func ClusterConfig(name string, account v1alpha1.Account, endpoint string) *v1alpha1.ClusterProviderConfig {
	return &v1alpha1.ClusterProviderConfig{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: v1alpha1.ClusterProviderConfigSpec{
			Account:           account,
			Credentials:       v1alpha1.ClusterCredentials{SecretRef: &v1alpha1.LocalSecretReference{Name: name}},
			Endpoint:          endpoint,
			AllowedNamespaces: &metav1.LabelSelector{},
			DirectUse:         true,
		},
	}
}

// Config returns who managers that start from now on are to the API server.
func (e *Environment) Config() *rest.Config { return rest.CopyConfig(e.user) }

// TrustCluster makes the cloud know the environment's API server as an issuer of tokens, by the keys that it shows. Which
// ServiceAccounts lead where is for roles and pools to say.
func (e *Environment) TrustCluster(ctx context.Context) (issuer string, err error) {
	api, err := discovery.NewDiscoveryClientForConfig(e.Cluster.Config())
	if err != nil {
		return "", err
	}
	var shown struct {
		Issuer string `json:"issuer"`
	}
	raw, err := api.RESTClient().Get().AbsPath("/.well-known/openid-configuration").DoRaw(ctx)
	if err == nil {
		err = json.Unmarshal(raw, &shown)
	}
	if err != nil {
		return "", fmt.Errorf("read who the API server is as an issuer: %w", err)
	}
	raw, err = api.RESTClient().Get().AbsPath("/openid/v1/jwks").DoRaw(ctx)
	if err != nil {
		return "", fmt.Errorf("read the issuer's keys: %w", err)
	}
	keys, err := localcloud.ParseJWKS(raw)
	if err != nil {
		return "", fmt.Errorf("read the issuer's keys: %w", err)
	}
	e.Cloud.TrustIssuer(shown.Issuer, keys...)
	return shown.Issuer, nil
}

// Drivers returns drivers whose calls pass through a kill switch, and go to the environment's cloud also from
// namespaced ProviderConfigs, which can't name an endpoint.
func (e *Environment) Drivers(kill *KillSwitch, callTimeout time.Duration) map[string]driver.Driver {
	transport := kill.Wrap(http.DefaultTransport.(*http.Transport).Clone())
	drivers := map[string]driver.Driver{}
	for _, p := range Providers {
		drivers[p.Name] = p.Driver(e.Cloud, transport, callTimeout)
	}
	return drivers
}

// StartManager starts a manager in the environment. Of o, the zero values of Drivers, SyncPeriod, Workers and ConsistencyWindow are filled
// with ones that suit tests. wrap, if not nil, wraps the transport to the API server, outside the kill switch.
func (e *Environment) StartManager(t testing.TB, o controllers.Options, wrap func(http.RoundTripper) http.RoundTripper) *Manager {
	t.Helper()
	kill := &KillSwitch{}
	if o.Drivers == nil {
		o.Drivers = e.Drivers(kill, 5*time.Minute) // only a call that hangs times out
	}
	if o.SyncPeriod == 0 {
		o.SyncPeriod = 2 * time.Second
	}
	if o.Workers == 0 {
		o.Workers = 16
	}
	if o.ConsistencyWindow == 0 {
		o.ConsistencyWindow = 300 * time.Millisecond
	}
	o.WatchSecrets = o.WatchSecrets || e.watchSecrets
	cfg := e.Config()
	if wrap != nil {
		cfg.Wrap(wrap)
	}
	m, err := Start(t.Context(), cfg, kill, o, controllers.ManagerOptions{Namespaces: e.namespaces, Lease: o.Lease})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Kill)
	return m
}

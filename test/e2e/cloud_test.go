package e2e

import (
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/test/system"
)

// cloud returns one cloud of the environment.
func (w *fixture) cloud(name string) *system.Cloud {
	c := *w.of.clouds[name]
	return &c
}

// alone returns a cloud with an account that no other test has, so that all calls in it are this test's.
func (w *fixture) alone(name string) *system.Cloud {
	w.Helper()
	c := w.cloud(name)
	if c.Account = w.Namespace; name == "aws" {
		c.Account = fmt.Sprintf("%012d", w.number)
	}
	w.lend(c, w.Namespace)
	return c
}

// lend makes a ClusterProviderConfig that leads to the cloud's account, and has the cloud use it.
func (w *fixture) lend(c *system.Cloud, config string) {
	w.Helper()
	c.Config = config
	w.account(c)
	w.Cleanup(func() {
		for _, o := range []client.Object{
			&v1alpha1.ClusterProviderConfig{ObjectMeta: metav1.ObjectMeta{Name: config}},
			&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: system.Namespace, Name: config}},
		} {
			if err := w.Client.Delete(suite.Context(), o); err != nil {
				w.Error(err)
			}
		}
	})
}

// account makes the cloud's ClusterProviderConfig and its Secret.
func (w *fixture) account(c *system.Cloud) {
	w.Helper()
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: system.Namespace, Name: c.Config}, Data: c.Keys()}
	w.Must(w.Client.Create(w.Context(), secret))
	config := system.ClusterConfig(c.Config, c.AccountSpec(), c.Endpoint())
	if c.Name == "aws" { // RDS reports no authorities
		config.Spec.DatabaseCAConfigMapRef = w.authorities(c, system.Namespace, c.Config)
	}
	w.Must(w.Client.Create(w.Context(), config))
}

// authorities makes a ConfigMap with those of RDS.
func (w *fixture) authorities(c *system.Cloud, namespace, name string) *v1alpha1.ConfigMapKeyReference {
	w.Helper()
	text, err := c.RDSAuthorities()
	w.Must(err)
	held := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}, Data: map[string]string{"bundle.pem": text}}
	w.Must(w.Client.Create(w.Context(), held))
	return &v1alpha1.ConfigMapKeyReference{Name: name, Key: "bundle.pem"}
}

// onEach runs a test in each cloud, beside all others.
func onEach(t *testing.T, test func(*fixture, *system.Cloud)) {
	t.Parallel()
	for _, p := range providersFor(t) {
		t.Run(p.Name, func(t *testing.T) {
			w := newFixture(t)
			test(w, w.cloud(p.Name))
		})
	}
}

// providersFor returns the clouds that a test runs in: all of them, or one where Mooring is limited to namespaces, since its rights and its
// caches there do not depend on the cloud.
func providersFor(t *testing.T) []system.Provider {
	if suiteOf(t).limited {
		return system.Providers[:1]
	}
	return system.Providers
}

// onEachAlone runs a test in each cloud, one after the other and beside no other test: it looks at all that the controller does.
func onEachAlone(t *testing.T, test func(*fixture, *system.Cloud)) {
	for _, p := range providersFor(t) {
		t.Run(p.Name, func(t *testing.T) {
			w := newSerialFixture(t)
			test(w, w.cloud(p.Name))
		})
	}
}

// someoneElses is another cluster's mark.
func someoneElses() map[string]string {
	return driver.Mark{Cluster: "other-cluster", Namespace: "shop", Name: "orders", UID: "u1"}.Labels()
}

package admission

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"testing"
	"time"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
)

const home = "mooring-system"

var began = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// A cluster is an API server, and a clock.
type cluster struct {
	client client.WithWatch
	clock  *clocktesting.FakeClock
}

func newCluster() *cluster {
	return &cluster{client: fake.NewClientBuilder().Build(), clock: clocktesting.NewFakeClock(began)}
}

func (c *cluster) replica() *rotator {
	return &rotator{client: c.client, reader: c.client, namespace: home, name: DefaultName, names: names(home, DefaultName), clock: c.clock}
}

// configure makes the configuration, with two webhooks.
func (c *cluster) configure(t *testing.T) {
	t.Helper()
	configuration := &admissionregistrationv1.ValidatingWebhookConfiguration{ObjectMeta: metav1.ObjectMeta{Name: DefaultName}}
	for _, name := range []string{"a.mooring.dev", "b.mooring.dev"} {
		configuration.Webhooks = append(configuration.Webhooks, admissionregistrationv1.ValidatingWebhook{Name: name})
	}
	if err := c.client.Create(t.Context(), configuration); err != nil {
		t.Fatal(err)
	}
}

func (c *cluster) secret(t *testing.T) *corev1.Secret {
	t.Helper()
	secret := &corev1.Secret{}
	if err := c.client.Get(t.Context(), client.ObjectKey{Namespace: home, Name: SecretName}, secret); err != nil {
		t.Fatal(err)
	}
	return secret
}

// bundle returns what the API servers trust.
func (c *cluster) bundle(t *testing.T) []byte {
	t.Helper()
	configuration := &admissionregistrationv1.ValidatingWebhookConfiguration{}
	if err := c.client.Get(t.Context(), client.ObjectKey{Name: DefaultName}, configuration); err != nil {
		t.Fatal(err)
	}
	bundle := configuration.Webhooks[0].ClientConfig.CABundle
	if !bytes.Equal(bundle, configuration.Webhooks[1].ClientConfig.CABundle) {
		t.Error("the webhooks trust different authorities")
	}
	return bundle
}

// call is a handshake of an API server with a replica.
func (c *cluster) call(t *testing.T, r *rotator) error {
	t.Helper()
	served, err := r.get(nil)
	if err != nil {
		return err
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(c.bundle(t))
	for _, name := range []string{"mooring.mooring-system.svc", "127.0.0.1"} {
		if _, err := served.Leaf.Verify(x509.VerifyOptions{DNSName: name, Roots: roots, CurrentTime: c.clock.Now()}); err != nil {
			return err
		}
	}
	return nil
}

func look(t *testing.T, r *rotator, want time.Duration) {
	t.Helper()
	next, err := r.look(t.Context())
	if err != nil || next != want {
		t.Errorf("%v, %v; want the next look in %v", next, err, want)
	}
}

func TestFirstStart(t *testing.T) {
	c := newCluster()
	r := c.replica()
	if _, err := r.get(nil); !errors.Is(err, errUncertified) {
		t.Errorf("%v, want errUncertified", err)
	}
	look(t, r, lookSoon) // nobody calls yet
	c.configure(t)
	look(t, r, lookEvery)
	if err := c.call(t, r); err != nil {
		t.Error(err)
	}
	secret := c.secret(t)
	if secret.Type != corev1.SecretTypeTLS {
		t.Errorf("type %q", secret.Type)
	}
	if _, err := tls.X509KeyPair(secret.Data["tls.crt"], secret.Data["tls.key"]); err != nil {
		t.Error(err)
	}
}

// Converged, a look writes nothing.
func TestSilence(t *testing.T) {
	c := newCluster()
	c.configure(t)
	r := c.replica()
	look(t, r, lookEvery)
	c.client = interceptor.NewClient(c.client, writes(func() error { t.Error("a write"); return nil }))
	look(t, r, lookEvery)
	another := c.replica()
	look(t, another, lookEvery)
	if another.serving.Load().Leaf.SerialNumber.Cmp(r.serving.Load().Leaf.SerialNumber) != 0 {
		t.Error("two replicas have different certificates")
	}
}

// writes calls before for each write.
func writes(before func() error) interceptor.Funcs {
	return interceptor.Funcs{
		Create: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.CreateOption) error {
			if err := before(); err != nil {
				return err
			}
			return c.Create(ctx, o, opts...)
		},
		Update: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.UpdateOption) error {
			if err := before(); err != nil {
				return err
			}
			return c.Update(ctx, o, opts...)
		},
		Patch: func(ctx context.Context, c client.WithWatch, o client.Object, p client.Patch, opts ...client.PatchOption) error {
			if err := before(); err != nil {
				return err
			}
			return c.Patch(ctx, o, p, opts...)
		},
	}
}

// Through several renewals no call fails, whichever replica looks when.
func TestRenewal(t *testing.T) {
	c := newCluster()
	c.configure(t)
	replicas := []*rotator{c.replica(), c.replica(), c.replica()}
	next, told := make([]time.Time, len(replicas)), make([]time.Time, len(replicas))
	for i, r := range replicas {
		r.serves = func(until time.Time) { told[i] = until }
	}
	serials := map[string]bool{}
	most := 0
	for range 3 {
		for until := c.clock.Now().Add(2 * 24 * time.Hour); c.clock.Now().Before(until); {
			first := 0
			for i := range replicas {
				if next[i].Before(next[first]) {
					first = i
				}
			}
			if wait := next[first].Sub(c.clock.Now()); wait > 0 {
				c.clock.Step(wait)
			}
			in, err := replicas[first].look(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			next[first] = c.clock.Now().Add(in + time.Duration(first)*time.Second)
			for i, r := range replicas {
				if r.serving.Load() == nil {
					continue // not started yet
				}
				if err := c.call(t, r); err != nil {
					t.Fatalf("replica %d after %v: %v", i, c.clock.Since(began), err)
				}
				leaf := r.serving.Load().Leaf
				if !told[i].Equal(leaf.NotAfter) {
					t.Fatalf("replica %d serves what is valid until %v, and told %v", i, leaf.NotAfter, told[i])
				}
				serials[leaf.SerialNumber.String()] = true
			}
			trusted, err := decode(c.bundle(t))
			if err != nil {
				t.Fatal(err)
			}
			most = max(most, len(trusted))
		}
		c.clock.Step(57*24*time.Hour + 23*time.Hour) // in which nothing happens
	}
	if len(serials) != 3 {
		t.Errorf("%d certificates, want 3", len(serials))
	}
	if most != 2 {
		t.Errorf("%d authorities were trusted at once, want 2", most)
	}
}

// A certificate of which a third is left is renewed, and no earlier; trusted first, and served later.
func TestRenewalStepByStep(t *testing.T) {
	c := newCluster()
	c.configure(t)
	r := c.replica()
	look(t, r, lookEvery)
	first := c.secret(t).Data["tls.crt"]
	c.clock.Step(59 * 24 * time.Hour)
	look(t, r, lookEvery)
	if !bytes.Equal(c.secret(t).Data["tls.crt"], first) {
		t.Fatal("it was renewed too early")
	}
	c.clock.Step(48 * time.Hour)
	before := r.serving.Load()
	look(t, r, lookSoon)
	if bytes.Equal(c.secret(t).Data["tls.crt"], first) {
		t.Fatal("it was not renewed")
	}
	if trusted, err := decode(c.bundle(t)); err != nil || len(trusted) != 2 {
		t.Errorf("%d authorities are trusted, %v; want the old and the new one", len(trusted), err)
	}
	if r.serving.Load() != before {
		t.Error("it is served before it is known to be trusted")
	}
	look(t, r, lookEvery)
	if r.serving.Load() == before {
		t.Error("it is not served")
	}
	if err := c.call(t, r); err != nil {
		t.Error(err)
	}
}

func TestUntrustedIsNotServed(t *testing.T) {
	c := newCluster()
	c.configure(t)
	r := c.replica()
	look(t, r, lookEvery)
	before, healthy := r.serving.Load(), r.client
	c.clock.Step(61 * 24 * time.Hour)
	denied := apierrors.NewForbidden(admissionregistrationv1.Resource("validatingwebhookconfigurations"), DefaultName, nil)
	r.client = interceptor.NewClient(c.client, interceptor.Funcs{
		Patch: func(context.Context, client.WithWatch, client.Object, client.Patch, ...client.PatchOption) error {
			return denied
		},
	})
	for range 3 {
		if next, err := r.look(t.Context()); !apierrors.IsForbidden(err) || next != lookSoon {
			t.Errorf("%v, %v; want the denial, and another look soon", next, err)
		}
	}
	if r.serving.Load() != before {
		t.Error("what nobody trusts is served")
	}
	r.client = healthy
	look(t, r, lookSoon)
	look(t, r, lookEvery)
	if r.serving.Load() == before {
		t.Error("what is trusted is not served")
	}
}

// Two replicas that start at once end up with one certificate.
func TestRace(t *testing.T) {
	c := newCluster()
	c.configure(t)
	faster, slower := c.replica(), c.replica()
	raced := false
	slower.client = interceptor.NewClient(c.client, writes(func() error {
		if !raced {
			raced = true
			look(t, faster, lookEvery)
		}
		return nil
	}))
	look(t, slower, lookEvery)
	if !raced || !bytes.Equal(faster.serving.Load().Leaf.Raw, slower.serving.Load().Leaf.Raw) {
		t.Error("two replicas have different certificates")
	}
	for _, r := range []*rotator{faster, slower} {
		if err := c.call(t, r); err != nil {
			t.Error(err)
		}
	}
}

func TestDamage(t *testing.T) {
	for name, damage := range map[string]func(*corev1.Secret){
		"empty":          func(s *corev1.Secret) { s.Data = nil },
		"no authorities": func(s *corev1.Secret) { delete(s.Data, "ca.crt") },
		"garbage":        func(s *corev1.Secret) { s.Data["ca.crt"] = []byte("-"); s.Data["tls.crt"] = []byte("x") },
		"another's key": func(s *corev1.Secret) {
			other, _ := newCertificate(names(home, DefaultName), began, nil)
			s.Data["tls.key"] = other.key
		},
		"another's authority": func(s *corev1.Secret) {
			other, _ := newCertificate(names(home, DefaultName), began, nil)
			s.Data["ca.crt"] = other.authorities
		},
		"for another namespace": func(s *corev1.Secret) {
			other, _ := newCertificate(names("other", DefaultName), began, nil)
			s.Data = data(other)
		},
		"expired": func(s *corev1.Secret) {
			other, _ := newCertificate(names(home, DefaultName), began.Add(-100*24*time.Hour), nil)
			s.Data = data(other)
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := newCluster()
			c.configure(t)
			look(t, c.replica(), lookEvery)
			secret := c.secret(t)
			damage(secret)
			if err := c.client.Update(t.Context(), secret); err != nil {
				t.Fatal(err)
			}
			r := c.replica()
			look(t, r, lookEvery)
			if err := c.call(t, r); err != nil {
				t.Error(err)
			}
		})
	}
}

func data(c *certificate) map[string][]byte {
	return map[string][]byte{"tls.crt": c.cert, "tls.key": c.key, "ca.crt": c.authorities}
}

package identity

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"math/big"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
)

// certificate returns the PEM of a certificate authority.
func certificate(t *testing.T, name string) string {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, NotAfter: time.Now().Add(time.Hour), IsCA: true}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
}

func configMap(namespace string, data map[string]string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "rds-ca"}, Data: data}
}

func TestValidateBundle(t *testing.T) {
	one, two := certificate(t, "one"), certificate(t, "two")
	block := func(kind string) string {
		return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: []byte("canary")}))
	}
	for _, test := range []struct{ name, text, want, problem string }{
		{"one", one, one, ""},
		{"two, and words between them", "# the first\n" + one + "\n# the second\r\n" + two + "end", one + two, ""},
		{"nothing", "", "", "no certificate"},
		{"words", "ask the platform team", "", "no certificate"},
		{"a private key beside it", one + block("PRIVATE KEY"), "", `"PRIVATE KEY"`},
		{"no certificate at all", block("CERTIFICATE"), "", "can't be parsed"},
		{"too much", one + strings.Repeat("\n", longestBundle), "", "256 KiB"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, problem := validateBundle(test.text)
			if got != test.want || !strings.Contains(problem, test.problem) || (problem == "") != (test.problem == "") {
				t.Errorf("got %d bytes and %q, want %d bytes and %q", len(got), problem, len(test.want), test.problem)
			}
			if strings.Contains(problem, "canary") {
				t.Error("the problem tells of the contents")
			}
		})
	}
}

// The authorities come from the config's own side, the first who asks reads them, and from then on the reconciler does. What is lost or spoiled later
// leaves the last good ones.
func TestAuthoritiesOfAConfig(t *testing.T) {
	one, two := certificate(t, "one"), certificate(t, "two")
	named := teamConfig()
	named.Spec.DatabaseCAConfigMapRef = &v1alpha1.ConfigMapKeyReference{Name: "rds-ca"}
	held := configMap("shop", map[string]string{"ca.crt": one})
	h := newFixture(t, named, keys("shop", "keys", "111"), held, configMap(system, map[string]string{"ca.crt": two}))
	users, warned := 1, ""
	r := h.Reconciler(ReconcilerOptions{Kind: KindProviderConfig, Check: 10 * time.Minute, Users: shopUsers(&users),
		Warn: func(_ client.Object, reason, message string) { warned += reason + ": " + message + "\n" }})
	expect := func(when, want string, wantKnown bool) {
		t.Helper()
		conn, err := h.Connect(t.Context(), team)
		if err != nil {
			t.Fatal(err)
		}
		if got, known := conn.DatabaseCA(t.Context()); got != want || known != wantKnown {
			t.Errorf("%s: got %q, known %t", when, got, known)
		}
	}
	reconciled := func(says string) {
		t.Helper()
		_, err := r.Reconcile(t.Context(), reconcile.Request{NamespacedName: client.ObjectKeyFromObject(named)})
		cfg := teamConfig()
		if err = errors.Join(err, h.Client.Get(t.Context(), client.ObjectKeyFromObject(cfg), cfg)); err != nil {
			t.Fatal(err)
		}
		ready := cfg.Status.Conditions[0]
		if ready.Status != metav1.ConditionTrue || !strings.Contains(ready.Message, says) || says == "" && strings.Contains(ready.Message, "CA") {
			t.Errorf("got %+v, want it to be Ready, and to say %q", ready, says)
		}
	}
	expect("at first", one, true)
	edit(h, held, func(c *corev1.ConfigMap) { c.Data["ca.crt"] = two })
	expect("before the config is reconciled", one, true)
	reconciled("")
	expect("afterwards", two, true)
	edit(h, held, func(c *corev1.ConfigMap) { c.Data = map[string]string{"other": one} })
	reconciled("has no key ca.crt; add it. Until then connection Secrets keep")
	expect("spoiled", two, true)
	h.remove(held)
	reconciled("there is no ConfigMap rds-ca in namespace shop; create it")
	expect("lost", two, true)
	if want := v1alpha1.EventDatabaseCAUnusable; strings.Count(warned, want) != 2 {
		t.Errorf("warned of %q, want two of %s", warned, want)
	}
	h.restart()
	expect("lost, and Mooring began anew", "", false)
	edit(h, named, func(c *v1alpha1.ProviderConfig) { c.Spec.DatabaseCAConfigMapRef = nil })
	expect("no longer wanted", "", true)
}

// The authorities of a platform's config are in Mooring's own namespace.
func TestAuthoritiesOfAPlatform(t *testing.T) {
	one := certificate(t, "one")
	cfg := platformConfig(func(c *v1alpha1.ClusterProviderConfigSpec) {
		c.DatabaseCAConfigMapRef = &v1alpha1.ConfigMapKeyReference{Name: "rds-ca", Key: "all.pem"}
	})
	h := newFixture(t, cfg, keys(system, "keys", "111"), configMap("shop", map[string]string{"all.pem": "a thief's"}), configMap(system, map[string]string{"all.pem": one}))
	conn, err := h.Connect(t.Context(), platform)
	if err != nil {
		t.Fatal(err)
	}
	if got, known := conn.DatabaseCA(t.Context()); !bytes.Equal([]byte(got), []byte(one)) || !known {
		t.Errorf("got %q, known %t", got, known)
	}
}

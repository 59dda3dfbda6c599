package identity

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
)

// Whom the cloud is told that a connection is for, and who shares one.
func TestTenants(t *testing.T) {
	roles := []v1alpha1.AssumeRole{{RoleARN: "arn:aws:iam::555555555555:role/mooring"}}
	shop := driver.Tenant{Namespace: "shop", NamespaceUID: "uid-of-shop"}
	bakery := driver.Tenant{Namespace: "bakery", NamespaceUID: "uid-of-bakery"}
	teams := teamConfig()
	teams.Spec.Credentials.AssumeRoles = roles
	for _, tt := range []struct {
		name   string
		config client.Object
		uses   []Request
		want   []driver.Tenant
	}{
		{"a platform's Secret", platformConfig(nil), []Request{in("shop"), in("bakery")}, []driver.Tenant{{}}},
		{"a platform's ambient identity", platformConfig(func(c *v1alpha1.ClusterProviderConfigSpec) {
			c.Credentials.SecretRef, c.Credentials.Ambient = nil, &v1alpha1.AmbientCredentials{}
		}), []Request{in("shop"), in("bakery")}, []driver.Tenant{{}}},
		{"roles from a platform's Secret", platformConfig(func(c *v1alpha1.ClusterProviderConfigSpec) {
			c.Credentials.AssumeRoles = roles
		}), []Request{in("shop"), in("bakery"), in("shop")}, []driver.Tenant{shop, bakery}},
		{"web identities", webPlatform(), []Request{in("shop"), in("bakery"), in("shop")}, []driver.Tenant{shop, bakery}},
		{"a team's Secret", teamConfig(), []Request{team, team}, []driver.Tenant{{}}},
		{"roles from a team's Secret", teams, []Request{team, team}, []driver.Tenant{shop}},
		{"a team's web identity", webTeam(), []Request{team, team}, []driver.Tenant{shop}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := newFixture(t, tt.config, keys("shop", "keys", "111"), keys(system, "keys", "222"),
				serviceAccount("shop", "true"), serviceAccount("bakery", "true"), serviceAccount(system, "true"))
			conns := map[*Connection]bool{}
			for _, use := range tt.uses {
				conn, err := h.Connect(t.Context(), use)
				if err != nil {
					t.Fatal(err)
				}
				conns[conn] = true
			}
			var got []driver.Tenant
			for _, cfg := range h.cloud.with {
				if cfg.Tenant.ProviderConfig != tt.config.GetName() {
					t.Errorf("the config is called %q", cfg.Tenant.ProviderConfig)
				}
				cfg.Tenant.ProviderConfig = ""
				got = append(got, cfg.Tenant)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" || len(conns) != len(tt.want) {
				t.Errorf("%d connections, tenants (-want +got):\n%s", len(conns), diff)
			}
		})
	}
}

// A namespace that is made anew under the same name is another tenant, even where a cache still shows the old one leaving.
func TestANamespaceMadeAnewIsAnotherTenant(t *testing.T) {
	for name, cached := range map[string]bool{"seen": false, "not seen yet": true} {
		t.Run(name, func(t *testing.T) {
			h := newFixture(t, webPlatform(), serviceAccount("shop", "true"))
			before, err := h.Connect(t.Context(), platform)
			if err != nil {
				t.Fatal(err)
			}
			h.remove(namespace("shop", nil))
			other := namespace("shop", nil)
			other.UID = "another"
			h.put(other)
			if cached {
				old := namespace("shop", nil)
				old.DeletionTimestamp = &metav1.Time{Time: h.now}
				h.Client = lateNamespace{h.Client, old}
			}
			after, err := h.Connect(t.Context(), platform)
			if err != nil {
				t.Fatal(err)
			}
			if got := h.cloud.with[len(h.cloud.with)-1].Tenant.NamespaceUID; after == before || got != "another" {
				t.Errorf("the new one is taken for %q", got)
			}
		})
	}
}

// lateNamespace is a client whose cache shows a namespace as it was.
type lateNamespace struct {
	client.Client
	old *corev1.Namespace
}

func (l lateNamespace) Get(ctx context.Context, key client.ObjectKey, into client.Object, opts ...client.GetOption) error {
	if ns, ok := into.(*corev1.Namespace); ok {
		l.old.DeepCopyInto(ns)
		return nil
	}
	return l.Client.Get(ctx, key, into, opts...)
}

// Steps of a chain are part of the identity.
func TestAnotherChainIsAnotherIdentity(t *testing.T) {
	h := newFixture(t, webTeam(), serviceAccount("shop", "true"))
	before, err := h.Connect(t.Context(), team)
	if err != nil {
		t.Fatal(err)
	}
	edit(h, webTeam(), func(c *v1alpha1.ProviderConfig) {
		c.Spec.Credentials.AssumeRoles = []v1alpha1.AssumeRole{{RoleARN: "arn:aws:iam::666666666666:role/other", ExternalID: "shop"}}
	})
	after, err := h.Connect(t.Context(), team)
	if err != nil {
		t.Fatal(err)
	}
	if got := h.cloud.with[len(h.cloud.with)-1].Chain.AssumeRoles; after == before || len(got) != 1 {
		t.Errorf("opened with %v", got)
	}
}

// What is remembered is bounded, and what was used last stays.
func TestPoolIsBounded(t *testing.T) {
	var p pool
	now := time.Unix(0, 0)
	key := func(i int) connKey { return connKey{namespace: fmt.Sprint(i)} }
	first := p.entry(key(0), now)
	for i := range maxConnections {
		p.entry(key(i+1), now)
		if p.entry(key(0), now) != first {
			t.Fatalf("the one in use is dropped after %d others", i)
		}
	}
	if len(p.all) != maxConnections || p.order.Len() != maxConnections {
		t.Errorf("%d remembered, %d in order", len(p.all), p.order.Len())
	}
	if _, there := p.all[key(1)]; there {
		t.Error("another was dropped than the one that was used first")
	}
	p.entry(key(5), now.Add(maxIdle-1))
	if p.entry(key(0), now.Add(maxIdle)) == first {
		t.Error("an idle one is remembered")
	}
	if len(p.all) != 2 {
		t.Errorf("%d remembered of 2 that were used within the hour", len(p.all))
	}
}

// Who holds a connection that is dropped works on with it.
func TestADroppedConnectionWorks(t *testing.T) {
	h := newFixture(t, webPlatform(), serviceAccount("shop", "true"))
	conn, err := h.Connect(t.Context(), platform)
	if err != nil {
		t.Fatal(err)
	}
	h.now = h.now.Add(maxIdle)
	next, err := h.Connect(t.Context(), platform)
	if err != nil || next == conn {
		t.Fatalf("an idle connection is remembered: %v", err)
	}
	conn.ReloadCredentials()
	if id, err := conn.Account(t.Context()); id != signedIn || err != nil {
		t.Errorf("account %q, %v", id, err)
	}
}

package identity

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
)

// retainedOfPlatform returns the platform's private copy; nil if there is none.
func (h *fixture) retainedOfPlatform() map[string][]byte {
	h.t.Helper()
	data, err := h.protector.copies.read(h.t.Context(), &config{object: webPlatform()})
	if err != nil {
		h.t.Fatal(err)
	}
	return data
}

// reconcilePlatform lets the platform's config, which has users in these namespaces, be reconciled, and returns it.
func (h *fixture) reconcilePlatform(namespaces ...string) *v1alpha1.ClusterProviderConfig {
	h.t.Helper()
	users := map[string]int{}
	for _, ns := range namespaces {
		users[ns]++
	}
	r := h.Reconciler(ReconcilerOptions{Kind: KindClusterProviderConfig, Check: time.Minute,
		Users: func(context.Context, Key) (map[string]int, error) { return users, nil }})
	if _, err := r.Reconcile(h.t.Context(), reconcile.Request{NamespacedName: client.ObjectKey{Name: "platform"}}); err != nil {
		h.t.Fatal(err)
	}
	cfg := &v1alpha1.ClusterProviderConfig{}
	if err := h.Client.Get(h.t.Context(), client.ObjectKey{Name: "platform"}, cfg); err != nil {
		h.t.Fatal(err)
	}
	return cfg
}

func (h *fixture) protect(use Request) {
	h.t.Helper()
	if err := h.Protect(h.t.Context(), use.Key, use.Namespace); err != nil {
		h.t.Fatal(err)
	}
}

// What is retained for a deletion: one token of a team's config, one a namespace of a platform's, and nothing is done twice.
func TestProtectRetainsTokens(t *testing.T) {
	for _, tt := range []struct {
		name string
		uses []Request
		want []string
	}{
		{"a team's", []Request{team, team}, []string{"token"}},
		{"a platform's", []Request{in("shop"), in("bakery"), in("shop")}, []string{"token.bakery", "token.shop"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := newFixture(t, webTeam(), webPlatform(), serviceAccount("shop", "true"), serviceAccount("bakery", "true"))
			for range 2 {
				for _, use := range tt.uses {
					h.protect(use)
				}
			}
			cfg, err := h.configs.load(t.Context(), h.Client, tt.uses[0].Key)
			if err != nil {
				t.Fatal(err)
			}
			data, err := h.protector.copies.read(t.Context(), cfg)
			if got := slices.Sorted(maps.Keys(data)); err != nil || !slices.Equal(got, tt.want) || !hasFinalizer(cfg) {
				t.Errorf("kept %v, %v", got, err)
			}
			for _, k := range retainedTokens(cfg, data) {
				if left := k.expires.Sub(h.now); left != time.Hour || !strings.Contains(k.value, secretValue) {
					t.Errorf("a token that is good for %v", left)
				}
			}
			if n := len(tt.want); len(h.takeIssued()) != n || h.writes != n+1 {
				t.Errorf("%d writes", h.writes)
			}
		})
	}
}

// Nothing is created that could not be deleted: without a token there is no protection, and no finalizer.
func TestProtectNeedsAToken(t *testing.T) {
	h := newFixture(t, webPlatform())
	if err := h.Protect(t.Context(), platform.Key, "shop"); reasonOf(err) != v1alpha1.ReasonCredentialsNotFound || h.writes != 0 {
		t.Errorf("held without a ServiceAccount: %v, %d writes", err, h.writes)
	}
	h.put(serviceAccount("shop", "true"))
	h.issuer.leaving = "shop"
	if err := h.Protect(t.Context(), platform.Key, "shop"); reasonOf(err) != v1alpha1.ReasonCredentialsNotFound || h.writes != 1 {
		t.Errorf("held in a namespace that is leaving: %v, %d writes", err, h.writes)
	}
}

// What was retained for a namespace is not good enough for the one that comes after it.
func TestProtectRetainsATokenOfANamespaceMadeAnew(t *testing.T) {
	h := newFixture(t, webPlatform(), serviceAccount("shop", "true"))
	h.protect(platform)
	h.remove(namespace("shop", nil))
	other := namespace("shop", nil)
	other.UID = "another"
	h.put(other)
	retained := string(h.retainedOfPlatform()["token.shop"])
	if h.protect(platform); string(h.retainedOfPlatform()["token.shop"]) == retained {
		t.Error("the token is the old one's")
	}
}

// While the renewer requests tokens one after the other, a namespace may be made anew and an object in it protected. The token of the one
// before must not take the place of that one's: another process could not tell them apart, and a deletion would be stuck with it.
func TestRenewalKeepsATokenOfANamespaceMadeAnew(t *testing.T) {
	h := newFixture(t, webPlatform(), serviceAccount("bakery", "true"), serviceAccount("shop", "true"))
	h.protect(in("bakery"))
	h.protect(in("shop"))
	h.reconcilePlatform("bakery", "shop")
	h.takeIssued()
	h.now = h.now.Add(40 * time.Minute)
	var newest string
	h.issuer.before = func() {
		if len(h.issuer.issued) != 1 { // bakery has its token, and shop's is next
			return
		}
		h.issuer.before = nil
		h.remove(namespace("bakery", nil))
		successor := namespace("bakery", nil)
		successor.UID = "another"
		h.put(successor)
		h.now = h.now.Add(time.Minute)
		h.protect(in("bakery"))
		newest = string(h.retainedOfPlatform()["token.bakery"])
	}
	h.reconcilePlatform("bakery", "shop")
	if got := string(h.retainedOfPlatform()["token.bakery"]); got != newest || newest == "" {
		t.Errorf("the copy has another token than that of the namespace that is there, which is issued: %t", newest != "")
	}
	if n := len(h.takeIssued()); n != 3 {
		t.Errorf("%d tokens were issued, want one for each namespace that there was", n)
	}
}

// A deletion finds its way with the retained token, also in a new process, whatever became of the ServiceAccount. Nothing
// else does, once that is seen.
func TestDeletionsUseTheRetainedToken(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(*fixture)
		want   v1alpha1.Reason // of the refusal that the living get
	}{
		{"nothing happened", func(*fixture) {}, ""},
		{"the ServiceAccount is gone", func(h *fixture) { h.remove(serviceAccount("shop", "")) }, v1alpha1.ReasonCredentialsNotFound},
		{"it may not be used any more", func(h *fixture) {
			edit(h, serviceAccount("shop", ""), func(a *corev1.ServiceAccount) { a.Annotations = nil })
		}, v1alpha1.ReasonDenied},
		{"it is of somebody else's making, without consent", func(h *fixture) {
			h.remove(serviceAccount("shop", ""))
			h.put(serviceAccount("shop", ""))
		}, v1alpha1.ReasonDenied},
	} {
		for name, restarted := range map[string]bool{"": false, ", and a new process": true} {
			t.Run(tt.name+name, func(t *testing.T) {
				h := newFixture(t, webPlatform(), serviceAccount("shop", "true"))
				h.protect(platform)
				tt.change(h)
				if restarted {
					h.restart()
				}
				h.now = h.now.Add(50 * time.Minute)
				for range 2 { // whoever comes first
					if err := h.signIn(platform); reasonOf(err) != tt.want || (err == nil) != (tt.want == "") {
						t.Errorf("the living: %v", err)
					}
					if err := h.signIn(toDelete(platform)); err != nil {
						t.Errorf("a deletion: %v", err)
					}
				}
			})
		}
	}
}

// In a namespace that is being deleted the ServiceAccount may be there, and get no tokens.
func TestDeletionsInATerminatingNamespaceUseTheRetainedToken(t *testing.T) {
	h := newFixture(t, webPlatform(), serviceAccount("shop", "true"))
	h.protect(platform)
	h.restart()
	h.issuer.leaving = "shop"
	if err := h.signIn(toDelete(platform)); err != nil {
		t.Fatal(err)
	}
	if got := h.cloud.tokens[0]; got != string(h.retainedOfPlatform()["token.shop"]) {
		t.Errorf("signed in with %q", got)
	}
}

// What the retained token is not good for, and what is said then.
func TestTheRetainedTokenHasLimits(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(*fixture)
		says   string
	}{
		{"it has expired", func(h *fixture) { h.now = h.now.Add(time.Hour) }, "the token that was stored for deletions has expired"},
		{"it is of another ServiceAccount", func(h *fixture) {
			edit(h, webPlatform(), func(c *v1alpha1.ClusterProviderConfig) { c.Spec.Credentials.WebIdentity.ServiceAccountName = "other" })
		}, "no ServiceAccount other"},
		{"it is of another namespace", func(h *fixture) {
			edit(h, h.secretOfPlatform(), func(s *corev1.Secret) {
				s.Data = map[string][]byte{"token.bakery": s.Data["token.shop"]}
			})
		}, "no ServiceAccount cloud"},
		{"it is another's in its place", func(h *fixture) {
			edit(h, h.secretOfPlatform(), func(s *corev1.Secret) {
				s.Data["token.shop"] = []byte(mint(h.t, 9, claims{Subject: "system:serviceaccount:bakery:cloud", Audience: []string{audience}, Expires: 1e12}))
			})
		}, "no ServiceAccount cloud"},
		{"it is for somebody else", func(h *fixture) {
			edit(h, h.secretOfPlatform(), func(s *corev1.Secret) {
				s.Data["token.shop"] = []byte(mint(h.t, 9, claims{Subject: "system:serviceaccount:shop:cloud", Audience: []string{"vault"}, Expires: 1e12}))
			})
		}, "no ServiceAccount cloud"},
		{"it is no token", func(h *fixture) {
			edit(h, h.secretOfPlatform(), func(s *corev1.Secret) { s.Data["token.shop"] = []byte("a.b.c") })
		}, "no ServiceAccount cloud"},
		{"it is gone", func(h *fixture) { h.remove(h.secretOfPlatform()) }, "no ServiceAccount cloud"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := newFixture(t, webPlatform(), serviceAccount("shop", "true"))
			h.protect(platform)
			h.remove(serviceAccount("shop", ""))
			h.restart()
			tt.change(h)
			_, err := h.Connect(t.Context(), toDelete(platform))
			if reasonOf(err) != v1alpha1.ReasonCredentialsNotFound || !strings.Contains(err.Error(), tt.says) || strings.Contains(err.Error(), secretValue) {
				t.Errorf("got %v", err)
			}
		})
	}
}

// secretOfPlatform is the private copy, to be read or deleted.
func (h *fixture) secretOfPlatform() *corev1.Secret {
	return newCopy(system, &config{object: webPlatform()}, nil)
}

// A session that is open goes on when no token is left: it may outlast them all.
func TestAnOpenSessionOutlastsItsToken(t *testing.T) {
	h := newFixture(t, webPlatform(), serviceAccount("shop", "true"))
	h.protect(platform)
	if err := h.signIn(toDelete(platform)); err != nil {
		t.Fatal(err)
	}
	h.remove(serviceAccount("shop", ""))
	for range 4 {
		h.now = h.now.Add(20 * time.Minute)
		if err := h.signIn(toDelete(platform)); err != nil {
			t.Errorf("the deletion: %v", err)
		}
	}
	if _, err := h.cloud.with[0].Host.Token(t.Context(), audience); driver.CodeOf(err) != driver.Denied || !strings.Contains(err.Error(), "expired") {
		t.Errorf("another session: %v", err)
	}
}

// Kept tokens are renewed at half their life by the config's reconciliations, in one write, and by a new process too. A reconciliation
// in which none is old writes nothing, and asks for nothing.
func TestRetainedTokensAreRenewed(t *testing.T) {
	for name, restarted := range map[string]bool{"one process": false, "a new process": true} {
		t.Run(name, func(t *testing.T) {
			h := newFixture(t, webPlatform(), serviceAccount("shop", "true"), serviceAccount("bakery", "true"))
			h.protect(in("shop"))
			h.protect(in("bakery"))
			h.reconcilePlatform("shop", "bakery")
			retained := h.retainedOfPlatform()
			h.takeIssued()
			if restarted {
				h.restart()
			}
			h.now = h.now.Add(29 * time.Minute)
			before := h.writes
			h.reconcilePlatform("shop", "bakery")
			if diff := cmp.Diff(retained, h.retainedOfPlatform()); diff != "" || h.writes != before {
				t.Errorf("after 29 minutes: %d writes, %s", h.writes-before, diff)
			}
			h.takeIssued() // to sign in, in a new process
			h.now = h.now.Add(time.Minute)
			h.reconcilePlatform("shop", "bakery")
			for _, key := range []string{"token.shop", "token.bakery"} {
				if again := h.retainedOfPlatform()[key]; len(again) == 0 || string(again) == string(retained[key]) {
					t.Errorf("after 30 minutes %s is as old", key)
				}
			}
			if h.writes != before+1 {
				t.Errorf("%d writes", h.writes-before)
			}
		})
	}
}

// A renewal that is not possible now fails nothing, and takes away nothing.
func TestARenewalFailsNothing(t *testing.T) {
	for name, change := range map[string]func(*fixture){
		"no answer":                func(h *fixture) { h.issuer.down = errors.New("connection refused") },
		"a leaving namespace":      func(h *fixture) { h.issuer.leaving = "shop" },
		"no ServiceAccount":        func(h *fixture) { h.remove(serviceAccount("shop", "")) },
		"a copy that nobody reads": func(h *fixture) { h.secretsDown = errors.New("connection refused") },
	} {
		t.Run(name, func(t *testing.T) {
			h := newFixture(t, webPlatform(), serviceAccount("shop", "true"))
			h.protect(platform)
			before := h.reconcilePlatform("shop")
			retained := h.retainedOfPlatform()
			h.now = h.now.Add(40 * time.Minute)
			change(h)
			after := h.reconcilePlatform("shop")
			if h.secretsDown = nil; !cmp.Equal(retained, h.retainedOfPlatform()) {
				t.Error("the retained token is another")
			}
			if got := after.Status.Conditions[0]; got.Status != "True" || before.Status.Conditions[0].Status != "True" {
				t.Errorf("the config: %+v", got)
			}
		})
	}
}

// A tenant's token goes with its last user, and the copy with the last of all.
func TestRetainedTokensGoWithTheirUsers(t *testing.T) {
	h := newFixture(t, webPlatform(), serviceAccount("shop", "true"), serviceAccount("bakery", "true"))
	h.protect(in("shop"))
	h.protect(in("bakery"))
	keys := func() []string { return slices.Sorted(maps.Keys(h.retainedOfPlatform())) }
	h.reconcilePlatform("shop", "bakery")
	if diff := cmp.Diff([]string{"token.bakery", "token.shop"}, keys()); diff != "" {
		t.Fatal(diff)
	}
	h.reconcilePlatform("bakery")
	if diff := cmp.Diff([]string{"token.bakery"}, keys()); diff != "" {
		t.Error(diff)
	}
	h.protect(in("shop")) // comes back
	if diff := cmp.Diff([]string{"token.bakery", "token.shop"}, keys()); diff != "" {
		t.Error(diff)
	}
	h.reconcilePlatform()
	if got := h.retainedOfPlatform(); got != nil {
		t.Errorf("kept for nobody: %v", keys())
	}
}

// Who came since the users were counted keeps the token.
func TestDroppingATokenCountsAgain(t *testing.T) {
	h := newFixture(t, webPlatform(), serviceAccount("shop", "true"), serviceAccount("bakery", "true"))
	h.protect(in("shop"))
	h.protect(in("bakery"))
	cfg, err := h.configs.load(t.Context(), h.Client, platform.Key)
	if err != nil {
		t.Fatal(err)
	}
	counted := 0
	h.renewer.renewTokens(t.Context(), cfg, func() (map[string]int, error) {
		if counted++; counted == 1 {
			return map[string]int{"bakery": 1}, nil
		}
		return map[string]int{"bakery": 1, "shop": 1}, nil
	})
	if got := slices.Sorted(maps.Keys(h.retainedOfPlatform())); counted < 2 || len(got) != 2 {
		t.Errorf("kept %v after counting %d times", got, counted)
	}
}

// A config that is led from a Secret to a web identity retains tokens from then on, for who may use it, and the other
// way round.
func TestTheCopyFollowsTheConfig(t *testing.T) {
	gold := map[string]string{"tier": "gold"}
	h := newFixture(t, platformConfig(nil), keys(system, "keys", "111"), namespace("shop", gold),
		serviceAccount("shop", "true"), serviceAccount("bakery", "true"))
	h.protect(platform)
	edit(h, platformConfig(nil), func(c *v1alpha1.ClusterProviderConfig) {
		c.Spec.Credentials = webPlatform().Spec.Credentials
		c.Spec.AllowedNamespaces.MatchLabels = gold
	})
	h.reconcilePlatform("shop", "bakery")
	if got := slices.Sorted(maps.Keys(h.retainedOfPlatform())); !slices.Equal(got, []string{"token.shop"}) {
		t.Errorf("kept %v", got)
	}
	edit(h, platformConfig(nil), func(c *v1alpha1.ClusterProviderConfig) { c.Spec.Credentials = platformConfig(nil).Spec.Credentials })
	h.protect(platform)
	want := []string{v1alpha1.SecretKeyAWSAccessKeyID, v1alpha1.SecretKeyAWSSecretAccessKey}
	if got := slices.Sorted(maps.Keys(h.retainedOfPlatform())); !slices.Equal(got, want) {
		t.Errorf("kept %v", got)
	}
}

// One Secret holds what all deletions of a config need. What does not fit is refused before it is needed.
func TestTheCopyHasALimit(t *testing.T) {
	h := newFixture(t, webPlatform(), serviceAccount("shop", "true"), serviceAccount("bakery", "true"))
	h.protect(in("shop"))
	edit(h, h.secretOfPlatform(), func(s *corev1.Secret) { s.Data["token.others"] = make([]byte, maxCopy) })
	if err := h.Protect(t.Context(), platform.Key, "bakery"); reasonOf(err) != v1alpha1.ReasonQuotaExceeded {
		t.Errorf("held: %v", err)
	}
	h.now = h.now.Add(31 * time.Minute)
	h.reconcilePlatform("shop", "others")
	if k := retainedTokens(&config{key: platform.Key}, h.retainedOfPlatform())["shop"]; !k.issued.Equal(h.now) {
		t.Errorf("who is in is not renewed since %v", k.issued)
	}
}

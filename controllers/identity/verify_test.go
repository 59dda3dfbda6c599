package identity

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
)

// What a platform's config says of itself where each namespace has an identity of its own: one tenant's fault is not the
// config's.
func TestReconcilerVerifiesThroughTenants(t *testing.T) {
	denied := &driver.Error{Code: driver.Denied, Op: "AssumeRole", Message: "not welcome"}
	silent := &driver.Error{Code: driver.Unavailable, Op: "AssumeRole", Message: "no answer"}
	roles := platformConfig(func(c *v1alpha1.ClusterProviderConfigSpec) {
		c.Credentials.AssumeRoles = []v1alpha1.AssumeRole{{RoleARN: "arn:aws:iam::555555555555:role/mooring"}}
	})
	nobodys := webPlatform()
	nobodys.Spec.AllowedNamespaces = nonsense().Spec.AllowedNamespaces
	for _, tt := range []struct {
		name     string
		config   *v1alpha1.ClusterProviderConfig
		objects  []client.Object
		users    []string
		identity error // the cloud's answer
		refuse   error // the driver's
		want     v1alpha1.Reason
		account  string
		says     string
	}{
		{name: "no users", want: v1alpha1.ReasonReady, says: "once a namespace uses it"},
		{name: "no users, and nonsense", config: nobodys, want: v1alpha1.ReasonInvalid, says: "allowedNamespaces"},
		{name: "no users, and the driver refuses it", refuse: &driver.Error{Code: driver.Invalid, Op: "open", Message: "no such role"},
			want: v1alpha1.ReasonCredentialsInvalid, says: "no such role"},
		{name: "no users, and no Secret to begin with", config: roles, want: v1alpha1.ReasonCredentialsNotFound, says: "no Secret keys"},
		{name: "no users, and a Secret", config: roles, objects: []client.Object{keys(system, "keys", "111")},
			want: v1alpha1.ReasonReady, says: "once a namespace uses it"},
		{name: "a user", users: []string{"shop"}, objects: []client.Object{serviceAccount("shop", "true")},
			want: v1alpha1.ReasonReady, account: "555", says: "account 555"},
		{name: "a user by roles", config: roles, users: []string{"shop"}, objects: []client.Object{keys(system, "keys", "111")},
			want: v1alpha1.ReasonReady, account: "111", says: "account 111"},
		{name: "users by roles without a Secret", config: roles, users: []string{"shop", "bakery"},
			want: v1alpha1.ReasonCredentialsNotFound, says: "no Secret keys"},
		{name: "a user without a ServiceAccount", users: []string{"shop"}, want: v1alpha1.ReasonReady, says: "once a namespace uses it"},
		{name: "a user without a ServiceAccount, and another", users: []string{"bakery", "shop"},
			objects: []client.Object{serviceAccount("bakery", ""), serviceAccount("shop", "true")}, want: v1alpha1.ReasonReady, account: "555"},
		{name: "the cloud refuses all", users: []string{"shop"}, objects: []client.Object{serviceAccount("shop", "true")},
			identity: denied, want: v1alpha1.ReasonDenied, says: "not welcome"},
		{name: "the cloud does not answer", users: []string{"shop"}, objects: []client.Object{serviceAccount("shop", "true")},
			identity: silent, want: v1alpha1.ReasonRetrying, says: "no answer"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.config == nil {
				tt.config = webPlatform()
			}
			h := newFixture(t, append(tt.objects, tt.config.DeepCopy())...)
			h.cloud.identity, h.cloud.refuse = tt.identity, tt.refuse
			cfg := h.reconcilePlatform(tt.users...)
			ready := cfg.Status.Conditions[0]
			if ready.Reason != string(tt.want) || (ready.Status == "True") != (tt.want == v1alpha1.ReasonReady) || !strings.Contains(ready.Message, tt.says) {
				t.Errorf("%+v", ready)
			}
			if cfg.Status.AccountID != tt.account {
				t.Errorf("account %q", cfg.Status.AccountID)
			}
			before := h.writes
			h.reconcilePlatform(tt.users...)
			if h.writes != before {
				t.Errorf("%d writes although nothing changed", h.writes-before)
			}
		})
	}
}

// The account is remembered when the last tenant is gone.
func TestTheLastKnownAccountStays(t *testing.T) {
	h := newFixture(t, webPlatform(), serviceAccount("shop", "true"))
	h.reconcilePlatform("shop")
	if got := h.reconcilePlatform().Status.AccountID; got != "555" {
		t.Errorf("account %q", got)
	}
}

// To look whether a config still leads to its account takes no new session: the one that there is is asked for until it ends.
func TestReconcilerGoesByTheSessionThereIs(t *testing.T) {
	h := newFixture(t, webTeam(), serviceAccount("shop", "true"))
	one := 1
	r := h.Reconciler(ReconcilerOptions{Kind: KindProviderConfig, Check: 10 * time.Minute, Users: shopUsers(&one)})
	for range 5 {
		_, err := r.Reconcile(t.Context(), reconcile.Request{NamespacedName: client.ObjectKey{Namespace: "shop", Name: "team"}})
		cfg := webTeam()
		if err = errors.Join(err, h.Client.Get(t.Context(), client.ObjectKeyFromObject(cfg), cfg)); err != nil {
			t.Fatal(err)
		}
		if cfg.Status.Conditions[0].Status != "True" || len(h.cloud.with) != 1 {
			t.Errorf("%+v, and %d connections were opened, want one", cfg.Status.Conditions[0], len(h.cloud.with))
		}
		h.now = h.now.Add(r.Check)
	}
}

// A cloud that refuses an identity is asked again less and less often, however many objects want to know.
func TestRefusedIdentityIsAskedSeldom(t *testing.T) {
	asked, now := 0, time.Unix(0, 0)
	conn := &Connection{Session: identified{ask: func(context.Context) (driver.AccountID, error) {
		asked++
		return "", &driver.Error{Code: driver.Denied, Op: "GetCallerIdentity", Message: "not welcome"}
	}}, now: func() time.Time { return now }, longest: 5 * time.Minute}
	for end := now.Add(24 * time.Hour); now.Before(end); now = now.Add(15 * time.Second) {
		for range 3 {
			if _, err := conn.Account(t.Context()); driver.CodeOf(err) != driver.Denied {
				t.Fatalf("got %v", err)
			}
		}
	}
	if asked < 24*60/5 || asked > 24*60/5+15 {
		t.Errorf("asked %d times in a day", asked)
	}
}

// What keeps a config from being used is told once, and again if it changes.
func TestReconcilerWarnsOnce(t *testing.T) {
	h := newFixture(t, webTeam())
	one, told := 1, 0
	r := h.Reconciler(ReconcilerOptions{Kind: KindProviderConfig, Check: 10 * time.Minute, Users: shopUsers(&one),
		Warn: func(o client.Object, reason, message string) {
			if told++; o.GetName() != "team" || reason == "" || message == "" {
				t.Errorf("told of %s: %q %q", o.GetName(), reason, message)
			}
		}})
	for range 3 {
		if _, err := r.Reconcile(t.Context(), reconcile.Request{NamespacedName: client.ObjectKey{Namespace: "shop", Name: "team"}}); err != nil {
			t.Fatal(err)
		}
		h.now = h.now.Add(time.Hour)
	}
	if told != 1 {
		t.Errorf("told %d times", told)
	}
}

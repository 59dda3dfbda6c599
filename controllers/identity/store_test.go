package identity

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/mem"
)

const (
	system      = "mooring-system"
	secretValue = "canary-5d1f"
	// Where those end up who come with a token, and for whom it has to be.
	signedIn = driver.AccountID("555")
	audience = "sts.amazonaws.com"
)

// opened is a driver whose accounts are the access keys' ids, or signedIn for all who come with a token, and that
// remembers what it was opened with.
type opened struct {
	with     []driver.Opening
	tokens   []string
	refuse   error  // returned by Open
	identity error  // returned by Identity
	asked    func() // is called by Identity
	public   []string
	quotas   func(kinds []string) ([]driver.QuotaUsage, error) // nil for a session that tells none
}

func (o *opened) Open(_ context.Context, cfg driver.Opening) (driver.Session, error) {
	o.with = append(o.with, cfg)
	if o.refuse != nil {
		return nil, o.refuse
	}
	account := driver.AccountID(cfg.Credentials[v1alpha1.SecretKeyAWSAccessKeyID])
	session := identified{ask: func(ctx context.Context) (driver.AccountID, error) {
		if o.asked != nil {
			o.asked()
		}
		if cfg.Chain.WebIdentity == nil {
			return account, o.identity
		}
		token, err := cfg.Host.Token(ctx, audience)
		if err != nil {
			return "", err
		}
		o.tokens = append(o.tokens, token)
		return signedIn, o.identity
	}}
	if o.quotas != nil {
		return telling{session, o.quotas}, nil
	}
	return session, nil
}

// telling is a session that also tells of quotas.
type telling struct {
	identified
	quotas func(kinds []string) ([]driver.QuotaUsage, error)
}

func (t telling) Quotas(_ context.Context, kinds []string) ([]driver.QuotaUsage, error) {
	return t.quotas(kinds)
}

// identified is a session that says who it is, and nothing else.
type identified struct {
	driver.Session
	ask func(context.Context) (driver.AccountID, error)
}

func (i identified) Identity(ctx context.Context) (driver.AccountID, error) { return i.ask(ctx) }

// described is a driver that is registered under a name, and describes itself as that cloud.
type described struct {
	*opened
	name string
}

func (d described) Describe() driver.Description {
	description := mem.Describe(d.name)
	description.Secret.Public = d.public
	return description
}

func (described) Check(string, driver.Draft) ([]driver.Refusal, error) { return nil, nil }

func (described) Preview(string, json.RawMessage, json.RawMessage, driver.Applied) ([]driver.Change, error) {
	return nil, nil
}

// A fixture is a store, and all that it stands on.
type fixture struct {
	*Store
	Options
	t       *testing.T
	cloud   *opened
	now     time.Time
	mu      sync.Mutex // of the counters
	secrets int        // how many Secrets were read
	// secretsDown is the answer to all who read one; nil if they are answered.
	secretsDown error
	writes      int
	before      func() // is called before each write
	issuer      issuer
}

// count adds to one of the counters.
func (h *fixture) count(n *int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	*n++
}

func newFixture(t *testing.T, objects ...client.Object) *fixture {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := errors.Join(clientgoscheme.AddToScheme(scheme), v1alpha1.AddToScheme(scheme)); err != nil {
		t.Fatal(err)
	}
	h := &fixture{t: t, cloud: &opened{}, before: func() {}, now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
	for _, name := range []string{"shop", "bakery"} {
		if !slices.ContainsFunc(objects, func(o client.Object) bool { return o.GetName() == name && o.GetNamespace() == "" }) {
			objects = append(objects, namespace(name, nil))
		}
	}
	c := fake.NewClientBuilder().WithScheme(scheme).WithObjects(objects...).
		WithStatusSubresource(&v1alpha1.ProviderConfig{}, &v1alpha1.ClusterProviderConfig{}).
		WithInterceptorFuncs(interceptor.Funcs{
			Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, obj client.Object, opts ...client.GetOption) error {
				switch obj.(type) {
				case *corev1.Secret:
					h.count(&h.secrets)
					if h.secretsDown != nil {
						return h.secretsDown
					}
				case *corev1.ServiceAccount:
					if h.issuer.down != nil {
						return h.issuer.down
					}
				}
				return c.Get(ctx, key, obj, opts...)
			},
			List: func(ctx context.Context, c client.WithWatch, list client.ObjectList, opts ...client.ListOption) error {
				if _, ok := list.(*corev1.SecretList); ok {
					t.Error("Secrets were listed")
				}
				return c.List(ctx, list, opts...)
			},
			Create: func(ctx context.Context, c client.WithWatch, obj client.Object, opts ...client.CreateOption) error {
				h.before()
				h.count(&h.writes)
				return c.Create(ctx, obj, opts...)
			},
			Update: func(ctx context.Context, c client.WithWatch, obj client.Object, opts ...client.UpdateOption) error {
				h.before()
				h.count(&h.writes)
				return c.Update(ctx, obj, opts...)
			},
			Patch: func(ctx context.Context, c client.WithWatch, obj client.Object, p client.Patch, opts ...client.PatchOption) error {
				h.before()
				h.count(&h.writes)
				return c.Patch(ctx, obj, p, opts...)
			},
			SubResourceCreate: h.issue,
		}).Build()
	h.Options = Options{
		Client: c, Reader: c, Drivers: map[string]driver.Driver{"aws": described{h.cloud, "aws"}, "gcp": described{h.cloud, "gcp"}},
		Namespace: system, Refresh: time.Minute, Now: func() time.Time { return h.now },
	}
	h.restart()
	return h
}

func (h *fixture) put(o client.Object) {
	h.t.Helper()
	if err := h.Client.Create(h.t.Context(), o); err != nil {
		h.t.Fatal(err)
	}
}

func (h *fixture) remove(o client.Object) {
	h.t.Helper()
	if err := h.Client.Delete(h.t.Context(), o); err != nil {
		h.t.Fatal(err)
	}
}

// edit changes an object that is there.
func edit[T client.Object](h *fixture, o T, change func(T)) {
	h.t.Helper()
	err := h.Client.Get(h.t.Context(), client.ObjectKeyFromObject(o), o)
	if err == nil {
		change(o)
		err = h.Client.Update(h.t.Context(), o)
	}
	if err != nil {
		h.t.Fatal(err)
	}
}

// copied returns the credentials that are kept for a deletion by the team's config, nil if there are none.
func (h *fixture) copied() map[string]string {
	h.t.Helper()
	retained := &corev1.Secret{}
	err := h.Reader.Get(h.t.Context(), client.ObjectKey{Namespace: system, Name: copyName(&config{object: teamConfig()})}, retained)
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		h.t.Fatal(err)
	}
	all := map[string]string{}
	for k, v := range retained.Data {
		all[k] = string(v)
	}
	return all
}

func namespace(name string, labels map[string]string) *corev1.Namespace {
	return &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID("uid-of-" + name), Labels: labels}}
}

// shopUsers counts so many users in the namespace shop.
func shopUsers(n *int) func(context.Context, Key) (map[string]int, error) {
	return func(context.Context, Key) (map[string]int, error) {
		if *n == 0 {
			return nil, nil
		}
		return map[string]int{"shop": *n}, nil
	}
}

func keys(namespace, name, account string) *corev1.Secret {
	return &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
		Data: map[string][]byte{
			v1alpha1.SecretKeyAWSAccessKeyID:     []byte(account),
			v1alpha1.SecretKeyAWSSecretAccessKey: []byte(secretValue),
		},
	}
}

func teamConfig() *v1alpha1.ProviderConfig {
	c := &v1alpha1.ProviderConfig{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "team", UID: "uid-team"}}
	c.Spec.AWS = &v1alpha1.AWSAccount{Region: "eu-central-1"}
	c.Spec.Credentials.SecretRef = &v1alpha1.LocalSecretReference{Name: "keys"}
	return c
}

func platformConfig(change func(*v1alpha1.ClusterProviderConfigSpec)) *v1alpha1.ClusterProviderConfig {
	c := &v1alpha1.ClusterProviderConfig{ObjectMeta: metav1.ObjectMeta{Name: "platform", UID: "uid-platform"}}
	c.Spec.AWS = &v1alpha1.AWSAccount{Region: "eu-central-1"}
	c.Spec.Credentials.SecretRef = &v1alpha1.LocalSecretReference{Name: "keys"}
	c.Spec.AllowedNamespaces, c.Spec.DirectUse = &metav1.LabelSelector{}, true
	if change != nil {
		change(&c.Spec)
	}
	return c
}

// nonsense is a platform's config whose selector can't be understood.
func nonsense() *v1alpha1.ClusterProviderConfig {
	return platformConfig(func(c *v1alpha1.ClusterProviderConfigSpec) {
		c.AllowedNamespaces.MatchExpressions = []metav1.LabelSelectorRequirement{{Key: "a", Operator: "Near"}}
	})
}

var (
	team     = Request{Key: Key{Kind: KindProviderConfig, Namespace: "shop", Name: "team"}, Namespace: "shop"}
	platform = Request{Key: Key{Kind: KindClusterProviderConfig, Name: "platform"}, Namespace: "shop"}
)

func reasonOf(err error) v1alpha1.Reason {
	if refusal, ok := errors.AsType[*ValidationError](err); ok {
		return refusal.Reason
	}
	return ""
}

// A reference has no namespace of its own: what a tenant may write can't lead out of the tenant's namespace.
func TestKeyOf(t *testing.T) {
	for _, tt := range []struct {
		ref  v1alpha1.ProviderConfigReference
		want Key
	}{
		{v1alpha1.ProviderConfigReference{Name: "a"}, Key{KindProviderConfig, "shop", "a"}},
		{v1alpha1.ProviderConfigReference{Kind: KindProviderConfig, Name: "bank/a"}, Key{KindProviderConfig, "shop", "bank/a"}},
		{v1alpha1.ProviderConfigReference{Kind: KindClusterProviderConfig, Name: "a"}, Key{KindClusterProviderConfig, "", "a"}},
		{v1alpha1.ProviderConfigReference{Kind: "Secret", Name: "a"}, Key{KindProviderConfig, "shop", "a"}},
	} {
		if got := KeyOf(&tt.ref, "shop"); got != tt.want {
			t.Errorf("%+v is %+v, want %+v", tt.ref, got, tt.want)
		}
	}
}

// Who may use what: everything else is refused with a reason, and a sentence that says what to do.
func TestConnectRefuses(t *testing.T) {
	bound, deleting := platform, platform
	bound.Bound, deleting.Deleting = true, true
	selector := func(s metav1.LabelSelector) func(*v1alpha1.ClusterProviderConfigSpec) {
		return func(c *v1alpha1.ClusterProviderConfigSpec) { c.AllowedNamespaces = &s }
	}
	gold := metav1.LabelSelector{MatchLabels: map[string]string{"tier": "gold"}}
	shop, goldShop := namespace("shop", nil), namespace("shop", map[string]string{"tier": "gold"})
	leaving := platformConfig(nil)
	leaving.Finalizers, leaving.DeletionTimestamp = []string{v1alpha1.FinalizerInUse}, &metav1.Time{Time: time.Unix(1, 0)}
	halfKeys := keys("shop", "keys", "111")
	delete(halfKeys.Data, v1alpha1.SecretKeyAWSSecretAccessKey)
	emptyKeys := keys("shop", "keys", "")
	for _, tt := range []struct {
		name    string
		objects []client.Object
		use     Request
		want    v1alpha1.Reason
	}{
		{"a team's config", []client.Object{teamConfig(), keys("shop", "keys", "111")}, team, ""},
		{"no such config", nil, team, v1alpha1.ReasonProviderConfigNotFound},
		{"no such cluster config", nil, platform, v1alpha1.ReasonProviderConfigNotFound},
		{"a config of another namespace", []client.Object{teamConfig(), keys("shop", "keys", "111")},
			Request{Key: KeyOf(&v1alpha1.ProviderConfigReference{Name: "team"}, "bank"), Namespace: "bank"}, v1alpha1.ReasonProviderConfigNotFound},
		{"no Secret", []client.Object{teamConfig()}, team, v1alpha1.ReasonCredentialsNotFound},
		{"a Secret of another namespace", []client.Object{teamConfig(), keys(system, "keys", "111")}, team, v1alpha1.ReasonCredentialsNotFound},
		{"a Secret without a key", []client.Object{teamConfig(), halfKeys}, team, v1alpha1.ReasonCredentialsNotFound},
		{"a Secret with an empty key", []client.Object{teamConfig(), emptyKeys}, team, v1alpha1.ReasonCredentialsNotFound},

		{"a platform's config", []client.Object{platformConfig(nil), keys(system, "keys", "111"), shop}, platform, ""},
		{"a platform's Secret is in Mooring's namespace", []client.Object{platformConfig(nil), keys("shop", "keys", "111"), shop}, platform, v1alpha1.ReasonCredentialsNotFound},
		{"unset allowedNamespaces allow none", []client.Object{platformConfig(func(c *v1alpha1.ClusterProviderConfigSpec) { c.AllowedNamespaces = nil }), keys(system, "keys", "111"), shop},
			platform, v1alpha1.ReasonProviderConfigNotAllowed},
		{"selected", []client.Object{platformConfig(selector(gold)), keys(system, "keys", "111"), goldShop}, platform, ""},
		{"not selected", []client.Object{platformConfig(selector(gold)), keys(system, "keys", "111"), shop}, platform, v1alpha1.ReasonProviderConfigNotAllowed},
		{"no longer selected", []client.Object{platformConfig(selector(gold)), keys(system, "keys", "111"), shop}, bound, v1alpha1.ReasonProviderConfigNotAllowed},
		{"no longer selected, and deleted", []client.Object{platformConfig(selector(gold)), keys(system, "keys", "111"), shop}, deleting, ""},
		{"not for direct use", []client.Object{platformConfig(func(c *v1alpha1.ClusterProviderConfigSpec) { c.DirectUse = false }), keys(system, "keys", "111"), shop},
			platform, v1alpha1.ReasonProviderConfigNotAllowed},
		{"a selector that makes no sense", []client.Object{nonsense(), keys(system, "keys", "111"), shop}, platform, v1alpha1.ReasonInvalid},
		{"a selector that makes no sense, and deleted", []client.Object{nonsense(), keys(system, "keys", "111"), shop}, deleting, ""},
		{"leaving, for a newcomer", []client.Object{leaving, keys(system, "keys", "111"), shop}, platform, v1alpha1.ReasonProviderConfigDeleting},
		{"leaving, for who is there", []client.Object{leaving, keys(system, "keys", "111"), shop}, bound, ""},
		{"no location anywhere", []client.Object{platformConfig(func(c *v1alpha1.ClusterProviderConfigSpec) {
			c.AWS, c.GCP = nil, &v1alpha1.GCPAccount{Project: "project-1"}
		}), keys(system, "keys", "111"), shop}, platform, v1alpha1.ReasonInvalid},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var objects []client.Object
			for _, o := range tt.objects {
				objects = append(objects, o.DeepCopyObject().(client.Object))
			}
			h := newFixture(t, objects...)
			conn, err := h.Connect(t.Context(), tt.use)
			if got := reasonOf(err); got != tt.want || (err == nil) != (tt.want == "") {
				t.Fatalf("got %q, %v; want %q", got, err, tt.want)
			}
			if err == nil && (conn.Provider != "aws" || conn.Location != "eu-central-1" || conn.Slots == nil) {
				t.Errorf("%+v", conn)
			}
			if err != nil && (strings.Contains(err.Error(), secretValue) || len(err.Error()) < 20) {
				t.Errorf("message %q", err)
			}
		})
	}
}

// What a cloud does not know, and what a driver refuses, is for a person to mend.
func TestConnectRefusesWhatNoDriverTakes(t *testing.T) {
	h := newFixture(t, teamConfig(), keys("shop", "keys", "111"))
	h.cloud.refuse = &driver.Error{Code: driver.Invalid, Op: "open", Message: "no such region"}
	if _, err := h.Connect(t.Context(), team); reasonOf(err) != v1alpha1.ReasonCredentialsInvalid {
		t.Errorf("refused by the driver: %v", err)
	}
	delete(h.Drivers, "aws")
	if _, err := h.Connect(t.Context(), team); reasonOf(err) != v1alpha1.ReasonNotSupported {
		t.Errorf("no driver: %v", err)
	}
}

// A tenant's config reaches public endpoints with a Secret's contents, and nothing else: no endpoint and no
// identity of Mooring's own.
func TestTenantsChooseNoEndpoint(t *testing.T) {
	h := newFixture(t, teamConfig(), keys("shop", "keys", "111"))
	if _, err := h.Connect(t.Context(), team); err != nil {
		t.Fatal(err)
	}
	if got := h.cloud.with[0]; got.Endpoint != "" || len(got.Credentials) == 0 {
		t.Errorf("opened with endpoint %q and %d credentials", got.Endpoint, len(got.Credentials))
	}
}

// All objects of one account and region share a connection, and so its clients and rate budget.
func TestConnectShares(t *testing.T) {
	h := newFixture(t, teamConfig(), keys("shop", "keys", "111"))
	connect := func(location string) *Connection {
		t.Helper()
		use := team
		use.Location = location
		c, err := h.Connect(t.Context(), use)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	first := connect("")
	if again := connect("eu-central-1"); again != first {
		t.Error("two connections to one region")
	}
	if other := connect("us-east-1"); other == first || other.Slots != first.Slots {
		t.Error("two regions share a connection, or have a gate each")
	}
	if h.secrets != 2 {
		t.Errorf("%d reads of the Secret for two connections", h.secrets)
	}
	h.now = h.now.Add(h.Refresh)
	if again := connect(""); again != first || h.secrets != 3 {
		t.Errorf("after %v: %d reads, the same connection: %t", h.Refresh, h.secrets, again == first)
	}
}

// A credentials Secret can be replaced by delete and create without waiting.
func TestConnectSeesReplacedSecrets(t *testing.T) {
	h := newFixture(t, teamConfig(), keys("shop", "keys", "111"))
	account := func() string {
		t.Helper()
		c, err := h.Connect(t.Context(), team)
		if err != nil {
			t.Fatal(err)
		}
		id, err := c.Account(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return string(id)
	}
	if got := account(); got != "111" {
		t.Fatalf("account %s", got)
	}
	h.remove(keys("shop", "keys", ""))
	h.put(keys("shop", "keys", "222"))
	h.now = h.now.Add(h.Refresh)
	if got := account(); got != "222" {
		t.Errorf("after the refresh: account %s", got)
	}

	// The cloud's refusal is a reason to look sooner.
	edit(h, keys("shop", "keys", ""), func(s *corev1.Secret) { s.Data[v1alpha1.SecretKeyAWSAccessKeyID] = []byte("333") })
	c, err := h.Connect(t.Context(), team)
	if err != nil {
		t.Fatal(err)
	}
	c.ReloadCredentials()
	h.now = h.now.Add(recheckPause)
	if got := account(); got != "333" {
		t.Errorf("after a refusal: account %s", got)
	}
}

// A refusal that had nothing to do with the credentials is no reason to read them for ever.
func TestARecheckEnds(t *testing.T) {
	h := newFixture(t, teamConfig(), keys("shop", "keys", "111"))
	c, err := h.Connect(t.Context(), team)
	if err != nil {
		t.Fatal(err)
	}
	c.ReloadCredentials()
	for range 5 {
		h.now = h.now.Add(recheckPause)
		if _, err := h.Connect(t.Context(), team); err != nil {
			t.Fatal(err)
		}
	}
	if h.secrets != 2 {
		t.Errorf("the Secret was read %d times, want once to connect and once after the refusal", h.secrets)
	}
}

// Credentials that a driver refuses are not replaced by those from before.
func TestConnectDropsOldCredentials(t *testing.T) {
	h := newFixture(t, teamConfig(), keys("shop", "keys", "111"))
	if _, err := h.Connect(t.Context(), team); err != nil {
		t.Fatal(err)
	}
	edit(h, keys("shop", "keys", ""), func(s *corev1.Secret) { s.Data[v1alpha1.SecretKeyAWSAccessKeyID] = []byte("nonsense") })
	h.cloud.refuse = &driver.Error{Code: driver.Invalid, Op: "open", Message: "no such key"}
	h.now = h.now.Add(h.Refresh)
	for range 2 {
		if _, err := h.Connect(t.Context(), team); reasonOf(err) != v1alpha1.ReasonCredentialsInvalid {
			t.Errorf("got %v", err)
		}
	}
}

// A config that is led to another Secret uses that at once.
func TestConnectFollowsTheConfig(t *testing.T) {
	h := newFixture(t, teamConfig(), keys("shop", "keys", "111"), keys("shop", "others", "222"))
	if _, err := h.Connect(t.Context(), team); err != nil {
		t.Fatal(err)
	}
	edit(h, teamConfig(), func(c *v1alpha1.ProviderConfig) { c.Spec.Credentials.SecretRef.Name = "others" })
	c, err := h.Connect(t.Context(), team)
	if err != nil {
		t.Fatal(err)
	}
	if id, err := c.Account(t.Context()); id != "222" || err != nil {
		t.Errorf("account %q, %v", id, err)
	}
}

// A private copy is for deletions. What is not being deleted misses the Secret all the while, and finds it soon.
func TestConnectGivesTheCopyToDeletionsOnly(t *testing.T) {
	h := newFixture(t, teamConfig(), keys("shop", "keys", "111"))
	deleting := team
	deleting.Bound, deleting.Deleting = true, true
	for name, isOpen := range map[string]bool{"the Secret's connection is open": true, "no connection is open": false} {
		t.Run(name, func(t *testing.T) {
			if err := h.Protect(t.Context(), team.Key, "shop"); err != nil {
				t.Fatal(err)
			}
			if h.forget(team.Key); isOpen {
				if _, err := h.Connect(t.Context(), team); err != nil {
					t.Fatal(err)
				}
			}
			h.remove(keys("shop", "keys", ""))
			h.now = h.now.Add(h.Refresh)
			before := h.secrets
			for range 5 {
				if _, err := h.Connect(t.Context(), deleting); err != nil {
					t.Errorf("a deletion: %v", err)
				}
				if _, err := h.Connect(t.Context(), team); reasonOf(err) != v1alpha1.ReasonCredentialsNotFound {
					t.Errorf("its neighbour: %v", err)
				}
			}
			if n := h.secrets - before; n != 2 {
				t.Errorf("%d Secrets read, want the Secret and the copy once", n)
			}
			h.now = h.now.Add(recheckPause)
			if _, err := h.Connect(t.Context(), team); reasonOf(err) != v1alpha1.ReasonCredentialsNotFound {
				t.Errorf("the neighbour, later: %v", err)
			}
			h.put(keys("shop", "keys", "222"))
			h.now = h.now.Add(recheckPause)
			for _, use := range []Request{team, deleting} {
				c, err := h.Connect(t.Context(), use)
				if err != nil {
					t.Fatalf("the Secret is back: %v", err)
				}
				if id, err := c.Account(t.Context()); id != "222" || err != nil {
					t.Errorf("account %q, %v", id, err)
				}
			}
			edit(h, keys("shop", "keys", ""), func(s *corev1.Secret) { s.Data[v1alpha1.SecretKeyAWSAccessKeyID] = []byte("111") })
		})
	}
}

// If the credentials lead elsewhere than the config says nothing is done; the cloud is asked once.
func TestAccountIsWhatTheConfigExpects(t *testing.T) {
	cfg := teamConfig()
	cfg.Spec.AWS.AccountID = "222"
	h := newFixture(t, cfg, keys("shop", "keys", "111"))
	c, err := h.Connect(t.Context(), team)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if id, err := c.Account(t.Context()); id != "" || reasonOf(err) != v1alpha1.ReasonAccountChanged {
			t.Errorf("account %q, %v", id, err)
		}
	}
	edit(h, teamConfig(), func(c *v1alpha1.ProviderConfig) { c.Spec.AWS.AccountID = "111" })
	c, err = h.Connect(t.Context(), team)
	if err != nil {
		t.Fatal(err)
	}
	if id, err := c.Account(t.Context()); id != "111" || err != nil {
		t.Errorf("mended: account %q, %v", id, err)
	}
}

// No answer about the account is never an account.
func TestAccountIsNeverGuessed(t *testing.T) {
	h := newFixture(t, teamConfig(), keys("shop", "keys", "111"))
	h.cloud.identity = &driver.Error{Code: driver.Unavailable, Op: "GetCallerIdentity", Message: "no answer"}
	c, err := h.Connect(t.Context(), team)
	if err != nil {
		t.Fatal(err)
	}
	if id, err := c.Account(t.Context()); id != "" || driver.CodeOf(err) != driver.Unavailable {
		t.Errorf("account %q, %v", id, err)
	}
}

// What is gone is not remembered.
func TestConnectionsEndWithTheirConfig(t *testing.T) {
	h := newFixture(t, teamConfig(), keys("shop", "keys", "111"))
	if _, err := h.Connect(t.Context(), team); err != nil {
		t.Fatal(err)
	}
	h.remove(teamConfig())
	r := h.Reconciler(ReconcilerOptions{Kind: KindProviderConfig, Check: time.Minute, Users: shopUsers(new(int))})
	if _, err := r.Reconcile(t.Context(), reconcile.Request{NamespacedName: client.ObjectKey{Namespace: "shop", Name: "team"}}); err != nil {
		t.Fatal(err)
	}
	if n := len(h.connector.pool.all); n != 0 {
		t.Errorf("%d connections of a config that is gone", n)
	}
}

// The config's own status: whose account it is, and nothing that moves by itself.
func TestReconcilerSaysWhoseAccountItIs(t *testing.T) {
	h := newFixture(t, teamConfig(), keys("shop", "keys", "111"))
	users := 1
	r := h.Reconciler(ReconcilerOptions{Kind: KindProviderConfig, Check: 10 * time.Minute, Users: shopUsers(&users)})
	reconcile := func() (ready metav1.Condition, account string, next time.Duration) {
		t.Helper()
		result, err := r.Reconcile(t.Context(), reconcile.Request{NamespacedName: client.ObjectKey{Namespace: "shop", Name: "team"}})
		if err != nil {
			t.Fatal(err)
		}
		cfg := teamConfig()
		if err := h.Client.Get(t.Context(), client.ObjectKeyFromObject(cfg), cfg); err != nil {
			t.Fatal(err)
		}
		if len(cfg.Status.Conditions) == 1 {
			ready = cfg.Status.Conditions[0]
		}
		return ready, cfg.Status.AccountID, result.RequeueAfter
	}
	if ready, account, next := reconcile(); ready.Status != "True" || account != "111" || next != time.Minute {
		t.Errorf("ready %+v, account %s, next %v", ready, account, next)
	}
	before := h.writes
	reconcile()
	if h.writes != before {
		t.Errorf("%d writes although nothing changed", h.writes-before)
	}
	h.now = h.now.Add(r.Check)
	h.cloud.identity = &driver.Error{Code: driver.Unavailable, Op: "GetCallerIdentity", Message: "no answer"}
	if ready, _, next := reconcile(); ready.Status != "True" || next > 15*time.Second {
		t.Errorf("a cloud that does not answer: %+v, next %v", ready, next)
	}
	h.cloud.identity = &driver.Error{Code: driver.Denied, Op: "GetCallerIdentity", Message: "the key is not valid"}
	if ready, account, _ := reconcile(); ready.Status != "False" || ready.Reason != string(v1alpha1.ReasonDenied) || account != "111" {
		t.Errorf("a key that is refused: %+v, account %s", ready, account)
	}
	h.remove(teamConfig())
	const leaving = "being deleted; waiting until no object uses it"
	users = 3
	if ready, _, _ := reconcile(); ready.Status != "False" || ready.Reason != string(v1alpha1.ReasonDeleting) || ready.Message != leaving {
		t.Errorf("while it is being deleted: %+v", ready)
	}
}

// A config that makes no sense says so itself, and goes with its last user like any other.
func TestReconcilerSaysWhatIsInvalid(t *testing.T) {
	h := newFixture(t, nonsense(), keys(system, "keys", "111"))
	users := 1
	r := h.Reconciler(ReconcilerOptions{Kind: KindClusterProviderConfig, Check: time.Minute, Users: shopUsers(&users)})
	reconcile := func() (*v1alpha1.ClusterProviderConfig, error) {
		t.Helper()
		if _, err := r.Reconcile(t.Context(), reconcile.Request{NamespacedName: client.ObjectKey{Name: "platform"}}); err != nil {
			t.Fatal(err)
		}
		cfg := nonsense()
		return cfg, h.Client.Get(t.Context(), client.ObjectKeyFromObject(cfg), cfg)
	}
	cfg, err := reconcile()
	if err != nil || !hasFinalizer(&config{object: cfg}) || len(cfg.Status.Conditions) != 1 {
		t.Fatalf("%v, %+v", err, cfg)
	}
	ready := cfg.Status.Conditions[0]
	if ready.Status != "False" || ready.Reason != string(v1alpha1.ReasonInvalid) || !strings.Contains(ready.Message, "allowedNamespaces") {
		t.Errorf("%+v", ready)
	}
	h.remove(nonsense())
	users = 0
	if _, err := reconcile(); !apierrors.IsNotFound(err) {
		t.Errorf("it is still there: %v", err)
	}
}

package identity

import (
	"context"
	"maps"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
)

// TestProtectsAConfigThatIsBeingWritten: that somebody writes a config between the read of it and its finalizer is no failure, or the object
// that needs the config would have to be observed again.
func TestProtectsAConfigThatIsBeingWritten(t *testing.T) {
	h := newFixture(t, teamConfig(), keys("shop", "keys", "111"))
	written := false
	h.before = func() {
		if !written && h.copied() != nil { // after the copy comes the finalizer
			written = true
			edit(h, teamConfig(), func(c *v1alpha1.ProviderConfig) { c.Labels = map[string]string{"written": "meanwhile"} })
		}
	}
	if err := h.Protect(t.Context(), team.Key, "shop"); err != nil {
		t.Fatal(err)
	}
	protected := teamConfig()
	if err := h.Client.Get(t.Context(), client.ObjectKeyFromObject(protected), protected); err != nil || !hasFinalizer(&config{object: protected}) {
		t.Errorf("the config is not protected: %v", err)
	}
	if !written || protected.Labels["written"] == "" {
		t.Error("nothing was written meanwhile, or it is lost")
	}
}

// The life of the copy that a deletion needs: made by Protect, before anything is created, and dropped with the
// last user.
func TestProtectRetainsWhatADeletionNeeds(t *testing.T) {
	h := newFixture(t, teamConfig(), keys("shop", "keys", "111"))
	ctx, deleting := t.Context(), team
	deleting.Bound, deleting.Deleting = true, true
	users := 1
	reconciler := h.Reconciler(ReconcilerOptions{Kind: KindProviderConfig, Check: time.Minute, Users: shopUsers(&users)})
	reconcileConfig := func() {
		t.Helper()
		if _, err := reconciler.Reconcile(ctx, reconcile.Request{NamespacedName: client.ObjectKey{Namespace: "shop", Name: "team"}}); err != nil {
			t.Fatal(err)
		}
	}
	if got := h.copied(); got != nil {
		t.Fatalf("a copy that nobody needs: %v", got)
	}

	if err := h.Protect(ctx, team.Key, "shop"); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{v1alpha1.SecretKeyAWSAccessKeyID: "111", v1alpha1.SecretKeyAWSSecretAccessKey: secretValue}
	if diff := cmp.Diff(want, h.copied()); diff != "" {
		t.Fatalf("copy (-want +got):\n%s", diff)
	}
	before := h.writes
	if err := h.Protect(ctx, team.Key, "shop"); err != nil || h.writes != before {
		t.Errorf("held twice: %v, %d writes", err, h.writes-before)
	}
	protection := teamConfig()
	if err := h.Client.Get(ctx, client.ObjectKeyFromObject(protection), protection); err != nil || !hasFinalizer(&config{object: protection}) {
		t.Errorf("the config is not held: %v", err)
	}
	secret := keys("shop", "keys", "")
	if err := h.Client.Get(ctx, client.ObjectKeyFromObject(secret), secret); err != nil || len(secret.Finalizers) > 0 {
		t.Errorf("the tenant's Secret: %v, finalizers %v", err, secret.Finalizers)
	}

	// It is renewed when the Secret changes, and not by one that was emptied.
	edit(h, keys("shop", "keys", ""), func(s *corev1.Secret) { s.Data[v1alpha1.SecretKeyAWSSecretAccessKey] = []byte(secretValue + "-2") })
	h.now = h.now.Add(h.Refresh)
	if _, err := h.Connect(ctx, team); err != nil {
		t.Fatal(err)
	}
	want[v1alpha1.SecretKeyAWSSecretAccessKey] = secretValue + "-2"
	edit(h, keys("shop", "keys", ""), func(s *corev1.Secret) { s.Data = nil })
	h.now = h.now.Add(h.Refresh)
	if _, err := h.Connect(ctx, team); reasonOf(err) != v1alpha1.ReasonCredentialsNotFound {
		t.Errorf("the living, with an empty Secret: %v", err)
	}
	if _, err := h.Connect(ctx, deleting); err != nil {
		t.Errorf("a deletion, with an empty Secret: %v", err)
	}
	if diff := cmp.Diff(want, h.copied()); diff != "" {
		t.Errorf("copy after edits (-want +got):\n%s", diff)
	}

	// A deletion uses it when the Secret is gone, and nothing else does.
	h.remove(keys("shop", "keys", ""))
	h.now = h.now.Add(h.Refresh)
	if _, err := h.Connect(ctx, team); reasonOf(err) != v1alpha1.ReasonCredentialsNotFound {
		t.Errorf("the living, without their Secret: %v", err)
	}
	c, err := h.Connect(ctx, deleting)
	if err != nil {
		t.Fatalf("a deletion, without its Secret: %v", err)
	}
	if id, err := c.Account(ctx); id != "111" || err != nil {
		t.Errorf("the copy leads to %q, %v", id, err)
	}

	// A config that is deleted stays as long as it has users.
	h.remove(teamConfig())
	reconcileConfig()
	if h.copied() == nil {
		t.Error("the copy is gone before its last user")
	}
	users = 0
	reconcileConfig()
	if got := h.copied(); got != nil {
		t.Errorf("a copy without users: %v", slices.Collect(maps.Keys(got)))
	}
	if err := h.Client.Get(ctx, client.ObjectKeyFromObject(teamConfig()), teamConfig()); client.IgnoreNotFound(err) != nil || err == nil {
		t.Errorf("the config is still there: %v", err)
	}
}

// Many objects that are new at the same time are one Protect; those of another namespace are another, whatever the names.
func TestProtectIsShared(t *testing.T) {
	theirs := teamConfig()
	theirs.Namespace, theirs.UID = "bakery", "uid-bakery"
	h := newFixture(t, teamConfig(), keys("shop", "keys", "111"), theirs, keys("bakery", "keys", "222"))
	synctest.Test(t, func(t *testing.T) {
		gate := make(chan struct{})
		h.before = func() { <-gate }
		for range 5 {
			for _, namespace := range []string{"shop", "bakery"} {
				go func() {
					if err := h.Protect(t.Context(), Key{KindProviderConfig, namespace, "team"}, namespace); err != nil {
						t.Error(err)
					}
				}()
			}
		}
		synctest.Wait()
		close(gate)
		synctest.Wait()
	})
	if h.writes != 4 {
		t.Errorf("%d writes, want two copies and two finalizers", h.writes)
	}
	for _, c := range []*v1alpha1.ProviderConfig{teamConfig(), theirs} {
		if err := h.Client.Get(t.Context(), client.ObjectKeyFromObject(c), c); err != nil || !hasFinalizer(&config{object: c}) {
			t.Errorf("%s is not held: %v", c.Namespace, err)
		}
	}
}

// A cache that is behind shows the finalizer on a config whose last user is gone. What is read on its word must not bring
// back a copy that nobody would delete.
func TestOnlyProtectMakesACopy(t *testing.T) {
	protection := teamConfig()
	protection.Finalizers = []string{v1alpha1.FinalizerInUse}
	h := newFixture(t, protection, keys("shop", "keys", "111"))
	if _, err := h.Connect(t.Context(), team); err != nil {
		t.Fatal(err)
	}
	if got := h.copied(); got != nil {
		t.Errorf("a copy came back: %v", slices.Collect(maps.Keys(got)))
	}
}

// What is leaving takes nobody in: its finalizer may be gone before the newcomer's.
func TestProtectRefusesADeletedConfig(t *testing.T) {
	cfg := teamConfig()
	cfg.Finalizers, cfg.DeletionTimestamp = []string{"somebody.example/else"}, &metav1.Time{Time: time.Unix(1, 0)}
	h := newFixture(t, cfg, keys("shop", "keys", "111"))
	if err := h.Protect(t.Context(), team.Key, "shop"); reasonOf(err) != v1alpha1.ReasonProviderConfigDeleting {
		t.Errorf("got %v", err)
	}
	if got := h.copied(); got != nil {
		t.Errorf("a copy for nobody: %v", slices.Collect(maps.Keys(got)))
	}
}

// Without a Secret there is nothing to retain, and Protect must fail: what is created now could never be deleted.
func TestProtectNeedsCredentials(t *testing.T) {
	h := newFixture(t, teamConfig())
	if err := h.Protect(t.Context(), team.Key, "shop"); err == nil {
		t.Error("held without credentials")
	}
}

// privateCopy is the copy of the team's credentials.
func privateCopy() *corev1.Secret {
	return &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: system, Name: copyName(&config{object: teamConfig()})}}
}

// reconcileTeam lets the team's config, which has so many users, be reconciled.
func (h *fixture) reconcileTeam(users int) {
	h.t.Helper()
	r := h.Reconciler(ReconcilerOptions{Kind: KindProviderConfig, Check: time.Minute, Users: shopUsers(&users)})
	if _, err := r.Reconcile(h.t.Context(), reconcile.Request{NamespacedName: client.ObjectKey{Namespace: "shop", Name: "team"}}); err != nil {
		h.t.Fatal(err)
	}
}

// A finalizer does not prove that there is a copy: the one who set it had no Secret, or the one who dropped the copy
// did not get as far as the finalizer.
func TestProtectDoesNotTrustTheFinalizerAlone(t *testing.T) {
	protection := teamConfig()
	protection.Finalizers = []string{v1alpha1.FinalizerInUse}
	for name, act := range map[string]func(*fixture) error{
		"a new object's":                  func(h *fixture) error { return h.Protect(h.t.Context(), team.Key, "shop") },
		"the config's own reconciliation": func(h *fixture) error { h.reconcileTeam(1); return nil },
	} {
		h := newFixture(t, protection.DeepCopy(), keys("shop", "keys", "111"))
		if err := act(h); err != nil || h.copied() == nil {
			t.Errorf("%s: no copy, %v", name, err)
		}
	}
}

// A config that was protected with Mooring's own identity, and is led to a Secret, needs a copy from then on.
func TestProtectFollowsTheConfigToASecret(t *testing.T) {
	ambient := platformConfig(func(c *v1alpha1.ClusterProviderConfigSpec) { c.Credentials.SecretRef = nil })
	h := newFixture(t, ambient, keys(system, "keys", "111"))
	if err := h.Protect(t.Context(), platform.Key, "shop"); err != nil {
		t.Fatal(err)
	}
	edit(h, platformConfig(nil), func(c *v1alpha1.ClusterProviderConfig) {
		c.Spec.Credentials.SecretRef = &v1alpha1.LocalSecretReference{Name: "keys"}
	})
	if err := h.Protect(t.Context(), platform.Key, "shop"); err != nil {
		t.Fatal(err)
	}
	retained := &corev1.Secret{}
	name := client.ObjectKey{Namespace: system, Name: copyName(&config{object: ambient})}
	if err := h.Reader.Get(t.Context(), name, retained); err != nil {
		t.Errorf("no copy: %v", err)
	}
}

// What was made sure of is not looked at for each new object.
func TestProtectCostsNothingTwice(t *testing.T) {
	h := newFixture(t, teamConfig(), keys("shop", "keys", "111"))
	var reads []int
	for range 3 {
		if err := h.Protect(t.Context(), team.Key, "shop"); err != nil {
			t.Fatal(err)
		}
		reads = append(reads, h.secrets)
	}
	if want := []int{2, 2, 2}; !slices.Equal(reads, want) {
		t.Errorf("Secrets read by and by: %v, want %v", reads, want)
	}
	h.now = h.now.Add(h.Refresh)
	if _, err := h.Connect(t.Context(), team); err != nil || h.secrets != 3 {
		t.Errorf("%v; %d Secrets read: the copy was looked at although nothing changed", err, h.secrets)
	}
}

// Letting go may end half-way. Whoever comes then finds the finalizer, and needs a copy nevertheless.
func TestProtectAfterAFailedUnprotect(t *testing.T) {
	h := newFixture(t, teamConfig(), keys("shop", "keys", "111"))
	if err := h.Protect(t.Context(), team.Key, "shop"); err != nil {
		t.Fatal(err)
	}
	old, err := h.configs.load(t.Context(), h.Client, team.Key)
	if err != nil {
		t.Fatal(err)
	}
	edit(h, teamConfig(), func(c *v1alpha1.ProviderConfig) { c.Labels = map[string]string{"a": "b"} })
	if err := h.protector.unprotect(t.Context(), old, func() (map[string]int, error) { return nil, nil }); !apierrors.IsConflict(err) {
		t.Fatalf("let go of a config that was edited: %v", err)
	}
	if h.copied() != nil {
		t.Fatal("the copy was not dropped first: this test shows nothing")
	}
	if err := h.Protect(t.Context(), team.Key, "shop"); err != nil || h.copied() == nil {
		t.Errorf("no copy, %v", err)
	}
}

// Who came since the users were counted keeps the config protected.
func TestUnprotectCountsAgain(t *testing.T) {
	h := newFixture(t, teamConfig(), keys("shop", "keys", "111"))
	if err := h.Protect(t.Context(), team.Key, "shop"); err != nil {
		t.Fatal(err)
	}
	counted := 0
	r := h.Reconciler(ReconcilerOptions{Kind: KindProviderConfig, Check: time.Minute, Users: func(ctx context.Context, key Key) (map[string]int, error) {
		users := counted // the first comes after it was counted
		counted++
		return shopUsers(&users)(ctx, key)
	}})
	if _, err := r.Reconcile(t.Context(), reconcile.Request{NamespacedName: client.ObjectKey{Namespace: "shop", Name: "team"}}); err != nil {
		t.Fatal(err)
	}
	if h.copied() == nil {
		t.Error("the newcomer's copy is gone")
	}
}

// behind is a client whose cache shows a config as it was.
type behind struct {
	client.Client
	config *v1alpha1.ProviderConfig
}

func (b behind) Get(ctx context.Context, key client.ObjectKey, into client.Object, opts ...client.GetOption) error {
	if cfg, ok := into.(*v1alpha1.ProviderConfig); ok {
		b.config.DeepCopyInto(cfg)
		return nil
	}
	return b.Client.Get(ctx, key, into, opts...)
}

// A cache that is behind may show a finalizer that was just dropped.
func TestProtectDoesNotTrustTheCache(t *testing.T) {
	h := newFixture(t, teamConfig(), keys("shop", "keys", "111"))
	if err := h.Protect(t.Context(), team.Key, "shop"); err != nil {
		t.Fatal(err)
	}
	old := teamConfig()
	if err := h.Client.Get(t.Context(), client.ObjectKeyFromObject(old), old); err != nil {
		t.Fatal(err)
	}
	h.reconcileTeam(0)
	current := h.Client
	h.Client = behind{current, old}
	if err := h.Protect(t.Context(), team.Key, "shop"); err != nil || h.copied() == nil {
		t.Errorf("no copy, %v", err)
	}
	now := teamConfig()
	if err := current.Get(t.Context(), client.ObjectKeyFromObject(now), now); err != nil || !hasFinalizer(&config{object: now}) {
		t.Errorf("the config is not held: %v", err)
	}
}

// A copy that somebody deleted is back after the config's next reconciliation.
func TestALostCopyIsMadeAgain(t *testing.T) {
	h := newFixture(t, teamConfig(), keys("shop", "keys", "111"))
	h.reconcileTeam(1)
	h.remove(privateCopy())
	edit(h, keys("shop", "keys", ""), func(s *corev1.Secret) { s.Data[v1alpha1.SecretKeyAWSSecretAccessKey] = []byte(secretValue + "-2") })
	for range 2 { // the first finds that it is gone
		h.now = h.now.Add(h.Refresh)
		h.reconcileTeam(1)
	}
	if got := h.copied()[v1alpha1.SecretKeyAWSSecretAccessKey]; got != secretValue+"-2" {
		t.Errorf("the copy holds %q", got)
	}
}

// The copy is no older than the last minute: a deletion may need it when the Secret is gone.
func TestTheCopyFollowsRotatedKeys(t *testing.T) {
	h := newFixture(t, teamConfig(), keys("shop", "keys", "111"))
	asked, one := 0, 1
	h.cloud.asked = func() { asked++ }
	r := h.Reconciler(ReconcilerOptions{Kind: KindProviderConfig, Check: 10 * time.Minute, Users: shopUsers(&one)})
	reconcile := func() {
		t.Helper()
		result, err := r.Reconcile(t.Context(), reconcile.Request{NamespacedName: client.ObjectKey{Namespace: "shop", Name: "team"}})
		if err != nil || result.RequeueAfter != time.Minute {
			t.Fatalf("%+v, %v", result, err)
		}
		h.now = h.now.Add(result.RequeueAfter)
	}
	reconcile()
	reads, writes := h.secrets, h.writes
	for range 9 {
		reconcile()
	}
	if asked != 1 || h.secrets-reads != 9 || h.writes != writes {
		t.Errorf("in nine reconciliations in which nothing changed: asked %d times, %d reads, %d writes", asked-1, h.secrets-reads, h.writes-writes)
	}
	if reconcile(); asked != 2 {
		t.Errorf("when it was time to ask: asked %d times", asked-1)
	}
	edit(h, keys("shop", "keys", ""), func(s *corev1.Secret) { s.Data[v1alpha1.SecretKeyAWSAccessKeyID] = []byte("222") })
	if reconcile(); asked != 3 || h.copied()[v1alpha1.SecretKeyAWSAccessKeyID] != "222" {
		t.Errorf("after other keys: asked %d times, the copy leads to %s", asked-2, h.copied()[v1alpha1.SecretKeyAWSAccessKeyID])
	}
}

// What is retained is not replaced by what is of no use.
func TestProtectRetainsAWholeCopy(t *testing.T) {
	h := newFixture(t, teamConfig(), keys("shop", "keys", "111"))
	h.reconcileTeam(1)
	edit(h, keys("shop", "keys", ""), func(s *corev1.Secret) { s.Data = nil })
	h.restart()
	if err := h.Protect(t.Context(), team.Key, "shop"); reasonOf(err) != v1alpha1.ReasonCredentialsNotFound {
		t.Errorf("held with an empty Secret: %v", err)
	}
	if got := h.copied()[v1alpha1.SecretKeyAWSAccessKeyID]; got != "111" {
		t.Errorf("the copy leads to %q", got)
	}
}

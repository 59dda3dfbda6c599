package fault

import (
	"strings"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/test/cluster"
	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/system"
)

// TestAccounts takes an account, or what leads to it, away from under an object.
func TestAccounts(t *testing.T) {
	t.Parallel()
	w := newEnvironment(t, cluster.Options{ControllerManager: true}, localcloud.Options{ListenersOnly: true})
	w.run(t, timeout)
	var all sync.WaitGroup
	for _, c := range []struct {
		name string
		// happens to a lifecycle that is at rest. It ends with the object deleted.
		happens func(t *testing.T, l *lifecycle)
	}{
		{"credentials deleted first", credentialsFirst},
		{"namespace deleted", namespaceDeleted},
		{"provider config deleted while in use", configDeleted},
		{"another account", anotherAccount},
		{"another region", anotherRegion},
		{"credentials replaced at once", replaced},
		{"credentials revoked", revoked},
	} {
		for _, s := range system.Targets {
			all.Go(func() {
				t.Run(s.String()+"/"+c.name, func(t *testing.T) {
					l := w.prepared(t, s)
					defer l.logIfFailed(t)
					l.enterPhase(creation)
					l.perform(t, creation)
					l.enterPhase(deletion)
					c.happens(t, l)
					for _, op := range creates {
						if n := l.committed()[op]; n > 0 {
							t.Errorf("created again: %s %d times", op, n)
						}
					}
					l.verify(t, deletion)
				})
			})
		}
	}
	all.Wait()
}

func credentialsFirst(t *testing.T, l *lifecycle) {
	l.must(t, l.Client.Delete(t.Context(), l.credentials()))
	l.must(t, l.Client.Delete(t.Context(), l.get(t)))
	l.awaitDeleted(t) // the object of a final snapshot has no credentials, which are kept for what is being deleted
}

// namespaceDeleted lets kube-controller-manager delete all there is in the order that it likes.
func namespaceDeleted(t *testing.T, l *lifecycle) {
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: l.name}}
	l.must(t, l.Client.Delete(t.Context(), ns))
	await(t, "the namespace is gone", func() string {
		err := l.Client.Get(t.Context(), client.ObjectKeyFromObject(ns), ns)
		if apierrors.IsNotFound(err) {
			return ""
		}
		for _, c := range ns.Status.Conditions {
			if c.Status == corev1.ConditionTrue {
				return c.Message
			}
		}
		return "it is not"
	})
}

// configDeleted: a config that is deleted while in use serves those that use it, until the last has gone.
func configDeleted(t *testing.T, l *lifecycle) {
	l.must(t, l.Client.Delete(t.Context(), l.config(t)))
	await(t, "the config says that it is to be deleted", func() string {
		c := meta.FindStatusCondition(l.config(t).Status.Conditions, v1alpha1.ConditionReady)
		if c == nil || c.Reason != string(v1alpha1.ReasonDeleting) {
			return conditions(l.config(t).Status.Conditions)
		}
		return ""
	})
	l.patch(t, l.target.Edit)
	l.awaitReady(t)
	l.must(t, l.Client.Delete(t.Context(), l.get(t)))
	l.awaitDeleted(t)
}

// anotherAccount: what is bound to one account is neither looked for nor made in another, and not let go.
func anotherAccount(t *testing.T, l *lifecycle) {
	theirs := &lifecycle{environment: l.environment, target: l.target, name: l.name, account: other(l.account)}
	secret := l.credentials()
	mine := theirs.credentials()
	l.secrets = append(l.secrets, theirs.secrets...)
	l.must(t, l.Client.Update(t.Context(), mine))
	if l.target.Cloud == "gcp" {
		l.patchConfig(t, func(c *v1alpha1.ProviderConfig) { c.Spec.GCP.Project = theirs.account })
	}
	l.awaitStalled(t, v1alpha1.ReasonAccountChanged, "change the provider config back")
	l.must(t, l.Client.Delete(t.Context(), l.get(t)))
	await(t, "the deletion says why it can't go on", func() string {
		o := l.get(t)
		c := meta.FindStatusCondition(system.StatusOf(o).Conditions, v1alpha1.ConditionStalled)
		s := meta.FindStatusCondition(system.StatusOf(o).Conditions, v1alpha1.ConditionSynced)
		if c == nil || c.Reason != string(v1alpha1.ReasonAccountChanged) || s.Status != metav1.ConditionFalse {
			return conditions(system.StatusOf(o).Conditions)
		}
		return ""
	})
	if n := len(l.committed()); n > 0 {
		t.Errorf("its own account was changed: %v", l.committed())
	}
	if n := l.Cloud.Ledger.Count(localcloud.Filter{Account: theirs.account, Write: localcloud.Writes}); n > 0 {
		t.Errorf("%d writes to another account", n)
	}
	l.must(t, l.Client.Update(t.Context(), secret))
	if l.target.Cloud == "gcp" {
		l.patchConfig(t, func(c *v1alpha1.ProviderConfig) { c.Spec.GCP.Project = l.account })
	}
	l.awaitDeleted(t)
}

func other(account string) string {
	if after, ok := strings.CutPrefix(account, "case"); ok {
		return "other" + after
	}
	return "2" + account[1:]
}

// anotherRegion: a region is for what is made from now on.
func anotherRegion(t *testing.T, l *lifecycle) {
	l.patchConfig(t, func(c *v1alpha1.ProviderConfig) {
		if l.target.Cloud == "aws" {
			c.Spec.AWS.Region = "eu-west-1"
		} else {
			c.Spec.GCP.Region = "europe-west1"
		}
	})
	l.awaitObservations(t, 2)
	if why := unready(l.get(t)); why != "" || len(l.committed()) > 0 {
		t.Errorf("%s; changed: %v", why, l.committed())
	}
	l.perform(t, deletion)
}

// replaced: a Secret can be deleted and created again in one go, as tools do it. The old keys are no longer good
// for anything, so whatever is done afterwards is done by the new ones.
func replaced(t *testing.T, l *lifecycle) {
	l.must(t, l.Client.Delete(t.Context(), l.credentials()))
	rotate := l.Cloud.RotateAWSKeys
	if l.target.Cloud == "gcp" {
		rotate = l.Cloud.RotateGCPKey
	}
	rotate(l.account)
	l.must(t, l.Client.Create(t.Context(), l.credentials()))
	l.awaitObservations(t, 2)
	l.patch(t, l.target.Edit)
	l.awaitReady(t)
	if len(l.committed()) == 0 {
		t.Error("the edit did not reach the cloud")
	}
	l.perform(t, deletion)
}

// revoked: what the cloud refuses is said, with advice, and heals.
func revoked(t *testing.T, l *lifecycle) {
	revoke, restore := l.Cloud.RevokeAWSKeys, l.Cloud.RestoreAWSKeys
	if l.target.Cloud == "gcp" {
		revoke, restore = l.Cloud.RevokeGCPKey, l.Cloud.RestoreGCPKey
	}
	revoke(l.account)
	l.awaitStalled(t, v1alpha1.ReasonDenied, "credentials")
	restore(l.account)
	l.awaitReady(t)
	l.perform(t, deletion)
}

func (l *lifecycle) config(t testing.TB) *v1alpha1.ProviderConfig {
	t.Helper()
	c := &v1alpha1.ProviderConfig{}
	l.must(t, l.Client.Get(t.Context(), client.ObjectKey{Namespace: l.name, Name: accountName}, c))
	return c
}

// patchConfig edits the config as a person would: beside whatever Mooring writes.
func (l *lifecycle) patchConfig(t testing.TB, change func(*v1alpha1.ProviderConfig)) {
	t.Helper()
	c := l.config(t)
	before := c.DeepCopy()
	change(c)
	l.must(t, l.Client.Patch(t.Context(), c, client.MergeFrom(before)))
}

// awaitStalled waits until a person is asked, for a reason and with advice.
func (l *lifecycle) awaitStalled(t testing.TB, reason v1alpha1.Reason, advice string) {
	t.Helper()
	await(t, l.name+" is stalled: "+string(reason), func() string {
		o := l.cached(t.Context())
		if o == nil {
			return "it is not there"
		}
		c := meta.FindStatusCondition(system.StatusOf(o).Conditions, v1alpha1.ConditionStalled)
		if c == nil || c.Reason != string(reason) || !strings.Contains(c.Message, advice) {
			return conditions(system.StatusOf(o).Conditions)
		}
		return ""
	})
}

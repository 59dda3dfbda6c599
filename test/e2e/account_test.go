package e2e

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/test/system"
)

// ofTeam labels the namespace of the fixture.
func (w *fixture) ofTeam(name string) {
	w.Helper()
	ns := &corev1.Namespace{}
	w.Eventually("the namespace is labelled", func() bool {
		w.Must(w.Client.Get(w.Context(), client.ObjectKey{Name: w.Namespace}, ns))
		ns.Labels["team"] = name
		return w.Client.Update(w.Context(), ns) == nil
	})
}

// entry is one of a class's accounts.
func entry(team, config string) v1alpha1.ClassAccount {
	return v1alpha1.ClassAccount{
		NamespaceSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"team": team}},
		ProviderConfigRef: v1alpha1.ClusterProviderConfigReference{Name: config},
	}
}

// The labels of a namespace decide in which account its new objects are. What exists stays there, and is changed and deleted there, whatever
// becomes of the labels and of the class's list.
func TestAccountsOfAClass(t *testing.T) {
	onEach(t, func(w *fixture, c *system.Cloud) {
		later := w.Namespace // the ClusterProviderConfig of the second account, which is not there yet
		class := &v1alpha1.BucketClass{ObjectMeta: metav1.ObjectMeta{Name: w.Namespace}}
		class.Spec.AllowedNamespaces, class.Spec.Locations = &metav1.LabelSelector{}, []string{c.Region()}
		class.Spec.Accounts = []v1alpha1.ClassAccount{entry("a", c.Config), entry("b", later)}
		w.Must(w.Client.Create(w.Context(), class))
		w.Cleanup(func() { w.Must(client.IgnoreNotFound(w.Client.Delete(suite.Context(), class))) })
		bucket := func(name string) *v1alpha1.Bucket {
			b := &v1alpha1.Bucket{ObjectMeta: w.Meta(name)}
			b.Spec.ClassName = class.Name
			return b
		}
		isIn := func(b *v1alpha1.Bucket, of *system.Cloud) {
			w.Helper()
			s := w.ready(b).Status
			w.equal("account", []string{s.AccountID, s.ProviderConfigRef.Name, s.Location}, []string{of.Account, of.Config, c.Region()})
		}
		w.AwaitObject(class, "the class names the account that is missing", func() bool {
			ready := meta.FindStatusCondition(class.Status.Conditions, v1alpha1.ConditionReady)
			return ready != nil && ready.Status == metav1.ConditionFalse && strings.Contains(ready.Message, "there is no ClusterProviderConfig "+later)
		})
		orders := bucket("orders")
		w.create(orders)
		w.stalled(orders, v1alpha1.ReasonClassNotAllowed, "has no account for namespace "+w.Namespace)
		w.Disturb()
		w.ofTeam("a")
		isIn(orders, c)
		name := w.ready(orders).Status.ExternalName

		other := w.alone(c.Name)
		w.AwaitObject(class, "the class can be used", func() bool {
			return meta.IsStatusConditionTrue(class.Status.Conditions, v1alpha1.ConditionReady) && class.Status.Accounts == c.Config+", "+later
		})
		w.Disturb()
		mark := len(c.Writes(name))
		w.ofTeam("b")
		photos := bucket("photos")
		w.create(photos)
		isIn(photos, other)
		isIn(orders, c)

		elsewhere := bucket("elsewhere")
		elsewhere.Spec.Location = new("antarctica-1")
		w.create(elsewhere)
		w.stalled(elsewhere, v1alpha1.ReasonClassViolated, "does not allow the location antarctica-1, only "+c.Region())
		config := &v1alpha1.ClusterProviderConfig{ObjectMeta: metav1.ObjectMeta{Name: later}}
		w.AwaitObject(config, "its users are named, also one that waits", func() bool {
			return strings.Contains(config.Status.InUseBy, "Bucket "+w.Namespace+"/photos") && strings.Contains(config.Status.InUseBy, "Bucket "+w.Namespace+"/elsewhere") &&
				!strings.Contains(config.Status.InUseBy, "orders")
		})
		w.delete(elsewhere)
		w.awaitDeleted(elsewhere)

		w.Disturb()
		w.Eventually("the entry is taken out, and so is the location", func() bool {
			w.Must(w.Client.Get(w.Context(), client.ObjectKeyFromObject(class), class))
			class.Spec.Accounts, class.Spec.Locations = []v1alpha1.ClassAccount{entry("b", later)}, []string{"antarctica-1"}
			return w.Client.Update(w.Context(), class) == nil
		})
		w.expectWrites(c, name, mark)
		edit(w, orders, func(b *v1alpha1.Bucket) { b.Spec.Tags = map[string]v1alpha1.TagValue{"edited": "yes"} })
		w.mirrors(orders, "tags.edited", `"yes"`)
		isIn(orders, c)
		w.delete(orders)
		w.awaitDeleted(orders)
		if c.Buckets().Tags(w.T, name) != nil {
			w.Error("it is still in its account")
		}

		w.Eventually("the location is back", func() bool {
			w.Must(w.Client.Get(w.Context(), client.ObjectKeyFromObject(class), class))
			class.Spec.Locations = nil
			return w.Client.Update(w.Context(), class) == nil
		})
		anew := bucket("orders")
		w.create(anew)
		isIn(anew, other)
	})
}

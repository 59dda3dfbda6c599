package tenancy

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/system"
)

// The platform decides by the labels of namespaces which account a class gives to whom. No tenant gets another's: by no status, no label, no edit of
// the class, and not by making an object anew.
func TestNoTenantChoosesTheAccount(t *testing.T) {
	t.Parallel()
	h := newFixture(t, true)
	numbers := map[string]string{bank: "111111111111", thief: "222222222222"}
	class := &v1alpha1.BucketClass{ObjectMeta: metav1.ObjectMeta{Name: "routed"}}
	class.Spec.AllowedNamespaces = &metav1.LabelSelector{}
	for _, tenant := range []string{bank, thief} {
		id, secret := h.Cloud.AWSKeys(numbers[tenant])
		config := system.ClusterConfig("of-"+tenant, v1alpha1.Account{AWS: &v1alpha1.AWSAccount{Region: system.AWSRegion}}, h.Cloud.AWSEndpoint())
		config.Spec.DirectUse = false
		h.Create(config, &corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{Namespace: system.Namespace, Name: config.Spec.Credentials.SecretRef.Name},
			StringData: map[string]string{v1alpha1.SecretKeyAWSAccessKeyID: id, v1alpha1.SecretKeyAWSSecretAccessKey: secret},
		})
		class.Spec.Accounts = append(class.Spec.Accounts, v1alpha1.ClassAccount{
			NamespaceSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"team": tenant}},
			ProviderConfigRef: v1alpha1.ClusterProviderConfigReference{Name: config.Name},
		})
	}
	h.Create(class)
	own := func() *v1alpha1.Bucket {
		b := &v1alpha1.Bucket{ObjectMeta: metav1.ObjectMeta{Namespace: thief, Name: "own"}}
		b.Spec.ClassName = class.Name
		b.Status.ClassName, b.Status.ExternalName, b.Status.AccountID = class.Name, "loot", numbers[bank]
		b.Status.ProviderConfigRef = &v1alpha1.BoundProviderConfig{Kind: "ClusterProviderConfig", Name: "of-" + bank}
		return b
	}
	isOwn := func(what string, b *v1alpha1.Bucket) {
		t.Helper()
		if s := h.AwaitReady(b); s.AccountID != numbers[thief] || s.ProviderConfigRef.Name != "of-"+thief {
			t.Errorf("%s: the object is in account %s by %s", what, s.AccountID, s.ProviderConfigRef.Name)
		}
	}
	b := own()
	h.Must(h.thief.Create(t.Context(), b))
	isOwn("created with a status", b)
	merge := func(patch string) client.Patch { return client.RawPatch("application/merge-patch+json", []byte(patch)) }
	for what, err := range map[string]error{
		"its status":     h.thief.Status().Patch(t.Context(), b.DeepCopy(), merge(`{"status":{"providerConfigRef":{"kind":"ClusterProviderConfig","name":"of-bank"}}}`)),
		"its namespace":  h.thief.Patch(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: thief}}, merge(`{"metadata":{"labels":{"team":"bank"}}}`)),
		"the class":      h.thief.Patch(t.Context(), class.DeepCopy(), merge(`{"spec":{"accounts":null,"providerConfigRef":{"name":"of-bank"}}}`)),
		"bank's account": h.thief.Patch(t.Context(), b.DeepCopy(), merge(`{"spec":{"className":null,"providerConfigRef":{"kind":"ClusterProviderConfig","name":"of-bank"}}}`)),
	} {
		if !apierrors.IsForbidden(err) && !apierrors.IsInvalid(err) {
			t.Errorf("%s: %v", what, err)
		}
	}
	h.Must(h.thief.Delete(t.Context(), b))
	h.AwaitDeleted(b)
	anew := own()
	h.Must(h.thief.Create(t.Context(), anew))
	isOwn("made anew", anew)
	if calls := h.Cloud.Ledger.Calls(localcloud.Filter{Account: numbers[bank], Write: localcloud.Writes}); len(calls) > 0 {
		t.Errorf("bank's account was written to: %v", calls)
	}
}

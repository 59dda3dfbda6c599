package identity

import (
	"context"
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/system"
)

// A fixture is one test's accounts and namespaces on an environment.
type fixture struct {
	*testing.T
	*environment
	name string
	made *made
	// account and other are the fixture's own in AWS, project in Google Cloud.
	account, other, project string
}

// made are the Buckets of a fixture.
type made struct{ buckets []*v1alpha1.Bucket }

func (s *environment) fixture(t *testing.T) *fixture {
	t.Helper()
	n := s.fixtures.Add(1)
	w := &fixture{
		T: t, environment: s, name: fmt.Sprintf("%s-%d", s.name, n), made: &made{},
		account: fmt.Sprintf("1%011d", n), other: fmt.Sprintf("2%011d", n), project: fmt.Sprintf("mooring-%s-%d", s.name, n),
	}
	t.Cleanup(w.end)
	return w
}

// another is one more fixture on the same environment.
func (w *fixture) another(t *testing.T) *fixture {
	t.Helper()
	return w.environment.fixture(t) //nolint:staticcheck // w.fixture would read as if a fixture had one
}

// end deletes the fixture's Buckets, and waits until all are gone.
func (w *fixture) end() {
	for _, b := range w.made.buckets {
		if err := client.IgnoreNotFound(w.Client.Delete(context.Background(), b)); err != nil {
			w.Error(err)
		}
	}
	for _, b := range w.made.buckets {
		w.recorder.AwaitState(w.T, b, "deleted", func(s system.Snapshot) bool { return s.Deleted })
	}
}

func (w *fixture) Must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

// A tenant is a namespace, and what signs in to the cloud for it.
type tenant struct {
	name string
	uid  types.UID
}

// serviceAccount is the name of every tenant's ServiceAccount, config that of every provider config.
const (
	serviceAccount = "cloud"
	config         = "main"
)

// subject is that of the tokens of the tenant's ServiceAccount.
func (n tenant) subject() string { return localcloud.ServiceAccountSubject(n.name, serviceAccount) }

// tenant makes a namespace with a ServiceAccount, which is annotated unless consent is false.
func (w *fixture) tenant(name string, consent bool) tenant {
	w.Helper()
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: w.name + "-" + name, Labels: map[string]string{"fixture": w.name}}}
	w.Must(w.Client.Create(w.Context(), ns))
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: ns.Name, Name: serviceAccount}}
	if consent {
		account.Annotations = map[string]string{v1alpha1.AnnotationIssueTokens: "true"}
	}
	w.Must(w.Client.Create(w.Context(), account))
	return tenant{ns.Name, ns.UID}
}

// use makes a tenant's ProviderConfig for an identity, and returns how its Buckets name it.
func (w *fixture) use(n tenant, c cloud, id identity) v1alpha1.ResourceSpec {
	w.Helper()
	name := config + "-" + c.name
	pc := &v1alpha1.ProviderConfig{ObjectMeta: metav1.ObjectMeta{Namespace: n.name, Name: name}}
	pc.Spec.Account, pc.Spec.Credentials.IdentityChain = c.account(w), id.chain
	if id.secret != nil {
		pc.Spec.Credentials.SecretRef = &v1alpha1.LocalSecretReference{Name: name}
		w.Must(w.Client.Create(w.Context(), &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: n.name, Name: name}, Data: id.secret()}))
	}
	w.Must(w.Client.Create(w.Context(), pc))
	w.wants(c, id, n)
	return v1alpha1.ResourceSpec{ProviderConfigRef: &v1alpha1.ProviderConfigReference{Kind: "ProviderConfig", Name: name}}
}

// offer makes a ClusterProviderConfig for an identity, and a BucketClass of it that the fixture's namespaces may use. It
// returns how Buckets name the class.
func (w *fixture) offer(c cloud, id identity) v1alpha1.ResourceSpec {
	w.Helper()
	name := w.name + "-" + c.name
	ours := &metav1.LabelSelector{MatchLabels: map[string]string{"fixture": w.name}}
	cpc := &v1alpha1.ClusterProviderConfig{ObjectMeta: metav1.ObjectMeta{Name: name}}
	cpc.Spec.Account, cpc.Spec.Endpoint, cpc.Spec.AllowedNamespaces = c.account(w), c.endpoint(w), ours
	cpc.Spec.Credentials.IdentityChain = id.chain
	if id.secret != nil {
		cpc.Spec.Credentials.SecretRef = &v1alpha1.LocalSecretReference{Name: name}
		w.Must(w.Client.Create(w.Context(), &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: system.Namespace, Name: name}, Data: id.secret()}))
	}
	w.Must(w.Client.Create(w.Context(), cpc))
	class := &v1alpha1.BucketClass{ObjectMeta: metav1.ObjectMeta{Name: name}}
	class.Spec.ProviderConfigRef.Name, class.Spec.AllowedNamespaces = name, ours
	w.Must(w.Client.Create(w.Context(), class))
	return v1alpha1.ResourceSpec{ClassName: name}
}

// wants says that an identity is for tokens of a tenant.
func (w *fixture) wants(c cloud, id identity, n tenant) {
	if web := id.chain.WebIdentity; web != nil {
		w.tokens.want(tokenUse{n.name, web.ServiceAccountName, c.audience(web)})
	}
}

// bucket makes a Bucket, which goes with the fixture.
func (w *fixture) bucket(n tenant, name string, spec v1alpha1.ResourceSpec) *v1alpha1.Bucket {
	w.Helper()
	b := &v1alpha1.Bucket{ObjectMeta: metav1.ObjectMeta{Namespace: n.name, Name: name}}
	b.Spec.ResourceSpec = spec
	b.Spec.Tags = map[string]v1alpha1.TagValue{"team": "shop"}
	w.Must(w.Client.Create(w.Context(), b))
	w.made.buckets = append(w.made.buckets, b)
	return b
}

func (w *fixture) ready(buckets ...*v1alpha1.Bucket) {
	w.Helper()
	for _, b := range buckets {
		b.Status.ResourceStatus = w.recorder.AwaitState(w.T, b, "Ready and Synced", isReady).Status
	}
}

// denied waits until Buckets are Stalled because the cloud refuses who comes, and checks that the message says all that.
func (w *fixture) denied(buckets []*v1alpha1.Bucket, says ...string) {
	w.Helper()
	for _, b := range buckets {
		s := w.recorder.AwaitState(w.T, b, "Stalled, Denied", func(s system.Snapshot) bool {
			return !s.Deleted && s.Is(v1alpha1.ConditionStalled, metav1.ConditionTrue) && s.Condition(v1alpha1.ConditionStalled).Reason == string(v1alpha1.ReasonDenied)
		})
		for _, text := range says {
			if message := s.Condition(v1alpha1.ConditionStalled).Message; !strings.Contains(message, text) {
				w.Errorf("%s/%s: the message is %q, want it to say %q", b.Namespace, b.Name, message, text)
			}
		}
	}
}

// Eventually waits for something that no watch tells.
func (w *fixture) Eventually(what string, so func() bool) {
	w.Helper()
	system.Eventually(w.T, what, so)
}

// awaitObservations waits until n more observations of each Bucket have begun and were answered. There is one at a time: after two more, none is
// under way that began before.
func (w *fixture) awaitObservations(c cloud, buckets []*v1alpha1.Bucket, n int) {
	w.Helper()
	answered := func(b *v1alpha1.Bucket) (n int) {
		for _, call := range w.Cloud.Ledger.Calls(localcloud.Filter{Service: c.service, Operation: c.observation, Resource: b.Status.ExternalName}) {
			if call.Committed {
				n++
			}
		}
		return n
	}
	before := map[*v1alpha1.Bucket]int{}
	for _, b := range buckets {
		before[b] = answered(b)
	}
	for _, b := range buckets {
		w.Eventually(b.Namespace+"/"+b.Name+" is looked at", func() bool { return answered(b) >= before[b]+n })
	}
}

// verifyRetried checks that each call of a Bucket that the cloud refused for who made it was made once more, and answered
// then. It returns how many were refused.
func (w *fixture) verifyRetried(c cloud, b *v1alpha1.Bucket) (refused int) {
	w.Helper()
	last := map[string]bool{} // by operation: it was refused
	for _, call := range w.Cloud.Ledger.Calls(localcloud.Filter{Service: c.service, Resource: b.Status.ExternalName}) {
		if refusedCaller(call) {
			refused++
			if last[call.Operation] {
				w.Errorf("refused a second time: %+v", call)
			}
		}
		last[call.Operation] = refusedCaller(call)
	}
	for operation, refused := range last {
		if refused {
			w.Errorf("%s of %s was not made once more", operation, b.Status.ExternalName)
		}
	}
	return refused
}

// edit changes an object as a person would.
func edit[T client.Object](w *fixture, o T, change func(T)) {
	w.Helper()
	system.Edit(&system.Fixture{T: w.T, Environment: w.Environment}, o, change)
}

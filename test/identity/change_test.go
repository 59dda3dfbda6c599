package identity

import (
	"fmt"
	"slices"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/system"
)

// few is how many buckets share a connection in tests of what becomes of it.
const few = 5

func (w *fixture) buckets(n tenant, prefix string, count int, spec v1alpha1.ResourceSpec) []*v1alpha1.Bucket {
	w.Helper()
	var all []*v1alpha1.Bucket
	for i := range count {
		all = append(all, w.bucket(n, fmt.Sprint(prefix, "-", i), spec))
	}
	return all
}

// Keys are rotated as providers advise: a new one is made and written into the Secret, and the old one is deleted once nobody uses it any
// more. No call is refused meanwhile, and what has used the new key never uses the old one again; nor do sessions that began with it.
func verifyRotation(w *fixture, way signIn) {
	n := w.tenant("shop", true)
	id := way.allow(w, config+"-"+way.cloud.name, n)
	buckets := w.buckets(n, "orders", few, w.use(n, way.cloud, id))
	w.ready(buckets...)
	since, first := w.Cloud.Ledger.Count(localcloud.Filter{}), way.keyID(w)

	deleteOld := way.addKey(w)
	w.storeKey(way, n, id)
	w.awaitKey(way, buckets)
	deleteOld()
	w.awaitObservations(way.cloud, buckets, 2)
	for _, b := range buckets {
		calls := w.verifyKeys(b, since, first, way.keyID(w))
		if i := slices.IndexFunc(calls, refusedCaller); i >= 0 {
			w.Errorf("%s: a call was refused: %+v", b.Name, calls[i])
		}
	}
	w.ready(buckets...)

	// A key that leaked is deleted at once. Calls that are signed with it are refused until the new key is read, and all goes on with that.
	since, second := w.Cloud.Ledger.Count(localcloud.Filter{}), way.keyID(w)
	way.addKey(w)()
	w.awaitWithoutKey(way, id, buckets, since)
	w.storeKey(way, n, id)
	w.awaitKey(way, buckets)
	w.awaitObservations(way.cloud, buckets, 2)
	for _, b := range buckets {
		w.verifyKeys(b, since, second, way.keyID(w))
	}
	w.ready(buckets...)
}

// awaitWithoutKey waits until it has shown that the Buckets' key is deleted: since then a call was refused. A session that began with it goes on.
func (w *fixture) awaitWithoutKey(way signIn, id identity, buckets []*v1alpha1.Bucket, since int) {
	w.Helper()
	if len(id.chain.AssumeRoles) > 0 || id.chain.ImpersonateServiceAccount != "" {
		w.awaitObservations(way.cloud, buckets, 2)
		return
	}
	w.Eventually("a call with the deleted key is refused", func() bool {
		return slices.ContainsFunc(w.Cloud.Ledger.Calls(localcloud.Filter{})[since:], func(c localcloud.Call) bool {
			ofOurs := func(b *v1alpha1.Bucket) bool { return c.Resource == b.Status.ExternalName }
			return slices.ContainsFunc(buckets, ofOurs) && refusedCaller(c)
		})
	})
}

// storeKey writes the current key into the tenant's Secret.
func (w *fixture) storeKey(way signIn, n tenant, id identity) {
	w.Helper()
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: n.name, Name: config + "-" + way.cloud.name}}
	edit(w, secret, func(s *corev1.Secret) { s.Data = id.secret() })
}

// awaitKey waits until the cloud has answered a call about each Bucket that began with the current key.
func (w *fixture) awaitKey(way signIn, buckets []*v1alpha1.Bucket) {
	w.Helper()
	key := way.keyID(w)
	for _, b := range buckets {
		w.Eventually(b.Name+" is observed with the new key", func() bool {
			return slices.ContainsFunc(w.Cloud.Ledger.Calls(localcloud.Filter{Service: way.service, Resource: b.Status.ExternalName}), func(c localcloud.Call) bool {
				return c.Committed && c.Key == key
			})
		})
	}
}

// verifyKeys checks the calls about a Bucket from the since-th call on: they began with the old key, and from some call on with the current
// one. Of a call that the cloud refused to authenticate it can't be told. It returns the calls.
func (w *fixture) verifyKeys(b *v1alpha1.Bucket, since int, old, current string) (calls []localcloud.Call) {
	w.Helper()
	var keys []string
	for _, call := range w.Cloud.Ledger.Calls(localcloud.Filter{})[since:] {
		if call.Resource != b.Status.ExternalName {
			continue
		}
		calls = append(calls, call)
		if call.Key != "" {
			keys = append(keys, call.Key)
		}
	}
	keys = slices.Compact(keys)
	if !slices.Equal(keys, []string{old, current}) && !slices.Equal(keys, []string{current}) {
		w.Errorf("%s: calls with the keys %q, want %q and then %q", b.Name, keys, old, current)
	}
	return calls
}

// The cloud ends the sessions of an identity that is good. Whoever has one gets another: nobody else learns of it.
func verifyRevocation(w *fixture, way signIn) {
	n := w.tenant("shop", true)
	id := way.allow(w, config+"-"+way.cloud.name, n)
	buckets := w.buckets(n, "orders", few, w.use(n, way.cloud, id))
	w.ready(buckets...)
	w.clock.Forward(2 * time.Minute) // else an explicit deny may be meant for the role
	since, failed := w.position(buckets), failureLog.mark()

	if id.sessions != nil {
		roles := id.sessions(n)
		w.Cloud.RevokeAWSSessions(roles[len(roles)-1].Role)
	} else {
		w.Cloud.ExpireGCPTokens(w.project)
	}

	w.awaitObservations(way.cloud, buckets, 2)
	refused := 0
	for _, b := range buckets {
		refused += w.verifyRetried(way.cloud, b)
	}
	if refused == 0 {
		w.Error("no call was refused, so the test proves nothing")
	}
	w.verifyUnchanged(w.T, since)
	if failures := failureLog.of(w, failed); len(failures) > 0 {
		w.Errorf("turns failed: %v", failures)
	}
}

// A namespace is deleted whole: whatever goes first, what is in the cloud goes too, and nothing of the tenant is kept. One that
// comes later under the same name is another tenant.
func verifyLeaving(w *fixture, way signIn, offered bool) {
	leaving, staying := w.tenant("leaving", true), w.tenant("staying", true)
	w.deletedNamespaces.Store(leaving.name, true)
	name := config + "-" + way.cloud.name
	if offered {
		name = w.name + "-" + way.cloud.name
	}
	id := way.allow(w, name, leaving, staying)
	var spec v1alpha1.ResourceSpec
	if offered {
		spec = w.offer(way.cloud, id)
		w.wants(way.cloud, id, leaving)
		w.wants(way.cloud, id, staying)
		w.ready(w.bucket(staying, "orders", spec))
	} else {
		spec = w.use(leaving, way.cloud, id)
	}
	buckets := w.buckets(leaving, "orders", few, spec)
	w.ready(buckets...)
	if w.kept(leaving) == 0 {
		w.Error("no token is kept for the deletion")
	}

	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: leaving.name}}
	w.Must(w.Client.Delete(w.Context(), ns))
	for _, b := range buckets {
		w.recorder.AwaitState(w.T, b, "deleted", func(s system.Snapshot) bool { return s.Deleted })
		w.verifyDeleted(way, b.Status.ExternalName, id.caller(leaving))
	}
	w.Eventually("the namespace is gone", func() bool {
		return apierrors.IsNotFound(w.Client.Get(w.Context(), client.ObjectKeyFromObject(ns), ns))
	})
	w.Eventually("nothing of it is kept", func() bool { return w.kept(leaving) == 0 })
	if !offered {
		return
	}
	again := w.tenant("leaving", true)
	b := w.bucket(again, "invoices", spec)
	w.ready(b)
	if diff := cmp.Diff([]string{id.caller(again)}, way.callers(w, b.Status.ExternalName)); diff != "" {
		w.Errorf("who came for the namespace's successor (-want +got):\n%s", diff)
	}
}

package identity

import (
	"fmt"
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

// mostRefused is how many calls about one Bucket may be made with keys that were replaced: credentials are used for a sync period before
// they are read again, and calls that were refused are made twice.
const mostRefused = 8

// Keys are replaced, and the old ones are refused from then on, until the new ones are read.
func verifyRotation(w *fixture, way signIn) {
	n := w.tenant("shop", true)
	id := way.allow(w, config+"-"+way.cloud.name, n)
	buckets := w.buckets(n, "orders", few, w.use(n, way.cloud, id))
	w.ready(buckets...)

	w.Cloud.RotateAWSKeys(w.account)
	w.Cloud.RotateGCPKey(w.project)
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: n.name, Name: config + "-" + way.cloud.name}}
	edit(w, secret, func(s *corev1.Secret) { s.Data = id.secret() })
	since := w.Cloud.Ledger.Count(localcloud.Filter{})

	w.awaitAnswers(way.cloud, buckets, 2)
	w.ready(buckets...)
	for _, b := range buckets {
		refused := 0
		for _, call := range w.Cloud.Ledger.Calls(localcloud.Filter{})[since:] {
			if call.Resource == b.Status.ExternalName && refusedCaller(call) {
				refused++
			}
		}
		if refused > mostRefused {
			w.Errorf("%s: %d calls were made with the old keys after the Secret had the new ones, want %d at most", b.Name, refused, mostRefused)
		}
	}
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

	w.awaitAnswers(way.cloud, buckets, 3)
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

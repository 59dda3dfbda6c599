package e2e

import (
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/test/system"
)

// What is only observed shows all that the cloud has, so that its mirror is a spec that asks for what is there.
func TestObservedBucketShowsEverything(t *testing.T) {
	onEach(t, func(w *fixture, c *system.Cloud) {
		made := throughOpenClass(w, c, w.bucket(c, "made", system.FullBucket(c)))
		w.create(made)
		name := w.ready(made).Status.ExternalName
		seen := w.bucket(c, "seen", v1alpha1.BucketParameters{})
		seen.Spec.Management, seen.Spec.ExternalName = v1alpha1.ManagementObserve, name
		w.create(seen)
		w.ready(seen)
		w.Must(w.Client.Get(w.Context(), client.ObjectKeyFromObject(seen), seen))
		w.Must(w.Client.Get(w.Context(), client.ObjectKeyFromObject(made), made))
		w.equal("mirror", seen.Status.Observed, made.Status.Observed)

		want := made.Spec.BucketParameters // which made is as declared by
		want.ForceDestroy = nil            // it is nothing that a bucket has
		if want.AWS != nil {
			want.AWS.BlockedEncryptionTypes, want.AWS.Policy = nil, nil // a mirror leaves out what is empty
		}
		if want.GCP != nil {
			want.GCP.RPO, want.GCP.IAMBindings = nil, nil // a bucket in one region has none
		}
		w.equal("mirror, as a spec", *seen.Status.Observed, want)
	})
}

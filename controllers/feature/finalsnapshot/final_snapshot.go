package finalsnapshot

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/feature"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/controllers/resource/outcome"
	"github.com/mooring-dev/mooring/providers/driver"
)

type finalSnapshot struct {
	kind *kind.Kind
	// client creates objects; reader reads from the API server what must be fresh.
	client client.Client
	reader client.Reader
}

// Of returns the feature of a kind; nothing if its objects have no final snapshots.
func Of(k *kind.Kind, c client.Client, fresh client.Reader) feature.Set {
	if k.FinalSnapshot == nil {
		return nil
	}
	return feature.Set{{Finish: finalSnapshot{k, c, fresh}.keep}}
}

// keep makes the object that stands for the final snapshot, before the finalizer goes: it is made again after a crash, and then is found.
func (f finalSnapshot) keep(ctx context.Context, w feature.Work) error {
	in := w.Reconciliation()
	if in.Observation.Backup.GetFinalSnapshot() != driver.Ready || !controllerutil.ContainsFinalizer(in.Object, v1alpha1.FinalizerResource) {
		return nil
	}
	name := in.Request.Deletion.Snapshot
	stands := f.kind.FinalSnapshot(in.Object, in.Want, name)
	switch err := f.createBound(ctx, stands); {
	case err == nil:
		w.Note(outcome.Normal(v1alpha1.EventRetained, "the final snapshot %s stays: the object %s stands for it", name, stands.GetName()))
	case apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause), apierrors.IsNotFound(err), apierrors.IsAlreadyExists(err), meta.IsNoMatchError(err):
		why := err.Error()
		if apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause) {
			why = "the namespace is being deleted"
		}
		w.Emit(outcome.Warning(v1alpha1.EventRetained,
			"the final snapshot %s stays in %s account %s, and no object stands for it, because %s; to get it back, create a DatabaseSnapshot with spec.source.externalName %s, "+
				"spec.adoption IfExists and a spec.providerConfigRef that leads to that account, in a namespace of the name %s, and have your platform team set the annotation %s=%s/%s on it", name, in.Provider, in.Account, why, name,
			in.Object.GetNamespace(), v1alpha1.AnnotationAdoptFrom, in.Object.GetNamespace(), in.Object.GetName()))
	default:
		return fmt.Errorf("create an object for the final snapshot %s (set spec.deletionPolicy: Retain to do without it; the snapshot stays): %w", name, err)
	}
	return nil
}

// createBound creates an object with its status, by two writes. An object of that name that stands for the same cloud object is completed; any other is the error
// AlreadyExists. The status is not guarded by a version: until it is written, the object only waits for its parent, which is being deleted, and says so.
func (f finalSnapshot) createBound(ctx context.Context, object v1alpha1.ResourceObject) error {
	binding := *object.GetResourceStatus()
	bound := object.DeepCopyObject().(v1alpha1.ResourceObject)
	exists := f.client.Create(ctx, object)
	if apierrors.IsAlreadyExists(exists) {
		switch err := f.reader.Get(ctx, client.ObjectKeyFromObject(object), object); {
		case apierrors.IsNotFound(err):
			return outcome.ErrStale // it went meanwhile
		case err != nil:
			return err
		}
		if object.GetResourceSpec().ExternalName != binding.ExternalName {
			return exists
		}
	} else if exists != nil {
		return exists
	}
	if object.GetResourceStatus().ExternalName != "" {
		return nil
	}
	bound.SetUID(object.GetUID())
	unbound := object.DeepCopyObject().(v1alpha1.ResourceObject)
	unbound.SetResourceVersion("")
	return f.client.Status().Patch(ctx, bound, client.MergeFrom(unbound))
}

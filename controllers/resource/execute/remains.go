package execute

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/resource/outcome"
	"github.com/mooring-dev/mooring/providers/driver"
)

// keepSnapshot makes the object that stands for the final snapshot of a deleted object, before the finalizer goes: it is made again after a crash, and
// then is found. Where there can be none, as in a namespace that is being deleted, the log says where the snapshot is.
func keepSnapshot(ctx context.Context, w *work) error {
	if w.Kind.Remains == nil || w.Observation.Backup.GetFinalSnapshot() != driver.Ready || !hasFinalizer(w.Object) {
		return nil
	}
	name := w.Request.Deletion.Snapshot
	remains := w.Kind.Remains(w.Object, w.Want, name)
	switch err := w.executor.createBound(ctx, remains); {
	case err == nil:
		w.note(outcome.Normal(v1alpha1.EventRetained, "the final snapshot %s stays: the object %s stands for it", name, remains.GetName()))
	case apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause), apierrors.IsNotFound(err), apierrors.IsAlreadyExists(err), meta.IsNoMatchError(err):
		why := err.Error()
		if apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause) {
			why = "the namespace is being deleted"
		}
		w.Tell(w.done.Action, outcome.Warning(v1alpha1.EventRetained,
			"the final snapshot %s stays in %s account %s, and no object stands for it, because %s; to get it back, create a DatabaseSnapshot with spec.source.externalName %s, "+
				"spec.adoption IfExists and a spec.providerConfigRef that leads to that account, in a namespace of the name %s, and have your platform team set the annotation %s=%s/%s on it", name, w.Provider, w.Account, why, name,
			w.Object.GetNamespace(), v1alpha1.AnnotationAdoptFrom, w.Object.GetNamespace(), w.Object.GetName()))
	default:
		return fmt.Errorf("create an object for the final snapshot %s (set spec.deletionPolicy: Retain to do without it; the snapshot stays): %w", name, err)
	}
	return nil
}

// createBound creates an object with its status, by two writes. An object of that name that stands for the same cloud object is completed; any other is the error
// AlreadyExists. The status is not guarded by a version: until it is written, the object only waits for its parent, which is being deleted, and says so.
func (x *Executor) createBound(ctx context.Context, object v1alpha1.ResourceObject) error {
	binding := *object.GetResourceStatus()
	bound := object.DeepCopyObject().(v1alpha1.ResourceObject)
	exists := x.Client.Create(ctx, object)
	if apierrors.IsAlreadyExists(exists) {
		switch err := x.Reader.Get(ctx, client.ObjectKeyFromObject(object), object); {
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
	return x.Client.Status().Patch(ctx, bound, client.MergeFrom(unbound))
}

package execute

import (
	"context"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/api/equality"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/condition"
	"github.com/mooring-dev/mooring/controllers/resource/outcome"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
)

func (w *work) bound() bool { return w.status.ExternalName != "" }

func (w *work) hasFinalizer() bool {
	return controllerutil.ContainsFinalizer(w.Object, v1alpha1.FinalizerResource)
}

// ensureRecorded stores, before the cloud is changed, what finding and deleting the object again will
// take: config and credentials, the finalizer, and the binding.
func (w *work) ensureRecorded(ctx context.Context, a plan.Action) (fresh bool, err error) {
	if w.hasFinalizer() && w.bound() {
		return false, nil
	}
	keep, err := w.hasRoom(ctx)
	if err != nil {
		return false, err
	}
	defer keep()
	if err := w.Protector.Protect(ctx, w.Config, w.Object.GetNamespace()); err != nil {
		return false, err
	}
	if !w.hasFinalizer() {
		if err := w.addFinalizer(ctx); err != nil {
			return false, fmt.Errorf("store the finalizer: %w", err)
		}
	}
	if !w.bound() {
		w.bind()
		w.describe(outcome.Outcome{State: condition.Progressing, Reason: a.Reason, Message: a.Message})
		if err := w.patchStatus(ctx); err != nil {
			return false, fmt.Errorf("store the binding: %w", err)
		}
	}
	return true, nil
}

// addFinalizer adds the finalizer, and nothing else: what the status is to say stays as it is.
func (w *work) addFinalizer(ctx context.Context) error {
	patched := w.Stored.DeepCopyObject().(v1alpha1.ResourceObject)
	controllerutil.AddFinalizer(patched, v1alpha1.FinalizerResource)
	if err := w.Client.Patch(ctx, patched, client.MergeFromWithOptions(w.Stored, client.MergeFromWithOptimisticLock{})); err != nil {
		return err
	}
	w.Stored = w.Stored.DeepCopyObject().(v1alpha1.ResourceObject)
	for _, o := range []v1alpha1.ResourceObject{w.Stored, w.Object} {
		o.SetFinalizers(slices.Clone(patched.GetFinalizers()))
		o.SetManagedFields(patched.GetManagedFields())
		o.SetResourceVersion(patched.GetResourceVersion())
	}
	return nil
}

// ensureFresh makes sure that the cache did not show an old version of the object. Nothing is created or deleted on
// the word of a cache.
func (w *work) ensureFresh(ctx context.Context) error {
	live := w.Kind.New()
	if err := w.Reader.Get(ctx, client.ObjectKeyFromObject(w.Object), live); err != nil {
		return err
	}
	if live.GetUID() != w.Object.GetUID() || live.GetResourceVersion() != w.Object.GetResourceVersion() {
		return outcome.ErrStale
	}
	return nil
}

// describe brings the status in line with an outcome and what was observed.
func (w *work) describe(out outcome.Outcome) {
	described, released := w.Describe(w.Object, out)
	w.setObject(described)
	w.done.Released = append(w.done.Released, released...)
}

// patchStatus writes the status if it differs from what is stored.
func (w *work) patchStatus(ctx context.Context) error {
	if equality.Semantic.DeepEqual(w.Stored, w.Object) {
		w.Memory.Carried = nil
		return nil
	}
	desired := w.Object.DeepCopyObject().(v1alpha1.ResourceObject)
	err := w.Client.Status().Patch(ctx, desired, client.MergeFromWithOptions(w.Stored, client.MergeFromWithOptimisticLock{}))
	if err != nil {
		return err
	}
	w.Object.SetResourceVersion(desired.GetResourceVersion())
	w.Stored = w.Object.DeepCopyObject().(v1alpha1.ResourceObject)
	w.Memory.Carried, w.done.Written = nil, true
	if len(w.done.Released) > 0 {
		w.note(outcome.Released(w.done.Released))
	}
	w.done.Released = nil
	return nil
}

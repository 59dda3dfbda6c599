package execute

import (
	"context"
	"fmt"
	"slices"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/controllers/resource/outcome"
)

// A store keeps objects in the API server. Each write is guarded by the version that is stored.
type store struct {
	client client.Client
	reader client.Reader
	kind   *kind.Kind
}

func hasFinalizer(object v1alpha1.ResourceObject) bool {
	return controllerutil.ContainsFinalizer(object, v1alpha1.FinalizerResource)
}

func bound(object v1alpha1.ResourceObject) bool { return object.GetResourceStatus().ExternalName != "" }

// addFinalizer adds the finalizer, and nothing else: what the status of object is to say stays as it is. It returns what is stored.
func (s store) addFinalizer(ctx context.Context, stored, object v1alpha1.ResourceObject) (v1alpha1.ResourceObject, error) {
	patched := stored.DeepCopyObject().(v1alpha1.ResourceObject)
	controllerutil.AddFinalizer(patched, v1alpha1.FinalizerResource)
	if err := s.client.Patch(ctx, patched, client.MergeFromWithOptions(stored, client.MergeFromWithOptimisticLock{})); err != nil {
		return stored, fmt.Errorf("store the finalizer: %w", err)
	}
	stored = stored.DeepCopyObject().(v1alpha1.ResourceObject)
	for _, o := range []v1alpha1.ResourceObject{stored, object} {
		o.SetFinalizers(slices.Clone(patched.GetFinalizers()))
		o.SetManagedFields(patched.GetManagedFields())
		o.SetResourceVersion(patched.GetResourceVersion())
	}
	return stored, nil
}

// removeFinalizer removes the finalizer. An object that is gone has none.
func (s store) removeFinalizer(ctx context.Context, stored v1alpha1.ResourceObject) error {
	patched := stored.DeepCopyObject().(v1alpha1.ResourceObject)
	controllerutil.RemoveFinalizer(patched, v1alpha1.FinalizerResource)
	err := s.client.Patch(ctx, patched, client.MergeFromWithOptions(stored, client.MergeFromWithOptimisticLock{}))
	if client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("remove the finalizer: %w", err)
	}
	return nil
}

// ensureFresh makes sure that the cache did not show an old version of the object. Nothing is created or deleted on
// the word of a cache.
func (s store) ensureFresh(ctx context.Context, object v1alpha1.ResourceObject) error {
	live := s.kind.New()
	if err := s.reader.Get(ctx, client.ObjectKeyFromObject(object), live); err != nil {
		return err
	}
	if live.GetUID() != object.GetUID() || live.GetResourceVersion() != object.GetResourceVersion() {
		return outcome.ErrStale
	}
	return nil
}

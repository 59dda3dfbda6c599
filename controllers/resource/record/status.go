package record

import (
	"context"
	"strings"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
)

// Status writes the status of an object if it differs from what is stored, guarded by the version that is stored, and returns what is stored then. The object
// gets the new version. Of an object without room for it the beginnings of long values are stored, and the whole is tried again only once something else changes.
func Status(ctx context.Context, c client.StatusClient, stored, object v1alpha1.ResourceObject) (now v1alpha1.ResourceObject, written bool, err error) {
	if equality.Semantic.DeepEqual(stored, object) {
		return stored, false, nil
	}
	short := lean(object)
	if equality.Semantic.DeepEqual(stored, short) {
		return stored, false, nil
	}
	whole := object
	if plan.Weight(object) > roomy {
		whole = short
	}
	now, err = patch(ctx, c, stored, whole)
	if TooLarge(err) {
		now, err = patch(ctx, c, stored, short)
	}
	if err != nil {
		return stored, false, err
	}
	object.SetResourceVersion(now.GetResourceVersion())
	return now, true, nil
}

func patch(ctx context.Context, c client.StatusClient, stored, object v1alpha1.ResourceObject) (now v1alpha1.ResourceObject, err error) {
	answered := object.DeepCopyObject().(v1alpha1.ResourceObject)
	if err := c.Status().Patch(ctx, answered, client.MergeFromWithOptions(stored, client.MergeFromWithOptimisticLock{})); err != nil {
		return nil, err
	}
	now = object.DeepCopyObject().(v1alpha1.ResourceObject)
	now.SetResourceVersion(answered.GetResourceVersion())
	return now, nil
}

// TooLarge reports whether the API server did not store an object for its size. It says so itself, or passes on what etcd says, or its own client of that.
func TooLarge(err error) bool {
	if err == nil {
		return false
	}
	return apierrors.IsRequestEntityTooLargeError(err) || strings.Contains(err.Error(), "request is too large") || strings.Contains(err.Error(), "message larger than max")
}

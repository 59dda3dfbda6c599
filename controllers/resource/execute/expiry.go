package execute

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/controllers/resource/outcome"
)

// expire deletes the Kubernetes object, as it was read. Its finalizer does the rest, as if a person had deleted it.
func expire(ctx context.Context, w *work) (outcome.Outcome, error) {
	w.tell(outcome.Normal(v1alpha1.EventExpired, "spec.expiresAfter passed at %s, and Mooring deletes this object; spec.deletionPolicy is %s",
		kind.ExpiresAt(w.Kind, w.Object).UTC().Format(time.RFC3339), w.Policy.Deletion))
	uid, version := w.Stored.GetUID(), w.Stored.GetResourceVersion()
	err := w.executor.Client.Delete(ctx, w.Stored, client.Preconditions{UID: &uid, ResourceVersion: &version})
	switch {
	case apierrors.IsConflict(err):
		return outcome.Outcome{}, outcome.ErrStale
	case client.IgnoreNotFound(err) != nil:
		return outcome.Outcome{}, fmt.Errorf("delete this object, whose time has passed: %w", err)
	case !hasFinalizer(w.Object):
		return outcome.Outcome{Deleted: true}, nil
	}
	return outcome.Outcome{KeepConditions: true, Next: outcome.Soon}, nil
}

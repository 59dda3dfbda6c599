package expiry

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/feature"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/controllers/resource/outcome"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/controllers/resource/reconciliation"
)

// Expire is the verb of the action that deletes an object whose time has passed.
const Expire plan.Verb = "Expire"

type expiry struct {
	*kind.Expiry
	// restored is the kind of what is restored from objects of the kind.
	restored *kind.Kind
	// client deletes objects, and lists from a cache what is being restored from them.
	client client.Client
}

// Of returns the feature of a kind; nothing if its objects stay until somebody deletes them.
func Of(k *kind.Kind, family kind.Family, c client.Client) feature.Set {
	if k.Expiry == nil {
		return nil
	}
	e := expiry{k.Expiry, family.Parent, c}
	return feature.Set{{Start: e.start, Acts: map[plan.Verb]feature.Act{Expire: e.expire}, Status: e.status, Due: e.due}}
}

// start ends the reconciliation of an object whose time has passed with the action Expire. It then goes as any other that somebody deletes.
func (e expiry) start(ctx context.Context, in *reconciliation.State) (*reconciliation.Stop, error) {
	at := e.At(in.Object)
	if in.Deleting || at.IsZero() || in.Now.Before(at) {
		return nil, nil
	}
	if held, err := e.isHeld(ctx, in.Object); held || err != nil {
		return nil, err
	}
	return &reconciliation.Stop{Action: &plan.Action{Verb: Expire, Verify: true}}, nil
}

// isHeld reports whether something is being restored from an object: the cloud needs the snapshot until that is done.
func (e expiry) isHeld(ctx context.Context, object client.Object) (held bool, err error) {
	list := e.restored.NewList()
	if err := e.client.List(ctx, list, client.InNamespace(object.GetNamespace()), client.UnsafeDisableDeepCopy); err != nil {
		return false, fmt.Errorf("find what is being restored from it: %w", err)
	}
	err = meta.EachListItem(list, func(item runtime.Object) error {
		other := item.(v1alpha1.ResourceObject)
		from := e.restored.RestoreFrom(other)
		waits := other.GetResourceStatus().FirstReadyTime == nil && other.GetDeletionTimestamp().IsZero()
		held = held || waits && from != nil && from.SnapshotRef != nil && from.SnapshotRef.Name == object.GetName()
		return nil
	})
	return held, err
}

// expire deletes the Kubernetes object, as it was read. Its finalizer does the rest.
func (e expiry) expire(ctx context.Context, w feature.Work, _ plan.Action) (outcome.Outcome, error) {
	in := w.Reconciliation()
	w.Emit(outcome.Normal(v1alpha1.EventExpired, "spec.expiresAfter passed at %s, and Mooring deletes this object; spec.deletionPolicy is %s",
		e.At(in.Object).UTC().Format(time.RFC3339), in.Policy.Deletion))
	uid, version := in.Stored.GetUID(), in.Stored.GetResourceVersion()
	err := e.client.Delete(ctx, in.Stored, client.Preconditions{UID: &uid, ResourceVersion: &version})
	switch {
	case apierrors.IsConflict(err):
		return outcome.Outcome{}, outcome.ErrStale
	case client.IgnoreNotFound(err) != nil:
		return outcome.Outcome{}, fmt.Errorf("delete this object, whose time has passed: %w", err)
	case !controllerutil.ContainsFinalizer(in.Object, v1alpha1.FinalizerResource):
		return outcome.Outcome{Deleted: true}, nil
	}
	return outcome.Outcome{KeepConditions: true, Next: outcome.Soon}, nil
}

// status has the status of an object say when Mooring deletes it.
func (e expiry) status(object v1alpha1.ResourceObject) {
	var shown *metav1.Time
	if at := e.At(object); !at.IsZero() {
		shown = &metav1.Time{Time: at.UTC().Truncate(time.Second)}
	}
	*e.Status(object) = shown
}

// due is when an object expires. One whose time has passed and that stays is held, and is looked at as often as any other.
func (e expiry) due(in reconciliation.State) time.Time {
	if at := e.At(in.Object); !in.Deleting && at.After(in.Now) {
		return at
	}
	return time.Time{}
}

package gather

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/controllers/resource/reconciliation"
)

// expired reports whether Mooring is to delete the object by itself.
func expired(g reconciliation.State) bool {
	at := kind.ExpiresAt(g.Kind, g.Object)
	return !g.Deleting && !at.IsZero() && !g.Now.Before(at)
}

// An expiring gathers what keeps an object whose time has passed.
type expiring struct{ g *gathering }

// findHolders finds out whether something is being restored from an object whose time has passed: the cloud needs the snapshot until that is done.
func (e *expiring) findHolders(ctx context.Context) error {
	g := e.g
	if !expired(g.State) {
		return nil
	}
	of := g.gatherer.Family.Parent
	list := of.NewList()
	if err := g.gatherer.Cache.List(ctx, list, client.InNamespace(g.Object.GetNamespace()), client.UnsafeDisableDeepCopy); err != nil {
		return fmt.Errorf("find what is being restored from it: %w", err)
	}
	return meta.EachListItem(list, func(item runtime.Object) error {
		object := item.(v1alpha1.ResourceObject)
		from := of.RestoreFrom(object)
		waits := object.GetResourceStatus().FirstReadyTime == nil && object.GetDeletionTimestamp().IsZero()
		g.Held = g.Held || waits && from != nil && from.SnapshotRef != nil && from.SnapshotRef.Name == g.Object.GetName()
		return nil
	})
}

// isNotExpired: an object whose time has passed is deleted, and then goes as any other that somebody deletes.
func isNotExpired(g reconciliation.State) *Stop {
	if !expired(g) || g.Held {
		return nil
	}
	return &Stop{Action: &plan.Action{Verb: plan.Expire, Verify: true}}
}

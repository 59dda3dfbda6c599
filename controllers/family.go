package controllers

import (
	"context"
	"slices"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/feature/replica"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/controllers/resource/gather"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/controllers/resource/reconciliation"
)

// indexParent lets objects be found by the name of their parent, and by the cloud object that they are bound to.
func indexParent(ctx context.Context, indexer client.FieldIndexer, k *kind.Kind) error {
	if k.Replicating != nil {
		if err := indexer.IndexField(ctx, k.New(), kind.PrimaryIndex, func(o client.Object) []string { return names(kind.PrimaryName(k, o.(v1alpha1.ResourceObject))) }); err != nil {
			return err
		}
	}
	if k.Parent == nil && k.Restoring == nil {
		return nil
	}
	err := indexer.IndexField(ctx, k.New(), kind.CloudIndex, func(o client.Object) []string { return k.CloudKeys(o.(v1alpha1.ResourceObject)) })
	if err != nil || k.Parent == nil {
		return err
	}
	return indexer.IndexField(ctx, k.New(), kind.ParentIndex, func(o client.Object) []string { return names(k.ParentName(o.(v1alpha1.ResourceObject))) })
}

// names returns what an object is found by in an index: a name, if there is one.
func names(name string) []string {
	if name == "" {
		return nil
	}
	return []string{name}
}

// watchFamily has objects of a kind reconciled when their parent changes, and those that are being deleted when what is within them goes. It
// needs no list calls: each kind has one informer.
func (s *setup) watchFamily(b *builder.Builder, k *kind.Kind, f kind.Family) *builder.Builder {
	if f.Parent != nil {
		b = b.Watches(f.Parent.New(), s.dependents(k, kind.ParentIndex, anyChild), builder.WithPredicates(parentChanged)).
			Watches(f.Parent.New(), s.dependents(k, kind.ParentIndex, waitsForParent), builder.WithPredicates(parentMoves))
	}
	if f.Parent != nil && k.Parent.Limit != nil {
		waiting := handler.EnqueueRequestsFromMapFunc(waitingForRoom(s.mgr.GetClient(), k))
		b = b.Watches(k.New(), waiting, builder.WithPredicates(goes)).
			Watches(f.Parent.Class.New(), waiting, builder.WithPredicates(predicate.GenerationChangedPredicate{}))
	}
	if f.Snapshots != nil {
		b = b.Watches(f.Snapshots.New(), handler.EnqueueRequestsFromMapFunc(waitingForSnapshot(s.mgr.GetClient(), k, f.Snapshots)), builder.WithPredicates(snapshotMoves))
	}
	if k.Replicating != nil {
		b = b.Watches(k.New(), s.dependents(k, kind.PrimaryIndex, anyChild), builder.WithPredicates(primaryChanged)).
			Watches(k.New(), s.dependents(k, kind.PrimaryIndex, waitsForPrimary), builder.WithPredicates(parentMoves)).
			Watches(k.New(), handler.EnqueueRequestsFromMapFunc(leavingPrimary(s.mgr.GetClient(), k)), builder.WithPredicates(replicaLeaves(k)))
	}
	for _, child := range f.Children {
		b = b.Watches(child.New(), handler.EnqueueRequestsFromMapFunc(leavingParent(s.mgr.GetClient(), k, child)), builder.WithPredicates(childLeaves))
	}
	return b
}

// waitingForSnapshot returns what enqueues the objects of a kind that are to be restored from a snapshot and are not Ready, and the one of which it is taken before an upgrade.
func waitingForSnapshot(cache client.Reader, k, of *kind.Kind) handler.MapFunc {
	return func(ctx context.Context, snapshot client.Object) (requests []reconcile.Request) {
		if name := of.ParentName(snapshot.(v1alpha1.ResourceObject)); name != "" && snapshot.GetLabels()[v1alpha1.LabelBeforeVersion] != "" {
			requests = append(requests, reconcile.Request{NamespacedName: client.ObjectKey{Namespace: snapshot.GetNamespace(), Name: name}})
		}
		list := k.NewList()
		if err := cache.List(ctx, list, client.InNamespace(snapshot.GetNamespace()), client.UnsafeDisableDeepCopy); err != nil {
			return requests // the others look again at their next resync
		}
		_ = meta.EachListItem(list, func(item runtime.Object) error {
			object := item.(v1alpha1.ResourceObject)
			from := k.RestoreFrom(object)
			waits := !meta.IsStatusConditionTrue(object.GetConditions(), v1alpha1.ConditionReady)
			if waits && from != nil && from.SnapshotRef != nil && from.SnapshotRef.Name == snapshot.GetName() {
				requests = append(requests, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(object)})
			}
			return nil
		})
		return requests
	}
}

// waitingForRoom returns what enqueues the objects of a kind that are not in the cloud yet because of a limit of their parent's class: those in the namespace of one that went, and all if a class
// changed.
func waitingForRoom(cache client.Reader, k *kind.Kind) handler.MapFunc {
	return func(ctx context.Context, gone client.Object) (requests []reconcile.Request) {
		list := k.NewList()
		if err := cache.List(ctx, list, client.InNamespace(gone.GetNamespace()), client.UnsafeDisableDeepCopy); err != nil {
			return nil // they look again at their next resync
		}
		_ = meta.EachListItem(list, func(item runtime.Object) error {
			object := item.(v1alpha1.ResourceObject)
			ready := meta.FindStatusCondition(object.GetConditions(), v1alpha1.ConditionReady)
			if ready != nil && ready.Reason == string(v1alpha1.ReasonClassNotAllowed) && kind.CountsAgainstLimit(k, object) {
				requests = append(requests, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(object)})
			}
			return nil
		})
		return requests
	}
}

// goes passes that an object is gone.
var goes = predicate.Funcs{
	CreateFunc: func(event.CreateEvent) bool { return false },
	UpdateFunc: func(event.UpdateEvent) bool { return false },
}

// snapshotMoves passes what those who wait for a snapshot say of it: that it is there, or goes, and the reason of its condition Ready.
var snapshotMoves = predicate.Funcs{
	UpdateFunc: func(e event.UpdateEvent) bool {
		return readyReason(e.ObjectOld) != readyReason(e.ObjectNew) || e.ObjectOld.GetDeletionTimestamp().IsZero() != e.ObjectNew.GetDeletionTimestamp().IsZero()
	},
}

// leavingParent returns what enqueues the parent of an object of a kind, if the parent is being deleted: no other parent cares.
func leavingParent(cache client.Reader, parent, child *kind.Kind) handler.MapFunc {
	return func(ctx context.Context, o client.Object) []reconcile.Request {
		name := client.ObjectKey{Namespace: o.GetNamespace(), Name: child.ParentName(o.(v1alpha1.ResourceObject))}
		return ifLeaving(ctx, cache, parent, name)
	}
}

// ifLeaving returns a request for an object that is being deleted, and for no other.
func ifLeaving(ctx context.Context, cache client.Reader, k *kind.Kind, name client.ObjectKey) []reconcile.Request {
	if name.Name == "" {
		return nil
	}
	object := k.New()
	err := cache.Get(ctx, name, object)
	if apierrors.IsNotFound(err) || err == nil && object.GetDeletionTimestamp().IsZero() {
		return nil
	}
	return []reconcile.Request{{NamespacedName: name}}
}

// dependents enqueues those objects of a kind that are found in an index by the name of one that changed, and that its change concerns.
func (s *setup) dependents(k *kind.Kind, index string, concerned func(v1alpha1.ResourceObject) bool) handler.EventHandler {
	return handler.EnqueueRequestsFromMapFunc(func(ctx context.Context, parent client.Object) []reconcile.Request {
		list := k.NewList()
		err := s.mgr.GetClient().List(ctx, list, client.InNamespace(parent.GetNamespace()), client.MatchingFields{index: parent.GetName()}, client.UnsafeDisableDeepCopy)
		if err != nil {
			s.mgr.GetLogger().Error(err, "objects that depend on another one can't be listed; they will notice its change at their next resync")
			return nil
		}
		var requests []reconcile.Request
		_ = meta.EachListItem(list, func(item runtime.Object) error {
			if object := item.(v1alpha1.ResourceObject); concerned(object) {
				requests = append(requests, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(object)})
			}
			return nil
		})
		return requests
	})
}

func anyChild(v1alpha1.ResourceObject) bool { return true }

// waitsForParent reports whether the message of an object may say what its parent is up to: it waits for that, or was not reconciled yet.
func waitsForParent(o v1alpha1.ResourceObject) bool {
	ready := meta.FindStatusCondition(o.GetConditions(), v1alpha1.ConditionReady)
	return ready == nil || ready.Reason == string(v1alpha1.ReasonParentNotReady)
}

// waitsForPrimary reports whether an object does not follow its primary yet: it waits for that, or the cloud refuses it as long as the primary is as it is.
func waitsForPrimary(o v1alpha1.ResourceObject) bool {
	return o.GetResourceStatus().FirstReadyTime == nil
}

// primaryChanged passes what may matter to any object that follows another one: the same as to what is within it, and that its password changed.
var primaryChanged = predicate.Funcs{
	UpdateFunc: func(e event.UpdateEvent) bool {
		accepted := func(o client.Object) int {
			return plan.AcceptedPassword(o.(v1alpha1.ResourceObject).GetResourceStatus())
		}
		return parentChanged.Update(e) || accepted(e.ObjectOld) != accepted(e.ObjectNew)
	},
}

// leavingPrimary returns what enqueues the object that one follows, if that is being deleted: no other cares.
func leavingPrimary(cache client.Reader, k *kind.Kind) handler.MapFunc {
	return func(ctx context.Context, o client.Object) []reconcile.Request {
		name := client.ObjectKey{Namespace: o.GetNamespace(), Name: kind.PrimaryName(k, o.(v1alpha1.ResourceObject))}
		return ifLeaving(ctx, cache, k, name)
	}
}

// replicaLeaves passes what may end the wait of a primary for what follows it.
func replicaLeaves(k *kind.Kind) predicate.Predicate {
	holds := func(o client.Object) bool { return replica.HoldsPrimary(k, o.(v1alpha1.ResourceObject)) }
	return predicate.Funcs{
		CreateFunc: func(event.CreateEvent) bool { return false },
		UpdateFunc: func(e event.UpdateEvent) bool { return holds(e.ObjectOld) && !holds(e.ObjectNew) },
		DeleteFunc: func(event.DeleteEvent) bool { return true }, // the cloud has deleted it
	}
}

// parentChanged passes what may matter to any object within a parent: that it comes or goes, can be used or no longer, and where it is.
var parentChanged = predicate.Funcs{
	UpdateFunc: func(e event.UpdateEvent) bool {
		return !equality.Semantic.DeepEqual(forChildren(e.ObjectOld), forChildren(e.ObjectNew))
	},
}

// forChildren returns what the objects within a parent know of it.
func forChildren(o client.Object) []any {
	object := o.(v1alpha1.ResourceObject)
	status := object.GetResourceStatus()
	return []any{
		object.GetUID(), object.GetDeletionTimestamp().IsZero(), slices.Contains(object.GetFinalizers(), v1alpha1.FinalizerResource),
		object.GetResourceSpec().Management, status.ExternalName, status.ExternalID, status.ProviderConfigRef, status.ClassName,
		status.Provider, status.AccountID, status.Location, meta.IsStatusConditionTrue(status.Conditions, v1alpha1.ConditionAvailable),
	}
}

// parentMoves passes what those who wait for a parent say of it: the reason of its condition Ready.
var parentMoves = predicate.Funcs{
	CreateFunc: func(event.CreateEvent) bool { return false },
	DeleteFunc: func(event.DeleteEvent) bool { return false },
	UpdateFunc: func(e event.UpdateEvent) bool { return readyReason(e.ObjectOld) != readyReason(e.ObjectNew) },
}

func readyReason(o client.Object) string {
	if ready := meta.FindStatusCondition(o.(v1alpha1.ResourceObject).GetConditions(), v1alpha1.ConditionReady); ready != nil {
		return ready.Reason
	}
	return ""
}

// childLeaves passes what may end the wait of a parent for what is within it.
var childLeaves = predicate.Funcs{
	CreateFunc: func(event.CreateEvent) bool { return false },
	UpdateFunc: func(e event.UpdateEvent) bool { return holds(e.ObjectOld) && !holds(e.ObjectNew) },
	DeleteFunc: func(e event.DeleteEvent) bool { return holds(e.Object) }, // as it was last seen
}

func holds(o client.Object) bool { return reconciliation.HoldsParent(o.(v1alpha1.ResourceObject)) }

// childrenOf returns what names the objects within one that keep it from being deleted, by the cache; nil for a kind without children.
func childrenOf(cache client.Reader, f kind.Family) func(context.Context, v1alpha1.ResourceObject) ([]string, error) {
	if len(f.Children) == 0 {
		return nil
	}
	return func(ctx context.Context, parent v1alpha1.ResourceObject) ([]string, error) {
		return gather.ChildrenOf(ctx, cache, f, parent)
	}
}

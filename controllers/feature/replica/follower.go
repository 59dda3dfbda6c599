package replica

import (
	"context"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/controllers/resource/reconciliation"
)

// followers are the objects whose specs have them follow one that is being deleted.
type followers struct {
	// held names those that keep it from being deleted: somebody wants them, and they follow it in the cloud, or are about to.
	held []string
	// leaving are the names in the cloud of those that are being deleted.
	leaving []string
}

// findFollowers finds out what follows an object that is being deleted.
func findFollowers(ctx context.Context, cache client.Reader, in *reconciliation.State) error {
	f, err := followersOf(ctx, cache, in.Kind, in.Object)
	if err != nil {
		return err
	}
	is := part.In(in.Parts)
	is.followers = f
	part.Set(&in.Parts, is)
	return nil
}

// followersOf returns the objects that follow one. They must be indexed by kind.PrimaryIndex.
func followersOf(ctx context.Context, cache client.Reader, k *kind.Kind, primary metav1.Object) (f followers, err error) {
	list := k.NewList()
	err = cache.List(ctx, list, client.InNamespace(primary.GetNamespace()), client.MatchingFields{kind.PrimaryIndex: primary.GetName()}, client.UnsafeDisableDeepCopy)
	if err != nil {
		return f, fmt.Errorf("find the objects that follow it: %w", err)
	}
	_ = meta.EachListItem(list, func(item runtime.Object) error {
		switch object := item.(v1alpha1.ResourceObject); {
		case HoldsPrimary(k, object):
			f.held = append(f.held, k.Name+" "+object.GetName())
		case !object.GetDeletionTimestamp().IsZero() && object.GetResourceStatus().ExternalName != "":
			f.leaving = append(f.leaving, object.GetResourceStatus().ExternalName)
		}
		return nil
	})
	slices.Sort(f.held)
	return f, nil
}

// HoldsPrimary reports whether an object keeps the one that its spec has it follow from being deleted: it may follow that in the cloud. One that worked and follows
// nothing was promoted.
func HoldsPrimary(k *kind.Kind, object v1alpha1.ResourceObject) bool {
	return reconciliation.HoldsParent(object) && (object.GetResourceStatus().FirstReadyTime == nil || kind.ReplicaStatusOf(k, object) != nil)
}

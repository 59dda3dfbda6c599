// Package claim finds out which other object has a cloud object that the cloud has no place to mark. Two objects of one kind never manage one
// cloud object: where there are marks, they see to that. Where there are none, what the statuses of the others say does.
package claim

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/providers/driver"
)

// Message is what an object says whose cloud object another object is bound to. It does not say which one: that may be another tenant's.
const Message = "another object is bound to a cloud object of this name, so Mooring does not create one for this object; choose another spec.externalName, or delete the other object"

// Rival returns the strongest claim of another object of the kind, in any namespace, to the cloud object of a request; nil if there is none.
// The cache has to find objects by kind.CloudIndex. at is the account where the cloud object is.
func Rival(ctx context.Context, cache client.Reader, k *kind.Kind, request driver.Request, provider string, at driver.AccountID) (*plan.Claim, error) {
	list := k.NewList()
	key := kind.CloudKey(request.Parent.Name, request.Name)
	if err := cache.List(ctx, list, client.MatchingFields{kind.CloudIndex: key}, client.UnsafeDisableDeepCopy); err != nil {
		return nil, fmt.Errorf("find other objects of the cloud object: %w", err)
	}
	var strongest *plan.Claim
	_ = meta.EachListItem(list, func(item runtime.Object) error {
		if c := Of(item.(v1alpha1.ResourceObject), k, request, provider, at); c != nil && (strongest == nil || c.Before(*strongest)) {
			strongest = c
		}
		return nil
	})
	return strongest, nil
}

// Of returns the claim of another object of the kind to the cloud object of a request; nil if it has none.
func Of(other v1alpha1.ResourceObject, k *kind.Kind, request driver.Request, provider string, at driver.AccountID) *plan.Claim {
	status := other.GetResourceStatus()
	if string(other.GetUID()) == request.Mark.UID || status.Provider != provider || status.AccountID != string(at) || status.Location != request.Location {
		return nil
	}
	if c := plan.ClaimOf(k, other, request); c.Stands() {
		return &c
	}
	return nil
}

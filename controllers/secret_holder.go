package controllers

import (
	"context"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/class"
)

// secretHolders knows which objects have connection Secrets, or ask for them.
type secretHolders struct {
	cached client.Reader
	live   client.Reader // decides: nothing is refused on the word of a cache
}

// refuse refuses a connection Secret that an object begins to ask for and that is another one's. Whoever is first has it: the second one would stay without its Secret, and say
// so only once its server is there.
func (h *secretHolders) refuse(ctx context.Context, kinds []addedKind, old, object v1alpha1.ResourceObject) ([]class.Problem, error) {
	wanted := object.GetConnection()
	if h == nil || wanted == nil || old != nil && slices.Contains(secretsOf(old), wanted.SecretName) {
		return nil, nil
	}
	for _, k := range kinds {
		list := k.NewList()
		if err := h.cached.List(ctx, list, client.InNamespace(object.GetNamespace()), client.UnsafeDisableDeepCopy); err != nil {
			return nil, fmt.Errorf("list objects of the kind %s: %w", k.Name, err)
		}
		var holders []client.ObjectKey
		_ = meta.EachListItem(list, func(item runtime.Object) error {
			other := item.(v1alpha1.ResourceObject)
			itself := k.Has(object) && other.GetName() == object.GetName()
			if !itself && keepsSecret(other, wanted.SecretName) {
				holders = append(holders, client.ObjectKeyFromObject(other))
			}
			return nil
		})
		for _, holder := range holders {
			other := k.New()
			if err := h.live.Get(ctx, holder, other); client.IgnoreNotFound(err) != nil {
				return nil, fmt.Errorf("read %s %s: %w", k.Name, holder, err)
			} else if err == nil && keepsSecret(other, wanted.SecretName) {
				return []class.Problem{{Reason: v1alpha1.ReasonSecretNotOwned, Field: "spec.connection.secretName", Message: fmt.Sprintf(
					"the Secret %s is that of %s %s, and no Secret can have the connection of two: choose another name", wanted.SecretName, k.Name, holder.Name)}}, nil
			}
		}
	}
	return nil, nil
}

// keepsSecret reports whether a Secret is an object's, and stays so: one that is being deleted gives its own up, and one that is only observed has none.
func keepsSecret(object v1alpha1.ResourceObject, secret string) bool {
	return object.GetDeletionTimestamp() == nil && object.GetResourceSpec().Management != v1alpha1.ManagementObserve && slices.Contains(secretsOf(object), secret)
}

// secretsOf returns the connection Secrets that an object asks for and has. A former one is free once somebody deletes it, which its object does not tell.
func secretsOf(object v1alpha1.ResourceObject) (names []string) {
	if c := object.GetConnection(); c != nil {
		names = append(names, c.SecretName)
	}
	if bound := object.GetResourceStatus().Binding; bound != nil {
		names = append(names, bound.Name)
	}
	return names
}

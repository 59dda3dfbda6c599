package class

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/kind"
)

// ParentLimitReached returns a problem if the namespace has the maximum number of objects whose parents use a class,
// for example of snapshots of its databases. The object itself does not count. It returns nil if the object is in the
// cloud already, or if its parent can't be used now. It reads from the cache.
func (r *Resolver) ParentLimitReached(ctx context.Context, object v1alpha1.ResourceObject) (*Problem, error) {
	unstored := object.GetCreationTimestamp()
	return r.parentLimitReached(ctx, r.Client, object, func(other v1alpha1.ResourceObject) bool { return unstored.IsZero() || younger(object, other) })
}

// ParentLimitReachedLive does the same by reading from the API server, and counts only objects that are in the cloud.
// Call it before an object is bound, because others may have been bound since the cache was read.
func (r *Resolver) ParentLimitReachedLive(ctx context.Context, live client.Reader, object v1alpha1.ResourceObject) (*Problem, error) {
	return r.parentLimitReached(ctx, live, object, func(v1alpha1.ResourceObject) bool { return false })
}

// parentLimitReached counts the objects that are in the cloud, and those of the others that come before the object.
func (r *Resolver) parentLimitReached(ctx context.Context, from client.Reader, object v1alpha1.ResourceObject, first func(other v1alpha1.ResourceObject) bool) (*Problem, error) {
	if !kind.CountsAgainstLimit(r.Kind, object) || object.GetResourceStatus().ExternalName != "" {
		return nil, nil
	}
	parent := r.Parent.New()
	err := from.Get(ctx, client.ObjectKey{Namespace: object.GetNamespace(), Name: r.Kind.ParentName(object)}, parent)
	if err != nil || !parent.GetDeletionTimestamp().IsZero() {
		return nil, client.IgnoreNotFound(err)
	}
	class := parent.GetResourceStatus().ClassName
	limit, err := r.mostMade(ctx, from, class)
	if err != nil || limit == nil {
		return nil, err
	}
	classes, err := parentClasses(ctx, from, r.Parent, object.GetNamespace())
	if err != nil {
		return nil, err
	}
	list, has := r.Kind.NewList(), 0
	if err := from.List(ctx, list, client.InNamespace(object.GetNamespace())); err != nil {
		return nil, err
	}
	err = meta.EachListItem(list, func(item runtime.Object) error {
		other := item.(v1alpha1.ResourceObject)
		counts := other.GetName() != object.GetName() && kind.CountsAgainstLimit(r.Kind, other) && madeBy(r.Kind, other, classes) == class
		if counts && (other.GetResourceStatus().ExternalName != "" || first(other)) {
			has++
		}
		return nil
	})
	if err != nil || has < int(*limit) {
		return nil, err
	}
	return &Problem{Reason: v1alpha1.ReasonClassNotAllowed, Field: "spec." + r.Kind.Parent.Field, Message: fmt.Sprintf(
		"namespace %s has %d objects of kind %s that count for class %q, and %s of the class allows %d; delete what is not needed, or ask your platform team",
		object.GetNamespace(), has, r.Kind.Name, class, r.Kind.Parent.LimitField, *limit)}, nil
}

// RetainForbidden returns why the deletion of an object must not retain its cloud object. A class limits the number of
// such objects, and a retained one would not be counted any more. It returns nil if no class limits them, or if the
// namespace is being deleted, so that its deletion can complete.
func (r *Resolver) RetainForbidden(ctx context.Context, object v1alpha1.ResourceObject) (*Problem, error) {
	if !kind.CountsAgainstLimit(r.Kind, object) {
		return nil, nil
	}
	class := r.Kind.Parent.Status(object).ClassName
	if class == "" {
		parent := r.Parent.New()
		if err := r.Client.Get(ctx, client.ObjectKey{Namespace: object.GetNamespace(), Name: r.Kind.ParentName(object)}, parent); err != nil {
			return nil, client.IgnoreNotFound(err)
		}
		class = parent.GetResourceStatus().ClassName
	}
	limit, err := r.mostMade(ctx, r.Client, class)
	if err != nil || limit == nil {
		return nil, err
	}
	namespace := &corev1.Namespace{}
	if err := r.Client.Get(ctx, client.ObjectKey{Name: object.GetNamespace()}, namespace); err != nil || !namespace.GetDeletionTimestamp().IsZero() {
		return nil, client.IgnoreNotFound(err)
	}
	return &Problem{Reason: v1alpha1.ReasonClassViolated, Field: "spec.deletionPolicy", Message: fmt.Sprintf(
		"Retain would leave in the cloud what %s of class %q counts, and nothing would count it any more; set spec.deletionPolicy: Delete, or ask your platform team", r.Kind.Parent.LimitField, class)}, nil
}

// mostMade returns how many objects made of those of a class a namespace may have; nil if nothing limits it.
func (r *Resolver) mostMade(ctx context.Context, from client.Reader, class string) (*int32, error) {
	if class == "" || r.Parent.Class == nil {
		return nil, nil
	}
	found := r.Parent.Class.New()
	if err := from.Get(ctx, client.ObjectKey{Name: class}, found); err != nil {
		if apierrors.IsNotFound(err) {
			return nil, nil
		}
		return nil, fmt.Errorf("read class %s: %w", class, err)
	}
	return r.Kind.Parent.Limit(found), nil
}

// parentClasses returns the classes of the parents in a namespace, by their names.
func parentClasses(ctx context.Context, from client.Reader, of *kind.Kind, namespace string) (map[string]string, error) {
	parents, classes := of.NewList(), map[string]string{}
	if err := from.List(ctx, parents, client.InNamespace(namespace)); err != nil {
		return nil, err
	}
	return classes, meta.EachListItem(parents, func(item runtime.Object) error {
		parent := item.(v1alpha1.ResourceObject)
		classes[parent.GetName()] = parent.GetResourceStatus().ClassName
		return nil
	})
}

// madeBy returns the class that counts an object: the one of its parent when it was made, or else now, as before that was recorded.
func madeBy(k *kind.Kind, object v1alpha1.ResourceObject, classes map[string]string) string {
	if class := k.Parent.Status(object).ClassName; class != "" {
		return class
	}
	return classes[k.ParentName(object)]
}

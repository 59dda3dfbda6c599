package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/test/cluster"
)

// removalPatience is how long the cluster may take to delete what was installed.
const removalPatience = 2 * time.Minute

var (
	definitionKind = schema.GroupVersionKind{Group: "apiextensions.k8s.io", Version: "v1", Kind: "CustomResourceDefinition"}
	namespaceKind  = schema.GroupVersionKind{Version: "v1", Kind: "Namespace"}
)

// removalBatches are the kinds of what a quickstart makes. Each batch goes when the one before it is gone: the namespaces when Mooring's
// own kinds are gone, whose objects would keep them.
var removalBatches = [][]schema.GroupVersionKind{
	{
		{Group: "admissionregistration.k8s.io", Version: "v1", Kind: "ValidatingAdmissionPolicyBinding"},
		{Group: "admissionregistration.k8s.io", Version: "v1", Kind: "ValidatingAdmissionPolicy"},
		definitionKind,
		{Group: "rbac.authorization.k8s.io", Version: "v1", Kind: "ClusterRoleBinding"},
		{Group: "rbac.authorization.k8s.io", Version: "v1", Kind: "ClusterRole"},
		{Group: "rbac.authorization.k8s.io", Version: "v1", Kind: "RoleBinding"},
		{Group: "rbac.authorization.k8s.io", Version: "v1", Kind: "Role"},
		{Version: "v1", Kind: "Secret"},
	},
	{namespaceKind},
}

// removeLeftovers removes what a quickstart that was killed left in somebody's cluster.
func removeLeftovers(ctx context.Context, o options, t *transcript) (err error) {
	root, err := cluster.Repository()
	if err != nil {
		return fmt.Errorf("%w; run it inside Mooring's source tree", err)
	}
	if err := useBuilt(filepath.Join(root, "bin")); err != nil {
		return err
	}
	from := &target{transcript: t, root: root}
	defer func() { err = errors.Join(err, from.stop()) }()
	if err := from.attach(ctx, o); err != nil {
		return err
	}
	r := from.remover()
	left := false
	for _, batch := range removalBatches {
		found, err := r.labelled(ctx, batch)
		if err != nil {
			return err
		}
		left = left || len(found) > 0
	}
	if !left {
		return fmt.Errorf("no quickstart left anything in %s: nothing there has the label %s=%s", r.where, managedByLabel, managedByUs)
	}
	return r.removeAll() //nolint:contextcheck // what was begun is finished
}

// A remover removes what a quickstart installed in somebody's cluster.
type remover struct {
	*transcript
	client client.Client
	// where names the cluster in messages; kubeconfig is the person's file that leads there.
	where, kubeconfig string
}

// removeAll removes all that has the quickstart's label, when no controller runs any more. The cloud objects go with the local clouds,
// so that finalizers are taken away. It removes nothing if somebody would miss it; see removable.
func (r *remover) removeAll() error {
	ctx, cancel := context.WithTimeout(context.Background(), removalPatience)
	defer cancel()
	r.step("your cluster         removing what was installed in %s", r.where)
	if err := r.removable(ctx); err != nil {
		return err
	}
	definitions, err := r.labelled(ctx, []schema.GroupVersionKind{definitionKind})
	if err != nil {
		return err
	}
	if err := r.deleteSecretsOf(ctx, definitions); err != nil {
		return err
	}
	for _, batch := range removalBatches {
		found, err := r.labelled(ctx, batch)
		if err != nil {
			return err
		}
		if err := r.deleteAll(ctx, found); err != nil {
			return err
		}
	}
	return nil
}

// labelled returns the objects of some kinds that have the quickstart's label.
func (r *remover) labelled(ctx context.Context, kinds []schema.GroupVersionKind) (all []*unstructured.Unstructured, err error) {
	for _, kind := range kinds {
		found, err := r.list(ctx, kind, client.MatchingLabels{managedByLabel: managedByUs})
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}

// list returns the objects of a kind; none if the cluster does not know the kind.
func (r *remover) list(ctx context.Context, kind schema.GroupVersionKind, options ...client.ListOption) (all []*unstructured.Unstructured, err error) {
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(kind.GroupVersion().WithKind(kind.Kind + "List"))
	switch err := r.client.List(ctx, list, options...); {
	case apierrors.IsNotFound(err), meta.IsNoMatchError(err):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("list %s objects in %s: %w", kind.Kind, r.where, err)
	}
	for i := range list.Items {
		all = append(all, &list.Items[i])
	}
	return all, nil
}

// deleteAll deletes objects, and waits until they are deleted.
func (r *remover) deleteAll(ctx context.Context, objects []*unstructured.Unstructured) error {
	for _, o := range objects {
		if err := r.delete(ctx, o); err != nil {
			return err
		}
	}
	for _, o := range objects {
		if err := r.deleted(ctx, o); err != nil {
			return err
		}
	}
	return nil
}

// delete deletes an object, but none that somebody made by its name since it was read.
func (r *remover) delete(ctx context.Context, o *unstructured.Unstructured) error {
	uid := o.GetUID()
	err := r.client.Delete(ctx, o.DeepCopy(), client.Preconditions{UID: &uid})
	if apierrors.IsNotFound(err) || apierrors.IsConflict(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("remove %s %s from %s: %w", o.GetKind(), o.GetName(), r.where, err)
	}
	return nil
}

// deleted waits until an object is deleted. The objects of a CustomResourceDefinition lose their finalizers meanwhile.
func (r *remover) deleted(ctx context.Context, o *unstructured.Unstructured) error {
	deleted := func(ctx context.Context) (bool, error) {
		if err := r.dropFinalizers(ctx, o); err != nil {
			return false, err
		}
		now := o.DeepCopy()
		err := r.client.Get(ctx, client.ObjectKeyFromObject(o), now)
		return apierrors.IsNotFound(err) || now.GetUID() != o.GetUID(), client.IgnoreNotFound(err)
	}
	if err := wait.PollUntilContextCancel(ctx, look, true, deleted); err != nil {
		return fmt.Errorf("wait until %s %s is deleted from %s: %w", o.GetKind(), o.GetName(), r.where, err)
	}
	return nil
}

package main

import (
	"context"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/test/system"
)

var (
	deploymentKind = schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Deployment"}
	secretKind     = schema.GroupVersionKind{Version: "v1", Kind: "Secret"}
)

// removable returns an error if the removal would harm what is not the quickstart's: an installation of Mooring that followed it, or
// objects in real clouds.
func (r *remover) removable(ctx context.Context) error {
	definitions, err := r.definitions(ctx)
	if err != nil {
		return err
	}
	if err := r.replaced(ctx, definitions); err != nil {
		return err
	}
	var kept []string
	for _, definition := range definitions {
		objects, err := r.objectsOf(ctx, definition)
		if err != nil {
			return err
		}
		for _, o := range objects {
			if account := realAccount(o); account != "" {
				kept = append(kept, fmt.Sprintf("%s %s (account %s)", o.GetKind(), client.ObjectKeyFromObject(o), account))
			}
		}
	}
	if len(kept) == 0 {
		return nil
	}
	return fmt.Errorf("objects in %s are in real clouds, and would stay there without their passwords; nothing was removed. First delete these: %s.\n"+
		"Their deletion needs a controller. If this context is the current one of the file, this command starts it: bin/mooring --kubeconfig=%s --namespace=%s --webhook-address=0",
		r.where, strings.Join(kept, ", "), r.kubeconfig, system.Namespace)
}

// replaced returns an error if Mooring is installed in the cluster by other means: it may use what the quickstart made.
func (r *remover) replaced(ctx context.Context, definitions []*unstructured.Unstructured) error {
	const refusal = "%s %s is in %s: Mooring was installed there by other means after the quickstart; nothing was removed. To remove the quickstart, uninstall that Mooring first. " +
		"To keep it, remove the label %s from all objects where its value is %s"
	for _, which := range []client.ListOption{client.InNamespace(system.Namespace), client.MatchingLabels{"app.kubernetes.io/name": "mooring"}} {
		deployments, err := r.list(ctx, deploymentKind, which)
		if err != nil {
			return err
		}
		for _, d := range deployments {
			return fmt.Errorf(refusal, d.GetKind(), client.ObjectKeyFromObject(d), r.where, managedByLabel, managedByUs)
		}
	}
	for _, d := range definitions {
		if d.GetLabels()[managedByLabel] == "Helm" {
			return fmt.Errorf(refusal, d.GetKind(), d.GetName()+" of Helm", r.where, managedByLabel, managedByUs)
		}
	}
	return nil
}

// definitions returns the CustomResourceDefinitions of Mooring, whoever made them.
func (r *remover) definitions(ctx context.Context) (ours []*unstructured.Unstructured, err error) {
	all, err := r.list(ctx, definitionKind)
	for _, d := range all {
		if group, _, _ := unstructured.NestedString(d.Object, "spec", "group"); group == v1alpha1.GroupVersion.Group {
			ours = append(ours, d)
		}
	}
	return ours, err
}

// objectsOf returns the objects of a CustomResourceDefinition of Mooring.
func (r *remover) objectsOf(ctx context.Context, definition *unstructured.Unstructured) ([]*unstructured.Unstructured, error) {
	kind, _, err := unstructured.NestedString(definition.Object, "spec", "names", "kind")
	if err != nil {
		return nil, err
	}
	return r.list(ctx, v1alpha1.GroupVersion.WithKind(kind))
}

// realAccount returns the account of an object that is in the cloud, unless it is one of the quickstart's, which are made up. A provider
// config has an account, too, but nothing in it.
func realAccount(o *unstructured.Unstructured) string {
	account, _, _ := unstructured.NestedString(o.Object, "status", "accountID")
	if account == awsAccount || account == gcpProject || strings.HasSuffix(o.GetKind(), "ProviderConfig") {
		return ""
	}
	return account
}

// deleteSecretsOf deletes the Secrets that Mooring made for the objects of CustomResourceDefinitions, in whatever namespace they are.
func (r *remover) deleteSecretsOf(ctx context.Context, definitions []*unstructured.Unstructured) error {
	owners := sets.New[string]()
	for _, definition := range definitions {
		objects, err := r.objectsOf(ctx, definition)
		if err != nil {
			return err
		}
		for _, o := range objects {
			owners.Insert(string(o.GetUID()))
		}
	}
	secrets, err := r.list(ctx, secretKind, client.HasLabels{v1alpha1.LabelUID})
	if err != nil {
		return err
	}
	for _, secret := range secrets {
		if !owners.Has(secret.GetLabels()[v1alpha1.LabelUID]) {
			continue
		}
		if err := r.delete(ctx, secret); err != nil {
			return err
		}
	}
	return nil
}

// dropFinalizers takes the finalizers off all objects of a CustomResourceDefinition. For other objects it does nothing.
func (r *remover) dropFinalizers(ctx context.Context, definition *unstructured.Unstructured) error {
	if definition.GroupVersionKind() != definitionKind {
		return nil
	}
	objects, err := r.objectsOf(ctx, definition)
	if err != nil {
		return err
	}
	for _, o := range objects {
		patch := client.RawPatch(types.MergePatchType, fmt.Appendf(nil, `{"metadata":{"finalizers":null,"uid":%q}}`, o.GetUID()))
		if err := r.client.Patch(ctx, o, patch); client.IgnoreNotFound(err) != nil && !apierrors.IsConflict(err) {
			return err
		}
	}
	return nil
}

package main

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"

	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/test/cluster"
	"github.com/mooring-dev/mooring/test/system"
)

// The label of all that a quickstart makes in somebody's cluster, by which its removal recognises it.
const (
	managedByLabel = "app.kubernetes.io/managed-by"
	managedByUs    = "mooring-quickstart"
)

// A labelling client puts the label on all that it makes.
type labelling struct{ client.Client }

// Create makes an object with the label.
func (l labelling) Create(ctx context.Context, o client.Object, options ...client.CreateOption) error {
	labels := map[string]string{}
	maps.Copy(labels, o.GetLabels())
	labels[managedByLabel] = managedByUs
	o.SetLabels(labels)
	return l.Client.Create(ctx, o, options...)
}

// install installs what the chart does, but for the webhook, into a cluster that runs already. It overwrites nothing.
func (t *target) install(ctx context.Context, o options) error {
	if err := t.attach(ctx, o); err != nil {
		return err
	}
	all, err := t.manifests()
	if err != nil {
		return err
	}
	for _, object := range all {
		if err := t.absent(ctx, object.DeepCopy()); err != nil {
			return err
		}
	}
	t.step("your cluster         %s\n"+
		"The quickstart installs there: the namespaces %s and %s, and everything named mooring-* or *.mooring.dev: CustomResourceDefinitions, policies\n"+
		"and roles. The controller runs here and impersonates the user %s. The webhook is not installed. Databases listen\n"+
		"only on this machine: Pods can't reach them.\n"+
		"Everything has the label %s=%s, and is removed when the quickstart ends.\n"+
		"If the quickstart is killed, this command removes everything: %s",
		t.where, system.Namespace, team, controllerUser, managedByLabel, managedByUs, t.removal)
	return t.place(ctx, all)
}

// place makes the namespaces and the CustomResourceDefinitions. From the first object on there is something to remove; the first is
// the namespace of Mooring, which only one quickstart can make.
func (t *target) place(ctx context.Context, all []*unstructured.Unstructured) error {
	for _, o := range all {
		if o.GetKind() != "Namespace" && o.GetKind() != definitionKind.Kind {
			continue // made by admitPeople and launch
		}
		if err := t.client.Create(ctx, o); err != nil {
			return fmt.Errorf("make %s %s in %s: %w", o.GetKind(), o.GetName(), t.where, err)
		}
		t.installed = true
	}
	crds, err := cluster.CRDDir()
	if err != nil {
		return err
	}
	return t.cluster.WaitForCRDs(crds)
}

// attach connects to the cluster of a kubeconfig, if the person said that it may be used, and may do everything there.
func (t *target) attach(ctx context.Context, o options) error {
	config, err := readKubeconfig(o)
	if err != nil {
		return err
	}
	t.where, t.kubeconfig, t.removal = describe(config, o.kubeconfig), o.kubeconfig, removal(o, config.CurrentContext)
	if t.cluster, err = cluster.Attach(*config); err != nil {
		return err
	}
	if err := t.connect(); err != nil {
		return err
	}
	review := &authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{
		ResourceAttributes: &authorizationv1.ResourceAttributes{Verb: "*", Group: "*", Resource: "*"},
	}}
	if err := t.client.Create(ctx, review); err != nil {
		return fmt.Errorf("connect to %s: %w", t.where, err)
	}
	if !review.Status.Allowed {
		return fmt.Errorf("the user of %s is not an administrator of the cluster; the quickstart needs one", t.where)
	}
	t.client = labelling{t.client}
	return nil
}

// absent returns an error if an object is there already, or can't be.
func (t *target) absent(ctx context.Context, o *unstructured.Unstructured) error {
	err := t.client.Get(ctx, client.ObjectKeyFromObject(o), o)
	switch {
	case apierrors.IsNotFound(err):
		return nil
	case err != nil:
		return fmt.Errorf("look for %s %s in %s (Kubernetes 1.30 or later is needed): %w", o.GetKind(), o.GetName(), t.where, err)
	case o.GetLabels()[managedByLabel] == managedByUs:
		return fmt.Errorf("%s %s is in %s already: another quickstart uses the cluster, or a killed one left it behind; in that case remove it with %s",
			o.GetKind(), o.GetName(), t.where, t.removal)
	}
	return fmt.Errorf("%s %s is in %s already, and the quickstart overwrites nothing; nothing was changed. Use a cluster without Mooring and without the namespace %s",
		o.GetKind(), o.GetName(), t.where, team)
}

// manifests returns all that is installed, the namespaces first.
func (t *target) manifests() (all []*unstructured.Unstructured, err error) {
	all = append(all, namespace(system.Namespace), namespace(team))
	config := filepath.Join(t.root, "config")
	files, err := peopleFiles(config)
	if err != nil {
		return nil, err
	}
	crds, err := filepath.Glob(filepath.Join(config, "crd", "*.yaml"))
	if err != nil {
		return nil, err
	}
	for _, file := range append(append(crds, files...), filepath.Join(config, "rbac", "role.yaml")) {
		objects, err := objectsIn(file)
		if err != nil {
			return nil, err
		}
		all = append(all, objects...)
	}
	binding := &unstructured.Unstructured{} // see system.Grant
	binding.SetAPIVersion("rbac.authorization.k8s.io/v1")
	binding.SetKind("ClusterRoleBinding")
	binding.SetName(controllerUser)
	return append(all, binding), nil
}

// namespace returns one as `kubectl apply` of the samples wants it.
func namespace(name string) *unstructured.Unstructured {
	o := &unstructured.Unstructured{}
	o.SetAPIVersion("v1")
	o.SetKind("Namespace")
	o.SetName(name)
	o.SetAnnotations(map[string]string{
		corev1.LastAppliedConfigAnnotation: fmt.Sprintf(`{"apiVersion":"v1","kind":"Namespace","metadata":{"annotations":{},"name":%q}}`, name),
	})
	return o
}

package main

import (
	"context"
	"fmt"
	"maps"
	"net"
	"net/url"
	"path/filepath"

	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
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
func (s *stage) install(ctx context.Context, o options) error {
	if err := s.attach(ctx, o); err != nil {
		return err
	}
	all, err := s.manifests()
	if err != nil {
		return err
	}
	for _, object := range all {
		if err := s.absent(ctx, object.DeepCopy()); err != nil {
			return err
		}
	}
	s.step("your cluster         %s\n"+
		"The quickstart installs there: the namespaces %s and %s, and everything named mooring-* or *.mooring.dev: CustomResourceDefinitions, policies\n"+
		"and roles. The controller runs here and impersonates the user %s. The webhook is not installed. Databases listen\n"+
		"only on this machine: Pods can't reach them.\n"+
		"Everything has the label %s=%s, and is removed when the quickstart ends.\n"+
		"If the quickstart is killed, this command removes everything: %s",
		s.where, system.Namespace, team, controllerUser, managedByLabel, managedByUs, s.removal)
	return s.place(ctx, all)
}

// place makes the namespaces and the CustomResourceDefinitions. From the first object on there is something to remove; the first is
// the namespace of Mooring, which only one quickstart can make.
func (s *stage) place(ctx context.Context, all []*unstructured.Unstructured) error {
	for _, o := range all {
		if o.GetKind() != "Namespace" && o.GetKind() != definitionKind.Kind {
			continue // made by admitPeople and startController
		}
		if err := s.client.Create(ctx, o); err != nil {
			return fmt.Errorf("make %s %s in %s: %w", o.GetKind(), o.GetName(), s.where, err)
		}
		s.installed = true
	}
	crds, err := cluster.CRDDir()
	if err != nil {
		return err
	}
	return s.cluster.WaitForCRDs(crds)
}

// attach connects to the cluster of a kubeconfig, if the person said that it may be used, and may do everything there.
func (s *stage) attach(ctx context.Context, o options) error {
	config, err := readKubeconfig(o)
	if err != nil {
		return err
	}
	s.where, s.kubeconfig, s.removal = describe(config, o.kubeconfig), o.kubeconfig, removal(o, config.CurrentContext)
	if s.cluster, err = cluster.Attach(*config); err != nil {
		return err
	}
	if err := s.connect(); err != nil {
		return err
	}
	review := &authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{
		ResourceAttributes: &authorizationv1.ResourceAttributes{Verb: "*", Group: "*", Resource: "*"},
	}}
	if err := s.client.Create(ctx, review); err != nil {
		return fmt.Errorf("connect to %s: %w", s.where, err)
	}
	if !review.Status.Allowed {
		return fmt.Errorf("the user of %s is not an administrator of the cluster; the quickstart needs one", s.where)
	}
	s.client = labelling{s.client}
	return nil
}

// readKubeconfig reads one context of a kubeconfig, the current one unless a flag names another, with all that it needs inside. It
// refuses a cluster on another machine unless the person said so. A tunnel that begins on this machine can't be told from a cluster.
func readKubeconfig(o options) (*clientcmdapi.Config, error) {
	config, err := clientcmd.LoadFromFile(o.kubeconfig)
	if err != nil {
		return nil, fmt.Errorf("read --kubeconfig: %w", err)
	}
	if o.context != "" {
		config.CurrentContext = o.context
	}
	if err := clientcmdapi.MinifyConfig(config); err != nil {
		return nil, fmt.Errorf("read --kubeconfig %s: %w", o.kubeconfig, err)
	}
	if err := clientcmdapi.FlattenConfig(config); err != nil {
		return nil, fmt.Errorf("read --kubeconfig %s: %w", o.kubeconfig, err)
	}
	target := targetOf(config)
	switch {
	case target == nil:
		return nil, fmt.Errorf("read --kubeconfig %s: context %q names no cluster that is in the file", o.kubeconfig, config.CurrentContext)
	case o.remote:
	case target.ProxyURL != "":
		return nil, fmt.Errorf("%s is behind a proxy, so it may be on another machine; nothing was changed. To use it anyway, add --remote",
			describe(config, o.kubeconfig))
	case !onThisMachine(target.Server):
		return nil, fmt.Errorf("%s is not on this machine; nothing was changed. To use it anyway, add --remote", describe(config, o.kubeconfig))
	}
	return config, nil
}

// targetOf returns the cluster of the current context; nil if there is none.
func targetOf(config *clientcmdapi.Config) *clientcmdapi.Cluster {
	current := config.Contexts[config.CurrentContext]
	if current == nil {
		return nil
	}
	return config.Clusters[current.Cluster]
}

// describe names the cluster of the current context in messages.
func describe(config *clientcmdapi.Config, file string) string {
	return fmt.Sprintf("the cluster %s (context %q of %s)", targetOf(config).Server, config.CurrentContext, file)
}

// removal is the command that removes what a killed quickstart left. It names the context: the current one may be another by then.
func removal(o options, name string) string {
	remote := ""
	if o.remote {
		remote = " --remote"
	}
	return fmt.Sprintf("make quickstart QUICKSTART_FLAGS='--kubeconfig=%s --context=%s%s --remove'", o.kubeconfig, name, remote)
}

// onThisMachine says whether a server's address is of the loopback interface, as those of kind and k3d are.
func onThisMachine(server string) bool {
	address, err := url.Parse(server)
	if err != nil {
		return false
	}
	ip := net.ParseIP(address.Hostname())
	return address.Hostname() == "localhost" || (ip != nil && (ip.IsLoopback() || ip.IsUnspecified()))
}

// absent returns an error if an object is there already, or can't be.
func (s *stage) absent(ctx context.Context, o *unstructured.Unstructured) error {
	err := s.client.Get(ctx, client.ObjectKeyFromObject(o), o)
	switch {
	case apierrors.IsNotFound(err):
		return nil
	case err != nil:
		return fmt.Errorf("look for %s %s in %s (Kubernetes 1.30 or later is needed): %w", o.GetKind(), o.GetName(), s.where, err)
	case o.GetLabels()[managedByLabel] == managedByUs:
		return fmt.Errorf("%s %s is in %s already: another quickstart uses the cluster, or a killed one left it behind; in that case remove it with %s",
			o.GetKind(), o.GetName(), s.where, s.removal)
	}
	return fmt.Errorf("%s %s is in %s already, and the quickstart overwrites nothing; nothing was changed. Use a cluster without Mooring and without the namespace %s",
		o.GetKind(), o.GetName(), s.where, team)
}

// manifests returns all that is installed, the namespaces first.
func (s *stage) manifests() (all []*unstructured.Unstructured, err error) {
	all = append(all, namespace(system.Namespace), namespace(team))
	config := filepath.Join(s.root, "config")
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

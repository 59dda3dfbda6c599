package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/discovery"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/config/rbac"
	"github.com/mooring-dev/mooring/controllers"
	"github.com/mooring-dev/mooring/controllers/kind"
)

// comingUp is how long whatever was installed a moment ago may take to come up.
const comingUp = time.Minute

// check looks at an installation with the rights that Mooring has there, writes a line for all it looked at, and reports
// whether all is well. It has patience with what may be coming up.
func check(ctx context.Context, o options, patience time.Duration, out io.Writer) bool {
	c, err := newChecker(o)
	if err != nil {
		_, _ = fmt.Fprintf(out, "FAILED  %v\n", err)
		return false
	}
	well := true
	for _, look := range []struct {
		what string
		at   func(context.Context) error
		// comes: it may not be there yet.
		comes bool
	}{
		{what: "the API server answers", at: c.answers},
		{what: "it serves all of Mooring's kinds", at: c.kinds, comes: true},
		{what: "Mooring has the permissions that it needs", at: c.rights},
		{what: "a replica is the leader", at: c.leader, comes: o.leaderElect},
		{what: "the API server has what it needs to trust the webhook", at: c.webhook, comes: true},
	} {
		err := look.at(ctx)
		if err != nil && look.comes {
			err = again(ctx, patience, look.at, err)
		}
		if err != nil {
			well = false
			_, _ = fmt.Fprintf(out, "FAILED  %s: %v\n", look.what, err)
			continue
		}
		_, _ = fmt.Fprintf(out, "ok      %s\n", look.what)
	}
	return well
}

// again looks until all is well or patience is at its end, and returns what was wrong at last: that time is up is not.
func again(ctx context.Context, patience time.Duration, at func(context.Context) error, wrong error) error {
	_ = wait.PollUntilContextTimeout(ctx, time.Second, patience, false, func(ctx context.Context) (bool, error) {
		if err := at(ctx); err == nil || ctx.Err() == nil {
			wrong = err
		}
		return wrong == nil, nil
	})
	return wrong
}

type checker struct {
	options
	client    client.Client
	discovery *discovery.DiscoveryClient
}

func newChecker(o options) (*checker, error) {
	cfg, err := apiServer(o.kubeconfig)
	if err != nil {
		return nil, err
	}
	scheme, err := controllers.NewScheme()
	if err != nil {
		return nil, err
	}
	c := &checker{options: o}
	if c.client, err = client.New(cfg, client.Options{Scheme: scheme}); err != nil {
		return nil, err
	}
	c.discovery, err = discovery.NewDiscoveryClientForConfig(cfg)
	return c, err
}

func (c *checker) answers(context.Context) error {
	_, err := c.discovery.ServerVersion()
	return err
}

// served returns which resources are served, and whether they are in a namespace.
func (c *checker) served(groupVersion string) (map[string]bool, error) {
	list, err := c.discovery.ServerResourcesForGroupVersion(groupVersion)
	if err != nil {
		return nil, err
	}
	namespaced := map[string]bool{}
	for _, r := range list.APIResources {
		namespaced[r.Name] = r.Namespaced
	}
	return namespaced, nil
}

func (c *checker) kinds(context.Context) error {
	served, err := c.served(v1alpha1.GroupVersion.String())
	if err != nil {
		return fmt.Errorf("%w; install the chart with crds.install: true, or apply config/crd", err)
	}
	for _, resource := range slices.Concat(resources(kind.All()), []string{"providerconfigs", "clusterproviderconfigs"}) {
		if _, ok := served[resource]; !ok {
			return fmt.Errorf("%s.%s is not served: its CustomResourceDefinition is missing, or belongs to another release", resource, v1alpha1.GroupVersion.Group)
		}
	}
	return nil
}

// resources returns the resources of kinds: those of their objects, then those of their classes.
func resources(kinds []*kind.Kind) (objects []string) {
	var classes []string
	for _, k := range kinds {
		objects = append(objects, k.Plural)
		if k.Class != nil {
			classes = append(classes, k.Class.Plural)
		}
	}
	return append(objects, classes...)
}

// rights asks the API server about every right that Mooring's code says it needs.
func (c *checker) rights(ctx context.Context) error {
	var missing []string
	for documents := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(rbac.Role), 4096); ; {
		var role rbacv1.ClusterRole
		if err := documents.Decode(&role); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return err
		}
		for _, rule := range role.Rules {
			for _, right := range c.each(rule, role.Kind == "Role") {
				review := &authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{ResourceAttributes: &right}}
				if err := c.client.Create(ctx, review); err != nil {
					return err
				}
				if !review.Status.Allowed {
					missing = append(missing, describe(right))
				}
			}
		}
	}
	if len(missing) > 0 {
		return fmt.Errorf("it may not %s; upgrade the chart with rbac.create: true, which restores the roles; without Helm, apply config/rbac", strings.Join(missing, ", "))
	}
	return nil
}

// each returns the single rights of a rule: in Mooring's own namespace, in those that it looks after, or everywhere.
func (c *checker) each(rule rbacv1.PolicyRule, own bool) (rights []authorizationv1.ResourceAttributes) {
	names := rule.ResourceNames
	if len(names) == 0 {
		names = []string{""}
	}
	for i, name := range names {
		if name == "mooring" {
			names = slices.Clone(names)
			names[i] = c.webhookName
		}
	}
	for _, resource := range rule.Resources {
		plural, sub, _ := strings.Cut(resource, "/")
		namespaces := c.watched()
		switch {
		case own:
			namespaces = []string{c.namespace}
		case len(namespaces) == 0 || !inNamespaces(plural):
			namespaces = []string{metav1.NamespaceAll}
		case resource == "secrets" && !slices.Contains(namespaces, c.namespace): // the platform's credentials, and private copies
			namespaces = append(namespaces, c.namespace)
		}
		for _, verb := range rule.Verbs {
			for _, name := range names {
				for _, namespace := range namespaces {
					rights = append(rights, authorizationv1.ResourceAttributes{
						Group: rule.APIGroups[0], Resource: plural, Subresource: sub, Verb: verb, Name: name, Namespace: namespace,
					})
				}
			}
		}
	}
	return rights
}

// inNamespaces reports whether objects of a resource in the role are in namespaces.
func inNamespaces(plural string) bool {
	isClass := func(k *kind.Kind) bool { return k.Class != nil && k.Class.Plural == plural }
	return !slices.ContainsFunc(kind.All(), isClass) && !slices.Contains([]string{
		"namespaces", "customresourcedefinitions", "validatingwebhookconfigurations", "clusterproviderconfigs",
	}, plural)
}

func describe(right authorizationv1.ResourceAttributes) string {
	text := right.Verb + " " + right.Resource
	if right.Subresource != "" {
		text += "/" + right.Subresource
	}
	if right.Group != "" {
		text += " of " + right.Group
	}
	if right.Name != "" {
		text += fmt.Sprintf(" %q", right.Name)
	}
	if right.Namespace != "" {
		text += " in namespace " + right.Namespace
	}
	return text
}

func (c *checker) leader(ctx context.Context) error {
	if !c.leaderElect {
		return nil
	}
	lease := &coordinationv1.Lease{}
	if err := c.client.Get(ctx, client.ObjectKey{Namespace: c.namespace, Name: controllers.LeaderLease}, lease); err != nil {
		return err
	}
	holder, renewed := lease.Spec.HolderIdentity, lease.Spec.RenewTime
	if holder == nil || *holder == "" || renewed == nil {
		return fmt.Errorf("no replica holds Lease %s/%s; see the logs of the Deployment", c.namespace, controllers.LeaderLease)
	}
	if age := time.Since(renewed.Time); lease.Spec.LeaseDurationSeconds != nil && age > 2*time.Duration(*lease.Spec.LeaseDurationSeconds)*time.Second {
		return fmt.Errorf("%s holds Lease %s/%s, and has not renewed it for %s; see its log", *holder, c.namespace, controllers.LeaderLease, age.Round(time.Second))
	}
	return nil
}

func (c *checker) webhook(ctx context.Context) error {
	if c.webhookAddress == "0" {
		return nil
	}
	configuration := &admissionregistrationv1.ValidatingWebhookConfiguration{}
	if err := c.client.Get(ctx, client.ObjectKey{Name: c.webhookName}, configuration); err != nil {
		return err
	}
	for _, w := range configuration.Webhooks {
		if len(w.ClientConfig.CABundle) == 0 {
			if c.certDir != "" {
				return fmt.Errorf("ValidatingWebhookConfiguration %s has no caBundle yet: the tool that issues the certificate in %s has to write it, for example the CA injector of cert-manager; see its logs", c.webhookName, c.certDir)
			}
			return fmt.Errorf("ValidatingWebhookConfiguration %s has no caBundle yet: Mooring writes it when it starts; see the logs of the Deployment", c.webhookName)
		}
	}
	return nil
}

package class

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// unusable warns of accounts that are not there, or that this release does not know, and of those that serve nobody.
func (c *Class) unusable(clouds map[string]string) (warnings []string) {
	for _, a := range c.Accounts() {
		switch cloud, found := clouds[a.Config]; {
		case !found && len(c.Spec.Accounts) == 0:
			warnings = append(warnings, fmt.Sprintf("there is no ClusterProviderConfig %s, and nothing is created by this class without it; create it first", a.Config))
		case !found:
			warnings = append(warnings, fmt.Sprintf("there is no ClusterProviderConfig %s (%s), and nothing is created for its namespaces without it; create it first", a.Config, a.Field))
		case cloud == "":
			warnings = append(warnings, "NotSupported: "+unknownCloud(a))
		}
	}
	if idle := c.shadowed(); idle != "" {
		warnings = append(warnings, idle)
	}
	return warnings
}

// A route is where new objects of a namespace are created before and after a class was edited; empty for nowhere.
type route struct{ before, after string }

func (r route) compare(other route) int {
	return cmp.Or(strings.Compare(r.after, other.after), strings.Compare(r.before, other.before))
}

// rerouted says to which account new objects of which namespaces are led by an edit of a class, if it leads them elsewhere than before, or nowhere. It goes
// by the namespaces and their labels as they are now.
func (a *Admission) rerouted(ctx context.Context, before, after *Class, users int) (lines []string, err error) {
	moved := !equality.Semantic.DeepEqual(before.Spec.Accounts, after.Spec.Accounts) || before.Spec.ProviderConfigRef != after.Spec.ProviderConfigRef
	if !moved && equality.Semantic.DeepEqual(before.Spec.AllowedNamespaces, after.Spec.AllowedNamespaces) {
		return nil, nil
	}
	list := &corev1.NamespaceList{}
	if err := a.Resolver.Client.List(ctx, list, client.UnsafeDisableDeepCopy); err != nil {
		return nil, err
	}
	routes := map[route][]string{}
	for _, ns := range list.Items {
		in := Namespace{Name: ns.Name, Labels: ns.Labels}
		if r := (route{before.routeOf(in), after.routeOf(in)}); r.before != r.after {
			routes[r] = append(routes[r], ns.Name)
		}
	}
	for _, r := range slices.SortedFunc(maps.Keys(routes), route.compare) {
		names := routes[r]
		slices.Sort(names)
		shown := strings.Join(names[:min(len(names), most)], ", ")
		if more := len(names) - most; more > 0 {
			shown += fmt.Sprintf(" and %d more", more)
		}
		lines = append(lines, fmt.Sprintf("new objects in %s: %s (until now %s)", shown, routeWords(r.after), routeWords(r.before)))
	}
	if moved && users > 0 {
		lines = append(lines, "objects that exist stay in the account that they were created in")
	}
	return lines, nil
}

// routeOf returns by which ClusterProviderConfig new objects of a namespace are created, empty if they are refused.
func (c *Class) routeOf(in Namespace) string {
	selector, wrong := c.selector()
	if wrong != nil || !selector.Matches(labels.Set(in.Labels)) {
		return ""
	}
	config, _ := c.AccountOf(in)
	return config
}

func routeWords(config string) string {
	if config == "" {
		return "refused"
	}
	return "ClusterProviderConfig " + config
}

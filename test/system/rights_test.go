package system

import (
	"slices"
	"testing"

	"github.com/mooring-dev/mooring/test/cluster"
)

// TestUnused: a right is used by a request that it covers, and that the authorizer allowed by the right's own role.
func TestUnused(t *testing.T) {
	const byRole = `RBAC: allowed by ClusterRoleBinding "mooring" of ClusterRole "mooring" to ServiceAccount "mooring/mooring-system"`
	named := Right{Kind: "ClusterRole", Role: "mooring", Verb: "get", Group: "apps", Resource: "deployments", Name: "one"}
	status := Right{Kind: "ClusterRole", Role: "mooring", Verb: "patch", Group: "mooring.dev", Resource: "buckets/status"}
	one := cluster.Request{Verb: "get", Group: "apps", Resource: "deployments", Namespace: "any", Name: "one", Reason: byRole}
	patch := cluster.Request{Verb: "patch", Group: "mooring.dev", Resource: "buckets", Subresource: "status", Name: "b", Reason: byRole}
	adopt := Right{Kind: "ClusterRole", Role: "mooring", Verb: "adopt", Group: "mooring.dev", Resource: "buckets"}
	create := cluster.Request{Verb: "create", Group: "mooring.dev", Resource: "buckets", Name: "b", Reason: byRole}
	change := func(r cluster.Request, f func(*cluster.Request)) cluster.Request { f(&r); return r }
	for _, c := range []struct {
		name string
		cluster.Request
		right Right
		uses  bool
	}{
		{"its object", one, named, true},
		{"another object", change(one, func(r *cluster.Request) { r.Name = "two" }), named, false},
		{"another verb", change(one, func(r *cluster.Request) { r.Verb = "patch" }), named, false},
		{"another group", change(one, func(r *cluster.Request) { r.Group = "" }), named, false},
		{"the status", patch, status, true},
		{"the object, not its status", change(patch, func(r *cluster.Request) { r.Subresource = "" }), status, false},
		{"another role's", change(patch, func(r *cluster.Request) {
			r.Reason = `RBAC: allowed by RoleBinding "mooring-own/mooring-system" of Role "mooring-own" to ServiceAccount "mooring/mooring-system"`
		}), status, false},
		{"a creation that may take over", create, adopt, true},
		{"no creation", change(create, func(r *cluster.Request) { r.Verb = "patch" }), adopt, false},
		{"refused", change(patch, func(r *cluster.Request) { r.Decision, r.Reason = cluster.Forbidden, "" }), status, false},
	} {
		if got := !slices.Contains(Rights{c.right}.Unused(cluster.Requests{c.Request}), c.right); got != c.uses {
			t.Errorf("%s: used %t, want %t", c.name, got, c.uses)
		}
	}
}

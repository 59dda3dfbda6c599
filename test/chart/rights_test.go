package chart

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/mooring-dev/mooring/test/system"
)

// TestRights: however the chart deals them out, Mooring has the rights of config/rbac/role.yaml, which are made from the
// markers beside its code: nothing is added, nothing lost, and nothing given twice. Where it looks after some namespaces
// alone, it can do with Secrets and ConfigMaps in its own what it can do with them there.
func TestRights(t *testing.T) {
	content, err := os.ReadFile(filepath.Join(root(t), "config", "rbac", "role.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	marked := manifests(t, string(content))
	everywhere, own := rightsIn(t, marked, "ClusterRole", "", "mooring"), rightsIn(t, marked, "Role", namespace, "mooring")
	if len(everywhere) == 0 || len(own) == 0 {
		t.Fatal("the markers make no rights")
	}
	ownToo := slices.Clone(own) // Secrets, ConfigMaps with authorities, and Events of cluster configs are in its own namespace whatever the list says
	for _, r := range everywhere {
		if r.Resource == "secrets" || r.Resource == "configmaps" || r.Resource == "events" {
			ownToo = append(ownToo, r)
		}
	}
	for _, program := range helms {
		h := newHelm(t, program, "")
		t.Run(program, func(t *testing.T) {
			all := manifests(t, h.template(t, chartDir(t), "rbac: {aggregateClusterRoles: false}"))
			same(t, "everywhere", rightsIn(t, all, "ClusterRole", "", "mooring"), everywhere)
			same(t, "in its own namespace", rightsIn(t, all, "Role", namespace, "mooring-own"), own)
			count(t, all, 2)

			some := manifests(t, h.template(t, chartDir(t), "rbac: {aggregateClusterRoles: false}\nnamespaces: [shop, bank]"))
			cluster := rightsIn(t, some, "ClusterRole", "", "mooring")
			for _, ns := range []string{"shop", "bank"} {
				same(t, "in the cluster and in "+ns, append(slices.Clone(cluster), rightsIn(t, some, "Role", ns, "mooring")...), everywhere)
			}
			same(t, "in its own namespace, besides others", rightsIn(t, some, "Role", namespace, "mooring-own"), ownToo)
			count(t, some, 4)

			watching := []system.Right{{Resource: "secrets", Verb: "list"}, {Resource: "secrets", Verb: "watch"}}
			all = manifests(t, h.template(t, chartDir(t), "rbac: {aggregateClusterRoles: false}\nwatchSecrets: true"))
			same(t, "everywhere, with Secrets watched", rightsIn(t, all, "ClusterRole", "", "mooring"), append(slices.Clone(everywhere), watching...))
			some = manifests(t, h.template(t, chartDir(t), "rbac: {aggregateClusterRoles: false}\nnamespaces: [shop]\nwatchSecrets: true"))
			cluster = rightsIn(t, some, "ClusterRole", "", "mooring")
			same(t, "in shop, with Secrets watched", append(slices.Clone(cluster), rightsIn(t, some, "Role", "shop", "mooring")...), append(slices.Clone(everywhere), watching...))
		})
	}
}

// rightsIn returns the rights of one role, whatever it is called.
func rightsIn(t *testing.T, objects []*unstructured.Unstructured, kind, namespace, name string) system.Rights {
	t.Helper()
	var role []*unstructured.Unstructured
	for _, o := range objects {
		if o.GetKind() == kind && o.GetNamespace() == namespace && o.GetName() == name {
			role = append(role, o)
		}
	}
	if len(role) != 1 {
		t.Fatalf("%d times %s %s/%s", len(role), kind, namespace, name)
	}
	rights, err := system.RightsOf(role)
	if err != nil {
		t.Fatal(err)
	}
	for i := range rights {
		rights[i].Kind, rights[i].Role = "", ""
	}
	return rights
}

// same compares rights in any order. One that is given twice is there twice.
func same(t *testing.T, where string, got, want system.Rights) {
	t.Helper()
	lines := func(rights system.Rights) (all []string) {
		for _, r := range rights {
			all = append(all, r.String())
		}
		slices.Sort(all)
		return all
	}
	if diff := cmp.Diff(lines(want), lines(got)); diff != "" {
		t.Errorf("rights %s: -want +got:\n%s", where, diff)
	}
}

// count checks how many roles there are in all.
func count(t *testing.T, objects []*unstructured.Unstructured, want int) {
	t.Helper()
	n := 0
	for _, o := range objects {
		if o.GetKind() == "ClusterRole" || o.GetKind() == "Role" {
			n++
		}
	}
	if n != want {
		t.Errorf("%d roles, want %d", n, want)
	}
}

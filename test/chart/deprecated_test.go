package chart

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestDeprecatedValues: a value under its former name renders the same objects as under its name, and the notes name the new one.
func TestDeprecatedValues(t *testing.T) {
	for _, c := range []struct {
		name, former, now string
		// renames are the former names that the notes mention, each with the new one.
		renames map[string]string
	}{
		{"no value", "{}", "{}", nil},
		{"no roles for users", "rbac: {people: false}", "rbac: {aggregateClusterRoles: false}", map[string]string{"rbac.people": "rbac.aggregateClusterRoles"}},
		{"the former default of roles for users", "rbac: {people: true}", "rbac: {aggregateClusterRoles: true}", nil},
		{"the former default of groups that read classes", "rbac: {catalogue: []}", "rbac: {classReaderGroups: []}", nil},
		{"groups that read classes", "rbac: {catalogue: [developers]}", "rbac: {classReaderGroups: [developers]}", map[string]string{"rbac.catalogue": "rbac.classReaderGroups"}},
		{
			"both names of both", "rbac: {people: false, aggregateClusterRoles: false, catalogue: [a, b], classReaderGroups: [b]}",
			"rbac: {aggregateClusterRoles: false}", map[string]string{"rbac.people": "rbac.aggregateClusterRoles", "rbac.catalogue": "rbac.classReaderGroups"},
		},
		{
			"groups under both names", "rbac: {catalogue: [a, b], classReaderGroups: [b, c]}",
			"rbac: {classReaderGroups: [b, c, a]}", map[string]string{"rbac.catalogue": "rbac.classReaderGroups"},
		},
		{
			// The values of 0.1.0 that --reuse-values carries lack the new names. Nobody set the defaults among them.
			"values of an earlier release", "rbac: {people: true, aggregateClusterRoles: null, catalogue: [a], classReaderGroups: null}",
			"rbac: {classReaderGroups: [a]}", map[string]string{"rbac.catalogue": "rbac.classReaderGroups"},
		},
		{
			"defaults of an earlier release", "rbac: {people: true, aggregateClusterRoles: null, catalogue: [], classReaderGroups: null}", "{}", nil,
		},
	} {
		for _, program := range helms {
			t.Run(c.name+" "+program, func(t *testing.T) {
				h := newHelm(t, program, "")
				if diff := cmp.Diff(h.template(t, chartDir(t), c.now), h.template(t, chartDir(t), c.former)); diff != "" {
					t.Errorf("the former name renders other objects: -new +former:\n%s", diff)
				}
				if program == "helm3" {
					return // it needs a cluster to render notes
				}
				notes := h.run(t, "install", release, chartDir(t), "--namespace", namespace, "--values", valuesFile(t, c.former), "--dry-run=client")
				_, notes, _ = strings.Cut(notes, "\nNOTES:\n")
				if n := strings.Count(notes, "WARNING:"); n != len(c.renames) {
					t.Errorf("the notes have %d warnings, want %d:\n%s", n, len(c.renames), notes)
				}
				for former, now := range c.renames {
					if !strings.Contains(notes, former+" is now "+now+".") {
						t.Errorf("the notes do not say that %s is now %s:\n%s", former, now, notes)
					}
				}
			})
		}
	}
}

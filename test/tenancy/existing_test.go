package tenancy

import (
	"regexp"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/class"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/providers/driver"
)

// No tenant makes Mooring set another name on what exists, not even where the platform team's own words are broken or about another cloud.
func TestReferencesOfWhatExists(t *testing.T) {
	for _, r := range described(t) {
		t.Run(r.String(), func(t *testing.T) {
			elsewhere := map[string]string{"aws": "gcp", "gcp": "aws"}[r.cloud]
			exact := regexp.QuoteMeta(r.name)
			for name, tt := range map[string]struct {
				class class.Tree
				sent  bool
			}{
				"a class that names nothing":           {class: class.Tree{}},
				"a class that names what it has":       {class: class.Tree{"defaults": r.spec("another-" + r.name)}},
				"a pattern of the end alone":           {class: r.allowing(regexp.QuoteMeta(r.name[1:]))},
				"a broken pattern":                     {class: r.allowing("(")},
				"a broken pattern behind another":      {class: r.allowing("another-"+exact, "(")},
				"a class moved to another cloud":       {class: class.Merge(r.allowing("another-"+exact), class.Tree{"providerConfigRef": class.Tree{"name": elsewhere}})},
				"a broken pattern in a class that was": {class: class.Merge(r.allowing("("), class.Tree{"providerConfigRef": class.Tree{"name": elsewhere}})},
				"what the class allows":                {class: r.allowing(exact), sent: true},
			} {
				r.expectSent(t, name, tt.class, tt.sent)
			}
		})
	}
}

// expectSent checks whether the plan sends the name to the cloud, where an object exists with another name.
func (r reference) expectSent(t *testing.T, name string, spec class.Tree, sent bool) {
	t.Helper()
	old, o := r.existing("another-"+r.name), r.existing(r.name)
	resolver, status := r.resolver(t, spec), o.GetResourceStatus()
	refusals, warnings, err := admission(resolver).Object(t.Context(), old, o)
	if err != nil || len(refusals)+len(warnings) > 0 == sent {
		t.Errorf("%s: refusals %q, warnings %q, %v", name, refusals, warnings, err)
	}
	found, err := resolver.Resolve(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	_, policy, err := plan.WithClass(r.kind, o, found)
	if err != nil {
		t.Fatal(err)
	}
	policy.Refuse(found.Problems)
	v := plan.ViewOf(o, status, found)
	v.Mark = driver.Mark{Cluster: "this", Namespace: "shop", Name: "tenants", UID: "1"}
	a := plan.Plan(v, driver.Observation{State: driver.Ready, Available: true, Mark: v.Mark, Changes: []driver.Change{
		{Field: r.field.Field, From: "another-" + r.name, To: r.name, Effect: driver.Online},
	}}, policy)
	if len(a.Changes) > 0 != sent || !sent && a.Verb != plan.Stall {
		t.Errorf("%s: the plan is %s of %v because of %s: %s; want that it sends the name: %v", name, a.Verb, a.Changes, a.Reason, a.Message, sent)
	}
}

// existing returns an object of the class "standard" that is Ready, and names an object in the field.
func (r reference) existing(name string) v1alpha1.ResourceObject {
	o := r.object(r.spec(name))
	o.GetResourceSpec().ClassName = "standard"
	o.SetFinalizers([]string{v1alpha1.FinalizerResource})
	status := o.GetResourceStatus()
	status.ExternalName, status.ClassName, status.FirstReadyTime = "there", "standard", &metav1.Time{Time: time.Unix(1, 0)}
	status.ProviderConfigRef = &v1alpha1.BoundProviderConfig{Kind: "ClusterProviderConfig", Name: r.cloud}
	return o
}

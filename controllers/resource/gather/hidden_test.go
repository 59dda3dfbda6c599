package gather

import (
	"context"
	"errors"
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/class"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/providers/driver"
)

// definitions are the CustomResourceDefinitions of a cluster: the fields that each has, by its name. They count how often they are read.
type definitions struct {
	client.Reader
	fields map[string][]string
	reads  int
	err    error
}

func (d *definitions) Get(_ context.Context, key client.ObjectKey, o client.Object, _ ...client.GetOption) error {
	d.reads++
	var paths [][]string
	for _, field := range d.fields[key.Name] {
		paths = append(paths, strings.Split(field, "."))
	}
	o.(*unstructured.Unstructured).Object = map[string]any{"spec": map[string]any{"versions": []any{
		map[string]any{"name": "v1alpha0"},
		map[string]any{"name": v1alpha1.GroupVersion.Version, "schema": map[string]any{"openAPIV3Schema": schemaWith(paths)}},
	}}}
	return d.err
}

// schemaWith returns a schema that has just some fields.
func schemaWith(paths [][]string) map[string]any {
	properties, below := map[string]any{}, map[string][][]string{}
	for _, path := range paths {
		if len(path) > 0 {
			below[path[0]] = append(below[path[0]], path[1:])
		}
	}
	for step, rest := range below {
		properties[step] = schemaWith(rest)
	}
	return map[string]any{"properties": properties}
}

// A field that is missing was taken out by a person, or the API server hides it, or lost it. Only a person's edit is a release: nothing else
// has a change sent. What is hidden stays noted as applied, so that nothing is lost once it is seen again.
func TestHiddenFieldsAreNotReleased(t *testing.T) {
	const public, cidrs, username = "network.publicAccess", "network.allowedCIDRs", driver.FieldUsername
	whole := map[string][]string{
		"databases.mooring.dev":       {"spec.network.publicAccess", "spec.network.allowedCIDRs", "spec.credentials.source"},
		"databaseclasses.mooring.dev": {"spec.defaults.network.publicAccess", "spec.defaults.network.allowedCIDRs"},
	}
	without := func(name string, fields ...string) map[string][]string {
		less := maps.Clone(whole)
		less[name] = fields
		return less
	}
	release := driver.Change{Field: public, From: "Allowed", To: "Blocked", Release: true, Effect: driver.Online}
	closing := driver.Change{Field: cidrs, From: "10.0.0.0/8", Release: true, Effect: driver.Online}
	applied := map[string][]string{public: {"Allowed"}, cidrs: {"10.0.0.0/8"}, username: {"keeper"}}
	edited := func(g *gathering) { g.Object.SetGeneration(8) }
	byClass := func(g *gathering) { g.Class = &class.Resolution{} }
	gave := func(g *gathering) {
		byClass(g)
		g.Status().Effective = &v1alpha1.Effective{Defaults: &runtime.RawExtension{Raw: []byte(`{"network":{"publicAccess":"Allowed"}}`)}}
	}
	for _, tt := range []struct {
		name string
		is   []func(*gathering)
		crds map[string][]string
		err  string
		// What is left: of the changes, and of what is noted as applied.
		changes []driver.Change
		applied driver.Applied
		reads   int
	}{
		{name: "taken out by an edit", is: []func(*gathering){edited}, crds: whole, reads: 1,
			changes: []driver.Change{release, closing}, applied: driver.Applied{public: {"Allowed"}, cidrs: {"10.0.0.0/8"}, username: {"keeper"}}},
		{name: "hidden", crds: without("databases.mooring.dev", "spec.network.allowedCIDRs", "spec.credentials"), reads: 1,
			err: "the CustomResourceDefinition databases.mooring.dev lacks spec.network.publicAccess", applied: applied},
		{name: "hidden with all that is around it", crds: without("databases.mooring.dev"), reads: 1,
			err: "lacks spec.network.allowedCIDRs, spec.network.publicAccess, which Mooring set", applied: applied},
		{name: "hidden, and edited since", is: []func(*gathering){edited}, crds: without("databases.mooring.dev"), reads: 1,
			err: "install the CustomResourceDefinitions of this release", applied: applied},
		{name: "hidden in the class", is: []func(*gathering){gave}, crds: without("databaseclasses.mooring.dev"), reads: 2,
			err: "the CustomResourceDefinition databaseclasses.mooring.dev lacks", applied: applied},
		{name: "dropped without an edit", crds: whole, reads: 1, applied: driver.Applied{username: {"keeper"}}},
		{name: "dropped from an object with a class", is: []func(*gathering){byClass}, crds: whole, reads: 2, applied: driver.Applied{username: {"keeper"}}},
		{name: "taken out of the class", is: []func(*gathering){gave}, crds: whole, reads: 2,
			changes: []driver.Change{release}, applied: driver.Applied{public: {"Allowed"}, username: {"keeper"}}},
		{name: "taken out before, and waiting", is: []func(*gathering){func(g *gathering) {
			g.Status().PendingChanges = []v1alpha1.PendingChange{{Field: public}}
		}}, crds: whole, reads: 1, changes: []driver.Change{release}, applied: driver.Applied{public: {"Allowed"}, username: {"keeper"}}},
		{name: "taken out, and just sent", is: []func(*gathering){func(g *gathering) { g.Memory.Cloud.Sent = []driver.Change{release} }}, crds: whole, reads: 1,
			changes: []driver.Change{release}, applied: driver.Applied{public: {"Allowed"}, username: {"keeper"}}},
		{name: "as declared", is: []func(*gathering){func(g *gathering) {
			g.Observation.Changes = []driver.Change{{Field: "tags", Entries: true}}
		}}, crds: nil, changes: []driver.Change{{Field: "tags", Entries: true}}, applied: applied},
		{name: "observed only", is: []func(*gathering){func(g *gathering) { g.Policy.Management = v1alpha1.ManagementObserve }},
			changes: []driver.Change{release, closing}, applied: applied},
		{name: "being deleted", is: []func(*gathering){func(g *gathering) { g.Deleting = true }}, changes: []driver.Change{release, closing}, applied: applied},
		{name: "refused", is: []func(*gathering){func(g *gathering) { g.Policy.Refused.Reason = v1alpha1.ReasonClassNotAllowed }},
			changes: []driver.Change{release, closing}, applied: applied},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d, _ := withPassword(nil)
			d.Generation, d.Status.AppliedGeneration, d.Status.Applied = 7, 7, driver.Applied(applied).Clone()
			crds := &definitions{fields: tt.crds}
			g := gatheringOf(d, crds)
			g.Described.Fields = []driver.Field{{Field: public}, {Field: cidrs}, {Field: "tags"}}
			g.Observation = driver.Observation{State: driver.Ready, Changes: []driver.Change{release, closing}, Applied: driver.Applied(applied).Clone()}
			for _, change := range tt.is {
				change(g)
			}
			if err := (&hiding{g.gatherer.Reader, &g.State}).find(t.Context()); (err != nil) != (tt.err != "") || err != nil && !strings.Contains(err.Error(), tt.err) {
				t.Errorf("it ended with %v, want %q", err, tt.err)
			}
			if diff := cmp.Diff(tt.applied, g.Observation.Applied); diff != "" {
				t.Errorf("applied (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.changes, g.Observation.Changes); tt.err == "" && diff != "" {
				t.Errorf("changes (-want +got):\n%s", diff)
			}
			if crds.reads != tt.reads {
				t.Errorf("%d reads, want %d", crds.reads, tt.reads)
			}
		})
	}
}

// Whether a field is hidden is not known as long as the definition can't be read, as where an earlier release's role is in force. Nothing is
// released meanwhile.
func TestUnreadDefinitionReleasesNothing(t *testing.T) {
	d, _ := withPassword(nil)
	d.Generation, d.Status.Applied = 2, map[string][]string{"storage.maxSizeGiB": {"100"}}
	g := gatheringOf(d, &definitions{err: errors.New("forbidden")})
	g.Described.Fields = []driver.Field{{Field: "storage.maxSizeGiB"}}
	g.Observation = driver.Observation{State: driver.Ready, Applied: driver.Applied{}}
	if err := (&hiding{g.gatherer.Reader, &g.State}).find(t.Context()); err == nil || !strings.Contains(err.Error(), "databases.mooring.dev: forbidden") {
		t.Errorf("it ended with %v", err)
	}
	if diff := cmp.Diff(driver.Applied(d.Status.Applied), g.Observation.Applied); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Who manages the password is a field that can be hidden, too. It is never let go of: what becomes of the password, a person decides.
func TestHiddenSourceOfThePassword(t *testing.T) {
	for _, tt := range []struct {
		fields []string
		want   string
	}{{[]string{"spec.credentials.passwordSecretRef"}, "lacks spec.credentials.source"}, {[]string{"spec.credentials.source"}, ""}} {
		d, _ := withPassword(nil)
		d.Status.Applied = map[string][]string{plan.FieldSource: {string(v1alpha1.CredentialsCloudManaged)}}
		g := gatheringOf(d, &definitions{fields: map[string][]string{"databases.mooring.dev": tt.fields}})
		g.Observation = driver.Observation{State: driver.Ready, Applied: driver.Applied{}, Changes: []driver.Change{{Field: plan.FieldSource}}}
		if err := (&hiding{g.gatherer.Reader, &g.State}).find(t.Context()); (err != nil) != (tt.want != "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q: it ended with %v", tt.fields, err)
		}
		if len(g.Observation.Changes) != 1 {
			t.Errorf("%q: the change of the source was left out", tt.fields)
		}
	}
}

// What a later release noted as applied stays in the status under this one. It goes with the cloud object that it is about.
func TestWhatALaterReleaseAppliedIsKept(t *testing.T) {
	for state, want := range map[driver.State]driver.Applied{
		driver.Ready:  {"tags": {"team"}, "aws.youngField": {"on"}},
		driver.Absent: {"tags": {"team"}},
	} {
		d, _ := withPassword(nil)
		d.Generation, d.Status.AppliedGeneration = 2, 1
		d.Status.Applied = map[string][]string{"tags": {"team"}, "aws.youngField": {"on"}, driver.FieldUsername: {"keeper"}, plan.FieldPassword: {"1"}}
		d.ObjectMeta = metav1.ObjectMeta{Namespace: "shop", Name: "orders", Generation: 2}
		g := gatheringOf(d, &definitions{})
		g.Described.Fields = []driver.Field{{Field: "tags"}}
		g.Observation = driver.Observation{State: state, Applied: driver.Applied{"tags": {"team"}}}
		if err := (&hiding{g.gatherer.Reader, &g.State}).find(t.Context()); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, g.Observation.Applied); diff != "" {
			t.Errorf("%v (-want +got):\n%s", state, diff)
		}
	}
}

package api

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/test/patience"
)

// The fields that had a manager for each entry or part in earlier definitions, and have one manager for the whole now. Those of lists have the key by which
// entries were told, where these are objects.
var (
	onceSets  = []string{"aws.cloudwatchLogsExports", "gcp.pscConfig.allowedConsumerProjects", "gcp.pscConfig.autoConnectionNetworks", "network.allowedCIDRs", "aws.blockedEncryptionTypes", "gcp.customPlacementConfig.dataLocations"}
	onceKeyed = map[string]string{"aws.metrics": "name", "aws.intelligentTiering": "name", "aws.analytics": "name", "aws.inventory": "name", "aws.policy": "sid", "aws.replication.rules": "name"}
	onceParts = []string{"parameters", "gcp.connectionPool.flags", "encryption", "website", "logging", "retention", "gcp.ipFilter", "gcp.denyMaintenancePeriod", "aws.s3Compatible"}
)

// makeGranular makes a field what it was in earlier definitions, and reports whether it was another.
func (f field) makeGranular(s *apiextensionsv1.JSONSchemaProps) bool {
	switch name := strings.TrimPrefix(f.name(), "sizes.[]."); {
	case slices.Contains(onceSets, name):
		s.XListType = new("set")
	case onceKeyed[name] != "":
		s.XListType, s.XListMapKeys = new("map"), []string{onceKeyed[name]}
	case slices.Contains(onceParts, name):
		s.XMapType = nil
	default:
		return false
	}
	return true
}

// edit changes the schema at a path, and reports whether it did.
func edit(s *apiextensionsv1.JSONSchemaProps, path []string, change func(*apiextensionsv1.JSONSchemaProps) bool) bool {
	switch {
	case len(path) == 0:
		return change(s)
	case path[0] == entries:
		return edit(s.Items.Schema, path[1:], change)
	}
	p := s.Properties[path[0]]
	changed := edit(&p, path[1:], change)
	s.Properties[path[0]] = p
	return changed
}

// twoAndThree returns a value of two entries or parts, and one with another one beside them. Where there is but one, the other value is another; nil if
// there is none.
func (f field) twoAndThree() (two, three any) {
	of := func(serials ...int) any {
		list, object := []any{}, map[string]any{}
		for _, i := range serials {
			if f.schema.Type == "array" {
				list = append(list, sample(*f.schema.Items.Schema, i))
			} else if f.schema.AdditionalProperties != nil {
				object[string(rune('a'+i))] = sample(*f.schema.AdditionalProperties.Schema, i)
			}
		}
		if names := slices.Sorted(maps.Keys(f.schema.Properties)); len(names) > 0 {
			for i, name := range names[:min(len(serials), len(names))] {
				object[name] = sample(f.schema.Properties[name], i)
			}
			if len(serials) > len(names) {
				object[names[0]] = sample(f.schema.Properties[names[0]], len(serials))
			}
		}
		if f.schema.Type == "array" {
			return list
		}
		return object
	}
	switch most := f.schema.MaxItems; {
	case most != nil && *most == 1:
		return of(0), nil
	case most != nil && *most == 2:
		return of(0), of(0, 1)
	}
	return of(0, 1), of(0, 1, 2)
}

const flux = "kustomize-controller"

// A former is a field of an earlier definition, and what objects have there.
type former struct {
	field
	of         shape
	id         int
	two, three any
}

// object returns the object of a name with a value.
func (f former) object(name string, value any) *unstructured.Unstructured {
	return f.of.object(fmt.Sprintf("%s-%d", name, f.id), f.of.with(f.path, value))
}

// has returns what is stored.
func (f former) has(t *testing.T, name string) any {
	t.Helper()
	o := f.object(name, f.two)
	if err := api.Get(t.Context(), client.ObjectKeyFromObject(o), o); err != nil {
		t.Fatal(err)
	}
	value, _ := at(o.Object["spec"], f.path)
	return value
}

// stays holds that an object has a value on.
func (f former) stays(t *testing.T, object string, want any, after string) {
	t.Helper()
	if diff := cmp.Diff(want, f.has(t, object)); diff != "" {
		t.Errorf("%s (%s): %s changed it (-want +got):\n%s", f, object, after, diff)
	}
}

func (f former) String() string {
	return fmt.Sprintf("%s spec.%s", f.of.crd.Spec.Names.Kind, strings.Join(f.path, "."))
}

// updates writes as kubectl edit and controllers do.
func updates(t *testing.T, o *unstructured.Unstructured, manager string, change func(o *unstructured.Unstructured)) {
	t.Helper()
	err := api.Get(t.Context(), client.ObjectKeyFromObject(o), o)
	if err == nil {
		change(o)
		err = api.Update(t.Context(), o, client.FieldOwner(manager))
	}
	if err != nil {
		t.Fatalf("%s %s: %v", o.GetKind(), o.GetName(), err)
	}
}

func annotated(o *unstructured.Unstructured) {
	o.SetAnnotations(map[string]string{"noted": o.GetResourceVersion()})
}

// formers makes the fields of shapes what they were, and returns them.
func formers(t *testing.T, all map[string]shape) (were []former) {
	t.Helper()
	seen := map[string]bool{}
	for _, kind := range slices.Sorted(maps.Keys(all)) {
		s := all[kind]
		for _, f := range s.fields() {
			if edit(&s.spec, f.path, f.makeGranular) {
				seen[strings.TrimPrefix(f.name(), "sizes.[].")] = true
				two, three := f.twoAndThree()
				were = append(were, former{f, s, len(were), two, three})
			}
		}
	}
	if want := len(onceSets) + len(onceKeyed) + len(onceParts); len(seen) != want {
		t.Errorf("%d fields were others, want %d: %v", len(seen), want, slices.Sorted(maps.Keys(seen)))
	}
	return were
}

// What Flux applied before fields got one manager for the whole stays at that upgrade, and so does what others edited. Flux then applies the same manifest
// without a conflict, and the empty value.
func TestFieldsBecomeAtomic(t *testing.T) {
	was, is := shapes(t, "atomic.example.com"), shapes(t, "atomic.example.com")
	all := formers(t, was)
	install(t, was)
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range all {
		must(apply(t, f.object("applied", f.two), flux))
		must(api.Create(t.Context(), f.object("created", f.two), client.FieldOwner("kubectl-create")))
		must(apply(t, f.object("created", f.two), flux))
		must(apply(t, f.object("edited", f.two), flux))
		if f.three != nil {
			updates(t, f.object("edited", nil), "kubectl-edit", func(o *unstructured.Unstructured) { o.Object["spec"] = f.of.with(f.path, f.three) })
		}
		updates(t, f.object("applied", nil), "mooring", annotated)
	}

	install(t, is)
	inForce(t, all, true)
	for _, f := range all {
		stays := func(object string, want any, after string) {
			t.Helper()
			f.stays(t, object, want, after)
		}
		for _, object := range []string{"applied", "created"} {
			stays(object, f.two, "the upgrade")
			updates(t, f.object(object, nil), "kubectl-label", annotated)
			stays(object, f.two, "the first write")
			if err := apply(t, f.object(object, f.two), flux); err != nil {
				t.Errorf("%s (%s): the same manifest: %v", f, object, err)
			}
			stays(object, f.two, "the same manifest")
			var how []client.ApplyOption
			if object == "created" { // what two have, one takes away by force, as Flux does
				how = append(how, client.ForceOwnership)
			}
			if err := apply(t, f.object(object, empty(f.schema)), flux, how...); err != nil {
				t.Errorf("%s (%s): the empty value: %v", f, object, err)
			}
			stays(object, empty(f.schema), "the empty value")
		}
		if f.three == nil {
			continue
		}
		stays("edited", f.three, "the upgrade")
		updates(t, f.object("edited", nil), "kubectl-label", annotated)
		stays("edited", f.three, "the first write")
		if err := apply(t, f.object("edited", f.two), flux); !apierrors.IsConflict(err) || !strings.Contains(err.Error(), "kubectl-edit") {
			t.Errorf("%s: the manifest over an edit: %v, want a conflict with kubectl-edit", f, err)
		}
		stays("edited", f.three, "a conflict")
		must(apply(t, f.object("edited", f.two), flux, client.ForceOwnership))
		stays("edited", f.two, "the manifest, by force,")
	}
}

// What was stored and applied by definitions with one manager for the whole stays when an earlier release comes back. Flux then applies the same manifest without a conflict, and from then on
// takes away what it no longer applies. A first apply that has fewer entries leaves the others.
func TestFieldsBecomeGranularAgain(t *testing.T) {
	was, is := shapes(t, "granular.example.com"), shapes(t, "granular.example.com")
	all := formers(t, was)
	install(t, is)
	inForce(t, all, true)
	for _, f := range all {
		for _, object := range []string{"applied", "emptied"} {
			if err := apply(t, f.object(object, f.two), flux); err != nil {
				t.Fatal(err)
			}
		}
		if err := apply(t, f.object("emptied", empty(f.schema)), flux); err != nil {
			t.Fatal(err)
		}
		if f.three != nil {
			if err := apply(t, f.object("fewer", f.three), flux); err != nil {
				t.Fatal(err)
			}
		}
		updates(t, f.object("applied", nil), "mooring", annotated)
	}

	install(t, was)
	inForce(t, all, false)
	for _, f := range all {
		stays := func(object string, want any, after string) {
			t.Helper()
			f.stays(t, object, want, after)
		}
		for object, want := range map[string]any{"applied": f.two, "emptied": empty(f.schema)} {
			stays(object, want, "the rollback")
			updates(t, f.object(object, nil), "kubectl-label", annotated)
			stays(object, want, "the first write")
		}
		if err := apply(t, f.object("applied", f.two), flux); err != nil {
			t.Errorf("%s: the same manifest: %v", f, err)
		}
		stays("applied", f.two, "the same manifest")
		if f.three == nil {
			continue
		}
		stays("fewer", f.three, "the rollback")
		for _, value := range []any{f.three, f.two} { // the first apply makes the entries those of its manager
			if err := apply(t, f.object("fewer", value), flux); err != nil {
				t.Errorf("%s: %v: %v", f, value, err)
			}
			stays("fewer", value, "a manifest")
		}
	}
}

// inForce waits until the API server goes by the definitions by which the empty value can be applied, or by those by which it can't.
func inForce(t *testing.T, all []former, atomic bool) {
	t.Helper()
	wait := patience.New()
	for _, f := range all {
		for {
			o := f.object("applied", empty(f.schema))
			err := apply(t, o, flux, client.DryRunAll)
			got, exists := at(o.Object["spec"], f.path)
			if (err == nil && exists && cmp.Equal(got, empty(f.schema))) == atomic {
				break
			}
			if wait.Over() {
				t.Fatalf("spec.%s: atomic is not %t after %s: %v", strings.Join(f.path, "."), atomic, wait, err)
			}
			time.Sleep(20 * time.Millisecond)
		}
	}
}

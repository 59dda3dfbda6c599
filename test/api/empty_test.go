package api

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
)

// Why a field is not atomic, though server-side apply then loses its empty value.
const (
	block    = "{} asks for nothing: a block of settings without settings is like one that is not there"
	needs    = "the schema refuses {}, whatever was there before"
	shared   = "several managers own entries: the empty value of one takes away none of the others"
	sameHere = "[] and a field that is unset mean the same: a class has nothing in the cloud"
)

// granular are the fields whose empty value server-side apply can't say over another value, each with the reason.
var granular = map[string]string{
	"tags": shared,

	"aws": block, "gcp": block, "backup": block, "network": block, "storage": block, "maintenance": block, "updates": block, "enforcedUpdates": block, "finalSnapshot": block, "enforcedFinalSnapshot": block, "defaults": block,
	"enforced": block, "aws.monitoring": block, "aws.performanceInsights": block, "aws.notifications": block, "aws.replication": block, "gcp.autoclass": block,
	"gcp.customPlacementConfig": block, "gcp.connectionPool": block, "gcp.insights": block, "gcp.passwordValidationPolicy": block, "gcp.pscConfig": block,
	"sizes.[].aws": block, "sizes.[].aws.monitoring": block, "sizes.[].aws.performanceInsights": block, "sizes.[].gcp": block, "sizes.[].gcp.connectionPool": block,
	"sizes.[].gcp.insights": block, "sizes.[].gcp.passwordValidationPolicy": block, "sizes.[].gcp.pscConfig": block, "sizes.[].storage": block,

	"credentials": needs, "maintenance.window": needs, "restoreFrom": needs, "source": needs,

	"sizes": sameHere,
}

// The empty value of each field of each kind can be applied over another one by whoever applied that, alone and beside another manager, who has a field next
// to it and keeps that.
func TestEmptyValuesAreAppliedServerSide(t *testing.T) {
	all := shapes(t, "empty.example.com")
	install(t, all)
	unused := maps.Clone(granular)
	for _, kind := range slices.Sorted(maps.Keys(all)) {
		s := all[kind]
		for i, f := range s.fields() {
			_, isGranular := granular[f.name()]
			delete(unused, f.name())
			set, none := s.with(f.path, sample(f.schema, 0)), s.with(f.path, empty(f.schema))
			for _, beside := range [][]string{nil, s.beside(f.path)} {
				name := fmt.Sprintf("%s.spec.%s", kind, strings.Join(f.path, "."))
				o := s.object(fmt.Sprintf("o%d-%d", i, len(beside)), set)
				if err := apply(t, o, "team"); err != nil {
					t.Errorf("%s: %v", name, err)
					continue
				}
				var theirs any
				if beside != nil {
					name += " beside spec." + strings.Join(beside, ".")
					if err := apply(t, s.object(o.GetName(), s.with(beside, sample(schemaAt(s.spec, beside), 0))), "platform"); err != nil {
						t.Errorf("%s: another manager: %v", name, err)
						continue
					}
					theirs = sample(schemaAt(s.spec, beside), 0)
				}
				o = s.object(o.GetName(), none)
				err := apply(t, o, "team")
				got, exists := at(o.Object["spec"], f.path)
				stays := err == nil && exists && cmp.Equal(got, empty(f.schema))
				switch {
				case isGranular && beside == nil && stays:
					t.Errorf("%s stays %v: it needs no exception", name, got)
				case !isGranular && !stays:
					t.Errorf("%s: applied as %v it is %v (%v)", name, empty(f.schema), got, err)
				}
				if kept, _ := at(o.Object["spec"], beside); err == nil && beside != nil && !cmp.Equal(kept, theirs) {
					t.Errorf("%s: that was %v and is %v", name, theirs, kept)
				}
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(unused)) {
		t.Errorf("no kind has spec.%s", name)
	}
}

// beside returns the path of a field that another manager can have: the one next to the field, or to what has it as a whole.
func (s shape) beside(path []string) []string {
	of, last := s.spec, 0
	for i, step := range path[:len(path)-1] {
		of = of.Properties[step]
		if of.Type != "object" || of.XMapType != nil {
			break
		}
		last = i + 1
	}
	parent := path[:last]
	for _, name := range slices.Sorted(maps.Keys(schemaAt(s.spec, parent).Properties)) {
		if name != path[last] {
			return append(slices.Clone(parent), name)
		}
	}
	return nil
}

// schemaAt returns the schema at a path of structs.
func schemaAt(s apiextensionsv1.JSONSchemaProps, path []string) apiextensionsv1.JSONSchemaProps {
	for _, step := range path {
		s = s.Properties[step]
	}
	return s
}

// What a comment says of [] or {}, and what EmptyValues says, server-side apply can say: such a field is no exception, but for tags.
func TestWhatAnEmptyValueMeansCanBeApplied(t *testing.T) {
	for kind, s := range shapes(t, "unused.example.com") {
		for _, f := range s.fields() {
			reason := granular[f.name()]
			if reason != block && reason != sameHere {
				continue
			}
			if text := f.schema.Description; strings.Contains(text, "{}") || strings.Contains(text, "[]") || strings.Contains(text, "mpty") {
				t.Errorf("%s.spec.%s is granular, since %q, and its comment says what empty means: %s", kind, strings.Join(f.path, "."), reason, text)
			}
		}
	}
	for name := range v1alpha1.EmptyValues() {
		if reason := granular[name]; reason != "" {
			t.Errorf("{} means something for spec.%s, which is granular, since %q", name, reason)
		}
	}
}

// Tags have several managers: each takes away its own alone. Server-side apply can't empty them: what takes the last one away is a patch, and then {} stays.
func TestTagsOfTwoManagers(t *testing.T) {
	bucket := func(tags string) *unstructured.Unstructured {
		return object(t, "Bucket", `{metadata: {name: tagged}, spec: {className: standard, `+tags+`}}`)
	}
	t.Cleanup(func() { _ = api.Delete(context.WithoutCancel(t.Context()), bucket("")) })
	for _, step := range []struct{ tags, manager, want, refused string }{
		{"tags: {a: b, team: shop}", "team", "map[a:b team:shop]", ""},
		{"tags: {cost-center: c}", "platform", "map[a:b cost-center:c team:shop]", ""},
		{"tags: {team: shop}", "team", "map[cost-center:c team:shop]", ""},
		{"versioning: Enabled", "team", "map[cost-center:c]", ""},
		{"versioning: Enabled", "platform", "<nil>", ""},
		{"tags: {team: shop}", "team", "map[team:shop]", ""},
		{"tags: {}", "team", "", "must be of type object"},
		{"{tags: {team: null}}", "patch", "map[]", ""},
		{"tags: {}", "team", "map[]", ""},
	} {
		o := bucket("")
		var err error
		if step.manager == "patch" {
			err = patch(t, o, "spec: "+step.tags, false)
		} else {
			o = bucket(step.tags)
			err = apply(t, o, step.manager)
		}
		if step.refused != "" {
			if !apierrors.IsInvalid(err) || !strings.Contains(err.Error(), step.refused) {
				t.Errorf("%s applies %s: %v, want %q", step.manager, step.tags, err, step.refused)
			}
			continue
		}
		if tags, _ := at(o.Object["spec"], []string{"tags"}); err != nil || fmt.Sprint(tags) != step.want {
			t.Errorf("%s applies %s: %v, %v, want %s", step.manager, step.tags, err, tags, step.want)
		}
	}
}

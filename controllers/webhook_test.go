package controllers

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-logr/logr"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/admission"
	"github.com/mooring-dev/mooring/controllers/class"
	"github.com/mooring-dev/mooring/controllers/identity"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/controllers/resource/preview"
	"github.com/mooring-dev/mooring/providers/driver"
)

// said is a preview that returns lines or an error, panics or hangs.
type said func() ([]string, error)

func (s said) report() (preview.Report, error) {
	lines, err := s()
	return preview.Report{Consequences: lines}, err
}

func (s said) Creation(context.Context, v1alpha1.ResourceObject) (preview.Report, error) {
	return s.report()
}
func (s said) Deletion(context.Context, v1alpha1.ResourceObject) (preview.Report, error) {
	return s.report()
}
func (s said) Edit(context.Context, v1alpha1.ResourceObject, v1alpha1.ResourceObject) (preview.Report, error) {
	return s.report()
}
func (s said) DeletionEdit(context.Context, v1alpha1.ResourceObject, v1alpha1.ResourceObject) (preview.Report, error) {
	return s.report()
}

var itsConfig = &v1alpha1.ProviderConfigReference{Kind: identity.KindProviderConfig, Name: "team"}

// validating returns a webhook whose previews all say the same, and whose class warns that there is no provider config.
func validating(preview said) *reviewer {
	resolver := &class.Resolver{Kind: kind.Database()}
	return &reviewer{log: logr.Discard(), kinds: []addedKind{{
		Kind: kind.Database(), classes: resolver, preview: preview,
		admission: &class.Admission{Resolver: resolver, MayUse: func(context.Context, client.Reader, *v1alpha1.ProviderConfigReference, *v1alpha1.BoundProviderConfig, string) (*class.Problem, error) {
			return &class.Problem{Reason: v1alpha1.ReasonProviderConfigNotFound, Message: "there is none"}, nil
		}},
	}}}
}

// What the API server cuts is at the end, so previews come first. One that fails keeps neither the request nor other warnings back.
func TestPreviewsComeFirstAndFailAlone(t *testing.T) {
	d := &v1alpha1.Database{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "orders"}}
	d.Spec.ProviderConfigRef = itsConfig
	reviews := map[string]admission.Review{
		"edit": {Object: d, Old: d}, "creation": {Object: d}, "deletion": {Old: d}, "edit of annotations": {Object: d, Old: d, OnlyAnnotations: true},
		"edit of a deletion": {Object: d, Old: d, Deleting: true},
	}
	for _, tt := range []struct {
		name    string
		preview said
		first   string
	}{
		{"a preview", func() ([]string, error) { return []string{"Restarts: a"}, nil }, "Restarts: a"},
		{"an error", func() ([]string, error) { return nil, errors.New("secret") }, "Mooring could not say in advance what this %s does, because of an internal error; "},
		{"a panic", func() ([]string, error) { panic("secret") }, "Mooring could not say in advance what this %s does, because of an internal error; "},
		{"no answer", nil, "Mooring could not say in advance what this %s does, because that took too long; "},
	} {
		for of, review := range reviews {
			trial := func(t *testing.T) {
				preview, begin := tt.preview, time.Now()
				if preview == nil {
					hang := make(chan struct{})
					defer close(hang)
					preview = func() ([]string, error) { <-hang; return nil, nil }
				}
				result, err := validating(preview).validate(t.Context(), review)
				if took := time.Since(begin); took > previewFor || strings.HasSuffix(of, "deletion") && took > previewDeletionFor {
					t.Errorf("it took %v", took)
				}
				if err != nil || len(result.Warnings) == 0 {
					t.Fatalf("%v, %q", err, result.Warnings)
				}
				if first := strings.ReplaceAll(tt.first, "%s", strings.TrimSuffix(strings.TrimSuffix(of, " of annotations"), " of a deletion")); !strings.HasPrefix(result.Warnings[0], first) {
					t.Errorf("%q comes first, want %q", result.Warnings[0], first)
				}
				other := slices.ContainsFunc(result.Warnings[1:], func(w string) bool { return strings.Contains(w, "there is none") })
				if other != (of == "edit" || of == "creation") { // of what the spec has for long, nothing is said again
					t.Errorf("warnings %q", result.Warnings)
				}
			}
			t.Run(tt.name+" of a "+of, func(t *testing.T) { synctest.Test(t, trial) })
		}
	}
}

// An annotation that only objects have brings nothing about on a class. The rules of classes are not asked: here there are none.
func TestAnnotationsOfAClassAreNotValidated(t *testing.T) {
	c := &v1alpha1.DatabaseClass{ObjectMeta: metav1.ObjectMeta{Name: "standard"}}
	for _, review := range []admission.Review{{Object: c, Old: c, OnlyAnnotations: true}, {Object: c, Old: c, Deleting: true}} {
		result, err := validating(nil).validate(t.Context(), review)
		if err != nil || len(result.Warnings)+len(result.Refusals) > 0 {
			t.Errorf("%v, %+v; want nothing to be said", err, result)
		}
	}
}

// A kind may have no class. The webhook then takes what names a provider config, and knows no class of the kind.
func TestAdmissionOfAKindWithoutAClass(t *testing.T) {
	s := validating(func() ([]string, error) { return nil, nil })
	s.kinds[0].Class = nil
	s.kinds[0].classes.Kind = s.kinds[0].Kind
	for name, tc := range map[string]struct {
		edit func(*v1alpha1.DatabaseSpec)
		want string // words of the refusal
	}{
		"a provider config": {func(s *v1alpha1.DatabaseSpec) { s.ProviderConfigRef = itsConfig }, ""},
		"nothing":           {func(*v1alpha1.DatabaseSpec) {}, "the kind Database has no classes, so spec.providerConfigRef is required"},
		"a class":           {func(s *v1alpha1.DatabaseSpec) { s.ClassName = "standard" }, "remove spec.className"},
	} {
		t.Run(name, func(t *testing.T) {
			d := &v1alpha1.Database{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "orders"}}
			tc.edit(&d.Spec)
			result, err := s.validate(t.Context(), admission.Review{Object: d})
			if err != nil || (tc.want == "") != (len(result.Refusals) == 0) || !strings.Contains(fmt.Sprint(result.Refusals), tc.want) {
				t.Errorf("%v, refusals %v; want %q", err, result.Refusals, tc.want)
			}
		})
	}
	if _, err := s.validate(t.Context(), admission.Review{Object: &v1alpha1.DatabaseClass{}}); err == nil {
		t.Error("a class of a kind that has none was validated")
	}
}

// A region that this release does not know is warned of when somebody writes it, and not with each edit of something else.
func TestAnUnknownRegionIsWarnedOfOnce(t *testing.T) {
	w := &reviewer{drivers: map[string]driver.Driver{"aws": regional{}}}
	in := func(region string, edits ...func(*v1alpha1.ProviderConfig)) *v1alpha1.ProviderConfig {
		c := &v1alpha1.ProviderConfig{}
		c.Spec.AWS = &v1alpha1.AWSAccount{Region: region}
		for _, edit := range edits {
			edit(c)
		}
		return c
	}
	limited := func(c *v1alpha1.ProviderConfig) { c.Spec.AWS.AccountID = "111111111111" }
	elsewhere := func(c *v1alpha1.ProviderConfig) { c.Spec.AWS.S3Compatible = &v1alpha1.S3CompatibleStore{} }
	for name, tt := range map[string]struct {
		review admission.Review
		warns  bool
	}{
		"a creation":                   {admission.Review{Object: in("eu-west-7")}, true},
		"a creation in a region":       {admission.Review{Object: in("eu-west-1")}, false},
		"another region":               {admission.Review{Object: in("eu-west-7"), Old: in("eu-west-1")}, true},
		"from one unknown to another":  {admission.Review{Object: in("eu-west-7"), Old: in("eu-west-8")}, true},
		"back":                         {admission.Review{Object: in("eu-west-1"), Old: in("eu-west-7")}, false},
		"an edit of something else":    {admission.Review{Object: in("eu-west-7", limited), Old: in("eu-west-7")}, false},
		"an edit of annotations":       {admission.Review{Object: in("eu-west-7"), Old: in("eu-west-8"), OnlyAnnotations: true}, false},
		"a store that names regions":   {admission.Review{Object: in("eu-west-7", elsewhere)}, false},
		"from such a store to a cloud": {admission.Review{Object: in("eu-west-7"), Old: in("eu-west-7", elsewhere)}, true},
	} {
		said, err := w.validate(t.Context(), tt.review)
		if err != nil || (len(said.Warnings) > 0) != tt.warns {
			t.Errorf("%s: the warnings are %q, error %v; want any: %t", name, said.Warnings, err, tt.warns)
		}
	}
}

// regional knows one region.
type regional struct{ driver.Driver }

func (regional) Describe() driver.Description {
	return driver.Description{
		Name: "aws", Title: "AWS", Account: driver.AccountFields{Region: "region", OwnRegions: "s3Compatible"},
		Resources: []driver.Resource{{Known: driver.Known{Locations: []string{"eu-west-1"}}}},
	}
}

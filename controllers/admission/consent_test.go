package admission

import (
	"context"
	"errors"
	"strings"
	"testing"

	admissionv1 "k8s.io/api/admission/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
)

// What nobody can find out about a consent is refused, and only what may need one is asked about.
func TestConsentFailsClosed(t *testing.T) {
	lax, strict := database(tree{"updates": tree{"disruptive": "OnSpecChange"}}, nil), database(tree{"updates": tree{"disruptive": "OnApproval"}}, nil)
	allows := func(context.Context, Review) (Result, error) { return Result{}, nil }
	refuses := func(context.Context, Review) (Result, error) {
		return Result{Refusals: field.ErrorList{field.Forbidden(field.NewPath("spec", "updates", "disruptive"), "it needs the verb")}}, nil
	}
	for _, tt := range []struct {
		name      string
		validator ValidatorFunc
		old, now  tree
		refused   string
	}{
		{"nothing is lowered", allows, strict, lax, ""},
		{"a rule is lowered", refuses, strict, lax, "it needs the verb"},
		{"a new object is below its class", refuses, nil, lax, "it needs the verb"},
		{"an error", func(context.Context, Review) (Result, error) { return Result{}, errors.New("canary") }, strict, lax, "could not find out"},
		{"a panic", func(context.Context, Review) (Result, error) { panic("canary") }, strict, lax, "could not find out"},
		{"no answer in time", func(ctx context.Context, _ Review) (Result, error) { <-ctx.Done(); return Result{}, ctx.Err() }, strict, lax, "could not find out"},
		{"an object that can't be read", allows, strict, tree{"apiVersion": "mooring.dev/v1alpha1", "kind": "Nothing"}, "no kind"},
		{"another annotation", refuses, lax, database(tree{"updates": tree{"disruptive": "OnSpecChange"}}, tree{"annotations": tree{v1alpha1.AnnotationApprove: "x"}}), ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			operation := admissionv1.Update
			if tt.old == nil {
				operation = admissionv1.Create
			}
			response := (*consentHandler)(newHandler(t, tt.validator)).Handle(t.Context(), request(t, operation, tt.now, tt.old))
			message := ""
			if response.Result != nil {
				message = response.Result.Message
			}
			if response.Allowed != (tt.refused == "") || !strings.Contains(message, tt.refused) || strings.Contains(message, "canary") {
				t.Errorf("allowed %v: %s; want %q", response.Allowed, message, tt.refused)
			}
		})
	}
}

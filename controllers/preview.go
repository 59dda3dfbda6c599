package controllers

import (
	"context"
	"fmt"
	"runtime/debug"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/admission"
)

// A lifecyclePreview says in advance what the creation and the deletion of an object do, a line each, the dangerous first.
type lifecyclePreview interface {
	Creation(context.Context, v1alpha1.ResourceObject) ([]string, error)
	Deletion(context.Context, v1alpha1.ResourceObject) ([]string, error)
}

// previewEdit says what an edit would change in the cloud.
func (s *setup) previewEdit(ctx context.Context, kind addedKind, old, object v1alpha1.ResourceObject) []string {
	return s.previewed("edit", "see status.pendingChanges after it", kind, object, func() ([]string, error) { return kind.preview(ctx, old, object) })
}

// previewCreation returns what a creation is warned of.
func (s *setup) previewCreation(ctx context.Context, kind addedKind, object v1alpha1.ResourceObject) []string {
	return s.previewed("creation", "see status.conditions after it", kind, object, func() ([]string, error) { return kind.lifecycle.Creation(ctx, object) })
}

// judgeDeletion says what a deletion does.
func (s *setup) judgeDeletion(ctx context.Context, old client.Object) (admission.Verdict, error) {
	for _, kind := range s.kinds {
		if kind.Has(old) {
			lines := s.previewed("deletion", "check spec.deletionPolicy and status.effective before it", kind, old, func() ([]string, error) { return kind.lifecycle.Deletion(ctx, old.(v1alpha1.ResourceObject)) })
			return admission.Verdict{Warnings: lines}, ctx.Err()
		}
	}
	return admission.Verdict{}, fmt.Errorf("unknown type %T", old)
}

// previewed returns the warnings of a preview. A preview that fails or panics keeps nobody from the request, and no other warning from being
// shown: the log has the error, and one warning says what to do instead.
func (s *setup) previewed(of, instead string, kind addedKind, object client.Object, preview func() ([]string, error)) (warnings []string) {
	failed := func(err error) []string {
		s.Log.Error(err, "a preview failed; the request goes on", "preview", of, "kind", kind.Name, "namespace", object.GetNamespace(), "name", object.GetName())
		return []string{fmt.Sprintf("Mooring could not say in advance what this %s does, because of an internal error; %s", of, instead)}
	}
	defer func() {
		if p := recover(); p != nil {
			warnings = failed(fmt.Errorf("panic: %v\n%s", p, debug.Stack()))
		}
	}()
	warnings, err := preview()
	if err != nil {
		return failed(err)
	}
	return warnings
}

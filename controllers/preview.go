package controllers

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
)

// A lifecyclePreview says in advance what the creation and the deletion of an object do, a line each, the dangerous first.
type lifecyclePreview interface {
	Creation(context.Context, v1alpha1.ResourceObject) ([]string, error)
	Deletion(context.Context, v1alpha1.ResourceObject) ([]string, error)
	DeletionEdit(ctx context.Context, old, object v1alpha1.ResourceObject) ([]string, error)
}

// previewEdit says what an edit would change in the cloud.
func (s *setup) previewEdit(ctx context.Context, kind addedKind, old, object v1alpha1.ResourceObject) []string {
	return s.previewed(ctx, foreseen{"edit", "see status.pendingChanges after it", previewFor}, kind, object, func(ctx context.Context) ([]string, error) {
		return kind.preview(ctx, old, object)
	})
}

// previewCreation returns what a creation is warned of.
func (s *setup) previewCreation(ctx context.Context, kind addedKind, object v1alpha1.ResourceObject) []string {
	return s.previewed(ctx, foreseen{"creation", "see status.conditions after it", previewFor}, kind, object, func(ctx context.Context) ([]string, error) {
		return kind.lifecycle.Creation(ctx, object)
	})
}

// previewDeletion says what a deletion does.
func (s *setup) previewDeletion(ctx context.Context, kind addedKind, old v1alpha1.ResourceObject) []string {
	of := foreseen{"deletion", "check spec.deletionPolicy and status.effective before it", previewDeletionFor}
	return s.previewed(ctx, of, kind, old, func(ctx context.Context) ([]string, error) { return kind.lifecycle.Deletion(ctx, old) })
}

// previewDeletionEdit says what an edit changes in a deletion that was requested before.
func (s *setup) previewDeletionEdit(ctx context.Context, kind addedKind, old, object v1alpha1.ResourceObject) []string {
	of := foreseen{"edit", "check spec.deletionPolicy and status.effective before it", previewDeletionFor}
	return s.previewed(ctx, of, kind, object, func(ctx context.Context) ([]string, error) { return kind.lifecycle.DeletionEdit(ctx, old, object) })
}

// How long a preview may take. That is less than a whole verdict may, so that the other warnings are shown even if a preview hangs.
const (
	previewFor         = time.Second
	previewDeletionFor = 400 * time.Millisecond
)

// foreseen is a request that is previewed.
type foreseen struct {
	// what it is, and instead of a preview that fails: what its user can do.
	what, instead string
	// within is how long the preview may take.
	within time.Duration
}

// previewed returns the warnings of a preview. A preview that fails, panics or hangs keeps nobody from the request, and no other warning
// from being shown: the log has the error, and one warning says what to do instead.
func (s *setup) previewed(ctx context.Context, of foreseen, kind addedKind, object client.Object, preview func(context.Context) ([]string, error)) []string {
	ctx, cancel := context.WithTimeout(ctx, of.within)
	defer cancel()
	lines, err := awaited(ctx, preview)
	if err == nil {
		return lines
	}
	why := "because of an internal error"
	if errors.Is(err, context.DeadlineExceeded) {
		why = "because that took too long"
	}
	s.Log.Error(err, "a preview failed; the request goes on", "preview", of.what, "kind", kind.Name, "namespace", object.GetNamespace(), "name", object.GetName())
	return []string{fmt.Sprintf("Mooring could not say in advance what this %s does, %s; %s", of.what, why, of.instead)}
}

// awaited returns what a preview says. It waits no longer than ctx allows, and makes an error of a panic.
func awaited(ctx context.Context, preview func(context.Context) ([]string, error)) ([]string, error) {
	type answer struct {
		lines []string
		err   error
	}
	answered := make(chan answer, 1) // nobody may be waiting any more
	go func() {
		defer func() {
			if p := recover(); p != nil {
				answered <- answer{err: fmt.Errorf("panic: %v\n%s", p, debug.Stack())}
			}
		}()
		lines, err := preview(ctx)
		answered <- answer{lines, err}
	}()
	select {
	case a := <-answered:
		return a.lines, a.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
